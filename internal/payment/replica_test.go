package payment_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// replica is another process on the same database: a service with a memory of its own, which may be
// so old.
func (b *bundle) replica(t *testing.T, usable time.Duration) (*payment.Service, *directory.Keeper) {
	t.Helper()
	keeper, err := directory.NewKeeper(t.Context(), b.Pool, usable, nil)
	noError(t, err)
	service, err := payment.New(b.Pools(), b.clock, webhook.NewAddresses(false), keeper,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true})
	noError(t, err)
	return service, keeper
}

// Many calls at the same time over two replicas, with room for fewer: as many get through as there
// is room for, the others get the documented answer, and nobody who could have been served is
// refused.
func TestWhatTheDatabaseDecides(t *testing.T) {
	t.Parallel()
	calls := testenv.Pick(50, 200)
	amount := func(n int) string { return fmt.Sprint(100 + n) }
	cases := map[string]struct {
		limit     string
		amount    func(n int) string
		order     func(n int) string
		usdt      string
		room      int
		otherwise string
	}{
		"a day's count": {
			"update requisite set daily_count = 10", amount, nil, "10000", 30, "collect_requisites_not_available",
		},
		// Ten of 100.00 to 101.99 come to no more than 1,020 and eleven to 1,100 at least.
		"a day's sum": {
			"update requisite set daily_sum = 1050",
			func(n int) string { return fmt.Sprintf("%d.%02d", 100+n/100, n%100) },
			nil,
			"10000",
			30,
			"collect_requisites_not_available",
		},
		"open payments": {
			"update requisite set open_payments = 7", amount, nil, "10000", 21, "collect_requisites_not_available",
		},
		"a day's count of the trader's own": {
			"update requisite set daily_count = 50, own_daily_count = 10", amount, nil, "10000", 30,
			"collect_requisites_not_available",
		},
		"open payments of the trader's own": {
			"update requisite set own_open_payments = 7", amount, nil, "10000", 21, "collect_requisites_not_available",
		},
		"one amount": {
			"select 1",
			func(int) string { return "500" },
			nil,
			"10000",
			3,
			"collect_requisites_not_available",
		},
		// 50.00 at 100 hold 0.5 USDT each.
		"a trader's USDT": {
			"update requisite set min_amount = 1",
			func(n int) string { return fmt.Sprintf("50.%02d", n%3) },
			nil,
			"4.4999",
			8,
			"collect_requisites_not_available",
		},
		"one order id": {
			"select 1",
			func(int) string { return "500" },
			func(int) string { return "the-order" },
			"10000",
			calls,
			"",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
			b.NewTrader(t, dbtest.TraderOpts{USDT: c.usdt, Requisites: 3})
			b.Exec(t, c.limit)
			other, _ := b.replica(t, directory.Usable)
			services := []*payment.Service{b.payments, other}
			var made, created atomic.Int64
			var running sync.WaitGroup
			for n := range calls {
				running.Go(func() {
					r := request(fmt.Sprint("order-", n))
					if r.Amount = c.amount(n); c.order != nil {
						r.OrderID = c.order(n)
					}
					got, err := services[n%2].Create(context.Background(), merchant.Caller, r)
					switch f := fault.As(err); {
					case err == nil && !got.Replay:
						created.Add(1)
						made.Add(1)
					case err == nil:
						made.Add(1)
					case f == nil || f.Code != c.otherwise:
						t.Errorf("call %d: %v", n, err)
					}
				})
			}
			running.Wait()
			testenv.Want(t, int(made.Load()), c.room, "calls that got a payment")
			if stored := b.Count(t, "select count(*) from payment"); stored != int(created.Load()) ||
				c.order != nil && stored != 1 {
				t.Errorf("%d payments are stored of %d", stored, created.Load())
			}
			b.Audit(t)
		})
	}
}

// What is switched off under load is so for every call that begins a second later, on every
// replica.
func TestSwitchedOffWithinASecond(t *testing.T) {
	t.Parallel()
	// Fewer calls find it as well when what they may use is older: only the whole check makes as many as it can.
	usable, pause := testenv.Pick(100*time.Millisecond, directory.Usable), testenv.Pick(10*time.Millisecond, 0)
	for name, off := range map[string]string{
		"cashbox":   "update cashbox set collect_enabled = false",
		"method":    "update cashbox_method set enabled = false",
		"trader":    "update trader set enabled = false",
		"requisite": "update requisite set enabled = false",
		"break":     "update trader set on_break = true",
		"own":       "update requisite set own_enabled = false",
		"limit":     "insert into platform_limit values ('RUB', 1, 2)",
		"rate":      "delete from rate",
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
			b.NewTrader(t, dbtest.TraderOpts{USDT: "100000", Requisites: 5})
			ctx, stop := context.WithCancel(t.Context())
			var switchedOff atomic.Pointer[time.Time]
			var before, late atomic.Int64
			var running sync.WaitGroup
			for replica := range 2 {
				// Nothing renews this memory but the calls themselves, when it is too old.
				service, _ := b.replica(t, usable)
				running.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						time.Sleep(pause)
						begun, r := time.Now(), request(fmt.Sprint("order-", replica, "-", n))
						r.Amount = fmt.Sprintf("%d.%02d", 100+n/100, n%100)
						_, err := service.Create(context.Background(), merchant.Caller, r)
						at := switchedOff.Load()
						if err == nil && at == nil {
							before.Add(1)
						}
						if err == nil && at != nil && begun.After(at.Add(usable)) {
							late.Add(1)
						}
					}
				})
			}
			testenv.Until(t, "payments are made", func() bool { return before.Load() > 0 })
			b.Exec(t, off)
			at := time.Now()
			switchedOff.Store(&at)
			time.Sleep(usable * 3 / 2)
			stop()
			running.Wait()
			if before.Load() == 0 || late.Load() != 0 {
				t.Errorf("%d payments were made before, and %d more than a second after it was switched off",
					before.Load(), late.Load())
			}
		})
	}
}

// A memory that is not renewed costs a retry and never a wrong payment: a requisite that is
// switched off gets none, and nobody is refused by what has been changed since.
func TestOldMemory(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	ids := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 2}).Requisites
	for n, c := range []struct{ before, since string }{
		{"select 1", "update requisite set enabled = false where id = (select min(id) from requisite)"},
		{"update cashbox set collect_enabled = false", "update cashbox set collect_enabled = true"},
		{"update cashbox_method set enabled = false", "update cashbox_method set enabled = true"},
		{"update requisite set enabled = false", "update requisite set enabled = true where id = (select max(id) from requisite)"},
		{"delete from rate", "insert into rate values ('RUB', 100, 'test', now(), 'infinity')"},
		{"insert into platform_limit values ('RUB', 1, 2)", "update platform_limit set max_amount = 5000"},
	} {
		b.Exec(t, c.before)
		service, _ := b.replica(t, time.Hour)
		b.Exec(t, c.since)
		r := request(fmt.Sprint("order-", n))
		r.Amount = fmt.Sprint(1000 + n)
		created, err := service.Create(t.Context(), merchant.Caller, r)
		if err != nil || *created.Payment.RequisiteID != ids[1] {
			t.Errorf("after %s: %+v, %v", c.since, created.Payment.RequisiteID, err)
		}
	}
}

// Settings that cannot be renewed are used until they are too old. Then payments are refused for
// the time being. The whole check waits for an answer that does not come; here it is an error at once.
func TestSettingsThatCannotBeRenewed(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 5})
	fresh, _ := b.replica(t, time.Hour)
	old, _ := b.replica(t, time.Nanosecond)
	beside, err := pgx.Connect(t.Context(), b.URL)
	noError(t, err)
	defer func() { _ = beside.Close(context.Background()) }()
	do := func(little, all string) {
		if _, err := beside.Exec(t.Context(), testenv.Pick(little, all)); err != nil {
			t.Fatal(err)
		}
	}
	create := func(service *payment.Service, order string) error {
		_, err := service.Create(t.Context(), merchant.Caller, request(order))
		return err
	}
	do("alter table setting_version rename to gone", "begin; lock table setting_version in access exclusive mode")
	if err := create(fresh, "order-1"); err != nil {
		t.Errorf("settings as good as new: %v", err)
	}
	wantCode(t, create(old, "order-2"), "unavailable")
	do("alter table gone rename to setting_version", "rollback")
	if err := create(old, "order-2"); err != nil {
		t.Errorf("after they could be renewed: %v", err)
	}
}
