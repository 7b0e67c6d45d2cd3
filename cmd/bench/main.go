// Command bench measures the gateway on this machine and prints one JSON
// object. It starts a PostgreSQL and a gateway of its own, calls it like
// merchants and traders, measures the same database without the gateway for
// comparison, and stops everything again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

// options are the options of a run. Figures count only with the defaults; the
// rest is for development. numbers describes each.
type options struct {
	seconds                                                                     time.Duration
	runs, clients, connections, requisites, few, traders, cashboxes, merchants  int
	messageCount, keptMessages, openPayments, overdue, memoryRequisites, stored int
	latencySeconds                                                              int
	// soakFor is how long the soak takes; 0 leaves it out.
	soakFor time.Duration
	// profile is where the gateway's CPU profile goes; "" is nowhere.
	profile    string
	only, skip []string
}

// number is an option: its flag, its name in the result, its value in a normal
// run, and its value in a quick one, where 0 means the same value.
type number struct {
	into         *int
	flag, named  string
	value, quick int
	usage        string
}

// numbers lists all whole numbers among the options. The flags, -quick, the
// check and the report follow from this list.
func (o *options) numbers() []number {
	return []number{
		{&o.runs, "runs", "runs", 3, 1, "measured runs that make a median"},
		{&o.clients, "clients", "clients", 20, 0, "concurrent callers, and connections of what is measured without the gateway"},
		{&o.connections, "connections", "gateway_connections", 20, 0, "size of the gateway's connection pool"},
		{&o.requisites, "requisites", "requisites", 1000, 0, "requisites of the larger pool"},
		{&o.few, "few", "few_requisites", 10, 0, "requisites of the smaller pool"},
		{&o.traders, "traders", "traders", 100, 0, "traders who share the requisites"},
		{&o.cashboxes, "cashboxes", "cashboxes", 50, 0, "cashboxes that credits are spread over"},
		{&o.merchants, "merchants", "creating_merchants", 80, 0, "merchants who create, each with a cashbox"},
		{&o.latencySeconds, "latency", "latency_seconds", 20, 4, "seconds for which creations come on schedule; 120 for tails that count"},
		{&o.openPayments, "open", "open_payments", 50_000, 5000, "payments that are open when creations are measured beside them"},
		{&o.overdue, "overdue", "overdue_payments", 20_000, 3000, "overdue payments, of which the expiry of a quarter is measured"},
		{&o.messageCount, "messages", "messages", 8000, 2000, "messages of banks to forward, of which a tenth confirm payments"},
		{&o.keptMessages, "kept", "kept_messages", 100_000, 5000, "messages that are kept when messages are measured, with a tenth as many payments open"},
		{&o.memoryRequisites, "memory-requisites", "memory_requisites", 100_000, 10_000, "requisites of the pool that the gateway's memory is measured with"},
		{&o.stored, "stored", "stored_payments", 0, 0, "payments to store before creations are measured once more; 0 leaves that out"},
	}
}

// parseOptions reads the flags, and returns flag.ErrHelp after -h. -quick wins
// over -run and over the flags of all numbers that have a quick value.
func parseOptions(args []string, usage io.Writer) (options, error) {
	var o options
	var only, skip string
	var quick bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.DurationVar(&o.seconds, "run", 3*time.Second, "length of one measured run")
	flags.DurationVar(&o.soakFor, "soak", 0, "how long to settle payments and watch what the gateway holds, such as 30m")
	for _, n := range o.numbers() {
		flags.IntVar(n.into, n.flag, n.value, n.usage)
	}
	flags.BoolVar(&quick, "quick", false, "one run of a second each, with fewer payments: to see whether something is far off")
	flags.StringVar(&o.profile, "profile", "", "file for the gateway's CPU profile of creates, such as cmd/gateway/default.pgo")
	flags.StringVar(&only, "only", "", "measure these parts alone, separated by commas: "+strings.Join(partNames(), " "))
	flags.StringVar(&skip, "skip", "", "leave these parts out")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if quick {
		o.seconds = time.Second
		for _, n := range o.numbers() {
			if n.quick > 0 {
				*n.into = n.quick
			}
		}
	}
	o.only, o.skip = names(only), names(skip)
	return o, o.check()
}

func names(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// check refuses options with which nothing can be measured, and unknown parts.
// A number may be 0 only if that is its default.
func (o options) check() error {
	for _, n := range o.numbers() {
		if *n.into < min(n.value, 1) {
			return fmt.Errorf("-%s must be at least %d", n.flag, min(n.value, 1))
		}
	}
	if o.seconds <= 0 || o.soakFor < 0 {
		return errors.New("-run must be more than nothing, -soak not less")
	}
	for _, name := range slices.Concat(o.only, o.skip) {
		if !slices.Contains(partNames(), name) {
			return fmt.Errorf("there is no part %q: there are %s", name, strings.Join(partNames(), " "))
		}
	}
	return nil
}

// run measures and prints. If a measurement fails, it prints nothing.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 3 && args[0] == "compare" {
		return compare(stdout, args[1:])
	}
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	b := &bench{options: o, progress: &progress{out: stderr, began: time.Now()}, report: newReport(), ends: new(ends)}
	err = b.within(func() {
		b.open(ctx)
		b.measure(ctx)
	})
	if err != nil {
		return err
	}
	b.report.tell(stderr)
	return b.report.print(stdout)
}

// progress prints to standard error what is being done.
type progress struct {
	out   io.Writer
	began time.Time
	mu    sync.Mutex
}

func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintf(p.out, "%6.1fs  %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}
