package alarm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/alarm"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/proposal"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var auditor = caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 1}

// causes each make one alarm fire, at noon of 20 November, and since when it then does.
var causes = map[string]struct {
	sql   string
	count int64
	since string
}{
	"audit_mismatch": {"update audit_run set violations = 3 where scope = 'recent'", 3, ""},
	"audit_late": {
		"update audit_run set proven_at = '2026-11-20 11:49:00Z' where scope = 'recent'", 60, "2026-11-20 11:59:00Z",
	},
	"full_audit_late": {
		"update audit_run set proven_at = '2026-11-19 10:59:50Z' where scope = 'full'", 10, "2026-11-20 11:59:50Z",
	},
	"day_unsealed": {
		`insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
		values (0, 1, 1, 'x', 'x', 1, '2026-11-19 09:00Z')`,
		39_600,
		"2026-11-20 01:00:00Z",
	},
	"account_overdrawn": {
		"update account_balance set overdrawn = true where account_id = (select min(account_id) from account_balance)",
		1, "",
	},
	"rate_stale": {`insert into rate (currency, fiat_per_usdt, source, priority, observed_at, stale_at)
		values ('RUB', 100, 'operator', 1, '2026-11-20 10:00Z', '2026-11-20 11:00Z')`, 1, "2026-11-20 11:00:00Z"},
	"feed_failing": {
		`insert into rate_feed (currency, enabled, priority, url, pointer, poll_seconds, timeout_ms, band_percent,
		day_band_percent, fresh_seconds, next_poll_at, error)
		values ('RUB', true, 1, 'https://x.example', '/x', 60, 1000, 5, 20, 300, now(), 'no answer')`,
		1,
		"",
	},
	"settlement_waiting": {`insert into settlement_due (merchant_id, payment_id, currency, since)
		values (1, 1, 'RUB', '2026-11-20 11:40Z')`, 1, "2026-11-20 11:50:00Z"},
	"events_dead": {event("dead") + `; insert into webhook_attempt (merchant_id, event_id, at, duration_ms, error)
		select merchant_id, id, '2026-11-20 11:30Z', 5, 'refused' from webhook_event`, 1, "2026-11-20 11:30:00Z"},
	"events_waiting": {event("pending") + `; insert into webhook_outbox (merchant_id, event_id)
		select merchant_id, id from webhook_event`, 59 * 60, "2026-11-20 11:01:00Z"},
	"payouts_overdue": {
		`insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri,
		address, address_mask, recipient, status, status_at, expires_at, created_at, trader_id, taken_at, base_rate, rate_source,
		rate_observed_at, markup_percent, spot_usdt, frozen_usdt, trader_share_percent, trader_usdt, platform_usdt)
		values (1, 1, gen_random_uuid(), 1, 'o', 'sbp', 'RUB', 100, 'https://x.example', '\x00', '1234', 'x', 'processing',
		'2026-11-20 11:00Z', '2026-11-20 13:00Z', '2026-11-20 11:00Z', 1, '2026-11-20 11:10Z', 100, 'x', now(), 5, 1, 1, 0, 1, 0)`,
		1,
		"2026-11-20 11:40:00Z",
	},
	"deposits_waiting": {
		`insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
		values (1, 1, 5, 'TRC20', 'T', gen_random_uuid(), '2026-11-20 10:30Z', '2026-11-20 10:30Z')`,
		1,
		"2026-11-20 11:30:00Z",
	},
	"withdrawals_waiting": {
		`insert into withdrawal_terms values ('TRC20', true, 1, 1, 100);
		insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
		values ('trader', 1, 'TRC20', 'T', 'x', 'x', now(), now());
		insert into withdrawal_hand_over values (1, now(), 'x', 2, 10, '');
		insert into withdrawal (owner_kind, owner_id, order_id, amount, fee, network, address_id, address, callback_uri, created_at, status_at, status, hand_over_id)
		select 'trader', 1, status, 5, 1, 'TRC20', 1, 'T', '', '2026-11-20 07:00Z', '2026-11-20 07:00Z', status, hand_over_id
		from (values ('requested', null), ('approved', null), ('handed_over', 1), ('failed', 1)) of (status, hand_over_id)`,
		3,
		"2026-11-20 07:00:00Z",
	},
	"appeals_waiting": {
		`insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor,
		created_at) values (1, 1, 'r', 'f', 'image/png', 1, 'open', '2026-11-19 11:00Z', 'key:1', '2026-11-19 11:00Z')`,
		1,
		"2026-11-20 11:00:00Z",
	},
	"cases_waiting": {
		`insert into payment select made.* from jsonb_populate_record(null::payment, '{"merchant_id": 1, "id": 1, "cashbox_id": 1,
		"uuid": "0190a5d0-ac96-774b-bcce-b302099a8057", "order_id": "o", "method": "sbp", "currency": "RUB", "amount": 10,
		"callback_uri": "https://x.example", "status": "appeal", "status_at": "2026-11-20T07:30Z", "expires_at": "2026-11-21T07:30Z",
		"created_at": "2026-11-20T07:00Z", "event_sequence": 1, "trader_id": 1, "base_rate": 1, "rate_source": "x",
		"rate_unavailable": false, "markup_percent": 0, "trader_share_percent": 0, "hold_usdt": 1, "amount_usdt": 1, "profit_usdt": 0,
		"spread_trader_usdt": 0, "spread_platform_usdt": 0, "markup_source": "body", "version": 0, "received_amount": 7,
		"difference_usdt": 0}') made`,
		1,
		"2026-11-20 11:30:00Z",
	},
	"factor_locked": {
		`insert into app_user (kind, role, login, created_at, factor_locked_at) values ('operator', 'admin', 'locked', now(), '2026-11-20 11:00Z')`,
		1,
		"2026-11-20 11:00:00Z",
	},
	"payouts_given_back": {
		`insert into payin_take (trader_id, payin_id, at, given_back_at) select 1, n, '2026-11-20 09:00Z', '2026-11-20 10:00Z' from generate_series(1, 20) n`,
		1,
		"",
	},
	"phones_silent": {
		`insert into trader (id, name, share_percent, created_at) values (901, 'x', 1, now());
		insert into trader (id, name, share_percent, created_at, on_break) values (902, 'y', 1, now(), true);
		insert into bank_device (id, trader_id, name, key_id, secret, created_at, heard_at, revoked_at)
		select n, case n when 5 then 902 else 901 end, 'x', n::text, '\x00', '2026-11-20 09:00Z', case n when 2 then '2026-11-20 11:45Z'::timestamptz end,
			case n when 3 then now() end from generate_series(1, 6) n;
		insert into requisite_message (requisite_id, trader_id, device_id, bank, mode, most, since)
		select n, 901, n, 'sber', case n when 4 then 'off' else 'shadow' end, 1, now() from generate_series(1, 6) n;
		insert into requisite_day (requisite_id, day, count, sum, used_at)
		select n, '2026-11-20', 1, 1, case n when 6 then timestamptz '2026-11-20 08:59Z' else '2026-11-20 11:59Z' end from generate_series(1, 6) n`,
		1,
		"2026-11-20 09:30:00Z",
	},
	"chain_stuck": {
		`insert into chain_cursor (network, start_number, block_number, block_hash, head_number, leased_until, trouble_since, trouble)
		select n, 1, 1, '', 1, now(), since, 'x' from (values ('TRC20', '2026-11-20 11:40Z'::timestamptz),
		('ERC20', '2026-11-20 11:51Z'), ('BEP20', null)) v (n, since)`,
		1,
		"2026-11-20 11:50:00Z",
	},
	"chain_lost": {
		`insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at)
		select 'TRC20', 'h' || n, 0, 'in', 1, 'b', 'f', 't', 1, s, now(), at from (values (1, 'lost', '2026-11-19 12:00Z'::timestamptz),
		(2, 'lost', '2026-11-12 12:00Z'), (3, 'gone', '2026-11-19 12:00Z')) v (n, s, at)`,
		1,
		"2026-11-19 12:00:00Z",
	},
	"operator_by_command": {
		`with u as (insert into app_user (kind, role, login, created_at) select 'operator', 'admin', 'admin-' || n, now() from generate_series(1, 2) n returning id) insert into setting_change (at, actor, subject, subject_key, after) select '2026-11-20 10:00Z', 'command', 'user', max(id)::text, '{}' from u`,
		1,
		"2026-11-20 10:00:00Z",
	},
	"card_conflicts": {
		`insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
		values (1, 1, gen_random_uuid(), 'failed', 'charged', '2026-11-20 09:00Z')`,
		1,
		"2026-11-20 09:00:00Z",
	},
}

// event is one of eleven o'clock in a status.
func event(status string) string {
	return `insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at,
		status) values (1, gen_random_uuid(), 1, 'payment.status.updated', 'payment', 1, 1, 'https://x.example', '{}',
		'2026-11-20 11:00Z', '` + status + `')`
}

// Each alarm fires by what it is about, and no other does. A snapshot that is open for minutes cannot
// be had in a test, and a damaged page is one of the test of restoring.
func TestEachAlarmFires(t *testing.T) {
	t.Parallel()
	for _, rule := range alarm.Rules {
		cause, there := causes[rule.Name]
		if !there {
			if rule.Name != "snapshot_old" && rule.Name != "replica_unused" && rule.Name != "clock_skewed" &&
				rule.Name != "pages_damaged" && rule.Name != "second_operator_missing" {
				t.Errorf("nothing makes %s fire", rule.Name)
			}
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			d, service := quiet(t)
			if fire := firing(t, service); len(fire) > 0 {
				t.Fatalf("before anything was wrong: %v", fire)
			}
			smash(t, d, cause.sql)
			fire := firing(t, service)
			if len(fire) != 1 || fire[0].Name != rule.Name || fire[0].Count != cause.count {
				t.Fatalf("firing: %+v", fire)
			}
			since := ""
			if fire[0].Since != nil {
				since = fire[0].Since.UTC().Format("2006-01-02 15:04:05Z")
			}
			testenv.Want(t, since, cause.since, "since")
		})
	}
}

// Since when an alarm fires that no row tells of, and since when it is quiet, is kept.
func TestAlarmsAreKept(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	check(t, service.Watch(t.Context()))
	at := func() string {
		t.Helper()
		alarms, err := service.List(t.Context(), auditor)
		check(t, err)
		i := slices.IndexFunc(alarms, func(a alarm.Alarm) bool { return a.Name == "audit_mismatch" })
		return alarms[i].Since.UTC().Format(time.TimeOnly)
	}
	testenv.Want(t, at(), "12:00:00", "quiet since")
	smash(t, d, causes["audit_mismatch"].sql)
	later := &dbtest.Clock{}
	later.Advance(time.Minute)
	service = alarm.New(d.Pools(), later)
	check(t, service.Watch(t.Context()))
	later.Advance(time.Minute)
	check(t, service.Watch(t.Context()))
	testenv.Want(t, at(), "12:01:00", "fires since")
}

func quiet(t *testing.T) (*dbtest.DB, *alarm.Service) {
	t.Helper()
	d := dbtest.New(t)
	d.Exec(t, "update audit_run set proven_at = '2026-11-20 12:00Z'")
	return d, alarm.New(d.Pools(), &dbtest.Clock{})
}

func firing(t *testing.T, service *alarm.Service) []alarm.Alarm {
	t.Helper()
	alarms, err := service.List(t.Context(), auditor)
	check(t, err)
	return slices.DeleteFunc(alarms, func(a alarm.Alarm) bool { return !a.Firing })
}

// smash runs SQL without triggers, on a connection of its own.
func smash(t *testing.T, d *dbtest.DB, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.URL)
	check(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), "set session_replication_role = replica")
	check(t, err)
	_, err = conn.Exec(t.Context(), sql)
	check(t, err)
}

// Prometheus is told which alarms fire, as Watch has kept it.
func TestAlarmsAreMeasured(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(alarm.NewMetric(d.Queries(), &dbtest.Clock{}))
	for _, want := range []float64{0, 1} {
		check(t, service.Watch(t.Context()))
		families, err := metrics.Gather()
		check(t, err)
		if len(families) != 2 || len(families[0].GetMetric()) != len(alarm.Rules) {
			t.Fatalf("measured: %v", families)
		}
		for _, m := range families[0].GetMetric() {
			name, expected := m.GetLabel()[0].GetValue(), 0.0
			if name == "payouts_overdue" {
				expected = want
			}
			testenv.Want(t, m.GetGauge().GetValue(), expected, "%s", name)
		}
		if want == 0 {
			smash(t, d, causes["payouts_overdue"].sql)
		}
	}
}

// An alarm that cannot be asked keeps nobody from hearing of the others. It is shown as it was, and a metric
// tells for how long.
func TestAnAlarmThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	d, _ := quiet(t)
	now := &dbtest.Clock{}
	service := alarm.New(d.Pools(), now)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(alarm.NewMetric(d.Queries(), now))
	age := func() float64 {
		t.Helper()
		families, err := metrics.Gather()
		check(t, err)
		for _, family := range families {
			if family.GetName() == "gateway_alarms_age_seconds" {
				return family.GetMetric()[0].GetGauge().GetValue()
			}
		}
		return -1
	}
	smash(t, d, causes["payouts_overdue"].sql)
	check(t, service.Watch(t.Context()))
	testenv.Want(t, age(), 0, "just looked at")
	smash(t, d, "alter table payin rename to payin_gone; "+causes["appeals_waiting"].sql)
	now.Advance(time.Minute)
	if err := service.Watch(t.Context()); err == nil || !strings.Contains(err.Error(), "payouts_overdue") {
		t.Errorf("watched: %v", err)
	}
	var names []string
	for _, a := range firing(t, service) {
		names = append(names, a.Name)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"appeals_waiting", "payouts_overdue"}) {
		t.Errorf("firing: %v", names)
	}
	testenv.Want(t, age(), 60, "looked at a minute ago")
}

// unused is a replica that lists have not been read from for so long.
type unused time.Duration

func (u unused) UnusedFor() time.Duration { return time.Duration(u) }

// A replica that is not used for over a minute is an alarm. One that is used, or that a gateway has just
// begun to look at, is none.
func TestReplicaUnusedFires(t *testing.T) {
	t.Parallel()
	_, service := quiet(t)
	for lasts, want := range map[time.Duration]int64{0: 0, time.Minute: 0, 61 * time.Second: 61} {
		service.WatchReplica(unused(lasts))
		fire := firing(t, service)
		if want == 0 && len(fire) == 0 {
			continue
		}
		testenv.Check(t, len(fire) == 1 && fire[0].Name == "replica_unused" && fire[0].Count == want,
			"after %s: %+v", lasts, fire)
	}
}

// A process whose clock is more than two seconds off is an alarm, whichever way it is off.
func TestClockSkewedFires(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	for ahead, want := range map[time.Duration]int64{0: 0, time.Second: 0, 100 * time.Minute: 60, -100 * time.Minute: 60} {
		skew := db.NewSkew(func() time.Time { return time.Now().Add(ahead) })
		check(t, skew.Watch(t.Context(), d.Pool))
		service.WatchClock(skew)
		fire := firing(t, service)
		if want == 0 && len(fire) == 0 {
			continue
		}
		// The way to the database and back takes something off.
		testenv.Check(t, len(fire) == 1 && fire[0].Name == "clock_skewed" && fire[0].Count >= want,
			"%s ahead: %+v", ahead, fire)
	}
}

// Where proposals take two, it is an alarm that no operator could decide them. Where one decides alone it is none.
func TestSecondOperatorMissingFires(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	settings := directory.NewSettings(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	service.WatchDeciders(proposal.New(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), proposal.Rooms{Settings: settings}))
	if fire := firing(t, service); len(fire) > 0 {
		t.Errorf("one decides alone: %+v", fire)
	}
	settings.FourEyes.On = true
	if fire := firing(t, service); len(fire) != 1 || fire[0].Name != "second_operator_missing" {
		t.Errorf("nobody is there: %+v", fire)
	}
	d.Exec(t, `insert into app_user (kind, role, login, password_hash, created_at)
		select 'operator', 'admin', 'admin-' || n, 'x', now() from generate_series(1, 2) n`)
	if fire := firing(t, service); len(fire) > 0 {
		t.Errorf("two are there: %+v", fire)
	}
}

var check = testenv.NoError
