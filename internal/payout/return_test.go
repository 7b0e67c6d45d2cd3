package payout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

// A trader takes as many as they may have open, twenty where nothing else is
// said, and no more, however many calls come at once. What they end or give
// back makes room.
func TestTakeLimit(t *testing.T) {
	b := setup(t)
	m, trader, other := b.merchant(t, "1000", dbtest.MerchantOpts{}), b.trader(t, "sbp"), b.trader(t, "sbp")
	testenv.Want(t, b.Count(t, "select max_open_payins from trader where id = $1", trader.ID), 20, "open by default")
	b.Exec(t, "update trader set max_open_payins = 5 where id = $1", trader.ID)
	var made []string
	for i := range 12 {
		made = append(made, id(b.create(t, m.Caller, request(fmt.Sprintf("order-%d", i)))))
	}
	taken := dbtest.Through(t, testenv.AtOnce(len(made), func(i int) error {
		return testenv.ErrOf(b.payouts.Take(context.Background(), trader.Caller, made[i]))
	}), "payin_take_limit")
	n := b.Count(t, "select count(*) from payin where status = 'processing'")
	testenv.Need(t, taken == 5 && n == 5, "%d taken, %d processing, want 5", taken, n)
	// Everybody else takes what is left.
	another := b.create(t, m.Caller, request("another"))
	b.take(t, other, another)
	mine := b.Text(t, fmt.Sprintf("select uuid::text from payin where trader_id = %d limit 1", trader.ID))
	testenv.Must(b.payouts.GiveBack(context.Background(), trader.Caller, mine, nil))(t)
	more := id(b.create(t, m.Caller, request("one more")))
	testenv.Must(b.payouts.Take(context.Background(), trader.Caller, more))(t)
	testenv.Must(b.payouts.Complete(context.Background(), trader.Caller, more, new("tx-1")))(t)
	testenv.Must(b.payouts.Take(context.Background(), trader.Caller, id(b.create(t, m.Caller, request("the last")))))(t)
}

// What a trader gave back is neither offered to them again nor theirs to take,
// and they take only so many in an hour: who could do otherwise would read all
// recipients. What an operator took from them they may take again.
func TestRecipientsAreNotHarvested(t *testing.T) {
	b := setup(t)
	m, trader := b.merchant(t, "1000", dbtest.MerchantOpts{}), b.trader(t, "sbp")
	other, first, second := b.trader(t, "sbp"), b.create(t, m.Caller, request("order-first")), b.create(t, m.Caller, request("order-second"))
	reclaimed := func(from dbtest.Trader, p payout.Payout) {
		t.Helper()
		b.take(t, from, p)
		testenv.Must(b.payouts.Reclaim(t.Context(), operator, id(p), payout.Resolution{}))(t)
	}
	reclaimed(other, first)
	reclaimed(trader, first)
	reclaimed(trader, second)
	b.take(t, trader, first)
	testenv.Must(b.payouts.GiveBack(t.Context(), trader.Caller, id(first), nil))(t)
	b.take(t, trader, second)
	dbtest.WantCode(t, testenv.ErrOf(b.payouts.Take(t.Context(), trader.Caller, id(first))), "not_found")
	list, _ := testenv.Must2(b.payouts.ListForTrader(t.Context(), trader.Caller, payout.Page{}))(t)
	counts := testenv.Must(b.payouts.DeskCounts(t.Context(), trader.Caller, 100))(t)
	testenv.Check(t, len(list) == 1 && counts.Waiting == 0, "offered again: %d, counted %d", len(list), counts.Waiting)
	list, _ = testenv.Must2(b.payouts.ListForTrader(t.Context(), other.Caller, payout.Page{}))(t)
	testenv.Want(t, len(list), 1, "offered to another")
	b.take(t, other, first) // anybody else's
	b.Exec(t, "update rate_limit set calls = 4 where name = 'trader_takes'")
	for n := range 3 {
		p := b.create(t, m.Caller, request(fmt.Sprintf("order-%d", n)))
		_, err := b.payouts.Take(t.Context(), trader.Caller, id(p))
		if n < 2 {
			testenv.NoError(t, err)
		} else {
			dbtest.WantCode(t, err, "rate_limited")
			b.clock.Advance(time.Hour)
			b.take(t, trader, p)
		}
	}
}

// What an operator decided about the trader who had it is not done to another
// who has taken it since.
func TestDecidedOfAnotherTaker(t *testing.T) {
	s := newScene(t)
	s.bystander(t)
	s.take(t, s.taker, s.p)
	first := testenv.Must(s.payouts.Get(t.Context(), operator, id(s.p)))(t).TakenAt
	testenv.Must(s.payouts.GiveBack(t.Context(), s.taker.Caller, id(s.p), nil))(t)
	s.clock.Advance(time.Minute)
	s.take(t, s.second, s.p)
	paid := payout.Resolution{Outcome: "completed", ProofReference: new("tx-1"), TakenAt: first}
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Resolve(t.Context(), operator, id(s.p), paid)), "payin_taken_anew")
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Reclaim(t.Context(), operator, id(s.p), payout.Resolution{TakenAt: first})),
		"payin_taken_anew")
	paid.TakenAt = testenv.Must(s.payouts.Get(t.Context(), operator, id(s.p)))(t).TakenAt
	testenv.Must(s.payouts.Resolve(t.Context(), operator, id(s.p), paid))(t)
}

// What was given back is anybody's: the trader who had it sees no more of it
// than others do, and can end it no more.
func TestGiveBack(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	s.clock.Advance(time.Minute)
	offer := testenv.Must(s.payouts.GiveBack(t.Context(), s.taker.Caller, id(s.p), nil))(t)
	testenv.Check(t, offer.Status == "waiting" && offer.Address == "•••• 4567" && offer.Recipient == "" &&
		offer.TakenAt == nil && offer.StatusAt.Equal(s.clock.Now()), "given back: %+v", offer)
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"89.8", "10.2", "0", "0"})
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.GetOffer(t.Context(), s.taker.Caller, id(s.p))), "not_found")
	s.take(t, s.second, s.p)
	for _, step := range []string{"complete", "fail", "give back"} {
		dbtest.WantCode(t, steps[step](s), "not_found")
	}
	testenv.Must(s.payouts.Complete(t.Context(), s.second.Caller, id(s.p), new(" tx-9 ")))(t)
	testenv.Want(t, s.Text(t, "select proof_reference from payin"), "tx-9", "the proof is")
	s.wantMoney(t, s.m.CashboxID, s.second.ID, money{"89.8", "0", "10.15", "0.05"})
}

// What a trader got for a payment they alone send back: neither they nor an
// operator gives it to others.
func TestReturnStaysWithItsTrader(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	s.Exec(t, "update payin set return_of = 1")
	for _, step := range []string{"give back", "reclaim"} {
		dbtest.WantCode(t, steps[step](s), "payin_is_return")
	}
	testenv.Want(t, s.Text(t, "select status from payin"), "processing", "the payout is")
	testenv.NoError(t, steps["complete"](s))
}

// Once its day is over, a payout that is given back expires like every other
// that nobody took.
func TestGivenBackTooLate(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	s.clock.Advance(day)
	testenv.NoError(t, steps["reclaim"](s))
	dbtest.WantCode(t, steps["take"](s), "payin_not_waiting")
	testenv.NoError(t, s.payouts.ExpireAll(context.Background()))
	status := s.Text(t, "select status from payin")
	testenv.Check(t, status == "expired", "%s", status)
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "0", "0"})
}

// Nobody completes a payout without saying what proves it.
func TestProofIsRequired(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	s.take(t, s.taker, s.p)
	for _, proof := range []*string{nil, new(""), new(" \t"), new(strings.Repeat("ж", 256))} {
		dbtest.WantFields(t, testenv.ErrOf(s.payouts.Complete(ctx, s.taker.Caller, id(s.p), proof)), "proofReference")
	}
	for _, reason := range []*string{nil, new(" "), new(strings.Repeat("ж", 256))} {
		dbtest.WantFields(t, testenv.ErrOf(s.payouts.Reverse(ctx, operator, id(s.p), reason)), "reason")
	}
	for field, outcome := range map[string]string{"proofReference": "completed", "outcome": "waiting"} {
		dbtest.WantFields(t, testenv.ErrOf(s.payouts.Resolve(ctx, operator, id(s.p), payout.Resolution{Outcome: outcome})), field)
	}
	testenv.NoError(t, testenv.ErrOf(s.payouts.Complete(ctx, s.taker.Caller, id(s.p), new(strings.Repeat("ж", 255)))))
}

// A reversal gives the cashbox what was frozen, and takes from trader and
// platform what they got, spent or not. The merchant hears of it in a second
// event.
func TestReverse(t *testing.T) {
	t.Parallel()
	for name, spent := range map[string]string{"still there": "0", "spent": "9"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			testenv.NoError(t, steps["take"](s))
			testenv.NoError(t, steps["complete"](s))
			trader := ledger.Available(ledger.Trader, s.taker.ID)
			if spent != "0" {
				s.Fund(t, trader, "-"+spent)
			}
			testenv.NoError(t, steps["reverse"](s))
			s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "-" + spent, "0"})
			// One from the trader and one from the platform.
			reversals := "select count(*) from transfer where subject = 'payin' and kind = 'completed-failed'"
			testenv.Want(t, s.Count(t, reversals), 2, "transfers")
			event := s.Text(t, `select string_agg(concat_ws(' ', sequence, body #>> '{data,status}',
				body #>> '{meta,previousStatus}', coalesce(body #>> '{meta,reason}', '-')), '|' order by sequence)
				from (select sequence, convert_from(body, 'utf8')::jsonb as body from webhook_event) e`)
			testenv.Want(t, event, "1 COMPLETED PROCESSING -|2 FAILED COMPLETED never arrived", "events")
			testenv.Want(t, s.Text(t, "select proof_reference from payin"), "tx-1", "the proof is")
			dbtest.WantCode(t, steps["reverse"](s), "payin_not_completed")
			s.Audit(t)
		})
	}
}

// A call that found the payout in one trader's hands must not end it in
// another's: here it comes to the lock only after the payout was given back and
// taken again.
func TestLateWordOfTheFormerTaker(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	holder := s.Beside(t)
	testenv.Must(holder.Exec(t.Context(), `update payin set trader_id = $1`, s.second.ID))(t)
	late := make(chan error, 1)
	go func() { late <- steps["complete"](s) }()
	s.AwaitBlocked(t)
	testenv.NoError(t, holder.Commit(t.Context()))
	err := <-late
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Code == "not_found", "the former taker: %v", err)
}

// The whole requisite of a payout goes when it has been kept long enough after
// the end, and its mask stays: readers see that, and a repeat of the order is
// compared by it.
func TestPurgeRequisites(t *testing.T) {
	s := newScene(t)
	const keep = 30 * day
	s.take(t, s.taker, s.p)
	s.clock.Advance(2 * keep)
	purged := func(want int, what string) {
		t.Helper()
		testenv.NoError(t, s.payouts.PurgeRequisites(t.Context(), keep))
		testenv.Want(t, s.Count(t, "select count(*) from payin where address is null"), want, "%s: removed", what)
	}
	purged(0, "while it is being paid")
	testenv.NoError(t, steps["complete"](s))
	s.clock.Advance(keep)
	purged(0, "before its time")
	s.clock.Advance(time.Millisecond)
	purged(1, "after its time")
	purged(1, "again")
	receipt := "select string_agg(subject_key || ' ' || (after ->> 'count'), ',') from setting_change where subject = 'purge'"
	testenv.Want(t, s.Text(t, receipt), "payout_requisite 1", "the receipt")
	offers, _ := testenv.Must2(s.payouts.ListForTrader(t.Context(), s.taker.Caller, payout.Page{Status: new("completed")}))(t)
	testenv.Check(t, len(offers) == 1 && offers[0].Address == s.p.AddressMask, "its trader sees %+v", offers)
	for want, address := range map[string]string{"": request("").Address, "address": "+79001230000"} {
		r := request("order-1")
		r.Address = address
		again := testenv.Must(s.payouts.Create(t.Context(), s.m.Caller, r))(t)
		testenv.Check(t, again.Replay && strings.Join(again.Mismatch, " ") == want,
			"a repeat to %s differs in %v", address, again.Mismatch)
	}
	for _, end := range []string{"fail", "cancel", "expire"} {
		other := *s
		other.p = s.create(t, s.m.Caller, request(end))
		if end == "fail" {
			s.take(t, s.taker, other.p)
		}
		testenv.NoError(t, steps[end](&other))
	}
	s.clock.Advance(keep + time.Millisecond)
	purged(4, "after all ends")
	// A reversal long after goes by what is left.
	testenv.NoError(t, steps["reverse"](s))
	s.Audit(t)
}

// One payout behind as many as a sweep takes that fail each time, or that
// somebody else has locked.
func TestExpiryStarvesNobody(t *testing.T) {
	t.Parallel()
	for name, rounds := range map[string]int{"failing": 2, "locked": 1} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.create(t, b.merchant(t, "100", dbtest.MerchantOpts{}).Caller, request("1"))
			b.Exec(t, `insert into payin select (jsonb_populate_record(p, jsonb_build_object('id', 100000 + n,
				'uuid', gen_random_uuid(), 'expires_at', p.expires_at - interval '1 minute'))).* from payin p, generate_series(1, 500) n`)
			if name == "locked" {
				testenv.Must(b.Beside(t).Exec(t.Context(), "select from payin where id > 100000 for update"))(t)
			} else {
				b.Exec(t, `insert into webhook_event
					(merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
					select merchant_id, overlay(gen_random_uuid()::text placing left(event_id_from(now())::text, 13) from 1)::uuid,
						cashbox_id, 'x', 'payin', id, 1, 'x', '', created_at from payin where id > 100000`)
			}
			b.clock.Advance(day)
			for range rounds {
				_, _ = b.payouts.Expire(context.Background())
			}
			testenv.Want(t, b.Count(t, "select count(*) from payin where status = 'expired'"), 1, "expired")
		})
	}
}
