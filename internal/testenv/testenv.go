// Package testenv tells tests where they run: in "go test ./...", where
// everything is proved once and quickly, or in the whole check, which also runs
// what takes long and has every tool installed. It also has the one deadline of
// all waits.
package testenv

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// longEnv set to "required" is the whole check.
const longEnv = "GATEWAY_TEST_LONG"

// shortEnv names the file that lists the tests which ran in their short form,
// by directory and name, once for each time they asked. The check has those run
// again.
const shortEnv = "GATEWAY_TEST_SHORT"

// Patience bounds everything that a test waits for. It is generous, because the
// machine may be busy with other tests: what takes longer is broken, and not
// slow.
const Patience = 2 * time.Minute

// PNG is a picture as small as they come.
const PNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

// pause lasts from one look at what is waited for to the next: the longer the
// wait has been, the longer, since a look is often a call that keeps the
// program and its database busy.
func pause(began time.Time) {
	time.Sleep(min(max(time.Since(began)/8, 5*time.Millisecond), 100*time.Millisecond))
}

// Required reports whether this is the whole check.
func Required() bool { return os.Getenv(longEnv) == "required" }

// Whole reports whether this is the whole check. Where it is not, the test is
// one that has a long form.
func Whole(t testing.TB) bool {
	t.Helper()
	if Required() {
		return true
	}
	if file := os.Getenv(shortEnv); file != "" {
		list := Must(os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t) //nolint:gosec // the check names it
		name, _, _ := strings.Cut(t.Name(), "/")
		_, err := fmt.Fprintf(list, "%s %s\n", Must(os.Getwd())(t), name)
		NoError(t, err, list.Close())
	}
	return false
}

// Long skips a test that only the whole check runs, for the reason given: why
// it takes long.
func Long(t testing.TB, why string) {
	t.Helper()
	if !Whole(t) {
		t.Skipf("%s: %s=required has it run", why, longEnv)
	}
}

// OneByOne leaves a test to the whole check's run without the race detector:
// that finds nothing where each call follows the one before, and takes several
// times as long for it.
func OneByOne(t testing.TB) {
	t.Helper()
	if Race && !Whole(t) {
		t.Skip("its calls come one by one: it runs without the race detector")
	}
}

// Missing ends a test that needs what the machine does not have: it is skipped,
// and fails in the whole check.
func Missing(t testing.TB, what string) {
	t.Helper()
	if Whole(t) {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Pick is how much of something a test does: little in "go test ./...", all of
// it in the whole check.
func Pick[T any](t testing.TB, little, all T) T {
	t.Helper()
	if Whole(t) {
		return all
	}
	return little
}

// NoError ends the test if there is an error.
func NoError(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Must gives what a call has given that has to succeed, and ends the test if
// there is an error. The test comes last, Must(call())(t), because Go passes a
// call's two values on only where nothing stands beside them.
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// Must2 is Must of a call that gives two things.
func Must2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		NoError(t, err)
		return a, b
	}
}

// ErrOf is the error of a call whose other result does not matter.
func ErrOf[T any](_ T, err error) error { return err }

// ErrOf2 is ErrOf for a call with two other results.
func ErrOf2[A, B any](_ A, _ B, err error) error { return err }

// repeated is a cell's shorthand for one character many times over.
var repeated = regexp.MustCompile(`<(.)\*(\d+)>`)

// Rows reads a table of a package's testdata: the cells of each line, between "
// | ", but for lines that begin with #. In a cell <x*3> stands for xxx.
func Rows(t testing.TB, file string) (rows [][]string) {
	t.Helper()
	content := Must(os.ReadFile("testdata/" + file))(t)
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rows = append(rows, strings.Split(repeated.ReplaceAllStringFunc(line, func(cell string) string {
			parts := repeated.FindStringSubmatch(cell)
			return strings.Repeat(parts[1], Must(strconv.Atoi(parts[2]))(t))
		}), " | "))
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", file)
	}
	return rows
}

// AtOnce makes n calls at the same time, and returns their results.
func AtOnce(calls int, call func(i int) error) []error {
	errs := make([]error, calls)
	var running sync.WaitGroup
	for i := range errs {
		running.Go(func() { errs[i] = call(i) })
	}
	running.Wait()
	return errs
}

// Want wants what was got to be as it should. What it is is said as in
// fmt.Sprintf.
func Want[T comparable](t testing.TB, got, want T, what string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// WantAll wants a list to have all that it should, in this order. What it is is
// said as in fmt.Sprintf.
func WantAll[T comparable](t testing.TB, got, want []T, what string, args ...any) {
	t.Helper()
	Check(t, slices.Equal(got, want), "%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
}

// WantError wants an error to be another, as errors.Is has it.
func WantError(t testing.TB, err, want error, what string, args ...any) {
	t.Helper()
	Check(t, errors.Is(err, want), "%s: %v, want %v", fmt.Sprintf(what, args...), err, want)
}

// Check wants something to be so. What is, where it is not, is said as in
// fmt.Sprintf.
func Check(t testing.TB, so bool, otherwise string, args ...any) {
	t.Helper()
	if !so {
		t.Errorf(otherwise, args...)
	}
}

// Need is Check for what everything after it relies on: it ends the test.
func Need(t testing.TB, so bool, otherwise string, args ...any) {
	t.Helper()
	if !so {
		t.Fatalf(otherwise, args...)
	}
}

// Until waits until something is so, and fails the test with its name if it
// does not come to be.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for began := time.Now(); !so(); pause(began) {
		if time.Since(began) > Patience {
			t.Fatalf("waited %s in vain until %s", Patience, what)
		}
	}
}

// Eventually tries until there is no error, or one of Never, and returns the
// last one if there always is.
func Eventually(try func() error) error {
	for began := time.Now(); ; pause(began) {
		err := try()
		if err == nil || errors.As(err, new(never)) || time.Since(began) > Patience {
			return err
		}
	}
}

// Never is an error that no further try of Eventually takes away; no error
// stays none.
func Never(err error) error {
	if err == nil {
		return nil
	}
	return never{err}
}

type never struct{ error }

func (n never) Unwrap() error { return n.error }
