package figures_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/figures"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the figures.
type bundle struct {
	*reporttest.Bundle
	figures *figures.Service
	metrics *prometheus.Registry
	hours   *figures.Hours
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	b := reporttest.New(t)
	metrics := prometheus.NewRegistry()
	return &bundle{b, figures.New(b.Pools(), b.Clock, nil), metrics, figures.NewHours(b.Pool, metrics)}
}

// manyEnv asks for the measurement of figures of so many payments.
const manyEnv = "GATEWAY_TEST_MANY"

var (
	traderUser, merchantUser, operator = reporttest.TraderUser, reporttest.MerchantUser, reporttest.Operator

	noError, want = testenv.NoError, reporttest.Want
)
