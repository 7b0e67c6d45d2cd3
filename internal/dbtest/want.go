package dbtest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
)

// CodeOf is the code of a fault, or "" of what is none.
func CodeOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Code
	}
	return ""
}

// WantCode wants a fault of the code.
func WantCode(t testing.TB, err error, code string) {
	t.Helper()
	if got := CodeOf(err); got == "" || got != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// WantRefusal wants a fault of the code, and of the kind that decides its
// status.
func WantRefusal(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Kind != kind || f.Code != code {
		t.Errorf("%v, want %s of kind %d", err, code, kind)
	}
}

// WantOne wants one of several calls to have got through, and the others to be
// refused with the code.
func WantOne(t testing.TB, errs []error, code string) {
	t.Helper()
	if got := Through(t, errs, code); got != 1 {
		t.Errorf("%d of %d calls at the same time got through, want 1", got, len(errs))
	}
}

// Through counts the calls that got through, and wants the others to be refused
// with the code.
func Through(t testing.TB, errs []error, code string) (got int) {
	t.Helper()
	for _, err := range errs {
		if err == nil {
			got++
			continue
		}
		WantCode(t, err, code)
	}
	return got
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

// WantKinds calls each method of a service that takes a caller once for each
// kind of caller, and wants all kinds but the listed ones to be refused for
// their kind. A key of methods lists kinds, its value the methods that they may
// call, both separated by spaces.
func WantKinds(t testing.TB, service any, methods map[string]string) {
	t.Helper()
	v := reflect.ValueOf(service)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i).Type()
		if method.NumIn() < 2 || method.In(1) != reflect.TypeFor[caller.Caller]() {
			continue
		}
		listed := false
		for kinds, names := range methods {
			if slices.Contains(strings.Fields(names), name) {
				wantKinds(t, name, v.Method(i), strings.Fields(kinds))
				listed = true
			}
		}
		if !listed {
			t.Errorf("%s: say which kinds of callers it is for", name)
		}
	}
}

// portalNeeded is what who manages keys is refused with for their kind.
const portalNeeded = "merchant_portal_token_required"

// wantKinds calls a method as each kind of caller, with that kind's highest
// role and zeros for everything else. Only a refusal for the kind counts: any
// other error is what a caller of an allowed kind gets for zeros.
func wantKinds(t testing.TB, name string, method reflect.Value, allowed []string) {
	t.Helper()
	for kind, role := range map[caller.Kind]caller.Role{
		caller.Anyone: "", caller.MerchantKey: "", caller.Application: "", caller.Device: "", caller.Cabinet: "",
		caller.MerchantPortal: caller.Owner, caller.Trader: caller.Owner, caller.Operator: caller.Admin,
	} {
		args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(caller.Caller{Kind: kind, Role: role})}
		for i := 2; i < method.Type().NumIn(); i++ {
			args = append(args, reflect.Zero(method.Type().In(i)))
		}
		results := method.Call(args)
		err, _ := results[len(results)-1].Interface().(error)
		refusal := fault.As(err)
		refused := refusal != nil && (refusal.Code == fault.ErrTokenKindNotAllowed.Code || refusal.Code == portalNeeded)
		if refused == slices.Contains(allowed, string(kind)) {
			t.Errorf("%s as %s: %v", name, kind, err)
		}
	}
}
