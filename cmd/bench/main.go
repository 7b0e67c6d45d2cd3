// Command bench measures the gateway on this machine and prints one JSON object. It brings up a
// PostgreSQL and a gateway of its own, loads them as merchants and traders would, measures the same
// database without the gateway as the ceiling, and takes everything down again.
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

// options are what a run is told. The defaults are the run whose numbers count; the rest is for
// development.
type options struct {
	// seconds is the length of one measured run; runs is how many of them make a median.
	seconds time.Duration
	runs    int
	// clients are the concurrent callers, and the connections of what is measured without the
	// gateway. connections is the size of the gateway's pool.
	clients, connections int
	// requisites are in the larger pool, few in the smaller, and traders share them out evenly.
	requisites, few, traders int
	// cashboxes are those that credits are spread over, merchants those that create: each may have
	// so many payments open.
	cashboxes, merchants int
	// messageCount is how many messages of banks are forwarded, of which a tenth confirm payments.
	messageCount int
	// keptMessages are there before, and a tenth as many payments open.
	keptMessages int
	// openPayments, and overdue ones, are there when creations, and expiry, are measured beside
	// them.
	openPayments, overdue int
	// memoryRequisites are in the pool with which the gateway's memory is measured.
	memoryRequisites int
	// stored payments are put into the database before creations are measured once more; 0 leaves
	// that out.
	stored int
	// soakFor is how long the soak takes; 0 leaves it out.
	soakFor time.Duration
	// profile is where the gateway's CPU profile goes; "" is nowhere.
	profile    string
	only, skip []string
}

func parseOptions(args []string, usage io.Writer) (options, error) {
	var o options
	var only, skip string
	var quick bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.DurationVar(&o.seconds, "run", 3*time.Second, "length of one measured run")
	flags.DurationVar(&o.soakFor, "soak", 0, "how long to settle payments and watch what the gateway holds, such as 30m")
	for _, n := range []struct {
		into  *int
		name  string
		value int
		usage string
	}{
		{&o.runs, "runs", 3, "measured runs that make a median"},
		{&o.clients, "clients", 20, "concurrent callers, and connections of what is measured without the gateway"},
		{&o.connections, "connections", 20, "size of the gateway's connection pool"},
		{&o.requisites, "requisites", 1000, "requisites of the larger pool"},
		{&o.few, "few", 10, "requisites of the smaller pool"},
		{&o.traders, "traders", 100, "traders who share the requisites"},
		{&o.cashboxes, "cashboxes", 50, "cashboxes that credits are spread over"},
		{&o.merchants, "merchants", 80, "merchants who create, each with a cashbox"},
		{&o.openPayments, "open", 50_000, "payments that are open when creations are measured beside them"},
		{&o.overdue, "overdue", 20_000, "overdue payments whose expiry is measured"},
		{&o.messageCount, "messages", 12_000, "messages of banks to forward, of which a tenth confirm payments"},
		{&o.keptMessages, "kept", 100_000, "messages that are kept when messages are measured, with a tenth as many payments open"},
		{&o.memoryRequisites, "memory-requisites", 100_000, "requisites of the pool that the gateway's memory is measured with"},
		{&o.stored, "stored", 0, "payments to store before creations are measured once more"},
	} {
		flags.IntVar(n.into, n.name, n.value, n.usage)
	}
	flags.BoolVar(&quick, "quick", false, "one run of a second each, with fewer payments: to see whether something is far off")
	flags.StringVar(&o.profile, "profile", "", "file for the gateway's CPU profile of creates, such as cmd/gateway/default.pgo")
	flags.StringVar(&only, "only", "", "measure these parts alone, separated by commas: "+strings.Join(partNames(), " "))
	flags.StringVar(&skip, "skip", "", "leave these parts out")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if quick {
		o.seconds, o.runs, o.openPayments, o.overdue, o.memoryRequisites, o.messageCount = time.Second, 1, 5000, 3000, 10_000, 2000
		o.keptMessages = 5000
	}
	o.only, o.skip = list(only), list(skip)
	return o, o.check()
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func (o options) check() error {
	for _, n := range []int{
		o.runs, o.clients, o.connections, o.requisites, o.few, o.traders, o.cashboxes, o.merchants, o.openPayments, o.overdue, o.messageCount,
		o.memoryRequisites, o.keptMessages,
	} {
		if n < 1 {
			return errors.New("every number but -stored must be at least 1")
		}
	}
	if o.seconds <= 0 || o.stored < 0 || o.soakFor < 0 {
		return errors.New("-run must be more than nothing, -stored and -soak not less")
	}
	for _, name := range slices.Concat(o.only, o.skip) {
		if !slices.Contains(partNames(), name) {
			return fmt.Errorf("there is no part %q: there are %s", name, strings.Join(partNames(), " "))
		}
	}
	return nil
}

// run measures and prints. Nothing is printed of a measurement that failed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 3 && args[0] == "compare" {
		return compare(stdout, args[1:])
	}
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	b := &bench{options: o, progress: &progress{out: stderr, began: time.Now()}, report: newReport()}
	defer b.close()
	if err := b.open(ctx); err != nil {
		return err
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	b.report.tell(stderr)
	return b.report.print(stdout)
}

// progress says on standard error what goes on.
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
