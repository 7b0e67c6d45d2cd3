package figures_test

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/figures"
	"gateway.example/internal/report"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

// A trend counts payments in their slots beside as long a time before, and its
// funnel follows the newest.
func TestTrend(t *testing.T) {
	b := setup(t)
	second, third := b.week(t, "sim") // the first was a week and 12 minutes before this hour
	b.Exec(t, `insert into payment_step (merchant_id, payment_id, at, actor, what)
		select merchant_id, id, created_at, 'payer', 'page_opened' from payment where id = $1`, third.ID)
	b.Exec(t, `update payment set payer_claimed_at = created_at where id = $1`, second.ID)
	owner := merchantUser(b.Shop, caller.Owner)
	for f, expected := range map[figures.TrendFilter]string{
		{Days: 1}: "2 1 2 50 200 38s; 0 0 0 - - 0s; 24 slots, 22: 2 1 2 50 - 0s; 2 2 1 1 [{failed  1}]",
		// Until 12:02 of the 20th, as today is until 12:02.
		{Days: 7}:                 "2 1 2 50 200 38s; 1 1 1 100 300 1m45s; 28 slots, 25: 2 1 2 50 - 0s; 2 2 1 1 [{failed  1}]",
		{Days: 30}:                "3 2 3 66.7 500 45s; 0 0 0 - - 0s; 30 slots, 29: 2 1 2 50 - 0s; 3 3 2 2 [{failed  1}]",
		{Days: 90, Method: "sbp"}: "2 2 2 100 500 45s; 0 0 0 - - 0s; 90 slots, 89: 1 1 1 100 - 0s; 2 2 2 2 []",
	} {
		f.Zone = time.UTC
		got := testenv.Must(b.figures.Trend(t.Context(), owner, f))(t)
		at := len(got.Slots) - 1
		for got.Slots[at].Payments == 0 {
			at--
		}
		u := got.Funnel
		want(t, fmt.Sprint(f.Days, f.Method), fmt.Sprintf("%s; %s; %d slots, %d: %s; %d %d %d %d %v", short(got.Now), short(got.Before),
			len(got.Slots), at, short(got.Slots[at].Figures), u.Payments, u.Opened, u.Claimed, u.Paid, u.Unpaid), expected)
	}
	all := testenv.Must(b.figures.Trend(t.Context(), operator, figures.TrendFilter{Days: 30, Zone: time.UTC}))(t)
	want(t, "an operator sees all", short(all.Now)+fmt.Sprint(all.Volumes), "4 2 3 66.7 - 45s[{RUB 500}]")
	support := testenv.Must(b.figures.Trend(t.Context(), merchantUser(b.Shop, caller.Support), figures.TrendFilter{Days: 1, Zone: time.UTC}))(t)
	want(t, "support", short(support.Now), "2 1 2 50 - 38s")
	for who, expected := range map[*caller.Caller]string{&owner: "validation_failed", new(traderUser(b.SBP, caller.Owner)): "token_kind_not_allowed"} {
		_, err := b.figures.Trend(t.Context(), *who, figures.TrendFilter{Days: 2, Zone: time.UTC})
		want(t, "refused", dbtest.CodeOf(err), expected)
	}
}

// A merchant's figures, which are read by days, are those that counting all
// hours gives, wherever its days begin and whatever the time is. An operator's
// are counted so, and here there is but one merchant.
func TestTrendOfDaysIsThatOfHours(t *testing.T) {
	b := setup(t)
	b.Exec(t, `insert into payment_hour (merchant_id, hour, cashbox_id, method, currency, status, span, payments, amount, seconds)
		select $1, date_trunc('hour', $2::timestamptz + interval '1 day', 'UTC') - n % (190 * 24) * interval '1 hour', n % 2, 'm' || n % 3, 'RUB',
			case when n % 5 = 0 then 'failed' else 'completed' end, case when n % 5 = 0 then -1 else n % 26 end, 1 + n % 7, n, 0
		from generate_series(1, 12000) n on conflict do nothing`, b.Shop.ID, b.Clock.Now())
	// What is added to an hour later is in its day as well.
	b.Exec(t, "update payment_hour set payments = payments + 2, amount = amount + 0.5 where extract(hour from hour at time zone 'UTC') in (0, 20, 23)")
	owner := merchantUser(b.Shop, caller.Owner)
	for _, offset := range []time.Duration{0, 3 * time.Hour, 5*time.Hour + 30*time.Minute, -8 * time.Hour, 14 * time.Hour} {
		b.Clock.Advance(5*time.Hour + 17*time.Minute)
		for _, days := range figures.TrendDays {
			f := figures.TrendFilter{Days: days, Zone: time.FixedZone("", int(offset.Seconds())), Currency: "RUB"}
			got := testenv.Must(b.figures.Trend(t.Context(), owner, f))(t)
			expected := testenv.Must(b.figures.Trend(t.Context(), operator, f))(t)
			got.Funnel, expected.Funnel = figures.Funnel{}, figures.Funnel{}
			want(t, fmt.Sprint(offset, " ", days, " days"), all(got), all(expected))
		}
	}
}

// Where clocks are put forward or back, the last 24 hours are compared with 24
// hours, and days begin at their midnight; where there is none, with the first
// of their hours.
func TestTrendWhereClocksChange(t *testing.T) {
	b := setup(t)
	owner := merchantUser(b.Shop, caller.Owner)
	for _, c := range []struct {
		zone, now, slots string
		days             int
		payments, before int64
	}{
		{"Europe/Kyiv", "2027-03-28T12:17:00Z", "27T13:00 27T14:00", 1, 24, 24},
		{"America/Santiago", "2027-09-05T15:17:00Z", "30T04:00 30T10:00", 7, 6*24 + 12, 6*24 + 13},
		{"Asia/Kolkata", "2027-09-05T15:17:00Z", "29T18:30 30T00:30", 7, 6*24 + 21, 6*24 + 21},
		{"America/Santiago", "2027-09-11T15:17:00Z", "05T04:00 05T09:00", 7, 6*24 + 12, 6*24 + 13},
		{"Europe/Kyiv", "2027-10-31T12:17:00Z", "30T13:00 30T14:00", 1, 24, 24},
		{"Europe/Kyiv", "2027-10-31T12:17:00Z", "24T21:00 25T03:00", 7, 6*24 + 16, 6*24 + 15},
	} {
		b.Clock.Advance(testenv.Must(time.Parse(time.RFC3339, c.now))(t).Sub(b.Clock.Now()))
		b.Exec(t, `insert into payment_hour (merchant_id, hour, cashbox_id, method, currency, status, span, payments, amount, seconds)
			select $1, hour, 1, 'sbp', 'RUB', 'completed', 1, 1, 1, 0
			from generate_series('2027-03-01T00:00Z', $2::timestamptz, '1 hour') hour on conflict do nothing`, b.Shop.ID, b.Clock.Now())
		got := testenv.Must(b.figures.Trend(t.Context(), owner, figures.TrendFilter{
			Days: c.days, Zone: testenv.Must(time.LoadLocation(c.zone))(t),
		}))(t)
		name := fmt.Sprint(c.days, " days until ", c.now, " in ", c.zone)
		want(t, name, got.Slots[0].At.UTC().Format("02T15:04")+" "+got.Slots[1].At.UTC().Format("02T15:04"), c.slots)
		testenv.Want(t, got.Now.Payments, c.payments, "%s", name)
		testenv.Want(t, got.Before.Payments, c.before, "%s, before", name)
	}
}

// all is everything that a trend has, with its sums as texts.
func all(t figures.Trend) string {
	said := fmt.Sprint(t.From, t.Currencies, t.Volumes, short(t.Now), short(t.Before))
	for _, s := range t.Slots {
		said += fmt.Sprint("\n", s.At, " ", short(s.Figures))
	}
	for _, m := range t.Methods {
		said += fmt.Sprint("\n", m.Method, " ", short(m.Figures))
	}
	return said
}

// TestTrendsOverMany tells how long the figures of the portals' first pages
// take over many payments of one merchant in 90 days and 100 traders, by two
// methods and with times to pay as people have them.
func TestTrendsOverMany(t *testing.T) {
	many := reporttest.Many(t, "GATEWAY_TEST_MANY")
	b := setup(t)
	p := b.Create(t, b.Shop, "order-1")
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
	testenv.NoError(t, report.NoteFirstIDs(t.Context(), b.Pool, b.Clock))
	merchant, trader := merchantUser(b.Shop, caller.Owner), traderUser(b.SBP, caller.Owner)
	msk := time.FixedZone("", 3*60*60)
	trend := func(who caller.Caller, days int) func() error {
		return func() error {
			return testenv.ErrOf(b.figures.Trend(t.Context(), who, figures.TrendFilter{Days: days, Zone: msk}))
		}
	}
	earned := func(days int) func() error {
		return func() error { return testenv.ErrOf2(b.figures.Earned(t.Context(), trader, days, msk)) }
	}
	for name, read := range map[string]func() error{
		"a merchant's first page, 1 day":   trend(merchant, 1),
		"a merchant's first page, 7 days":  trend(merchant, 7),
		"a merchant's first page, 30 days": trend(merchant, 30),
		"a merchant's first page, 90 days": trend(merchant, 90),
		"an operator's first page, 1 day":  trend(operator, 1),
		"a trader's earnings, 1 day":       earned(1),
		"a trader's earnings, 30 days":     earned(30),
		"a trader's earnings, 90 days":     earned(90),
	} {
		reporttest.Within(t, 50*time.Millisecond, name, read)
	}
}
