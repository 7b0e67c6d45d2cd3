package payment_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// asRun is a service with the connections that the program gives it.
func (b *bundle) asRun(t *testing.T) *payment.Service {
	t.Helper()
	pools := db.Pools{Creations: b.Open(t, 5, db.ForCreations), Calls: b.Open(t, 5, db.ForCalls), Reads: b.Open(t, 5, db.ForReads)}
	keeper := testenv.Must(inforce.NewKeeper(t.Context(), pools.Reads, inforce.Usable, nil))(t)
	return testenv.Must(payment.New(pools, b.clock, outbound.NewAddresses(false), keeper, configuration))(t)
}

// other begins a transaction of somebody else, which goes on until it is ended.
func (b *bundle) other(t *testing.T, sql string, args ...any) pgx.Tx {
	t.Helper()
	tx := b.Beside(t)
	testenv.Must(tx.Exec(context.Background(), sql, args...))(t)
	return tx
}

// waitsFor counts the transactions that wait for what the given one has locked,
// until its answer is asked for.
func (b *bundle) waitsFor(t *testing.T, holder pgx.Tx) func() int {
	t.Helper()
	conn := testenv.Must(pgx.Connect(t.Context(), b.URL))(t)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	stop, counted := make(chan struct{}), make(chan int)
	go func() {
		seen := map[string]bool{}
		for {
			select {
			case <-stop:
				counted <- len(seen)
				return
			default:
			}
			// What a backend waits for and since when its
			// transaction runs are read one after the other.
			rows, _ := conn.Query(context.Background(), `select pid || ' ' || xact_start from pg_stat_activity
				where wait_event_type = 'Lock' and xact_start is not null and $1 = any(pg_blocking_pids(pid))`, holder.Conn().PgConn().PID())
			waiting, err := pgx.CollectRows(rows, pgx.RowTo[string])
			testenv.Check(t, err == nil, "who waits: %v", err)
			for _, transaction := range waiting {
				seen[transaction] = true
			}
			time.Sleep(20 * time.Millisecond) // a lock is waited for ten times as long
		}
	}()
	return func() int {
		close(stop)
		return <-counted
	}
}

const lockBalance = "select from account_balance where account_id = $1 for update"

// A trader whose account somebody has locked is passed by: payments get other
// traders' requisites, and only the first few wait at all, for a moment. Once
// the account is free they get payments again.
func TestHeldTraderIsPassedBy(t *testing.T) {
	b, merchant, held := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 20})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 20})
	service := b.asRun(t)
	lock := b.other(t, lockBalance, ledger.Available(ledger.Trader, held.ID).ID())
	waits := b.waitsFor(t, lock)
	ofHeld := func() int { return b.Count(t, "select count(*) from payment where trader_id = $1", held.ID) }
	var creating sync.WaitGroup
	started := time.Now()
	const clients = 5
	for client := range clients {
		creating.Go(func() {
			for n := range testenv.Pick(t, 8, 40) {
				r := requestOf(fmt.Sprint("order-", client, "-", n), fmt.Sprintf("%d.%02d", 100+client, n))
				err := testenv.Eventually(func() error { // the free trader's account is locked for a moment, too
					_, err := service.Create(context.Background(), merchant.Caller, r)
					if err != nil && !errors.Is(err, fault.ErrBusy) {
						return testenv.Never(err)
					}
					return err
				})
				testenv.Check(t, err == nil, "%s: %v", r.OrderID, err)
			}
		})
	}
	creating.Wait()
	// Those wait who chose it before anybody knew. Every three seconds it
	// is tried again.
	most := clients * (1 + int(time.Since(started)/(3*time.Second)))
	n := waits()
	testenv.Check(t, n <= most, "%d waited for the lock, want %d at most", n, most)
	testenv.Want(t, ofHeld(), 0, "payments are the held trader's")
	testenv.NoError(t, lock.Rollback(t.Context()))
	later := 0
	testenv.Until(t, "the trader gets payments again", func() bool {
		later++
		_, err := service.Create(context.Background(), merchant.Caller, requestOf(fmt.Sprint("later-", later), fmt.Sprint(300+later)))
		return err == nil && ofHeld() > 0
	})
	b.Audit(t)
}

// Where nobody else is there, the caller is told soon to come again: the
// requisites are free. It does not wait for the trader with each of them.
func TestHeldTraderAlone(t *testing.T) {
	b, merchant, held := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 50})
	service := b.asRun(t)
	waits := b.waitsFor(t, b.other(t, lockBalance, ledger.Available(ledger.Trader, held.ID).ID()))
	dbtest.WantCode(t, testenv.ErrOf(service.Create(context.Background(), merchant.Caller, request("1"))), "busy")
	n := waits()
	testenv.Check(t, n >= 1 && n <= 5, "it waited %d times", n)
}

// A requisite that is locked is passed by as well, and a move that meets a lock
// is busy, not broken.
func TestHeldElsewhere(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 2})
	service := b.asRun(t)
	made := testenv.Must(service.Create(context.Background(), merchant.Caller, request("1")))(t)
	lock := b.other(t, "select from requisite_day where requisite_id = $1 for update", *made.Payment.RequisiteID)
	for n := range 5 {
		got, err := service.Create(context.Background(), merchant.Caller, requestOf(fmt.Sprint("beside-", n), fmt.Sprint(200+n)))
		testenv.Check(t, err == nil && *got.Payment.RequisiteID != *made.Payment.RequisiteID,
			"beside a locked requisite: %v", err)
	}
	testenv.NoError(t, lock.Rollback(t.Context()))
	b.other(t, "select from payment where id = $1 for update", made.Payment.ID)
	_, _, err := service.UpdateStatus(context.Background(), application, made.Payment.ID,
		payment.Update{Status: "completed"})
	dbtest.WantCode(t, edge.Fault(err), "busy")
}

// batch is how many rows a sweep takes at a time.
const batch = 500

// copies makes that many payments like the given one, each due a minute
// earlier, from number 100000 on.
func (b *bundle) copies(t *testing.T, of payment.Payment) {
	t.Helper()
	b.Exec(t, `insert into payment select (jsonb_populate_record(p, jsonb_build_object('id', 100000 + n,
		'uuid', gen_random_uuid(), 'expires_at', p.expires_at - interval '1 minute'))).*
		from payment p, generate_series(1, $2) n where p.id = $1`, of.ID, batch)
}

// jam has the copies fail to expire: their event is there already.
const jam = `insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
	select merchant_id, overlay(gen_random_uuid()::text placing left(event_id_from(now())::text, 13) from 1)::uuid,
		cashbox_id, 'x', 'payment', id, 1, 'x', '', created_at from payment where id > 100000`

// Five payments behind as many as a sweep takes that fail each time, or that
// somebody else has locked.
func TestExpiryStarvesNobody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		injury string
		rounds int
	}{
		"failing": {jam, 2},
		"locked":  {"select from payment where id > 100000 for update", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 5})
			var last payment.Payment
			for _, order := range []string{"1", "2", "3", "4", "5"} {
				last = b.create(t, merchant.Caller, request(order))
			}
			b.copies(t, last)
			injured := b.other(t, c.injury)
			if name == "failing" {
				testenv.NoError(t, injured.Commit(t.Context()))
			}
			b.clock.Advance(15 * time.Minute)
			began := time.Now()
			for range c.rounds {
				_, _ = b.payments.Expire(context.Background())
			}
			testenv.Want(t, b.Count(t, "select count(*) from payment where status = 'failed' and id < 100000"), 5,
				"of 5 expired")
			if name == "failing" {
				// Failures are put off for two seconds. A
				// machine that takes longer tries them again,
				// and says so; in any case it comes to an end.
				ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
				defer cancel()
				err := b.payments.ExpireAll(ctx)
				testenv.Check(t, ctx.Err() == nil && (err == nil || time.Since(began) >= 2*time.Second),
					"%v, %v", ctx.Err(), err)
			}
		})
	}
}

// Settlements behind as many that fail each time: their trader has no account.
func TestSettlementStarvesNobody(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.SetRate(t, "RUB", "100", false)
	p := b.made(t, merchant, "1", "completed")
	b.copies(t, p)
	b.Exec(t, "update payment set trader_id = 999999 where id > 100000")
	b.Exec(t, `insert into settlement_due (merchant_id, payment_id, currency, since)
		select merchant_id, id, currency, '2026-01-01' from payment where id > 100000`)
	b.SetRate(t, "RUB", "80", true)
	for range 2 {
		_, _ = b.payments.Settle(context.Background())
	}
	b.wantDue(t, batch)
}

// A payment whose reservation somebody else keeps locked, as a creation does,
// holds up the sweep for a moment only.
func TestExpiryWaitsBriefly(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	first := b.create(t, merchant.Caller, request("1"))
	b.clock.Advance(time.Second)
	b.create(t, merchant.Caller, request("2"))
	tx := b.other(t, "select from requisite_slot where payment_id = $1 for update", first.ID)
	b.clock.Advance(15 * time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
	defer cancel()
	n, err := b.payments.Expire(ctx)
	testenv.Check(t, n == 1 && err != nil && ctx.Err() == nil, "%d expired (%v), want the second alone", n, err)
	testenv.NoError(t, tx.Rollback(context.Background()))
	// Another process has put nothing off.
	n, err = b.replica(t, 0).Expire(ctx)
	testenv.Check(t, n == 1 && err == nil, "%d expired (%v), want the first", n, err)
	b.Audit(t)
}

// A creation beside another of the same order id waits for it, also for longer
// than a lock is waited for: it answers with the other's payment, or makes its
// own where the other made none.
func TestTwinWaits(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	service := b.asRun(t)
	first := testenv.Must(service.Create(t.Context(), merchant.Caller, request("first")))(t)
	for order, commits := range map[string]bool{"commits": true, "rolls back": false} {
		winner := b.other(t,
			"insert into payment_key (merchant_id, channel, order_id, payment_id) values ($1, 'sbp', $2, $3)",
			merchant.ID, order, first.Payment.ID)
		var twin payment.Created
		ended := make(chan error, 1)
		go func() {
			r := requestOf(order, "2000")
			var err error
			twin, err = service.Create(context.WithoutCancel(t.Context()), merchant.Caller, r)
			ended <- err
		}()
		b.AwaitTries(t, 3)
		end := winner.Rollback
		if commits {
			end = winner.Commit
		}
		testenv.NoError(t, end(t.Context()))
		if err := <-ended; err != nil || twin.Replay != commits || (twin.Payment.ID == first.Payment.ID) != commits {
			t.Errorf("%s: %v, replay %v of payment %d", order, err, twin.Replay, twin.Payment.ID)
		}
	}
}

// What somebody else has read of a change, a creation that chose before it sees
// too: it is not refused for what is there by now.
func TestRenewedBySomebodyElse(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), b.Pool, time.Hour, nil))(t)
	config := payment.Config{Requisites: dbtest.Requisites(), ExternalSecret: true}
	service := testenv.Must(payment.New(b.Pools(), b.clock, outbound.NewAddresses(false), settings, config))(t)
	// It has chosen none, and looks whether the order id is taken.
	looked := b.other(t, "lock table payment_key")
	ended := make(chan error, 1)
	go func() {
		_, err := service.Create(context.WithoutCancel(t.Context()), merchant.Caller, request("first"))
		ended <- err
	}()
	b.AwaitBlocked(t)
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	changed, err := settings.Renew(t.Context())
	testenv.Need(t, err == nil && changed, "renewed: %v, %v", changed, err)
	testenv.NoError(t, looked.Rollback(t.Context()))
	testenv.NoError(t, <-ended)
}

// aCount is longer than until pending payments are counted anew.
const aCount = 120 * time.Millisecond

// A merchant has no more payments pending than it may, however many calls come
// at once. It hinders no other merchant, nor repeats of its own calls, and may
// make as many again as were paid or ended.
func TestOpenLimit(t *testing.T) {
	b := setup(t)
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 6 where id = $1", merchant.ID)
	first := b.create(t, merchant.Caller, request("first"))
	made := dbtest.Through(t, testenv.AtOnce(20, func(i int) error {
		return testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, request(fmt.Sprint(i))))
	}), "merchant_collect_open_limit")
	testenv.Check(t, made <= 5, "%d made, want 5 at most", made)
	for i := made; i < 5; i++ {
		time.Sleep(aCount)
		b.create(t, merchant.Caller, request(fmt.Sprint("more-", i)))
	}
	b.create(t, other.Caller, request("first"))
	again, err := b.payments.Create(t.Context(), merchant.Caller, request("first"))
	testenv.Check(t, err == nil && again.Replay, "a repeat: %v", err)
	// Another replica, too, finds the merchant full.
	_, err = b.replica(t, 0).Create(t.Context(), merchant.Caller, request("elsewhere"))
	dbtest.WantCode(t, err, "merchant_collect_open_limit")
	b.set(t, first.ID, "completed")
	time.Sleep(aCount)
	// A refusal for another reason gives the place back.
	dear := requestOf("dear", "999999999")
	for range 3 {
		dbtest.WantCode(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, dear)), "collect_requisites_not_available")
	}
	b.create(t, merchant.Caller, request("after one was paid"))
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, request("and not another"))), "merchant_collect_open_limit")
	b.Audit(t)
}

// Each of two replicas notices what the other makes after it has made a tenth
// of what it last knew to be left.
func TestOpenLimitOverReplicas(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "10000", Requisites: 100})
	b.Exec(t, "update merchant set max_open_payments = 50 where id = $1", merchant.ID)
	b.create(t, merchant.Caller, request("first"))
	second := b.replica(t, inforce.Usable)
	// makes counts what a replica makes until it refuses.
	makes := func(replica *payment.Service, prefix string) int {
		for n := 0; ; n++ {
			if _, err := replica.Create(t.Context(), merchant.Caller, request(fmt.Sprint(prefix, n))); err != nil {
				dbtest.WantCode(t, err, "merchant_collect_open_limit")
				return n
			}
		}
	}
	testenv.Want(t, makes(second, "second-"), 49, "payments that the second replica made")
	time.Sleep(aCount)
	made := makes(b.payments, "beyond-")
	testenv.Check(t, made <= 5, "the first made %d beyond 50", made)
}

// Pending payments are counted no further than there may be.
func TestOpenCountEndsAtTheLimit(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.copies(t, b.create(t, merchant.Caller, request("1")))
	b.Exec(t, "analyze payment")
	for most, want := range map[int32]int32{5000: batch + 1, 20: 20} {
		counted, err := b.Queries().
			MerchantOpenPayments(t.Context(), db.MerchantOpenPaymentsParams{MerchantID: merchant.ID, Most: most})
		testenv.Check(t, err == nil && counted == want, "counted %d, want %d (%v)", counted, want, err)
	}
}
