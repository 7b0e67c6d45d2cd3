package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// figure is one number of the result, normally the median of its samples. A
// name with a dot becomes a field of an object.
type figure struct {
	name, how string
	// aim is the lowest value wanted, or with most the highest; 0 is no
	// aim.
	aim  float64
	most bool
	// of and by are the samples to divide, with paired those of the same
	// seconds. Without by the figure has the samples of of.
	of, by string
	paired bool
	// highest uses the highest sample. optional figures are left out of
	// the result if they were not measured.
	highest, optional bool
}

// figures lists all figures. A new one needs a line here, and a part that
// samples it.
func figures() []figure {
	list := slices.Clone(own)
	for _, t := range troubles() {
		list = append(list, figure{name: othersName + t.name, how: "p99 of creates of others, beside this", aim: 300, most: true})
	}
	return list
}

// own are all figures except those of others' troubles.
var own = []figure{
	{name: "creates_per_s", how: "creates over HTTP, without a pause"},
	{name: "creates_10_requisites_per_s", how: "the same in a pool of few requisites"},
	{name: "one_row_commit_per_s", how: "one row inserted and committed: what the machine does at best"},
	{name: "create_commit_ratio", how: "creates by commits of one row", of: "creates_per_s", by: "one_row_commit_per_s", paired: true, aim: .22},
	{name: "create_sql_per_s", how: "the statements of recorded creates, without HTTP and gateway"},
	{name: "create_ratio", how: "creates by their statements alone", of: "creates_per_s", by: "create_sql_per_s", paired: true, aim: .78},
	{name: "create_sql_driver_cpu_us", how: "CPU of the driver for those statements", of: "create_sql_cpu_us.generator"},
	{name: "create_driver_ratio", how: "the gateway's CPU by that", of: "create_cpu_us.gateway", by: "create_sql_driver_cpu_us", paired: true, aim: 2.2, most: true},
	{name: "create_cpu_us.gateway", how: "CPU of a create: gateway"},
	{name: "create_cpu_us.postgres", how: "PostgreSQL"},
	{name: "create_cpu_us.generator", how: "the bench, no part of the service"},
	{name: "create_round_trips", how: "waits of the gateway for PostgreSQL", aim: 1.1, most: true},
	{name: "create_statements", how: "statements, BEGIN and COMMIT among them"},
	{name: "create_wal_bytes", how: "WAL of a create", aim: 3400, most: true},
	{name: "create_on_schedule_wal_bytes", how: "the same on schedule, with the full pages after a checkpoint"},
	{name: "create_p50_ms", how: "latency of a create at half of creates_per_s, from when it was due"},
	{name: "create_p99_ms", how: "the same"},
	{name: "create_p999_ms", how: "the same"},
	{name: "create_tail_ratio", how: "p99 by p50", of: "create_p99_ms", by: "create_p50_ms", paired: true, aim: 6, most: true},
	{name: "overload_before_per_s", how: "creates of a gateway with one connection for them"},
	{name: "overload_offered_per_s", how: "creates sent to it at ten times that rate"},
	{name: "overload_creates_per_s", how: "those it made meanwhile"},
	{name: "overload_ratio", how: "that by what it made before", of: "overload_creates_per_s", by: "overload_before_per_s", aim: .8},
	{name: "overload_refused_p99_ms", how: "how long the others waited for their 503", aim: 100, most: true},
	{name: "overload_after_per_s", how: "creates ten seconds after it"},
	{name: "overload_after_ratio", how: "that by what it made before", of: "overload_after_per_s", by: "overload_before_per_s", aim: .95},
	{name: "credits_one_cashbox_per_s", how: "confirmations over HTTP, all onto one cashbox"},
	{name: "credits_spread_per_s", how: "the same over many cashboxes"},
	{name: "credits_ratio", how: "one by many", of: "credits_one_cashbox_per_s", by: "credits_spread_per_s", paired: true, aim: .8},
	{name: "webhooks_per_s", how: "a backlog's webhooks, as they arrive"},
	{name: "settled_delivered_per_s", how: "settled, from the confirmation to the webhook at its receiver"},
	{name: "settled_commit_ratio", how: "that by commits of one row", of: "settled_delivered_per_s", by: "settled_commit_per_s", paired: true, aim: .14},
	{name: "messages_per_s", how: "messages of banks taken, of which a tenth confirm payments", aim: 1000},
	{name: "message_webhook_p50_ms", how: "from a message to the webhook of its payment, at half of that rate"},
	{name: "message_webhook_p99_ms", how: "the same", aim: 300, most: true},
	{name: "create_without_messages_p50_ms", how: "latency of creates at 100 a second, before the messages on schedule"},
	{name: "create_without_messages_p99_ms", how: "the same"},
	{name: "create_beside_messages_p50_ms", how: "the same beside them"},
	{name: "create_beside_messages_p99_ms", how: "the same"},
	{name: "notifications_per_s", how: "messages handed over to a bot's far side, a chat's each"},
	{name: "notification_p50_ms", how: "from the creation of a trader's first payment to each of their chats"},
	{name: "notification_p99_ms", how: "the same", aim: 2000, most: true},
	{name: "create_without_subscribers_p99_ms", how: "latency of creates at 100 a second, while nobody is told"},
	{name: "create_with_subscribers_p99_ms", how: "the same with ten chats of every trader"},
	{name: "hot_account_transfers_per_s", how: "movements onto one account, over HTTP"},
	{name: "hot_commit_ratio", how: "that by commits of one row", of: "hot_account_transfers_per_s", by: "hot_commit_per_s", paired: true, aim: .15},
	{name: "create_cpu_growth_snapshot", how: "CPU of a create late beside an open snapshot, by that at its start", of: "create_snapshot_end_cpu_us", by: "create_snapshot_start_cpu_us", aim: 1.1, most: true},
	{name: "create_cpu_growth_open", how: "CPU of a create with many payments open, by none", of: "create_many_open_cpu_us", by: "create_none_open_cpu_us", aim: 1.1, most: true},
	{name: "expired_per_s", how: "overdue payments expired, webhooks included"},
	{name: "expired_commit_ratio", how: "that by commits of one row", of: "expired_per_s", by: "expired_commit_per_s", aim: .16},
	{name: "gateway_memory_100k_requisites_bytes", how: "resident memory with many requisites", aim: 300e6, most: true},
	{name: "longest_snapshot_s", how: "the oldest snapshot of the gateway itself", aim: 5, most: true, highest: true},
	{name: "pay_page_bytes", how: "/pay/ with all it loads, compressed", aim: 14 << 10, most: true},
	{name: "r_page_bytes", how: "/r/ with all it loads, compressed", aim: 14 << 10, most: true},
	{name: "r_pages_per_s", how: "pages of a requisite shown"},
	{name: "r_page_cpu_us.gateway", how: "CPU of one: gateway"},
	{name: "r_page_cpu_us.postgres", how: "PostgreSQL"},
	{name: "settled_cpu_us.gateway", how: "CPU of a settlement with its webhook: gateway"},
	{name: "settled_cpu_us.postgres", how: "PostgreSQL"},
	{name: "settled_wal_bytes", how: "its WAL"},
	{name: "webhook_cpu_us.gateway", how: "CPU of a webhook that is sent again: gateway"},
	{name: "webhook_cpu_us.postgres", how: "PostgreSQL"},
	{name: "webhook_wal_bytes", how: "its WAL"},
	{name: "open_desks_cpu_ms_per_s.gateway", how: "CPU that 200 open desks cost: gateway", optional: true},
	{name: "open_desks_cpu_ms_per_s.postgres", how: "PostgreSQL", optional: true},
	{name: "stored_creates_per_s", how: "creates in a full database", optional: true},
	{name: "stored_create_cpu_us.gateway", how: "CPU of them: gateway", optional: true},
	{name: "stored_create_cpu_us.postgres", how: "PostgreSQL", optional: true},
	{name: "stored_create_cpu_us.generator", how: "the bench", optional: true},
	{name: "stored_create_cpu_ratio", how: "by that of the empty one", of: "stored_create_cpu_us", by: "create_cpu_us", optional: true},
	{name: "store_seconds", how: "what storing took", optional: true},
	{name: "busy_answers", how: "calls that were told to come again, and did"},
	{name: "audit_violations", how: "what the ledger's audit found after all: anything but 0 spoils the rest", most: true},
}

// report holds the samples of all figures, and where the time went.
type report struct {
	samples  map[string][]float64
	machine  machine
	settings settings
	// windows has the cost of statements in each window of a part.
	// packages has the gateway's CPU by package.
	windows  map[string][][]statementUse
	packages []packageUse
	// soak has what the gateway used in each minute, and bloat the largest
	// tables at the end.
	soak  []standing
	bloat []map[string]any
}

func newReport() *report {
	return &report{samples: map[string][]float64{}, windows: map[string][][]statementUse{}}
}

// sample adds a sample.
func (r *report) sample(name string, value float64) { r.samples[name] = append(r.samples[name], value) }

// latencies adds samples of the usual percentiles, in milliseconds.
func (r *report) latencies(name string, taken *hdrhistogram.Histogram) {
	r.sample(name+"_p50_ms", percentile(taken, 50))
	r.sample(name+"_p99_ms", percentile(taken, 99))
	r.sample(name+"_p999_ms", percentile(taken, 99.9))
}

// median is the median of a name's samples; nil without samples.
func (r *report) median(name string) *float64 {
	sorted := slices.Sorted(slices.Values(r.samples[name]))
	n := len(sorted)
	if n == 0 {
		return nil
	}
	middle := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return &middle
}

// finish calculates the samples that are quotients of others. A slow minute
// affects both samples of a pair.
func (r *report) finish() {
	for _, f := range figures() {
		of, by := r.samples[f.of], r.samples[f.by]
		if f.of != "" && f.by == "" {
			r.samples[f.name] = of
		}
		if !f.paired {
			if m := r.median(f.of); m != nil {
				of = []float64{*m}
			}
			if m := r.median(f.by); m != nil {
				by = []float64{*m}
			}
		}
		for i := range min(len(of), len(by)) {
			if by[i] != 0 {
				r.sample(f.name, of[i]/by[i])
			}
		}
	}
}

// value is the value of a figure; nil if it was not measured.
func (r *report) value(f figure) *float64 {
	if all := r.samples[f.name]; f.highest && len(all) > 0 {
		highest := slices.Max(all)
		return &highest
	}
	return r.median(f.name)
}

// print writes the result as one JSON object. Numbers that were not measured
// are null.
func (r *report) print(w io.Writer) error {
	all := map[string]any{
		"machine": r.machine, "settings": r.settings, "samples": r.samples, "statements": r.windows, "gateway_cpu_by_package": r.packages,
		"others_p99_ms": map[string]float64{}, "create_cpu_us": nil,
	}
	if r.soak != nil {
		all["soak"], all["bloat"] = r.soak, r.bloat
	}
	for _, f := range figures() {
		value := r.value(f)
		above, below, nested := strings.Cut(f.name, ".")
		switch {
		case !nested && (value != nil || !f.optional):
			all[f.name] = value
		case nested && value != nil:
			object, _ := all[above].(map[string]float64)
			if object == nil {
				object = map[string]float64{}
			}
			object[below] = *value
			all[above] = object
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// statementsShown and packagesShown limit the printed lists to the most
// expensive ones.
const statementsShown, packagesShown = 14, 20

// tell prints the result for people: the figures beside their aims, and where
// the time went.
func (r *report) tell(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "what\tmeasured\tfrom\tto\taim\t\thow")
	for _, f := range figures() {
		value := r.value(f)
		if value == nil {
			continue
		}
		all, aim, met := r.samples[f.name], "", ""
		if f.aim != 0 {
			sign := map[bool]string{false: "≥", true: "≤"}[f.most]
			aim = sign + short(f.aim)
			if f.most != (*value <= f.aim) {
				met = "missed"
			}
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			f.name, short(*value), short(slices.Min(all)), short(slices.Max(all)), aim, met, f.how)
	}
	for _, part := range slices.Sorted(maps.Keys(r.windows)) {
		first, last := r.windows[part][0], r.windows[part][len(r.windows[part])-1]
		_, _ = fmt.Fprintf(table, "\nPostgreSQL in %s\tcalls\tµs\tbuffers at the start\tat the end\tWAL\tms in all\n", part)
		for _, s := range last[:min(len(last), statementsShown)] {
			start := "-"
			if i := slices.IndexFunc(first, func(f statementUse) bool { return f.Name == s.Name }); i >= 0 {
				start = short(first[i].Buffers / first[i].Calls)
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, short(s.Calls), short(s.MS*1000/s.Calls),
				start, short(s.Buffers/s.Calls), short(s.WAL/s.Calls), short(s.MS))
		}
	}
	if len(r.packages) > 0 {
		_, _ = fmt.Fprintln(table, "\nthe gateway's CPU in creates\t%")
		for _, p := range r.packages[:min(len(r.packages), packagesShown)] {
			_, _ = fmt.Fprintf(table, "%s\t%.1f\n", p.Name, p.Percent)
		}
	}
	_ = table.Flush()
}

// short formats a number with three significant digits, large numbers as whole
// ones.
func short(x float64) string {
	if x >= 100 || x <= -100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// result is the part of a run's output that is compared.
type result struct {
	Samples map[string][]float64 `json:"samples"`
}

// compare prints two results side by side. Where there are several samples and
// their ranges do not overlap, it says that they differ.
func compare(w io.Writer, paths []string) error {
	var reports [2]*report
	for i, path := range paths {
		var err error
		if reports[i], err = readReport(path); err != nil {
			return err
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "what\tfirst\tfrom\tto\tsecond\tfrom\tto\tsecond/first\t")
	for _, f := range figures() {
		a, b := reports[0].value(f), reports[1].value(f)
		if a == nil || b == nil {
			continue
		}
		of, by := reports[0].samples[f.name], reports[1].samples[f.name]
		quotient, differ := "-", ""
		if *a != 0 {
			quotient = fmt.Sprintf("%.2f", *b / *a)
		}
		if min(len(of), len(by)) > 1 && (slices.Max(of) < slices.Min(by) || slices.Max(by) < slices.Min(of)) {
			differ = "differ"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.name, short(*a), short(slices.Min(of)), short(slices.Max(of)),
			short(*b), short(slices.Min(by)), short(slices.Max(by)), quotient, differ)
	}
	return table.Flush()
}

// readReport reads the samples of an earlier run. Whether both runs had the
// same machine and options is not checked.
func readReport(path string) (*report, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the caller's own
	if err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	var read result
	if err := json.Unmarshal(content, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := newReport()
	r.samples = read.Samples
	return r, nil
}
