package notify

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// looks has another process look each time, after some more time, and wants it
// to tell what is said.
func (b *bundle) looks(t *testing.T, far *testenv.Telegram, chat, told string) func(what string, after time.Duration, begun bool) {
	t.Helper()
	return func(what string, after time.Duration, begun bool) {
		t.Helper()
		b.clock.Advance(after)
		b.later(t, "1 hour")
		b.restart(t, "0")
		b.round(t)
		b.round(t)
		var want []string
		if begun {
			want = []string{told}
		}
		same(t, far.Heard(chat), want, "told "+what)
	}
}

// A trader is told once that USDT are short, whichever process looks, and again
// when that was over for a while and is so again.
func TestShortIsToldOnce(t *testing.T) {
	far, b := byTelegram(t, "21")
	look := b.looks(t, far, "21", "Too few USDT are left for more payments.\nhttps://portal.example/trader/statement")
	free, held := ledger.Available(ledger.Trader, b.trader.ID), ledger.Reserved(ledger.Trader, b.trader.ID)
	move := func(from, to ledger.Account, amount int64) {
		t.Helper()
		testenv.NoError(t, ledger.Post(t.Context(), b.Queries(), ledger.Cause{Kind: "funding", Subject: "sandbox", At: b.clock.Now()},
			ledger.Transfer{Debit: from, Credit: to, Amount: decimal.NewFromInt(amount)}))
	}
	move(free, held, 500)
	look("of as much as is held", 0, false)
	move(free, held, 1)
	look("of less than is held", time.Minute, true)
	b.linked(t, b.newUser(t, "desk-2"), "25")
	look("of it once more", time.Hour, false)
	same(t, far.Heard("25"), nil, "told who was linked since")
	move(held, free, 1)
	look("of enough", time.Minute, false)
	move(free, held, 1)
	look("of what changes with each payment", time.Minute, false)
	move(held, free, 1)
	look("of enough for good", shortOver, false)
	testenv.Want(t, b.Count(t, "select count(*) from notify_standing"), 0, "that stand")
	move(free, held, 1)
	look("of less than is held, again", time.Minute, true)
}

// A trader is told once in a day that a requisite is near a limit, and again on
// another day.
func TestRequisiteLimitIsToldOnceADay(t *testing.T) {
	far, b := byTelegram(t, "22")
	look := b.looks(t, far, "22", "A requisite is near a limit of today.\nhttps://portal.example/trader/requisites")
	b.Exec(t, "update requisite set daily_count = 10")
	use := func(count int) {
		t.Helper()
		b.Exec(t, `insert into requisite_day (requisite_id, day, count, sum, used_at)
			select id, timezone(time_zone, $2)::date, $1, 100, $2 from requisite
			on conflict (requisite_id, day, version) do update set count = excluded.count, used_at = excluded.used_at`, count, b.clock.Now())
	}
	use(8)
	look("of eight of ten", 0, false)
	use(9)
	look("of nine of ten", time.Minute, true)
	use(10)
	look("of ten of ten", time.Minute, false)
	b.clock.Advance(24 * time.Hour)
	use(1)
	look("of one of ten on the next day", 0, false)
	use(9)
	look("of nine of ten on the next day", 0, true)
}

// A trader is told once of a phone that says nothing while payments count on
// it, and again when it has spoken and is silent anew. With the first payment
// of a day it has its time to speak.
func TestSilentPhoneIsToldOnce(t *testing.T) {
	far, b := byTelegram(t, "23")
	look := b.looks(t, far, "23", "A phone forwards no messages.\nhttps://portal.example/trader/messages")
	b.Exec(t, `insert into bank_device (id, trader_id, name, key_id, secret, created_at, heard_at) values (1, $1, 'phone', 'k', '', $2, $2)`,
		b.trader.ID, b.clock.Now())
	b.Exec(t, `insert into requisite_message (requisite_id, trader_id, device_id, bank, mode, most, since) values ($1, $2, 1, 'x', 'on', 1, $3)`,
		b.trader.Requisites[0], b.trader.ID, b.clock.Now())
	use := func() {
		t.Helper()
		b.Exec(t, `insert into requisite_day (requisite_id, day, count, sum, used_at) values ($1, '2000-01-01', 1, 1, $2)
			on conflict (requisite_id, day, version) do update set used_at = excluded.used_at`, b.trader.Requisites[0], b.clock.Now())
	}
	look("of a phone on which no payment counts", 10*time.Hour, false)
	use()
	look("with the first payment of a day", time.Minute, false)
	look("before its time is over", silentHalf-time.Minute-time.Second, false)
	look("after its time", 2*time.Minute, true)
	look("of it once more", time.Hour, false)
	b.Exec(t, "update bank_device set heard_at = $1", b.clock.Now())
	look("of one that has spoken", time.Second, false)
	use()
	look("before half of the time", silentHalf-time.Minute, false)
	look("after half of the time", time.Minute, false)
	look("after the whole", silentHalf, true)
}

// asked makes so many deposits, appeals and withdrawals of a merchant, which
// have stood so since then.
func (b *bundle) asked(t *testing.T, merchant int64, many int, at time.Time, deposits, appeals, withdrawals string) {
	t.Helper()
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, status, amount, network, address, idempotency_key, created_at, status_at)
		select $1, 1, $4, 10, 'TRC20', 'T', gen_random_uuid(), $2, $2 from generate_series(1, $3)`, merchant, at, many, deposits)
	b.Exec(t, `insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor, created_at)
		select $1, n, 'paid', 'a.png', 'image/png', 1, $4, $2::timestamptz, 'key:1', $2 from generate_series(1, $3) n`, merchant, at, many, appeals)
	b.Exec(t, "insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount) values ('TRC20', true, 1, 1, 1) on conflict do nothing")
	b.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
		values ('merchant', $1, 'TRC20', 'T', 'x', 'x', $2, $2)`, merchant, at)
	b.Exec(t, `insert into withdrawal (owner_kind, owner_id, cashbox_id, order_id, amount, fee, network, address_id, address, callback_uri, status, created_at, status_at)
		select 'merchant', $1, 1, 'order-' || n, 10, 1, 'TRC20', a.id, a.address, '', $4, $2::timestamptz, $2
		from generate_series(1, $3) n, withdrawal_address a`, merchant, at, many, withdrawals)
}

// What was decided is told once, however old it was then, also where nobody
// looked for an hour after it; what came anew, too.
func TestDecidedLongAfter(t *testing.T) {
	far, b := byTelegram(t, "")
	merchant := b.newOwner(t, "24")
	b.asked(t, merchant, 1001, b.clock.Now(), "pending", "in_review", "requested")
	b.round(t)
	b.clock.Advance(10 * 24 * time.Hour)
	decide := func(appeals string, ids string) {
		t.Helper()
		b.clock.Advance(time.Second)
		at := float64(b.clock.Now().UnixMicro()) / 1e6
		b.Exec(t, "update appeal set status_at = to_timestamp($1 + id * 0.000001::double precision), status = '"+appeals+"' where id "+ids, at)
		b.Exec(t, "update deposit set status_at = to_timestamp($1 + id * 0.000001::double precision), status = 'confirmed' where id "+ids, at)
		b.Exec(t, "update withdrawal set status_at = to_timestamp($1 + id * 0.000001::double precision), status = 'rejected' where id "+ids, at)
	}
	told := func(what string, wanted ...int) {
		t.Helper()
		b.roundLater(t, "1 hour")
		far.Heard("24")
		for i, kind := range []string{"appeal_decided", "deposit_decided", "withdrawal_ended"} {
			testenv.Want(t, b.Count(t, "select count(*) from notice where kind = '"+kind+"'"), wanted[i], "%s told %s", kind, what)
		}
	}
	told("before", 0, 0, 0)
	decide("failed", "= 1")
	told("of the oldest", 1, 1, 1)
	decide("completed", "= 1")
	told("of the same again", 2, 1, 1)
	b.restart(t, "0")
	told("after a restart", 2, 1, 1)

	b.restart(t, "1 hour")
	decide("completed", "between 2 and 1001") // more than a page at once
	b.clock.Advance(50 * time.Minute)
	told("after an hour in which nobody looked", 1002, 1001, 1001)

	b.clock.Advance(time.Hour)
	b.restart(t, "0")
	decide("failed", "= 2")
	b.Exec(t, "alter table notice rename to away")
	testenv.Check(t, b.feed.Find(t.Context()) != nil, "notices were kept nowhere")
	b.clock.Advance(10 * time.Minute)
	b.Exec(t, "alter table away rename to notice")
	for i := range b.feed.seen { // as ten minutes later
		b.feed.seen[i] = b.feed.seen[i].Add(-10 * time.Minute)
	}
	b.feed.from = b.feed.from.Add(-10 * time.Minute)
	told("of what could not be kept for long", 1003, 1001, 1001)
}

// Decisions are looked for by when they were made: none of the many before is
// read.
func TestDecidedPlans(t *testing.T) {
	b := setup(t)
	b.asked(t, 1, 5000, b.clock.Now().Add(-time.Hour), "confirmed", "failed", "cancelled")
	b.Exec(t, "analyze deposit, appeal, withdrawal")
	since := b.clock.Now()
	for index, read := range map[string]func(q *db.Queries) error{
		"appeal_decided_idx": func(q *db.Queries) error {
			return testenv.ErrOf(q.NotifyDecided(t.Context(), db.NotifyDecidedParams{Since: since, Most: sourceMost}))
		},
		"deposit_decided_idx": func(q *db.Queries) error {
			return testenv.ErrOf(q.NotifyDeposits(t.Context(), db.NotifyDepositsParams{Since: since, Most: sourceMost}))
		},
		"withdrawal_ended_idx": func(q *db.Queries) error {
			return testenv.ErrOf(q.NotifyWithdrawals(t.Context(), db.NotifyWithdrawalsParams{OwnerKind: "merchant", Since: since, Most: sourceMost}))
		},
	} {
		b.WantPlan(t, index, read, index)
	}
}
