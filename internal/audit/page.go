package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// pageRules are the invariants of the sealed days.
var pageRules = []rule{{
	name:   "a sealed day has the transfers that it was sealed with",
	next:   proveNextPage,
	recent: proveLastPage,
}}

// pageMost is how many transfers the last page may have so that it is read
// again each minute. A larger page is left to the full audit.
const pageMost = 200_000

// sealedPage is a stored page and what is needed to check it.
type sealedPage struct {
	Day       time.Time
	LastID    int64
	Transfers int64
	Root      []byte
	Totals    string
	SumsHash  []byte
	SealedAt  time.Time
	Hash      []byte
	Signature []byte
	Previous  []byte
	Salt      []byte
	Key       []byte
	Decided   int64
}

const pagesQuery = `
	select p.day, p.last_id, p.transfers, p.root, p.totals::text, p.totals_hash, p.sealed_at, p.hash, p.signature, p.previous_hash,
		coalesce(s.salt, ''), coalesce(k.public_key, ''), coalesce(s.last_id, -1)
	from ledger_page p left join ledger_seal s using (day) left join signing_key k on k.kid = p.kid`

func readPages(ctx context.Context, pool db.Pool, which string, args ...any) ([]sealedPage, error) {
	rows, _ := pool.Query(ctx, pagesQuery+which, args...) // the rows report its error
	pages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sealedPage])
	return pages, fault.Doing("read pages", err)
}

// proveNextPage checks the first page after a day, counted from 1970, and
// returns its day.
func proveNextPage(ctx context.Context, pool db.Pool, past int64) ([]string, int64, error) {
	pages, err := readPages(ctx, pool, ` where p.day >= (
		select max(day) from ledger_page where day <= date '1970-01-01' + $1::int) or $1 = 0 order by p.day limit 2`, past)
	if err != nil || len(pages) == 0 {
		return nil, math.MaxInt64, err
	}
	var before *sealedPage
	if past > 0 {
		if len(pages) == 1 {
			return nil, math.MaxInt64, nil
		}
		before, pages = &pages[0], pages[1:]
	}
	broken, err := provePage(ctx, pool, before, pages[0])
	return broken, pages[0].Day.Unix() / int64(24*time.Hour/time.Second), err
}

// proveLastPage checks the last page, unless it is too large.
func proveLastPage(ctx context.Context, pool db.Pool, _ time.Time) ([]string, error) {
	pages, err := readPages(ctx, pool, " order by p.day desc limit 2")
	if err != nil || len(pages) == 0 || pages[0].Transfers > pageMost {
		return nil, err
	}
	var before *sealedPage
	if len(pages) == 2 {
		before = &pages[1]
	}
	return provePage(ctx, pool, before, pages[0])
}

// provePage computes a day's page again from its transfers and compares the
// two.
func provePage(ctx context.Context, pool db.Pool, before *sealedPage, page sealedPage) ([]string, error) {
	again := pageAgain{salt: page.Salt, kinds: map[string]kindSum{}, balances: map[string]decimal.Decimal{}}
	previous := make([]byte, sha256.Size)
	if before != nil {
		previous = before.Hash
		if err := again.goOnFrom(before.Totals); err != nil {
			return nil, err
		}
	}
	if err := again.read(ctx, pool, before, page); err != nil {
		return nil, err
	}
	var wrong []string
	check := func(what string, right bool) {
		if !right {
			wrong = append(wrong, what)
		}
	}
	root := merkle(again.leaves)
	sums, stored, err := again.sums(page.Totals)
	if err != nil {
		return nil, err
	}
	check(fmt.Sprintf("%d transfers, were %d", len(again.leaves), page.Transfers),
		int64(len(again.leaves)) == page.Transfers)
	check(fmt.Sprintf("root %x, was %x", root, page.Root), string(root[:]) == string(page.Root))
	check("other totals", slices.Equal(sums, stored))
	check("another hash of the totals", string(again.sumsHash(stored)) == string(page.SumsHash))
	check("another last transfer", page.LastID == page.Decided)
	check("not the day after the page before", before == nil || before.Day.AddDate(0, 0, 1).Equal(page.Day))
	check("not chained to the page before", string(previous) == string(page.Previous))
	text := page.text()
	hash := sha256.Sum256(text)
	check("another hash", string(hash[:]) == string(page.Hash))
	check("a signature that no key of ours made",
		len(page.Key) == ed25519.PublicKeySize && ed25519.Verify(page.Key, text, page.Signature))
	if len(wrong) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("page of %s: %s", page.Day.Format(time.DateOnly), strings.Join(wrong, "; "))}, nil
}

// text is what the page's hash and signature cover.
func (p sealedPage) text() []byte {
	return net(
		"gateway-ledger-page-1",
		p.Day.Format(time.DateOnly),
		fmt.Sprint(p.Transfers),
		hex.EncodeToString(p.Root),
		hex.EncodeToString(p.SumsHash),
		hex.EncodeToString(p.Previous),
		p.SealedAt.UTC().Format("2006-01-02T15:04:05Z"),
	)
}

// net writes texts as netstrings.
func net(list ...string) (out []byte) {
	for _, text := range list {
		out = fmt.Appendf(out, "%d:", len(text))
		out = append(append(out, text...), ',')
	}
	return out
}

// merkle is the root of the tree of RFC 6962, written as the RFC defines it.
func merkle(leaves [][sha256.Size]byte) [sha256.Size]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	half := 1
	for half*2 < len(leaves) {
		half *= 2
	}
	left, right := merkle(leaves[:half]), merkle(leaves[half:])
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

type kindSum struct {
	transfers int64
	amount    decimal.Decimal
}

// pageAgain is the page as the audit computes it.
type pageAgain struct {
	salt     []byte
	leaves   [][sha256.Size]byte
	kinds    map[string]kindSum
	balances map[string]decimal.Decimal
}

type storedSums struct {
	Kinds []struct {
		Kind      string
		Transfers int64
		Amount    decimal.Decimal
	}
	Balances []struct {
		Owner, Account string
		Amount         decimal.Decimal
	}
}

func (a *pageAgain) goOnFrom(totals string) error {
	var before storedSums
	if err := json.Unmarshal([]byte(totals), &before); err != nil {
		return fmt.Errorf("read totals: %w", err)
	}
	for _, b := range before.Balances {
		a.balances[b.Owner+" "+b.Account] = b.Amount
	}
	return nil
}

// pageTransfers selects the transfers that belong to a page and to none before
// it, by id and time. $1 is the page's last id and $2 its end; $3 and $4 are
// those of the page before.
const pageTransfers = `
	select t.id, t.debit_account, t.credit_account, t.amount, t.kind, t.subject, t.subject_id, t.created_at
	from transfer t
	where t.id > $5 and t.id <= $6 and t.id <= $1 and t.created_at < $2 and not (t.id <= $3 and t.created_at < $4)
	order by t.id`

// pageRange is the range of ids that holds what was made on the day or
// committed after the page before.
const pageRange = `
	select coalesce(min(id), 0), coalesce(max(id), 0) from (
		select id from transfer where created_at >= $4 and created_at < $2 and id <= $1
		union all select id from transfer where id > $3 and id <= $1 and created_at < $4
	) t`

// read reads the transfers of a page again, in the order of their ids and some
// ids at a time. The statements need no common snapshot, because nothing that
// is on a sealed page ever changes. before is nil for the first page.
func (a *pageAgain) read(ctx context.Context, pool db.Pool, before *sealedPage, page sealedPage) error {
	end := page.Day.AddDate(0, 0, 1)
	lastBefore, endBefore := page.LastID, time.Time{}
	if before != nil {
		lastBefore, endBefore = before.LastID, page.Day
	}
	args := []any{page.LastID, end, lastBefore, endBefore}
	var first, last int64
	if err := pool.QueryRow(ctx, pageRange, args...).Scan(&first, &last); err != nil {
		return fmt.Errorf("find the transfers of a page: %w", err)
	}
	for past := first - 1; past < last; {
		to, _, err := rangeEnd(ctx, pool, "transfer", past, last)
		if err != nil {
			return err
		}
		rows, _ := pool.Query(ctx, pageTransfers, append(args, past, to)...) // the rows report its error
		if err := a.add(rows); err != nil {
			return fmt.Errorf("read the transfers of a page: %w", err)
		}
		past = to
	}
	return nil
}

// add adds transfers to the leaves and the totals. They must come in the order
// of their ids, over all calls. The leaf is written here from the published
// format, and not by the code that seals, whose mistakes it would repeat.
func (a *pageAgain) add(rows pgx.Rows) error {
	var id, from, to, subjectID int64
	var amount decimal.Decimal
	var kind, subject string
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&id, &from, &to, &amount, &kind, &subject, &subjectID, &at}, func() error {
		k := a.kinds[kind]
		a.kinds[kind] = kindSum{k.transfers + 1, k.amount.Add(amount)}
		a.balances[ownerOf(from)] = a.balances[ownerOf(from)].Sub(amount)
		a.balances[ownerOf(to)] = a.balances[ownerOf(to)].Add(amount)
		leaf := net("gateway-transfer-1", fmt.Sprint(id), at.UTC().Format("2006-01-02T15:04:05.000000Z"), kind, subject,
			fmt.Sprint(subjectID), a.side(id, "debit", from, amount), a.side(id, "credit", to, amount))
		a.leaves = append(a.leaves, sha256.Sum256(append([]byte{0}, leaf...)))
		return nil
	})
	return err
}

// ownerOf is the kind of owner and the account that an account's id encodes.
func ownerOf(account int64) string {
	owner := [...]string{"external", "platform", "cashbox", "trader"}[account>>1&3]
	return owner + " " + [...]string{"available", "reserved"}[account&1]
}

// side is the hash that hides one account of a transfer.
func (a *pageAgain) side(id int64, side string, account int64, amount decimal.Decimal) string {
	owner, purpose, _ := strings.Cut(ownerOf(account), " ")
	hidden := sha256.Sum256(net("gateway-side-1", a.salted(fmt.Sprint(id), side), side, owner, fmt.Sprint(account>>3),
		purpose, amount.StringFixed(8)))
	return hex.EncodeToString(hidden[:])
}

func (a *pageAgain) salted(texts ...string) string {
	mac := hmac.New(sha256.New, a.salt)
	_, _ = mac.Write(net(texts...))
	return hex.EncodeToString(mac.Sum(nil))
}

// sums are the computed and the stored totals, as the texts from which their
// hashes are made.
func (a *pageAgain) sums(totals string) (made, stored []string, err error) {
	var kept storedSums
	if err := json.Unmarshal([]byte(totals), &kept); err != nil {
		return nil, nil, fmt.Errorf("read totals: %w", err)
	}
	for _, k := range kept.Kinds {
		stored = append(stored, "kind", k.Kind, fmt.Sprint(k.Transfers), k.Amount.StringFixed(8))
	}
	for _, b := range kept.Balances {
		stored = append(stored, "balance", b.Owner, b.Account, b.Amount.StringFixed(8))
	}
	for _, kind := range sortedNames(a.kinds) {
		made = append(made, "kind", kind, fmt.Sprint(a.kinds[kind].transfers), a.kinds[kind].amount.StringFixed(8))
	}
	for _, name := range sortedNames(a.balances) {
		owner, account, _ := strings.Cut(name, " ")
		made = append(made, "balance", owner, account, a.balances[name].StringFixed(8))
	}
	return made, stored, nil
}

func sortedNames[V any](of map[string]V) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (a *pageAgain) sumsHash(stored []string) []byte {
	const format = "gateway-totals-1"
	hash := sha256.Sum256(net(append([]string{format, a.salted(format)}, stored...)...))
	return hash[:]
}

// SealedDays returns the hash of each sealed day, by the day. The hash covers
// the day's transfers and all days before it.
func SealedDays(ctx context.Context, pool db.Pool) (map[string]string, error) {
	rows, _ := pool.Query(ctx, "select day::text, encode(hash, 'hex') from ledger_page") // the rows report its error
	days := map[string]string{}
	var day, hash string
	_, err := pgx.ForEachRow(rows, []any{&day, &hash}, func() error {
		days[day] = hash
		return nil
	})
	return days, fault.Doing("read sealed days", err)
}
