package attest_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/attest"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var (
	older = bytes.Repeat([]byte{1}, 32)
	newer = bytes.Repeat([]byte{2}, 32)
)

func signer(t *testing.T, d *dbtest.DB, keys ...[]byte) *attest.Signer {
	t.Helper()
	s := testenv.Must(attest.New(d.Pool, keys...))(t)
	check(t, s.Note(t.Context(), dbtest.Start))
	return s
}

func keysOf(t *testing.T, s *attest.Signer) attest.Keys {
	t.Helper()
	file := testenv.Must(s.Published(t.Context()))(t)
	keys := testenv.Must(attest.ParseKeys(file))(t)
	return keys
}

func document(t *testing.T, s *attest.Signer) []byte {
	t.Helper()
	file := testenv.Must(s.Sign(map[string]any{"payment_id": 7}, []any{
		map[string]any{"what": "created", "amount": "10.50"}, map[string]any{"what": "paid <b>"},
		map[string]any{"what": "told"},
	}))(t)
	return file
}

// What was changed in a file is told by where it is.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	s := signer(t, d, newer)
	file, keys := string(document(t, s)), keysOf(t, s)
	if found := attest.Verify([]byte(file), keys); len(found) != 0 {
		t.Fatalf("as it was signed: %v", found)
	}
	const first, second = `{"amount":"10.50","what":"created"}`, `{"what":"paid <b>"}`
	for name, c := range map[string]struct {
		from, to string
		want     []string
	}{
		"an amount":    {`"10.50"`, `"10.51"`, []string{"line 1 was changed or added", "line 1 as it was signed is missing"}},
		"a line gone":  {second + ",", "", []string{"line 2 as it was signed is missing"}},
		"a line more":  {first, first + `,{"what":"x"}`, []string{"line 2 was changed or added"}},
		"a line twice": {first, first + "," + first, []string{"lines stand in another order or more than once"}},
		"the order": {first + "," + second, second + "," + first,
			[]string{"line 1 stood at another place", "line 2 stood at another place"}},
		"the head":     {`"payment_id":7`, `"payment_id":8`, []string{"the head was changed"}},
		"a space":      {`"payment_id":7`, `"payment_id": 7`, []string{"the file is not written as it was signed: white space, order or a name that stands twice"}},
		"a name twice": {`"payment_id":7`, `"payment_id":8,"payment_id":7`, []string{"the file is not written as it was signed: white space, order or a name that stands twice"}},
		"the format":   {attest.Format, "another", []string{"the file: not of the format " + attest.Format}},
	} {
		changed := strings.Replace(file, c.from, c.to, 1)
		testenv.Need(t, changed != file, "%s: nothing was changed in %s", name, file)
		found := attest.Verify([]byte(changed), keys)
		testenv.Check(t, slices.Equal(found, c.want), "%s: %v, want %v", name, found, c.want)
	}
	for at := range file { // whichever byte it is
		for _, bit := range []byte{0x01, 0x20} { // another character, and often the other case
			changed := []byte(file)
			changed[at] ^= bit
			testenv.Check(t, len(attest.Verify(changed, keys)) != 0, "byte %d, %q, may be changed", at, file[at])
		}
	}
}

// A file that another key has signed is not ours, even where it says that it
// is.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	d, other := dbtest.New(t), dbtest.New(t)
	ours, theirs := signer(t, d, newer), signer(t, other, older)
	file := document(t, theirs)
	found := attest.Verify(file, keysOf(t, ours))
	testenv.Check(t, len(found) == 1 && strings.Contains(found[0], "none of the gateway's"), "%v", found)
	kid := func(file []byte) string {
		_, rest, _ := strings.Cut(string(file), `"kid":"`)
		return rest[:16]
	}
	claimed := bytes.Replace(file, []byte(kid(file)), []byte(kid(document(t, ours))), 1)
	found = attest.Verify(claimed, keysOf(t, ours))
	testenv.Check(t, len(found) == 1 && strings.Contains(found[0], "was not made by the key"), "%v", found)
}

// What was signed before a rotation can be proven after it, also when the old
// vault key is gone.
func TestRotation(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	file := document(t, signer(t, d, older))
	for name, s := range map[string]*attest.Signer{
		"both": signer(t, d, newer, older), "without the old one": signer(t, d, newer),
	} {
		keys := keysOf(t, s)
		found := attest.Verify(file, keys)
		testenv.Check(t, len(found) == 0 && len(keys) == 2, "%s: %v, %d keys", name, found, len(keys))
		again := document(t, s)
		testenv.Check(t, !bytes.Equal(again, file) && len(attest.Verify(again, keys)) == 0, "%s: what is signed now", name)
	}
}

var check = testenv.NoError
