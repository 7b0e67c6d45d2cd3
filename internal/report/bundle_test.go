package report_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/report"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the reports.
type bundle struct {
	*reporttest.Bundle
	reports *report.Service
	metrics *prometheus.Registry
	hours   *report.Hours
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: reporttest.New(t), metrics: prometheus.NewRegistry()}
	b.hours = report.NewHours(b.Pool, b.metrics)
	b.reports = report.New(b.Pools(), b.Clock, b.Payments, nil)
	return b
}

// work sums up, as the program does every hour.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	noError(t, report.Work(context.Background(), b.Pool, b.Clock))
}

// told is a line in short: minutes since the beginning, kind, actor, what, and what belongs to it.
func told(line report.Line) string {
	parts := []string{
		fmt.Sprintf("%d", int(line.At.Sub(dbtest.Start).Minutes())), string(line.Kind), line.Actor, line.What,
	}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if line.From != "" || line.To != "" {
		add("%s>%s %s", line.From, line.To, line.Reason)
	}
	if r := line.Request; r != nil {
		add("%s %s %s order=%s callback=%s id=%s from=%s", r.Amount, r.Currency, r.Method, r.OrderID, r.CallbackURI,
			r.RequestID, r.Address)
	}
	if c := line.Choice; c != nil {
		add("trader=%d requisite=%d %s %s", c.TraderID, c.RequisiteID, c.Type, c.Holder)
		if c.Pool != nil {
			add("pool=%d looked=%d", *c.Pool, *c.Looked)
		}
	}
	if r := line.Rate; r != nil {
		for _, n := range []struct {
			name  string
			value *decimal.Decimal
		}{
			{"base", r.Base}, {"markup", r.Markup}, {"spot", r.Spot}, {"amount", r.Amount}, {"profit", r.Profit},
			{"share", r.SharePercent}, {"trader", r.Trader}, {"platform", r.Platform}, {"hold", r.Hold},
		} {
			if n.value != nil {
				add("%s=%s", n.name, n.value)
			}
		}
		add("source=%s/%s", r.Source, r.MarkupSource)
	}
	if m := line.Transfer; m != nil {
		add("%s %s %s", m.Kind, side(m.Account), map[bool]string{true: "+", false: "-"}[m.Credit]+m.Amount.String())
		if m.Other != nil {
			add("to %s", side(*m.Other))
		}
	}
	if line.File != nil {
		add("file %d %s %d", line.File.Number, line.File.Type, line.File.Size)
	}
	if line.Page != "" {
		add("%s %s", line.Page, line.Agent)
	}
	if line.Last4 != "" {
		add("%s %s", line.Brand, line.Last4)
	}
	if line.By != "" {
		add("by %s", line.By)
	}
	if w := line.Webhook; w != nil {
		add("%s #%d %s%s", w.Type, w.Sequence, w.Status, w.URL)
		if w.StatusCode != nil {
			add("%d %s %s", *w.StatusCode, w.Took, w.Answer)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// side is an account in short.
func side(a report.Account) string {
	name := fmt.Sprintf("%s:%d", a.Owner, a.OwnerID)
	if a.Reserved {
		name += ":reserved"
	}
	return name
}

// wantLines compares a timeline with what was written by hand.
func wantLines(t *testing.T, name string, lines []report.Line, want []string) {
	t.Helper()
	for i := range max(len(lines), len(want)) {
		got, wanted := "nothing", "nothing"
		if i < len(lines) {
			got = told(lines[i])
		}
		if i < len(want) {
			wanted = strings.Join(strings.Fields(want[i]), " ")
		}
		testenv.Check(t, got == wanted, "%s, line %d:\n got %s\nwant %s", name, i+1, got, wanted)
	}
}

const minute = time.Minute

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	noError = testenv.NoError
)
