// Package testenv has helpers for all tests. It says whether they run in "go
// test ./...", where everything is tested once and quickly, or in the whole
// check, which also runs slow tests and has every tool installed.
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

// longEnv is "required" in the whole check.
const longEnv = "GATEWAY_TEST_LONG"

// shortEnv names a file in which tests that ran in their short form are listed
// by directory and name. The whole check runs those again.
const shortEnv = "GATEWAY_TEST_SHORT"

// Patience limits how long a test waits for anything. It is long, because the
// machine may be busy with other tests: what takes longer is broken.
const Patience = 2 * time.Minute

// PNG is the smallest possible picture.
const PNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

// pause waits before the next look. It becomes longer with time, because a
// look is often a call that keeps the program and its database busy.
func pause(began time.Time) {
	time.Sleep(min(max(time.Since(began)/8, 5*time.Millisecond), 100*time.Millisecond))
}

// Required reports whether this is the whole check.
func Required() bool { return os.Getenv(longEnv) == "required" }

// Whole reports whether this is the whole check. Otherwise the test is
// recorded as one with a longer form.
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

// Long skips a slow test outside of the whole check. why says what makes it
// slow.
func Long(t testing.TB, why string) {
	t.Helper()
	if !Whole(t) {
		t.Skipf("%s: %s=required has it run", why, longEnv)
	}
}

// OneByOne skips a test under the race detector. It is for tests that make one
// call after another: the detector finds nothing in them and makes them
// several times slower.
func OneByOne(t testing.TB) {
	t.Helper()
	if Race && !Whole(t) {
		t.Skip("its calls come one by one: it runs without the race detector")
	}
}

// Missing ends a test that needs something that the machine lacks. The test is
// skipped; in the whole check it fails.
func Missing(t testing.TB, what string) {
	t.Helper()
	if Whole(t) {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Pick returns all in the whole check, and otherwise little.
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

// Must returns the result of a call that must succeed. The test is passed
// last, as in Must(call())(t), because Go passes two results on only if there
// is no other argument.
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// Must2 is Must for a call with two results.
func Must2[A, B any](a A, b B, err error) func(testing.TB) (A, B) {
	return func(t testing.TB) (A, B) {
		t.Helper()
		NoError(t, err)
		return a, b
	}
}

// ErrOf returns the error of a call with one other result.
func ErrOf[T any](_ T, err error) error { return err }

// ErrOf2 returns the error of a call with two other results.
func ErrOf2[A, B any](_ A, _ B, err error) error { return err }

// repeated matches a cell's shorthand for a repeated character.
var repeated = regexp.MustCompile(`<(.)\*(\d+)>`)

// Rows reads a table in testdata: the cells of each line, separated by " | ".
// Lines that begin with # are skipped. In a cell <x*3> stands for xxx.
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

// AtOnce makes calls at the same time and returns their errors.
func AtOnce(calls int, call func(i int) error) []error {
	errs := make([]error, calls)
	var running sync.WaitGroup
	for i := range errs {
		running.Go(func() { errs[i] = call(i) })
	}
	running.Wait()
	return errs
}

// Want fails the test if got is not want. what names the value, as in
// fmt.Sprintf.
func Want[T comparable](t testing.TB, got, want T, what string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// WantAll fails the test if a list is not want, in this order. what names it,
// as in fmt.Sprintf.
func WantAll[T comparable](t testing.TB, got, want []T, what string, args ...any) {
	t.Helper()
	Check(t, slices.Equal(got, want), "%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
}

// WantError fails the test unless err is want, by errors.Is.
func WantError(t testing.TB, err, want error, what string, args ...any) {
	t.Helper()
	Check(t, errors.Is(err, want), "%s: %v, want %v", fmt.Sprintf(what, args...), err, want)
}

// Check fails the test if so is false, with a text as in fmt.Sprintf.
func Check(t testing.TB, so bool, otherwise string, args ...any) {
	t.Helper()
	if !so {
		t.Errorf(otherwise, args...)
	}
}

// Need is Check for something that the rest of the test relies on: it ends the
// test.
func Need(t testing.TB, so bool, otherwise string, args ...any) {
	t.Helper()
	if !so {
		t.Fatalf(otherwise, args...)
	}
}

// Until waits until something is so, and fails the test if that does not
// happen.
func Until(t testing.TB, what string, so func() bool) {
	t.Helper()
	for began := time.Now(); !so(); pause(began) {
		if time.Since(began) > Patience {
			t.Fatalf("waited %s in vain until %s", Patience, what)
		}
	}
}

// Eventually tries until there is no error, or one of Never, and returns the
// last error.
func Eventually(try func() error) error {
	for began := time.Now(); ; pause(began) {
		err := try()
		if err == nil || errors.As(err, new(never)) || time.Since(began) > Patience {
			return err
		}
	}
}

// Never marks an error after which Eventually stops; nil stays nil.
func Never(err error) error {
	if err == nil {
		return nil
	}
	return never{err}
}

type never struct{ error }

func (n never) Unwrap() error { return n.error }
