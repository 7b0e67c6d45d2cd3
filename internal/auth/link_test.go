package auth_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/auth"
	"gateway.example/internal/testenv"
)

var (
	linkKey    = bytes.Repeat([]byte{7}, 32)
	olderKey   = bytes.Repeat([]byte{8}, 32)
	strangeKey = bytes.Repeat([]byte{9}, 32)
	linked     = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")
)

func links(t testing.TB, keys ...[]byte) *auth.Links {
	t.Helper()
	return testenv.Must(auth.NewLinks(keys...))(t)
}

// The contract's formula: base64url of the uuid and the first 16 bytes of HMAC-SHA256 of the uuid under the link key.
func TestLinkToken(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, linkKey)
	mac.Write(linked[:])
	want := base64.RawURLEncoding.EncodeToString(append(linked[:], mac.Sum(nil)[:16]...))
	l := links(t, linkKey)
	got := l.Token(linked)
	testenv.Check(t, got == want && got == l.Token(linked), "token %s; want %s", got, want)
	id, err := l.Parse(want)
	testenv.Check(t, err == nil && id == linked, "read back %s, %v", id, err)
}

func TestLinkRotation(t *testing.T) {
	t.Parallel()
	old := links(t, olderKey).Token(linked)
	both := links(t, linkKey, olderKey)
	for name, token := range map[string]string{"new": both.Token(linked), "old": old} {
		id, err := both.Parse(token)
		testenv.Check(t, err == nil && id == linked, "the %s key's token: %s, %v", name, id, err)
	}
	testenv.Want(t, both.Token(linked), links(t, linkKey).Token(linked), "new tokens must be the newest key's")
	testenv.WantError(t, testenv.ErrOf(links(t, linkKey).Parse(old)), auth.ErrLink, "a dropped key's token")
}

func TestLinkKeys(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][][]byte{
		"none": nil, "empty": {{}}, "short": {linkKey[:31]}, "long": {append(linkKey[:32:32], 1)}, "second short": {linkKey, {1}},
	} {
		testenv.Check(t, testenv.ErrOf(auth.NewLinks(keys...)) != nil, "%s: accepted", name)
	}
}

// Every bit of a token counts, those that base64 leaves over included.
func TestLinkForged(t *testing.T) {
	t.Parallel()
	l := links(t, linkKey, olderKey)
	token := l.Token(linked)
	raw := testenv.Must(base64.RawURLEncoding.DecodeString(token))(t)
	for bit := range len(raw) * 8 {
		flipped := bytes.Clone(raw)
		flipped[bit/8] ^= 1 << (bit % 8)
		testenv.WantError(t, testenv.ErrOf(l.Parse(base64.RawURLEncoding.EncodeToString(flipped))), auth.ErrLink, "bit %d", bit)
	}
	for i := range len(token) {
		for c := range 256 {
			if forged := token[:i] + string([]byte{byte(c)}) + token[i+1:]; forged != token {
				if _, err := l.Parse(forged); !errors.Is(err, auth.ErrLink) {
					t.Fatalf("byte %#x at %d: %v", c, i, err)
				}
			}
		}
	}
	for name, forged := range map[string]string{
		"empty": "", "cut": token[:len(token)-1], "longer": token + "A", "padded": token + "=", "twice": token + token,
		"uuid alone": base64.RawURLEncoding.EncodeToString(linked[:]), "strange key": links(t, strangeKey).Token(linked),
		"standard base64": base64.StdEncoding.EncodeToString(raw), "line break": token[:10] + "\n" + token[10:], "the uuid": linked.String(),
	} {
		testenv.WantError(t, testenv.ErrOf(l.Parse(forged)), auth.ErrLink, "%s", name)
	}
}

// Each link key gives a key for another purpose: what the older one made stays good while both are listed.
func TestDeriveAll(t *testing.T) {
	t.Parallel()
	older, newer := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	before := testenv.Must(auth.NewLinks(older))(t)
	both := testenv.Must(auth.NewLinks(newer, older))(t)
	keys := both.DeriveAll("cookie", 64)
	testenv.Check(t, len(keys) == 2 && bytes.Equal(keys[0], both.Derive("cookie", 64)) &&
		bytes.Equal(keys[1], before.Derive("cookie", 64)) && !bytes.Equal(keys[0], keys[1]) &&
		!bytes.Equal(keys[0], both.Derive("another", 64)), "derived %x", keys)
}
