package main

import (
	"fmt"
	"slices"
)

// failure is an error that ends a part, which does one thing after another,
// each for nothing without the one before. What clients do beside one another
// returns its errors.
type failure struct{ err error }

// check ends the part with an error, if there is one, and says what was being
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

// must is what was answered, if it was without an error.
func must[T any](answer T, err error) T {
	check(err)
	return answer
}

// caught does something, and returns the error that ended it.
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

// ends let go of what was taken up.
type ends []func()

func (e *ends) atEnd(end func()) { *e = append(*e, end) }

// within does something and then lets go of all that was taken up in it, the
// last first.
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
