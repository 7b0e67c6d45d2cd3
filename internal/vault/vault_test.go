package vault_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

var (
	first  = bytes.Repeat([]byte{1}, vault.KeySize)
	second = bytes.Repeat([]byte{2}, vault.KeySize)
	place  = vault.Place{Table: "cashbox", Column: "webhook_secret", Row: 7}
)

const secret = "whsec_c2VjcmV0"

func open(t *testing.T, keys ...[]byte) *vault.Vault {
	t.Helper()
	return testenv.Must(vault.New(keys...))(t)
}

func seal(v *vault.Vault) []byte {
	return v.Seal([]byte(secret), place)
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	v := open(t, first)
	sealed, again := seal(v), seal(v)
	testenv.Check(t, !bytes.Contains(sealed, []byte(secret)) && !bytes.Equal(sealed, again),
		"sealing must hide the secret, and that two are the same")
	// Another process with the same key must open it.
	for _, v := range []*vault.Vault{v, open(t, first)} {
		got, err := v.Open(sealed, place)
		testenv.Check(t, err == nil && string(got) == secret, "opened %q, %v", got, err)
	}
	got, err := v.Open(v.Seal(nil, place), place)
	testenv.Check(t, err == nil && len(got) == 0, "nothing sealed opens as %q, %v", got, err)
	// What earlier versions have stored must open, too.
	stored := testenv.Must(hex.DecodeString(
		"0172cd6e8438dee81a3e942f6ccfd942026749661e1054138bbf81b5da087dad4713be8b11c2bf6d70cb3b1956872f"))(t)
	got, err = v.Open(stored, place)
	testenv.Check(t, err == nil && string(got) == secret, "what was stored opens as %q, %v", got, err)
}

// A value copied to another table, column or row must not open there.
func TestBoundToItsPlace(t *testing.T) {
	t.Parallel()
	v := open(t, first)
	sealed := seal(v)
	for _, other := range []vault.Place{
		{}, {Table: "app_user", Column: place.Column, Row: place.Row}, {Table: place.Table, Column: "totp_secret", Row: place.Row},
		{Table: place.Table, Column: place.Column, Row: 8}, {Table: place.Table, Column: place.Column, Row: -7},
		// The same letters, divided otherwise.
		{Table: "cashboxwebhook_", Column: "secret", Row: 7}, {Table: "", Column: "cashbox\x00webhook_secret", Row: 7},
	} {
		got, err := v.Open(sealed, other)
		testenv.Check(t, err != nil, "opened as %q at %+v", got, other)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	old := seal(open(t, first))
	both := open(t, second, first)
	got, err := both.Open(old, place)
	testenv.Check(t, err == nil && string(got) == secret, "the older key's value: %q, %v", got, err)
	fresh := seal(both)
	_, err = open(t, first).Open(fresh, place)
	testenv.Check(t, err != nil, "new values must be sealed with the newest key")
	got, err = open(t, second).Open(fresh, place)
	testenv.Check(t, err == nil && string(got) == secret, "the newest key's value: %q, %v", got, err)
}

func TestTamperedWith(t *testing.T) {
	t.Parallel()
	v := open(t, first)
	sealed := seal(v)
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		_, err := v.Open(changed, place)
		testenv.Check(t, err != nil, "byte %d does not count", i)
	}
	for _, broken := range [][]byte{nil, {}, sealed[:5], sealed[:len(sealed)-1], append(bytes.Clone(sealed), 0)} {
		_, err := v.Open(broken, place)
		if err == nil {
			t.Errorf("%d bytes open", len(broken))
		} else if text := err.Error(); strings.Contains(text, secret) || text != "open: cashbox.webhook_secret" {
			t.Errorf("error %q", text)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][][]byte{
		"none": nil, "empty": {{}}, "short": {first[:31]}, "long": {append(bytes.Clone(first), 0)}, "second short": {first, second[:1]},
		"twice": {first, first},
	} {
		if _, err := vault.New(keys...); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), string(first)) {
			t.Errorf("%s: the error quotes a key", name)
		}
	}
}
