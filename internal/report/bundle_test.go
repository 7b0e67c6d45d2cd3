package report_test

import (
	"context"
	"testing"

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
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	return &bundle{b, report.New(b.Pools(), b.Clock, b.Payments, nil)}
}

// work notes first ids, as the program does every hour.
func (b *bundle) work(t *testing.T) {
	t.Helper()
	noError(t, report.NoteFirstIDs(context.Background(), b.Pool, b.Clock))
}

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	noError, want = testenv.NoError, reporttest.Want
)
