package seal

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// The example of docs/ledger-proof.md, made anew of what its table says, and
// proven.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	doc := testenv.Must(os.ReadFile("../../docs/ledger-proof.md"))(t)
	blocks := strings.Split(string(doc), "```json\n")
	file, keys := before(blocks[1]), before(blocks[2])
	proof := testenv.Must(ParseProof([]byte(file)))(t)
	published := testenv.Must(attest.ParseKeys([]byte(keys)))(t)
	v := proof.Verify(published, proof.Pages)
	testenv.Check(t, len(v.Wrong) == 0 && len(v.Proven) == 1, "%q", v)
	made, page, signature := example()
	got := proof.Transfers[0]
	testenv.Check(t, got.Leaf == made.Leaf && *got.Credit.Shown == *made.Credit.Shown &&
		got.Debit.Hash == made.Debit.Hash && got.Path[0] == made.Path[0] && got.Path[1] == made.Path[1], "made %+v", made)
	shown := proof.Pages[0]
	testenv.Check(t, shown.Hash == page.Hash && bytes.Equal(shown.Signature, signature), "made %+v", page)
	lines := strings.ReplaceAll(before(strings.Split(blocks[2], "```\n")[2]), "\n", "")
	testenv.Want(t, lines, string(page.signed()), "made %s", page.signed())
}

func before(text string) string {
	text, _, _ = strings.Cut(text, "```")
	return text
}

func example() (Transfer, Page, []byte) {
	var salt []byte
	for i := range byte(sha256.Size) {
		salt = append(salt, i)
	}
	trader, held := ledger.Available(ledger.Trader, 3), ledger.Reserved(ledger.Trader, 3)
	shop, platform := ledger.Available(ledger.Cashbox, 5), ledger.Available(ledger.Platform, 0)
	c := countFrom(Totals{})
	var leaves []Hash
	add := func(id int64, minute int, kind string, from, to ledger.Account, amount string) db.Transfer {
		row := db.Transfer{
			ID: id, CreatedAt: time.Date(2026, 11, 20, 9, minute, 0, 0, time.UTC), Kind: kind, Subject: "payment",
			SubjectID: 7, DebitAccount: from.ID(), CreditAccount: to.ID(), Amount: decimal.RequireFromString(amount),
		}
		leaves = append(leaves, leafOf(salt, row))
		c.add(row)
		return row
	}
	add(41, 0, "hold", trader, held, "10")
	proven := add(42, 5, "pending-completed", trader, shop, "9.52380952")
	add(43, 5, "pending-completed", trader, platform, "0.4")
	shown := openingOf(salt, proven, credit)
	page := Page{
		Day: "2026-11-20", Transfers: 3, Root: rootOf(leaves), Totals: c.totals().hash(salt),
		SealedAt: "2026-11-21T00:10:02Z",
	}
	page.Hash = sha256.Sum256(page.signed())
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	return Transfer{
		Leaf: leaves[1], Path: pathOf(leaves, 1), Debit: Side{Hash: openingOf(salt, proven, debit).hash(debit)},
		Credit: Side{Shown: &shown},
	}, page, ed25519.Sign(key, page.signed())
}

// The leaves "a" to "e", hashed by hand with sha256sum: printf '\0a' |
// sha256sum and so on.
func TestRoots(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		1: "022a6979e6dab7aa5ae4c3e5e45f7e977112a7e63593820dbec1ec738a24f93c",
		2: "b137985ff484fb600db93107c77b0365c80d78f5b429ded0fd97361d077999eb",
		3: "36642e73c2540ab121e3a6bf9545b0a24982cd830eb13d3cd19de3ce6c021ec1",
		5: "fe14a5426fbd70c0fa73f52342afed0da0bd23c4838662ccf6b88a3070ead97b",
	} {
		testenv.Want(t, rootOf(leaves(n)).String(), want, "%d leaves", n)
	}
}

func leaves(n int) []Hash {
	var hashes []Hash
	for i := range n {
		hashes = append(hashes, leafHash([]byte{'a' + byte(i)}))
	}
	return hashes
}

// From each leaf of each tree a path leads to the root, also through the roots
// of parts, and no other leaf, place, size or path does.
func TestPaths(t *testing.T) {
	t.Parallel()
	const part = 4
	for n := 1; n <= 19; n++ {
		all := leaves(n)
		root := rootOf(all)
		var parts []Hash
		for i := 0; i < n; i += part {
			parts = append(parts, rootOf(all[i:min(i+part, n)]))
		}
		for i, leaf := range all {
			path := pathOf(all, i)
			at := i / part * part
			inParts := append(append([]Hash{}, pathOf(all[at:min(at+part, n)], i-at)...), pathOf(parts, i/part)...)
			testenv.Need(t, len(path) == len(inParts), "leaf %d of %d: %d hashes, by parts %d", i, n, len(path), len(inParts))
			leads := func(leaf Hash, index, size int, path []Hash) bool {
				got, whole := climb(leaf, int64(index), int64(size), path)
				return whole && got == root
			}
			testenv.Check(t, leads(leaf, i, n, path) && leads(leaf, i, n, inParts),
				"leaf %d of %d does not lead to the root", i, n)
			testenv.Check(t, !leads(leafHash(nil), i, n, path) && !leads(leaf, i, n, append(path, root)) &&
				(n <= 1 || !leads(leaf, (i+1)%n, n, path) && !leads(leaf, i, n, path[1:])) &&
				!leads(leaf, i+n, n, path), "leaf %d of %d: something else leads to the root", i, n)
		}
	}
}
