package main

import (
	"fmt"
	"slices"
)

// failure is the panic value by which an error ends a part. The steps of a
// part need each other, so the first error ends it. Code that clients run in
// parallel returns its errors.
type failure struct{ err error }

// check ends the part if there is an error, to which it adds what was being
// done.
func check(err error, doing ...string) {
	if err == nil {
		return
	}
	for _, what := range doing {
		err = fmt.Errorf("%s: %w", what, err)
	}
	panic(failure{err})
}

// must returns the answer, or ends the part with the error.
func must[T any](answer T, err error) T {
	check(err)
	return answer
}

// caught calls do and returns the error that ended it.
func caught(do func()) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case failure:
			err = reason.err
		default:
			panic(reason)
		}
	}()
	do()
	return nil
}

// ends are the functions that release what a part holds.
type ends []func()

func (e *ends) atEnd(end func()) { *e = append(*e, end) }

// within calls do, and then releases what it acquired, in reverse order.
func (e *ends) within(do func()) error {
	from := len(*e)
	defer func() {
		for _, end := range slices.Backward((*e)[from:]) {
			end()
		}
		*e = (*e)[:from]
	}()
	return caught(do)
}
