package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

// work notes first ids, as the program does every hour.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	noError(t, report.NoteFirstIDs(context.Background(), b.Pool, b.Clock))
}

const minute = time.Minute

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	noError = testenv.NoError
)
