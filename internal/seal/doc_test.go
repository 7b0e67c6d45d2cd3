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
)

// The example of docs/ledger-proof.md, made anew of what its table says, and proven.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/ledger-proof.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(doc), "```json\n")
	file, keys := before(blocks[1]), before(blocks[2])
	proof, err := ParseProof([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	published, err := attest.ParseKeys([]byte(keys))
	if err != nil {
		t.Fatal(err)
	}
	if v := proof.Verify(published, proof.Pages); len(v.Wrong) != 0 || len(v.Proven) != 1 {
		t.Errorf("%q", v)
	}
	made, page, signature := example()
	if got := proof.Transfers[0]; got.Leaf != made.Leaf || *got.Credit.Shown != *made.Credit.Shown ||
		got.Debit.Hash != made.Debit.Hash || got.Path[0] != made.Path[0] || got.Path[1] != made.Path[1] {
		t.Errorf("made %+v", made)
	}
	if got := proof.Pages[0]; got.Hash != page.Hash || !bytes.Equal(got.Signature, signature) {
		t.Errorf("made %+v", page)
	}
	lines := strings.ReplaceAll(before(strings.Split(blocks[2], "```\n")[2]), "\n", "")
	if lines != string(page.signed()) {
		t.Errorf("%s, made %s", lines, page.signed())
	}
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
		Day:       "2026-11-20",
		Transfers: 3,
		Root:      rootOf(leaves),
		Totals:    c.totals().hash(salt),
		SealedAt:  "2026-11-21T00:10:02Z",
	}
	page.Hash = sha256.Sum256(page.signed())
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	return Transfer{
		Leaf: leaves[1], Path: pathOf(leaves, 1), Debit: Side{Hash: openingOf(salt, proven, debit).hash(debit)},
		Credit: Side{Shown: &shown},
	}, page, ed25519.Sign(key, page.signed())
}
