package dbtest

import (
	"maps"
	"slices"
	"testing"

	"gateway.example/internal/fault"
)

// WantCode wants a fault of the code.
func WantCode(t testing.TB, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// WantRefusal wants a fault of the code, and of the kind that decides its status.
func WantRefusal(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Kind != kind || f.Code != code {
		t.Errorf("%v, want %s of kind %d", err, code, kind)
	}
}

// WantOne wants one of several calls to have got through, and the others to be refused with the code.
func WantOne(t testing.TB, errs []error, code string) {
	t.Helper()
	got := 0
	for _, err := range errs {
		if err == nil {
			got++
			continue
		}
		WantCode(t, err, code)
	}
	if got != 1 {
		t.Errorf("%d of %d calls at the same time got through, want 1", got, len(errs))
	}
}

// WantFields wants a 422 about exactly these fields.
func WantFields(t testing.TB, err error, fields ...string) {
	t.Helper()
	f := fault.As(err)
	if f == nil || f.Code != "validation_failed" || f.Kind != fault.Invalid {
		t.Errorf("%v, want validation_failed on %v", err, fields)
		return
	}
	slices.Sort(fields)
	if wrong := slices.Sorted(maps.Keys(f.Fields)); !slices.Equal(wrong, fields) {
		t.Errorf("%v are wrong, want %v", f.Fields, fields)
	}
}
