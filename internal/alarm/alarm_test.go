package alarm_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

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

// cause makes one alarm fire.
type cause struct{ sql, count, since string }

// causes reads causes.txt, which says what is in it.
func causes(t *testing.T) map[string]cause {
	t.Helper()
	all := map[string]cause{}
	for _, section := range strings.Split(string(testenv.Must(os.ReadFile("testdata/causes.txt"))(t)), "\n[")[1:] {
		head, sql, _ := strings.Cut(section, "\n")
		name, counts, _ := strings.Cut(head, "] ")
		count, since, _ := strings.Cut(counts, " ")
		all[name] = cause{sql, count, since}
	}
	return all
}

// Each alarm fires by what it is about, and no other does. A snapshot that is
// open for minutes cannot be had in a test, and a damaged page is one of the
// test of restoring.
func TestEachAlarmFires(t *testing.T) {
	t.Parallel()
	all := causes(t)
	for _, rule := range alarm.Rules {
		cause, there := all[rule.Name]
		if !there {
			testenv.Check(t, rule.Name == "snapshot_old" || rule.Name == "replica_unused" || rule.Name == "clock_skewed" ||
				rule.Name == "pages_damaged" || rule.Name == "second_operator_missing", "nothing makes %s fire", rule.Name)
			continue
		}
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			d, service := quiet(t)
			if fire := firing(t, service); len(fire) > 0 {
				t.Fatalf("before anything was wrong: %v", fire)
			}
			d.Smash(t, cause.sql)
			fire := firing(t, service)
			testenv.Need(t, len(fire) == 1 && fire[0].Name == rule.Name && fmt.Sprint(fire[0].Count) == cause.count,
				"firing: %+v", fire)
			since := ""
			if fire[0].Since != nil {
				since = fire[0].Since.UTC().Format("2006-01-02 15:04:05Z")
			}
			testenv.Want(t, since, cause.since, "since")
		})
	}
}

// Since when an alarm fires that no row tells of, and since when it is quiet,
// is kept.
func TestAlarmsAreKept(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	testenv.NoError(t, service.Watch(t.Context()))
	at := func() string {
		t.Helper()
		alarms := testenv.Must(service.List(t.Context(), auditor))(t)
		i := slices.IndexFunc(alarms, func(a alarm.Alarm) bool { return a.Name == "audit_mismatch" })
		return alarms[i].Since.UTC().Format(time.TimeOnly)
	}
	testenv.Want(t, at(), "12:00:00", "quiet since")
	d.Smash(t, causes(t)["audit_mismatch"].sql)
	later := &dbtest.Clock{}
	later.Advance(time.Minute)
	service = alarm.New(d.Pools(), later)
	testenv.NoError(t, service.Watch(t.Context()))
	later.Advance(time.Minute)
	testenv.NoError(t, service.Watch(t.Context()))
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
	return slices.DeleteFunc(testenv.Must(service.List(t.Context(), auditor))(t), func(a alarm.Alarm) bool { return !a.Firing })
}

// Prometheus is told which alarms fire, as Watch has kept it.
func TestAlarmsAreMeasured(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(alarm.NewMetric(d.Queries(), &dbtest.Clock{}))
	for _, want := range []float64{0, 1} {
		testenv.NoError(t, service.Watch(t.Context()))
		measured := testenv.Metrics(t, metrics)
		testenv.Want(t, len(measured), len(alarm.Rules)+1, "alarms measured, and their age")
		for _, rule := range alarm.Rules {
			value, there := measured["gateway_alarm_firing "+rule.Name]
			testenv.Check(t, there && value == map[string]float64{"payouts_overdue": want}[rule.Name], "%s: %v, %t", rule.Name, value, there)
		}
		if want == 0 {
			d.Smash(t, causes(t)["payouts_overdue"].sql)
		}
	}
}

// An alarm that cannot be asked keeps nobody from hearing of the others. It is
// shown as it was, and a metric tells for how long.
func TestAnAlarmThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	d, _ := quiet(t)
	now := &dbtest.Clock{}
	service := alarm.New(d.Pools(), now)
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(alarm.NewMetric(d.Queries(), now))
	age := func() float64 { return testenv.Metric(t, metrics, "gateway_alarms_age_seconds") }
	d.Smash(t, causes(t)["payouts_overdue"].sql)
	testenv.NoError(t, service.Watch(t.Context()))
	testenv.Want(t, age(), 0, "just looked at")
	d.Smash(t, "alter table payin rename to payin_gone; "+causes(t)["appeals_waiting"].sql)
	now.Advance(time.Minute)
	err := service.Watch(t.Context())
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "payouts_overdue"), "watched: %v", err)
	var names []string
	for _, a := range firing(t, service) {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	testenv.Want(t, strings.Join(names, " "), "appeals_waiting payouts_overdue", "firing")
	testenv.Want(t, age(), 60, "looked at a minute ago")
}

// unused is a replica that lists have not been read from for so long.
type unused time.Duration

func (u unused) UnusedFor() time.Duration { return time.Duration(u) }

// A replica that is not used for over a minute is an alarm. One that is used,
// or that a gateway has just begun to look at, is none.
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

// A process whose clock is more than two seconds off is an alarm, whichever way
// it is off.
func TestClockSkewedFires(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	for ahead, want := range map[time.Duration]int64{0: 0, time.Second: 0, 100 * time.Minute: 60, -100 * time.Minute: 60} {
		skew := db.NewSkew(func() time.Time { return time.Now().Add(ahead) })
		testenv.NoError(t, skew.Watch(t.Context(), d.Pool))
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

// Where proposals take two, it is an alarm that no operator could decide them.
// Where one decides alone it is none.
func TestSecondOperatorMissingFires(t *testing.T) {
	t.Parallel()
	d, service := quiet(t)
	settings := directory.NewSettings(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	service.WatchDeciders(proposal.New(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), proposal.Services{Settings: settings}))
	fire := firing(t, service)
	testenv.Check(t, len(fire) == 0, "one decides alone: %+v", fire)
	settings.FourEyes.On = true
	fire = firing(t, service)
	testenv.Check(t, len(fire) == 1 && fire[0].Name == "second_operator_missing", "nobody is there: %+v", fire)
	d.Exec(t, `insert into app_user (kind, role, login, password_hash, created_at)
		select 'operator', 'admin', 'admin-' || n, 'x', now() from generate_series(1, 2) n`)
	fire = firing(t, service)
	testenv.Check(t, len(fire) == 0, "two are there: %+v", fire)
}
