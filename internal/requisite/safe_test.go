package requisite_test

import (
	"bytes"
	"testing"

	"gateway.example/internal/requisite"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

func newSafe(t *testing.T, hashKey byte) *requisite.Safe {
	t.Helper()
	v := testenv.Must(vault.New(make([]byte, vault.KeySize)))(t)
	return requisite.NewSafe(v, bytes.Repeat([]byte{hashKey}, vault.KeySize))
}

// A value opens for its requisite alone, wherever it stands. For another it is
// shown as others see it.
func TestSealedForItsRequisite(t *testing.T) {
	t.Parallel()
	safe := newSafe(t, 1)
	sealed := safe.Seal(7, "RUB", "+79001234567")
	testenv.Need(t, !bytes.Contains(sealed.Value, []byte("9001234567")) && sealed.Last4 == "4567", "%+v", sealed)
	value, err := safe.Open(7, sealed.Value)
	testenv.Check(t, err == nil && value == "+79001234567", "opens as %q, %v", value, err)
	value, err = safe.Open(8, sealed.Value)
	testenv.Check(t, err != nil, "it opens for another: %s", value)
	testenv.Want(t, *safe.Read(new(int64(7)), sealed.Value, &sealed.Last4), "+79001234567", "it reads")
	testenv.Want(t, *safe.Read(new(int64(8)), sealed.Value, &sealed.Last4), "•••• 4567", "another's reads")
	testenv.Check(t, safe.Read(nil, nil, nil) == nil, "nothing reads something")
}

// Whoever shares a phone, card or account in a currency has its hash, however
// it is written, and nobody else, nor with another key.
func TestHash(t *testing.T) {
	t.Parallel()
	safe := newSafe(t, 1)
	of := safe.Hash("RUB", "MN121234123456789123")
	for _, same := range []string{"MN12 1234 1234 5678 9123", "mn121234-1234-5678-9123"} {
		testenv.Want(t, bytes.Equal(safe.Hash("RUB", same), of), true, "%s is the same", same)
	}
	for what, other := range map[string][]byte{
		"another currency": safe.Hash("MNT", "MN121234123456789123"), "another value": safe.Hash("RUB", "MN121234123456789124"),
		"another key": newSafe(t, 2).Hash("RUB", "MN121234123456789123"),
	} {
		testenv.Check(t, !bytes.Equal(other, of), "%s has the same hash", what)
	}
}
