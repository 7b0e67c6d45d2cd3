package fault_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

func TestIsGoesByCode(t *testing.T) {
	t.Parallel()
	copied := *fault.ErrNotFound
	copied.Message = "No such payment."
	testenv.Check(t, errors.Is(fmt.Errorf("read: %w", &copied), fault.ErrNotFound),
		"a copy with another message is no longer the same fault")
	testenv.Check(t, !errors.Is(fault.ErrNotFound, fault.ErrUnauthenticated) && !errors.Is(errNoFault, fault.ErrNotFound),
		"different codes are the same fault")
}

// errNoFault only looks like one.
var errNoFault = errors.New("not_found")

func TestAs(t *testing.T) {
	t.Parallel()
	inside := fault.Newf(fault.Refused, "code", "at most %d", 3)
	for name, test := range map[string]struct {
		err  error
		want *fault.Error
	}{
		"itself": {inside, inside}, "wrapped": {fmt.Errorf("a: %w", fmt.Errorf("b: %w", inside)), inside},
		"joined": {errors.Join(errors.New("other"), inside), inside}, "none": {errors.New("other"), nil}, "nil": {nil, nil},
	} {
		testenv.Want(t, fault.As(test.err), test.want, "%s", name)
	}
	testenv.Check(t, inside.Error() == "code: at most 3", "%v", inside)
}

// One answer lists everything that is wrong.
func TestFields(t *testing.T) {
	t.Parallel()
	f := fault.Fields{}
	testenv.Need(t, f.Err() == nil, "nothing is wrong, and yet an error")
	f.Check(true, "amount", "is fine")
	f.Add("amount", "must be at least %d", 1)
	f.Check(false, "amount", "has too many decimals")
	f.Add("payer.userIp", "100%% wrong")
	err := fault.As(f.Err())
	want := fault.Fields{"amount": {"must be at least 1", "has too many decimals"}, "payer.userIp": {"100% wrong"}}
	testenv.Check(t, err != nil && err.Kind == fault.Invalid && err.Code == "validation_failed" &&
		reflect.DeepEqual(err.Fields, want), "%+v", err)
	testenv.Check(t, f.Wrong("amount") && !f.Wrong("orderId"), "Wrong does not tell which fields are")
}

// What the codec found starts every validation, and no validation changes what
// another starts with.
func TestDecoded(t *testing.T) {
	t.Parallel()
	f := fault.Decoded(context.Background())
	testenv.Check(t, f != nil && len(f) == 0, "without a codec: %v", f)
	ctx := fault.WithDecoded(context.Background(), fault.Fields{"amount": {"must be a number"}})
	fault.Decoded(ctx).Add("orderId", "is required")
	f = fault.Decoded(ctx)
	testenv.Check(t, reflect.DeepEqual(f, fault.Fields{"amount": {"must be a number"}}), "the second start: %v", f)
}

// Of a body that cannot be read, its fields are not called missing.
func TestBodyAlone(t *testing.T) {
	t.Parallel()
	f := fault.Decoded(fault.WithDecoded(context.Background(), fault.Fields{fault.Body: {"is not JSON"}}))
	f.Add("orderId", "is required")
	f.Check(false, "amount", "is required")
	err := fault.As(f.Err())
	testenv.Check(t, reflect.DeepEqual(err.Fields, fault.Fields{fault.Body: {"is not JSON"}}), "%+v", err.Fields)
}

// What was not sent is not too long, and what holds only space was not sent.
func TestTexts(t *testing.T) {
	t.Parallel()
	f, long := fault.Fields{"reason": {"must be a string"}}, "жжжж"
	f.OptionalMaxLength("bank", nil, 3)
	f.OptionalMaxLength("holder", &long, 3)
	f.RequiredText("reason", "", 3)
	f.RequiredText("name", " \t", 3)
	f.RequiredText("proof", long, 3)
	got := f.RequiredText("orderId", "  жжж\n", 3)
	testenv.Check(t, got == "жжж", "%q", got)
	f.Flaw("address", "")
	f.Flaw("url", "is 100% wrong")
	const tooLong = "must be at most 3 characters"
	want := fault.Fields{
		"reason": {"must be a string"}, "holder": {tooLong}, "name": {"is required"}, "proof": {tooLong},
		"url": {"is 100% wrong"},
	}
	testenv.Check(t, reflect.DeepEqual(f, want), "%v, want %v", f, want)
}

func TestRequiredAndMaxLength(t *testing.T) {
	t.Parallel()
	f := fault.Fields{"amount": {"must be a number"}}
	testenv.Check(t, !f.Required("orderId", "") && !f.Required("amount", "") && !f.Required("amount", "1") &&
		f.Required("method", "sbp"), "Required does not tell what can be looked at further")
	f.MaxLength("method", "sbp", 3)
	f.MaxLength("holder", "жжжж", 3)
	f.MaxLength("bank", "жжж", 3)
	want := fault.Fields{
		"amount": {"must be a number"}, "orderId": {"is required"}, "holder": {"must be at most 3 characters"},
	}
	testenv.Check(t, reflect.DeepEqual(f, want), "%v, want %v", f, want)
}

func TestTextFlaw(t *testing.T) {
	t.Parallel()
	const control = "must not contain control characters"
	for text, want := range map[string]struct{ line, lines string }{
		"":                       {"", ""},
		"Оплачено, 12:00 €":      {"", ""},
		"e\u0301 👩‍👩‍👧 \u00a0":   {"", ""},
		"two\nlines":             {control, ""},
		"of\r\nWindows":          {control, ""},
		"a\ttable":               {control, ""},
		"bell\a":                 {control, control},
		"escape \x1b[31m":        {control, control},
		"delete\x7f":             {control, control},
		"next line\u0085":        {control, control},
		"nul\x00":                {`must not contain \u0000`, `must not contain \u0000`},
		"half a letter \xd0":     {"must be valid UTF-8", "must be valid UTF-8"},
		"surrogate \xed\xa0\x80": {"must be valid UTF-8", "must be valid UTF-8"},
	} {
		testenv.Want(t, fault.TextFlaw(text), want.line, "%q as a line", text)
		testenv.Want(t, fault.TextLinesFlaw(text), want.lines, "%q as lines", text)
	}
}

// What something is known by holds nothing that nobody sees; other texts may,
// as some languages need it.
func TestNames(t *testing.T) {
	t.Parallel()
	const unseen = "must not contain invisible characters or such that change the direction of writing"
	for text, want := range map[string]string{
		"order-1": "", "заказ №7": "", "e\u0301": "", "a\u202efdp.exe": unseen, "order\u200b-1": unseen, "\ufefforder": unseen,
		"a\u2066b": unseen, "a\u200db": unseen, "a\u00adb": unseen, "a\U000e0041": unseen, "bell\a": "must not contain control characters",
	} {
		testenv.Want(t, fault.NameFlaw(text), want, "%q", text)
		if want == unseen {
			testenv.Want(t, fault.TextFlaw(text), "", "%q as another text", text)
		}
	}
	for field, want := range map[string]bool{
		"orderId": true, "order_id": true, "idempotencyKey": true, "external_reference": true, "login": true, "fileName": true,
		"description": false, "paid": false, "holder": false, "reason": false,
	} {
		testenv.Want(t, fault.IsName(field), want, "%s is a name", field)
	}
}
