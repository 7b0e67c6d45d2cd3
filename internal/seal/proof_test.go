package seal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
)

func (b *bundle) keys(t *testing.T) attest.Keys {
	t.Helper()
	file := testenv.Must(b.signer.Published(t.Context()))(t)
	return testenv.Must(attest.ParseKeys(file))(t)
}

func (b *bundle) published(t *testing.T, month string) []seal.Page {
	t.Helper()
	file, _ := testenv.Must2(b.proofs.Published(t.Context(), month))(t)
	roots := testenv.Must(seal.ParseRoots(file))(t)
	return roots.Pages
}

func (b *bundle) prove(t *testing.T, m dbtest.Merchant, id int64) seal.Proof {
	t.Helper()
	return testenv.Must(b.proofs.Payment(t.Context(), m.User(caller.Owner), fmt.Sprint(id)))(t)
}

// verify says what is wrong with a file, or what it proves.
func (b *bundle) verify(t *testing.T, file []byte, published []seal.Page) seal.Verdict {
	t.Helper()
	p, err := seal.ParseProof(file)
	if err != nil {
		return seal.Verdict{Wrong: []string{err.Error()}}
	}
	return p.Verify(b.keys(t), published)
}

// proves wants nothing to be wrong with a proof, and each thing that it proves
// to say what is wanted of it.
func (b *bundle) proves(t *testing.T, p seal.Proof, want ...string) {
	t.Helper()
	v := b.verify(t, testenv.Must(p.File())(t), nil)
	testenv.Need(t, len(v.Wrong) == 0 && len(v.Proven) == len(want), "%q, want %q", v, want)
	for i, part := range want {
		testenv.Check(t, strings.Contains(v.Proven[i], part), "it proves %q, want %q", v.Proven[i], part)
	}
}

// A payment of 1000 RUB at 100 RUB for a USDT with a markup of 5% brings the
// merchant 1000 / (100 × 1.05) = 9.52380952 USDT. The file proves that, and
// tells nothing of the trader nor of what the trader and the platform got.
func TestPaymentProof(t *testing.T) {
	b := setup(t)
	p := b.paid(t, b.shop)
	b.posts(t, 2500, b.clock.Now()) // it stands in the first of three parts
	waiting := b.prove(t, b.shop, p.ID)
	want := time.Date(2026, 11, 21, 0, 10, 0, 0, time.UTC)
	testenv.Check(t, len(waiting.Transfers) == 0 && len(waiting.Waiting) == 1 &&
		waiting.Waiting[0].SealedAfter.Equal(want), "before its day is sealed: %+v", waiting)
	b.sealAt(t, seal.Grace)
	file := testenv.Must(b.prove(t, b.shop, p.ID).File())(t)
	for _, published := range [][]seal.Page{nil, b.published(t, "2026-11"), b.published(t, "")} {
		v := b.verify(t, file, published)
		id := b.prove(t, b.shop, p.ID).Transfers[0].Header.ID
		want := fmt.Sprintf("transfer %d of payment %d (pending-completed, 2026-11-20T12:01:00.000000Z): 9.52380952 USDT were "+
			"given to the available account of cashbox %d; it is one of the 2505 transfers of the ledger's page of 2026-11-20",
			id, p.ID, b.shop.CashboxID)
		testenv.Check(t, len(v.Wrong) == 0 && slices.Equal(v.Proven, []string{want}),
			"%q, proven %q", v.Wrong, v.Proven)
	}
	var hold, platform string
	testenv.NoError(t, b.Pool.QueryRow(t.Context(), "select hold_usdt, spread_platform_usdt from payment where id = $1", p.ID).
		Scan(&hold, &platform))
	for _, canary := range []string{"trader", "platform", "external", hold, platform, "reserved"} {
		testenv.Check(t, !strings.Contains(string(file), canary), "%s is in %s", canary, file)
	}
	proof := b.prove(t, b.shop, p.ID)
	shown := proof.Transfers[0]
	testenv.Check(t, shown.Debit.Shown == nil && shown.Credit.Shown != nil, "%+v", shown)
}

// Each part of a file that is changed is named.
func TestChangedProofs(t *testing.T) {
	b := setup(t)
	p := b.paid(t, b.shop)
	b.posts(t, 3, b.clock.Now())
	b.sealAt(t, seal.Grace)
	file := testenv.Must(b.prove(t, b.shop, p.ID).File())(t)
	published := b.published(t, "2026-11")
	for name, c := range map[string]struct {
		change func(*seal.Proof)
		want   string
	}{
		"an amount":    {func(p *seal.Proof) { p.Transfers[0].Credit.Shown.Amount = "95.23809524" }, "what is shown of its credit was changed"},
		"an owner":     {func(p *seal.Proof) { p.Transfers[0].Credit.Shown.OwnerID++ }, "what is shown of its credit was changed"},
		"a salt":       {func(p *seal.Proof) { p.Transfers[0].Credit.Shown.Salt[0]++ }, "what is shown of its credit was changed"},
		"a side":       {func(p *seal.Proof) { x := &p.Transfers[0]; x.Debit, x.Credit = x.Credit, x.Debit }, "what is shown of its debit was changed"},
		"another side": {func(p *seal.Proof) { p.Transfers[0].Debit.Hash[0]++ }, "its header, or the hash of one of its sides, was changed"},
		"a time":       {func(p *seal.Proof) { p.Transfers[0].Header.CreatedAt = "2026-11-20T12:01:00.000001Z" }, "its header, or the hash of one of its sides, was changed"},
		"a subject":    {func(p *seal.Proof) { p.SubjectID++ }, fmt.Sprintf("it is of payment %d, not of payment %d", p.ID, p.ID+1)},
		"a leaf":       {func(p *seal.Proof) { p.Transfers[0].Leaf[0]++ }, "its path does not lead to the root"},
		"a path":       {func(p *seal.Proof) { p.Transfers[0].Path[1][0]++ }, "its path does not lead to the root of the page of 2026-11-20"},
		"an index":     {func(p *seal.Proof) { p.Transfers[0].Index++ }, "its path does not lead to the root"},
		"a day":        {func(p *seal.Proof) { p.Transfers[0].Day = "2026-11-19" }, "the page of 2026-11-19 is missing"},
		"a root":       {func(p *seal.Proof) { p.Pages[0].Root[0]++ }, "the page of 2026-11-20: it was changed, its hash is of another"},
		"a count":      {func(p *seal.Proof) { p.Pages[0].Transfers++ }, "the page of 2026-11-20: it was changed"},
		"a hash":       {func(p *seal.Proof) { p.Pages[0].Hash[0]++ }, "the page of 2026-11-20 is not the one that is published"},
		"a signature":  {func(p *seal.Proof) { p.Pages[0].Signature[0]++ }, "the signature was not made by the key"},
		"a key":        {func(p *seal.Proof) { p.Pages[0].Kid = "another" }, "the key another is none of the gateway's (1 are known)"},
		"a page more": {func(p *seal.Proof) { p.Pages = append(p.Pages, seal.Page{Day: "2026-11-28"}) },
			"the page of 2026-11-28 is none of the published ones"},
		"no transfer": {func(p *seal.Proof) { p.Transfers = nil }, "the file proves nothing"},
	} {
		var changed seal.Proof
		testenv.NoError(t, json.Unmarshal(file, &changed))
		c.change(&changed)
		v := changed.Verify(b.keys(t), published)
		testenv.Check(t, len(v.Wrong) != 0 && strings.Contains(strings.Join(v.Wrong, "\n"), c.want),
			"%s: %q, want %q", name, v.Wrong, c.want)
	}
	for at := range file { // whichever byte it is
		changed := bytes.Clone(file)
		changed[at] ^= 0x01
		testenv.Check(t, len(b.verify(t, changed, published).Wrong) != 0, "byte %d, %q, may be changed", at, file[at])
	}
	twice := bytes.Replace(file, []byte(`"subject":"payment"`), []byte(`"subject":"deposit","subject":"payment"`), 1)
	v := b.verify(t, twice, published)
	testenv.Check(t, len(v.Wrong) != 0 && !bytes.Equal(twice, file), "a name may stand twice")
	forged := slices.Clone(published)
	forged[0].Previous = seal.Hash{1}
	want := []string{"the published page of 2026-11-20: it was changed, its hash is of another"}
	v = b.verify(t, file, forged)
	testenv.Check(t, slices.Equal(v.Wrong, want), "a published page was changed: %q", v.Wrong)
}

// Published pages follow each other, and one that is left out is missed.
func TestPublished(t *testing.T) {
	b := setup(t)
	p := b.paid(t, b.shop)
	b.sealAt(t, 40*day+seal.Grace)
	file := testenv.Must(b.prove(t, b.shop, p.ID).File())(t)
	newest, keep := testenv.Must2(b.proofs.Published(t.Context(), ""))(t)
	if got := b.published(t, ""); len(got) != 31 || got[30].Day != "2026-12-30" || keep != 5*time.Minute ||
		!strings.Contains(string(newest), `"months":["2026-11","2026-12"]`) || len(newest) > 20_000 {
		t.Errorf("%d pages, %d bytes, kept for %s", len(got), len(newest), keep)
	}
	november := b.published(t, "2026-11")
	_, keep = testenv.Must2(b.proofs.Published(t.Context(), "2026-11"))(t)
	testenv.Check(t, len(november) == 11 && keep == day, "%d pages, kept for %s", len(november), keep)
	both := append(slices.Clone(november), b.published(t, "2026-12")...)
	v := b.verify(t, file, both)
	testenv.Check(t, len(v.Wrong) == 0, "%q", v.Wrong)
	want := []string{"the published page of 2026-11-23 does not follow the one before it, of 2026-11-21"}
	v = b.verify(t, file, slices.Delete(slices.Clone(november), 2, 3))
	testenv.Check(t, slices.Equal(v.Wrong, want), "%q", v.Wrong)
	for _, month := range []string{"2026", "2026-13", "2026-1", "../x"} {
		_, _, err := b.proofs.Published(t.Context(), month)
		testenv.Check(t, dbtest.CodeOf(err) == "not_found", "month %q: %v", month, err)
	}
	empty, _, err := b.proofs.Published(t.Context(), "2020-01")
	testenv.Check(t, err == nil &&
		string(empty) == `{"format":"gateway-ledger-roots-1","pages":[]}`+"\n", "%s, %v", empty, err)
}

// A deposit, and a transfer that comes after its day was sealed.
func TestDepositProof(t *testing.T) {
	b := setup(t)
	b.posts(t, 1, b.clock.Now())
	d := testenv.Must(b.deposits.Create(t.Context(), b.shop.Caller, deposit.Request{
		Amount: "25", Network: "TRC20", Address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		IdempotencyKey: "7c0d4d5e-55f4-4d18-a66c-60b90aef3c55",
	}))(t)
	treasury := caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Treasury}
	testenv.Must(b.deposits.Confirm(t.Context(), treasury, d.Deposit.ID))(t)
	b.sealAt(t, seal.Grace)
	proof := testenv.Must(b.proofs.Deposit(t.Context(), b.shop.User(caller.Owner), d.Deposit.ID))(t)
	b.proves(t, proof, "25.00000000 USDT were given to the available account of cashbox")
	testenv.NoError(t, ledger.Post(t.Context(), b.Queries(),
		ledger.Cause{Kind: "deposit", Subject: "deposit", SubjectID: d.Deposit.ID, At: dbtest.Start},
		ledger.Transfer{
			Debit: ledger.Available(ledger.External, 0), Credit: ledger.Available(ledger.Cashbox, b.shop.CashboxID),
			Amount: decimal.NewFromInt(1),
		}))
	proof = testenv.Must(b.proofs.Deposit(t.Context(), b.shop.User(caller.Owner), d.Deposit.ID))(t)
	want := time.Date(2026, 11, 22, 0, 10, 0, 0, time.UTC)
	testenv.Check(t, len(proof.Transfers) == 1 && len(proof.Waiting) == 1 && proof.Waiting[0].SealedAfter.Equal(want),
		"one of a sealed day that came late: %+v", proof)
}

// A withdrawal, whose fee is the platform's. Another merchant has no proof of
// it.
func TestWithdrawalProof(t *testing.T) {
	b := setup(t)
	var id int64
	b.Get(t, &id, `with terms as (insert into withdrawal_terms values ('TRC20', true, 1, 1, 1000) returning network),
		book as (insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
			select 'merchant', $1, 'TRC20', 'T', 'cold', 'x', now(), now() returning id)
		insert into withdrawal (owner_kind, owner_id, cashbox_id, order_id, amount, fee, network, address_id, address, callback_uri,
			created_at, status_at) select 'merchant', $1, $2, 'w', 10, 1, 'TRC20', book.id, 'T', '', now(), now() from book returning id`,
		b.shop.ID, b.shop.CashboxID)
	box := ledger.Reserved(ledger.Cashbox, b.shop.CashboxID)
	testenv.NoError(t, ledger.Post(t.Context(), b.Queries(), ledger.Cause{Kind: "capture", Subject: "withdrawal", SubjectID: id, At: dbtest.Start},
		ledger.Transfer{Debit: box, Credit: ledger.Available(ledger.External, 0), Amount: decimal.NewFromInt(10)},
		ledger.Transfer{Debit: box, Credit: ledger.Available(ledger.Platform, 0), Amount: decimal.NewFromInt(1)}))
	b.sealAt(t, seal.Grace)
	proof := testenv.Must(b.proofs.Withdrawal(t.Context(), b.shop.User(caller.Owner), id))(t)
	b.proves(t, proof, "10.00000000 USDT were taken from the reserved", "1.00000000 USDT were taken from the reserved")
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(b.proofs.Withdrawal(t.Context(), b.other.User(caller.Owner), id))), "not_found", "another merchant's")
}

// A payout of 1000 RUB freezes 1000 / 100 × 1.02 = 10.2 USDT of the cashbox:
// both sides of that transfer are the merchant's own.
func TestPayoutProof(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Cashbox, b.shop.CashboxID), "100")
	b.PaysOut(t, b.shop.CashboxID, "2", "sbp")
	created := testenv.Must(b.services.Payouts.Create(t.Context(), b.shop.Caller, payout.Request{
		OrderID: "one", Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: "sbp",
		Address: "+79001234567", Recipient: "Ivan Petrov",
	}))(t)
	b.sealAt(t, seal.Grace)
	proof := testenv.Must(b.proofs.Payout(t.Context(), b.shop.User(caller.Owner), created.Payout.UUID.String()))(t)
	b.proves(t, proof, fmt.Sprintf("10.20000000 USDT were taken from the available account of cashbox %[1]d and 10.20000000 USDT were "+
		"given to the reserved account of cashbox %[1]d", b.shop.CashboxID))
	_, err := b.proofs.Payout(t.Context(), b.other.User(caller.Owner), created.Payout.UUID.String())
	dbtest.WantCode(t, err, "cashbox_access_denied") // of another merchant
}

// Nothing is proven by a ledger that was changed.
func TestProofOfAChangedLedger(t *testing.T) {
	b := setup(t)
	p := b.paid(t, b.shop)
	b.sealAt(t, seal.Grace)
	b.smash(t, "update transfer set amount = amount + 1 where subject = 'payment' and subject_id = $1", p.ID)
	proof, err := b.proofs.Payment(t.Context(), b.shop.User(caller.Owner), fmt.Sprint(p.ID))
	testenv.Check(t, err != nil, "%+v", proof)
}

// Days are listed from the newest down, with what each moved and what there was
// after it: the trader got 1000, the cashbox 9.52380952 of a payment, and the
// platform its share.
func TestDayList(t *testing.T) {
	b := setup(t)
	b.posts(t, 2, dbtest.Start)
	b.posts(t, 3, dbtest.Start.Add(day))
	b.sealAt(t, 2*day+seal.Grace)
	// A migration begins the count of the other audit at the real time,
	// which has nothing to do with this clock.
	b.Exec(t, "update audit_run set proven_at = 'epoch' where scope = 'recent'")
	b.Exec(t, "update audit_run set proven_at = $1, violations = 4 where scope = 'full'", b.clock.Now().Add(time.Hour))
	two := int32(2)
	days, next := testenv.Must2(b.proofs.Days(t.Context(), operator, seal.Paging{Limit: &two}))(t)
	told := func(days []seal.SealedDay) (list []string) {
		for _, d := range days {
			line := fmt.Sprintf("%s %d %s, %d violations:", d.Day, d.Transfers, d.State, d.Violations)
			for _, k := range d.Sums.Kinds {
				line += fmt.Sprintf(" %s %d %s", k.Kind, k.Transfers, k.Amount)
			}
			for _, b := range d.Sums.Balances {
				line += fmt.Sprintf(" %s %s %s", b.Owner, b.Account, b.Amount)
			}
			list = append(list, line)
		}
		return list
	}
	want := []string{
		"2026-11-22 0 valid, 4 violations: cashbox available 5 external available -5",
		"2026-11-21 3 valid, 4 violations: funding 3 3 cashbox available 5 external available -5",
	}
	got := told(days)
	testenv.Check(t, slices.Equal(got, want) && next != nil && *next == "2026-11-21", "%q, next %v", got, next)
	days, next = testenv.Must2(b.proofs.Days(t.Context(), operator, seal.Paging{Cursor: next}))(t)
	want = []string{"2026-11-20 2 valid, 4 violations: funding 2 2 cashbox available 2 external available -2"}
	got = told(days)
	testenv.Check(t, slices.Equal(got, want) && next == nil, "%q, next %v", got, next)
	for state, sql := range map[seal.State]string{
		seal.Changed:  "update ledger_page set totals = jsonb_set(totals, '{kinds,0,amount}', '\"9\"') where day = '2026-11-21'",
		seal.Unsigned: "update ledger_page set kid = 'another' where day = '2026-11-21'",
		// The page of the day before is another one.
		seal.Unchained: "update ledger_page set hash = sha256(hash) where day = '2026-11-20'",
	} {
		b.smash(t, "create table kept as select * from ledger_page")
		b.smash(t, sql)
		days, _ := testenv.Must2(b.proofs.Days(t.Context(), operator, seal.Paging{}))(t)
		testenv.Check(t, days[1].State == state && days[0].State == seal.Valid,
			"%s: %s, %s", state, days[1].State, days[0].State)
		b.smash(t,
			"update ledger_page p set totals = k.totals, kid = k.kid, hash = k.hash from kept k where k.day = p.day; drop table kept")
	}
	wrong, zero := "yesterday", int32(0)
	dbtest.WantFields(t, testenv.ErrOf2(b.proofs.Days(t.Context(), operator, seal.Paging{Limit: &zero, Cursor: &wrong})), "limit", "cursor")
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.proofs, map[string]string{
		"merchant_portal": "Payment Payout Deposit Withdrawal",
		"operator":        "Days",
	})
}
