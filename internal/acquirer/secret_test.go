package acquirer_test

import (
	"bytes"
	"database/sql/driver"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// Whatever prints a code, or something around it, it does not show; nothing encodes it.
func TestSecretsHide(t *testing.T) {
	t.Parallel()
	f := fault.Fields{}
	cvv, code := acquirer.ParseCVV(f, "cvv", "7391"), acquirer.ParseCode(f, "otp", "73918264")
	testenv.NoError(t, f.Err())
	type both struct {
		hidden acquirer.CVV
		Shown  acquirer.Code
		Ptr    *acquirer.CVV
	}
	inside := both{cvv, code, &cvv}
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "cvv", cvv, "code", code, "inside", inside)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "cvv", cvv, "code", code, "inside", inside)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{cvv, &cvv, code, inside, []acquirer.Code{code}} {
			_, _ = fmt.Fprintf(&out, verb, value)
		}
	}
	for _, digits := range []string{"7391", "37333931"} {
		testenv.Check(t, !strings.Contains(out.String(), digits), "%s shows in %s", digits, out.String())
	}
	for _, value := range []any{cvv, code, &inside} {
		text, err := json.Marshal(value)
		testenv.Check(t, err != nil, "encoded as %s", text)
	}
}

// Nothing that stores things takes a code, not even where its type is not checked.
func TestSecretsCannotBeStored(t *testing.T) {
	t.Parallel()
	f := fault.Fields{}
	cvv, code := acquirer.ParseCVV(f, "cvv", "7391"), acquirer.ParseCode(f, "otp", "73918264")
	pool := dbtest.New(t).Pool
	for _, value := range []any{cvv, &cvv, code, &code} {
		switch value.(type) {
		case driver.Valuer, encoding.TextMarshaler, encoding.BinaryMarshaler, fmt.Stringer, gob.GobEncoder:
			t.Errorf("%T has a form", value)
		}
		for _, kind := range []string{"text", "bytea", "jsonb", "bigint", "numeric"} {
			if _, err := pool.Exec(t.Context(), "select $1::"+kind, value); err == nil {
				t.Errorf("%T is stored as %s", value, kind)
			} else if strings.Contains(err.Error(), "7391") {
				t.Errorf("the error tells: %v", err)
			}
		}
		testenv.Check(t, gob.NewEncoder(io.Discard).Encode(value) != nil, "%T is encoded", value)
	}
}

func TestParseSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{ // whether it is a CVV, and a code
		"123": {true, false}, "1234": {true, true}, "12345": {false, true}, "12345678": {false, true}, "123456789": {false, false},
		"": {false, false}, "12": {false, false}, "12a4": {false, false}, " 1234": {false, false}, "-123": {false, false}, "١٢٣٤": {false, false},
	} {
		f := fault.Fields{}
		acquirer.ParseCVV(f, "cvv", text)
		acquirer.ParseCode(f, "otp", text)
		testenv.Want(t, [2]bool{!f.Wrong("cvv"), !f.Wrong("otp")}, want, "%q", text)
	}
}
