package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

// The formats of the texts that are hashed. Each is the first text of its hash,
// so that a hash of one format cannot be taken for one of another.
const (
	formatTransfer = "gateway-transfer-1"
	formatSide     = "gateway-side-1"
	formatTotals   = "gateway-totals-1"
	formatPage     = "gateway-ledger-page-1"
)

const (
	debit  = "debit"
	credit = "credit"
)

// timeForm is the form of times in what is hashed, in UTC.
const timeForm = "2006-01-02T15:04:05.000000Z"

// texts writes texts as netstrings: the length in bytes, a colon, the text and
// a comma. So two different lists always have different encodings.
func texts(list ...string) []byte {
	var out bytes.Buffer
	for _, text := range list {
		fmt.Fprintf(&out, "%d:%s,", len(text), text)
	}
	return out.Bytes()
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func usdt(d decimal.Decimal) string { return d.StringFixed(8) }

// String is the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It accepts only the form
// that String writes.
func (h *Hash) UnmarshalText(text []byte) error {
	plain, err := hex.DecodeString(string(text))
	if err != nil || len(plain) != len(h) || toHash(plain).String() != string(text) {
		return fmt.Errorf("%q is not a SHA-256 in hexadecimal digits", text)
	}
	*h = toHash(plain)
	return nil
}

func toHash(b []byte) (h Hash) {
	copy(h[:], b)
	return h
}

// Header is the part of a transfer that is visible to everybody who may see the
// transfer at all.
type Header struct {
	ID int64 `json:"id"`
	// CreatedAt is in UTC with six decimals, such as
	// 2026-11-20T12:00:00.000000Z.
	CreatedAt string `json:"created_at"`
	Kind      string `json:"kind"`
	Subject   string `json:"subject"`
	SubjectID int64  `json:"subject_id"`
}

// leaf is the content of a transfer's leaf, which is hashed: its header and its
// two hidden sides.
func (h Header) leaf(debited, credited Hash) []byte {
	return texts(formatTransfer, number(h.ID), h.CreatedAt, h.Kind, h.Subject,
		number(h.SubjectID), debited.String(), credited.String())
}

// Opening reveals a side of a transfer: which account was debited or credited,
// and how much.
type Opening struct {
	Owner   string `json:"owner"`
	OwnerID int64  `json:"owner_id"`
	Account string `json:"account"`
	Amount  string `json:"amount"`
	// Salt prevents others from finding out a side by trying all possible
	// values.
	Salt Hash `json:"salt"`
}

// hash is the hash that stands for the side while it is hidden.
func (o Opening) hash(side string) Hash {
	return sha256.Sum256(texts(formatSide, o.Salt.String(), side, o.Owner, number(o.OwnerID), o.Account, o.Amount))
}

// openingOf makes what opens a side. Each side has a salt of its own, derived
// from the day's secret one, so that opening it does not help to guess the
// other side or other transfers.
func openingOf(salt []byte, t db.Transfer, side string) Opening {
	account := ledger.AccountOf(t.DebitAccount)
	if side == credit {
		account = ledger.AccountOf(t.CreditAccount)
	}
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write(texts(number(t.ID), side))
	return Opening{
		Owner: account.Owner.String(), OwnerID: account.OwnerID, Account: accountName(account), Amount: usdt(t.Amount),
		Salt: toHash(mac.Sum(nil)),
	}
}

func accountName(a ledger.Account) string {
	if a.Reserved {
		return "reserved"
	}
	return "available"
}

func headerOf(t db.Transfer) Header {
	return Header{
		ID:        t.ID,
		CreatedAt: t.CreatedAt.UTC().Format(timeForm),
		Kind:      t.Kind,
		Subject:   t.Subject,
		SubjectID: t.SubjectID,
	}
}

// leafOf is the hash of a transfer's leaf.
func leafOf(salt []byte, t db.Transfer) Hash {
	debited, credited := openingOf(salt, t, debit).hash(debit), openingOf(salt, t, credit).hash(credit)
	return leafHash(headerOf(t).leaf(debited, credited))
}

// Page is the published page of a sealed day.
type Page struct {
	// Day is in UTC, such as 2026-11-20.
	Day string `json:"day"`
	// Transfers is how many leaves the tree has.
	Transfers int64 `json:"transfers"`
	Root      Hash  `json:"root"`
	// Totals is the hash of the day's totals, which only operators see.
	Totals Hash `json:"totals"`
	// Previous is the hash of the page of the day before, zeros for the
	// first page.
	Previous Hash `json:"previous"`
	// SealedAt is in UTC, such as 2026-11-21T00:10:00Z.
	SealedAt string `json:"sealed_at"`
	Hash     Hash   `json:"hash"`
	// Kid is the id of the key that Signature, in base64, was made with.
	Kid       string `json:"kid"`
	Signature []byte `json:"signature"`
}

// signed is the text of a page from which its hash and its signature are made.
func (p Page) signed() []byte {
	return texts(formatPage, p.Day, number(p.Transfers), p.Root.String(), p.Totals.String(), p.Previous.String(),
		p.SealedAt)
}

// pageOf is a stored page as it is published. The totals themselves are left
// out, and only their hash is in it.
func pageOf(row db.LedgerPage) Page {
	return Page{
		Day:       row.Day.Format(time.DateOnly),
		Transfers: row.Transfers,
		Root:      toHash(row.Root),
		Totals:    toHash(row.TotalsHash),
		Previous:  toHash(row.PreviousHash),
		SealedAt:  row.SealedAt.UTC().Format(time.RFC3339),
		Hash:      toHash(row.Hash),
		Kid:       row.Kid,
		Signature: row.Signature,
	}
}

// Totals are the sums that the transfers of a page moved, and the balances
// after them. All are in USDT.
type Totals struct {
	Kinds    []KindTotal    `json:"kinds"`
	Balances []BalanceTotal `json:"balances"`
}

// KindTotal is the sum that transfers of a kind moved.
type KindTotal struct {
	Kind      string          `json:"kind"`
	Transfers int64           `json:"transfers"`
	Amount    decimal.Decimal `json:"amount"`
}

// BalanceTotal is the available or reserved money of all owners of a kind,
// after the transfers of this page and of all pages before.
type BalanceTotal struct {
	Owner   string          `json:"owner"`
	Account string          `json:"account"`
	Amount  decimal.Decimal `json:"amount"`
}

// hash hides the totals in the same way as sides, with the day's salt.
func (t Totals) hash(salt []byte) Hash {
	mac := hmac.New(sha256.New, salt)
	_, _ = mac.Write(texts(formatTotals))
	list := []string{formatTotals, hex.EncodeToString(mac.Sum(nil))}
	for _, k := range t.Kinds {
		list = append(list, "kind", k.Kind, number(k.Transfers), usdt(k.Amount))
	}
	for _, b := range t.Balances {
		list = append(list, "balance", b.Owner, b.Account, usdt(b.Amount))
	}
	return sha256.Sum256(texts(list...))
}

func totalsOf(text []byte) (t Totals, err error) {
	err = json.Unmarshal(text, &t)
	return t, fault.Doing("read the totals of a day", err)
}
