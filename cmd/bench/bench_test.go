package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// Everything is measured for moments only: that each number is there and positive, that the replay
// and what is stored leave the ledger whole, and that nothing stays behind. The whole check measures
// all parts, otherwise a few do.
func TestBench(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	noError(t, os.Chmod(os.TempDir(), 0o711))
	args := strings.Fields(`-run 200ms -runs 1 -clients 4 -traders 5 -cashboxes 5 -merchants 5 -requisites 100
		-stored 300 -memory-requisites 300 -open 700 -overdue 500 -messages 400 -kept 400`)
	positive := []string{
		"creates_per_s", "create_round_trips", "create_statements", "create_wal_bytes", "credits_one_cashbox_per_s",
		"credits_spread_per_s", "r_page_bytes", "create_cpu_us.gateway", "create_cpu_us.postgres",
		"create_cpu_us.generator", "create_ratio", "create_commit_ratio",
	}
	if testenv.Whole(t) {
		positive = append(
			positive, "creates_10_requisites_per_s", "create_p50_ms", "create_p99_ms", "create_sql_per_s",
			"create_p999_ms", "overload_creates_per_s", "overload_before_per_s", "overload_after_per_s", "one_row_commit_per_s", "webhooks_per_s", "stored_creates_per_s", "stored_create_cpu_ratio",
			"store_seconds", "settled_delivered_per_s", "messages_per_s", "message_webhook_p99_ms", "create_without_messages_p99_ms", "create_beside_messages_p99_ms",
			"notifications_per_s", "notification_p99_ms", "create_without_subscribers_p99_ms", "create_with_subscribers_p99_ms", "hot_account_transfers_per_s", "create_cpu_growth_open",
			"create_cpu_growth_snapshot", "expired_per_s", "gateway_memory_100k_requisites_bytes", "longest_snapshot_s",
			"stored_create_cpu_us.gateway", "stored_create_cpu_us.postgres", "stored_create_cpu_us.generator",
		)
		for _, beside := range troubles() {
			positive = append(positive, "others_p99_ms."+beside.name)
		}
	} else {
		args = append(args, "-only", "trips,creates,credits,pages,audit")
	}
	var out, log bytes.Buffer
	if err := run(t.Context(), args, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	for _, key := range positive {
		from := got
		if above, below, nested := strings.Cut(key, "."); nested {
			from, _ = got[above].(map[string]any)
			key = below
		}
		value, _ := from[key].(float64)
		testenv.Check(t, value > 0, "%s is %v", key, from[key])
	}
	longest, _ := got["longest_snapshot_s"].(float64)
	testenv.Check(t, longest <= 5, "a snapshot was kept for %v s", longest)
	testenv.Want[any](t, got["audit_violations"], 0.0, "audit_violations, after %s", &log)
	_, there := got["pay_page_bytes"]
	testenv.Check(t, there, "pay_page_bytes is missing")
	for part, text := range map[string]string{"an aim": "≥0.22", "a statement": "RequisiteTake"} {
		testenv.Check(t, strings.Contains(log.String(), text), "%s is not told: %s", part, &log)
	}
	// So few creates may end between two samples of the profile: what is made of samples is proven by TestByPackage.
	_, told := got["gateway_cpu_by_package"].([]any)
	testenv.Check(t, told, "the gateway was not profiled")
	for _, key := range []string{"machine", "settings", "samples", "statements"} {
		object, _ := got[key].(map[string]any)
		testenv.Check(t, len(object) != 0, "%s is %v", key, got[key])
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gateway-bench-*"))
	testenv.Check(t, len(left) == 0, "left behind: %v", left)
}

// Results are compared figure by figure, and only what no sample of the other reaches differs.
func TestCompare(t *testing.T) {
	t.Parallel()
	var paths []string
	for n, rates := range [][]float64{{100, 110, 120}, {130, 150, 140}} {
		r := newReport()
		r.samples["creates_per_s"] = rates
		r.samples["webhooks_per_s"] = []float64{1000, 2000 + 100*float64(n)}
		r.sample("create_wal_bytes", 3000)
		file := testenv.Must(os.Create(filepath.Join(t.TempDir(), "result.json")))(t)
		noError(t, r.print(file))
		noError(t, file.Close())
		paths = append(paths, file.Name())
	}
	var out bytes.Buffer
	noError(t, run(t.Context(), append([]string{"compare"}, paths...), &out, &out))
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	testenv.Want(t, strings.Join(got[1:], "\n"), `creates_per_s 110 100 120 140 130 150 1.27 differ
create_wal_bytes 3000 3000 3000 3000 3000 3000 1.00
webhooks_per_s 1500 1000 2000 1550 1000 2100 1.03`, "the comparison")
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-only", "nonsense"}, {"-runs", "0"}, {"-run", "0s"}, {"-stored", "-1"}} {
		_, err := parseOptions(args, &bytes.Buffer{})
		testenv.Check(t, err != nil, "%v: no error", args)
	}
	o := testenv.Must(parseOptions([]string{"-only", "creates,open", "-skip", "open"}, &bytes.Buffer{}))(t)
	b := &bench{options: o}
	testenv.Check(t, b.wanted("creates") && !b.wanted("open") && !b.wanted("pages"),
		"the parts wanted are not the parts asked for")
}
