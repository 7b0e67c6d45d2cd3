package report_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
)

// TestTrendsOverMany tells how long the figures of the portals' first pages take over many payments of one merchant in 90 days and 100
// traders, by two methods and with times to pay as people have them.
func TestTrendsOverMany(t *testing.T) {
	many, err := strconv.Atoi(os.Getenv(manyEnv))
	if err != nil || many < 10_000 {
		t.Skip(manyEnv + " is no number of payments")
	}
	b := setup(t)
	p := b.create(t, b.shop, "order-1")
	b.Exec(t, `insert into payment select made.* from payment p, generate_series(1, $2::integer) n,
			lateral (select p.created_at - ($2 - n) * interval '90 days' / $2 as at, abs(hashint4(n))::bigint % 100 as luck) c,
			jsonb_populate_record(p, jsonb_build_object('id', 1000 + n, 'uuid', gen_random_uuid(), 'order_id', 'copy-' || n,
				'trader_id', n % 100 + 1, 'amount', 1000 + n % 5000, 'method', case when n % 10 < 7 then 'sbp' else 'sim' end,
				'status', case when luck < 2 then 'appeal' when luck < 30 then 'failed' when luck < 35 then 'cancelled' else 'completed' end,
				'created_at', at,
				'status_at', at + exp(5 + 0.9 * (luck - 67) / 12) * interval '1 second')) made
			where p.id = $1`, p.ID, many)
	b.Exec(t, `insert into payment_hour (merchant_id, hour, cashbox_id, method, currency, status, span, payments, amount, seconds)
		select merchant_id, date_trunc('hour', created_at, 'UTC'), cashbox_id, method, currency, status,
			case when status = 'completed' then width_bucket(extract(epoch from status_at - created_at)::bigint, '{15,30,45,60,90,120,150,180,
				240,300,360,420,480,600,720,900,1200,1500,1800,2700,3600,7200,14400,28800,86400}'::bigint[]) else -1 end,
			count(*), sum(amount), 0 from payment where id > 1000 group by 1, 2, 3, 4, 5, 6, 7`)
	b.Exec(t, "vacuum analyze")
	b.work(t)
	merchant, trader := merchantUser(b.shop, caller.Owner), traderUser(b.sbp, caller.Owner)
	msk := time.FixedZone("", 3*60*60)
	trend := func(who caller.Caller, days int) func() error {
		return func() error {
			_, err := b.reports.Trend(t.Context(), who, report.TrendFilter{Days: days, Zone: msk})
			return err
		}
	}
	earned := func(days int) func() error {
		return func() error {
			_, _, err := b.reports.Earned(t.Context(), trader, days, msk)
			return err
		}
	}
	for _, page := range []struct {
		name string
		read func() error
	}{
		{"a merchant's first page, 1 day", trend(merchant, 1)},
		{"a merchant's first page, 7 days", trend(merchant, 7)},
		{"a merchant's first page, 30 days", trend(merchant, 30)},
		{"a merchant's first page, 90 days", trend(merchant, 90)},
		{"an operator's first page, 1 day", trend(operator, 1)},
		{"a trader's earnings, 1 day", earned(1)},
		{"a trader's earnings, 30 days", earned(30)},
		{"a trader's earnings, 90 days", earned(90)},
	} {
		var took []time.Duration
		for range 40 {
			began := time.Now()
			noError(t, page.read())
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		t.Logf("%-32s p50 %6.1f ms, p95 %6.1f ms", page.name, took[20].Seconds()*1000, took[38].Seconds()*1000)
		if took[38] > 50*time.Millisecond {
			t.Errorf("%s takes %s at p95", page.name, took[38])
		}
	}
}
