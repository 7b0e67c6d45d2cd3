package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// mayBeNothing are the figures that may be 0, or less where a difference is
// taken, or not measured in moments.
var mayBeNothing = []string{
	"audit_violations", "busy_answers", "pay_page_bytes", "open_desks_cpu_ms_per_s.gateway",
	"open_desks_cpu_ms_per_s.postgres", "overload_refused_p99_ms",
}

// Everything is measured for moments only: that each number is there and
// positive, that the replay and what is stored leave the ledger whole, and that
// nothing stays behind. The whole check measures all parts, otherwise a few do.
func TestBench(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	noError(t, os.Chmod(os.TempDir(), 0o711))
	args := strings.Fields(`-run 200ms -runs 1 -clients 4 -traders 5 -cashboxes 5 -merchants 5 -requisites 100
		-latency 1 -stored 300 -memory-requisites 300 -open 700 -overdue 500 -messages 400 -kept 400`)
	few := []string{
		"creates_per_s", "create_round_trips", "create_statements", "create_wal_bytes", "credits_one_cashbox_per_s",
		"credits_spread_per_s", "settled_delivered_per_s", "r_page_bytes", "create_cpu_us.gateway", "create_cpu_us.postgres",
		"create_cpu_us.generator", "create_ratio", "create_commit_ratio",
	}
	whole := testenv.Whole(t)
	if !whole {
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
	for _, f := range figures() {
		from, key := got, f.name
		if above, below, nested := strings.Cut(f.name, "."); nested {
			from, _ = got[above].(map[string]any)
			key = below
		}
		value, _ := from[key].(float64)
		wanted := slices.Contains(few, f.name) || whole && !slices.Contains(mayBeNothing, f.name)
		testenv.Check(t, value > 0 || !wanted, "%s is %v", f.name, from[key])
	}
	testenv.Want[any](t, got["audit_violations"], 0.0, "audit_violations, after %s", &log)
	_, there := got["pay_page_bytes"]
	testenv.Check(t, there, "pay_page_bytes is missing")
	for part, text := range map[string]string{"an aim": "≥0.22", "a statement": "RequisiteTake"} {
		testenv.Check(t, strings.Contains(log.String(), text), "%s is not told: %s", part, &log)
	}
	// So few creates may end between two samples of the profile: what is
	// made of samples is proven by TestByPackage.
	_, told := got["gateway_cpu_by_package"].([]any)
	testenv.Check(t, told, "the gateway was not profiled")
	for _, key := range []string{"machine", "settings", "samples", "statements"} {
		object, _ := got[key].(map[string]any)
		testenv.Check(t, len(object) != 0, "%s is %v", key, got[key])
	}
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gateway-bench-*"))
	testenv.Check(t, len(left) == 0, "left behind: %v", left)
}

// Results are compared figure by figure, and only what no sample of the other
// reaches differs.
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

// A function counts to its package, one of assembly to the runtime, and a
// generic one not to the package of its types.
func TestByPackage(t *testing.T) {
	t.Parallel()
	const top = `Type: cpu
Showing nodes accounting for 100ms, 100% of 100ms total
      flat  flat%   sum%        cum   cum%
      40ms 40.00% 40.00%       40ms 40.00%  runtime.mallocgc
      20ms 20.00% 60.00%       20ms 20.00%  aeshashbody
      15ms 15.00% 75.00%       15ms 15.00%  github.com/jackc/pgx/v5.(*Conn).Exec
      15ms 15.00% 90.00%       15ms 15.00%  gateway.example/internal/db.Look[gateway.example/internal/payment.Payment]
      10ms 10.00%   100%       10ms 10.00%  gateway.example/internal/db.(*Queries).RequisiteTake
`
	want := []packageUse{
		{Name: "runtime", Percent: 60}, {Name: "gateway.example/internal/db", Percent: 25}, {Name: "github.com/jackc/pgx/v5", Percent: 15},
	}
	testenv.Check(t, slices.Equal(byPackage(top), want), "%v", byPackage(top))
}

// What swings and what fills at the beginning is no leak, and what grows to the
// end is one.
func TestCheckSoak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   func(i int) standing
		leak bool
	}{
		"swings": {func(i int) standing {
			return standing{"goroutines": float64(100 + 60*(i%3)), "resident_bytes": 1e8 + 5e7*float64(i%2), "database_connections": 59}
		}, false},
		"fills at first": {func(i int) standing {
			filled := float64(min(i, 4))
			return standing{"goroutines": 100 * filled, "resident_bytes": 1e8 * filled, "database_connections": 40 + filled}
		}, false},
		"goroutines leak":  {func(i int) standing { return standing{"goroutines": float64(100 + 5*i)} }, true},
		"files leak":       {func(i int) standing { return standing{"open_files": float64(100 + 5*i)} }, true},
		"memory leaks":     {func(i int) standing { return standing{"resident_bytes": 1e8 + 4e6*float64(i)} }, true},
		"connections leak": {func(i int) standing { return standing{"database_connections": float64(50 + i/5)} }, true},
	} {
		var seen []standing
		for i := range 30 {
			seen = append(seen, c.of(i))
		}
		testenv.Want(t, errors.Is(checkSoak(seen), errLeak), c.leak, "%s", name)
	}
}
