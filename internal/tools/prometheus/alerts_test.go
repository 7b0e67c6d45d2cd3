// Package prometheus parses the queries of the dashboard, and evaluates the alert rules of deploy/prometheus as Prometheus
// does: on series of an hour and a half in which nothing is wrong, and for each alert on series in which it must fire.
package prometheus

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// quiet are the series of two gateways that are well, a value a minute.
var quiet = map[string]string{
	`up{job="gateway",instance="a"}`:                                      "1x90",
	`up{job="gateway",instance="b"}`:                                      "1x90",
	`gateway_ready{job="gateway",instance="a"}`:                           "1x90",
	`gateway_ready{job="gateway",instance="b"}`:                           "1x90",
	`gateway_alarms_age_seconds{instance="a"}`:                            "30x90",
	`gateway_webhook_relay_age_seconds{instance="a"}`:                     "0x90",
	`gateway_webhook_relay_age_seconds{instance="b"}`:                     "0x90",
	`gateway_webhook_delivery_wait_seconds{instance="a"}`:                 "1x90",
	`gateway_ledger_seal_age_seconds{instance="a"}`:                       "300+60x90",
	`gateway_settings_age_seconds{instance="a"}`:                          "0.1x90",
	`gateway_calls_waiting{instance="a"}`:                                 "0x90",
	`gateway_db_connections_acquired{instance="a",pool="calls"}`:          "3x90",
	`gateway_db_connections_max{instance="a",pool="calls"}`:               "10x90",
	`gateway_db_connections_acquired{instance="a",pool="ops"}`:            "1x90",
	`gateway_db_connections_max{instance="a",pool="ops"}`:                 "1x90",
	`gateway_request_duration_seconds_count{procedure="/x",status="200"}`: "0+1000x90",
	`gateway_request_duration_seconds_count{procedure="/x",status="500"}`: "0+1x90",
	create("0.1"):  "0+60x90",
	create("2.5"):  "0+60x90",
	create("+Inf"): "0+60x90",
	`gateway_routing_refusals_total{currency="RUB",method="sbp",rule="slot_taken"}`: "0+5x90",
	`gateway_audit_violations{instance="a",scope="recent"}`:                         "0x90",
	`gateway_audit_violations{instance="b",scope="recent"}`:                         "-1x90",
	`gateway_audit_runs_total{instance="a"}`:                                        "0+1x90",
	`gateway_audit_runs_total{instance="b"}`:                                        "0x90",
	firing("full_audit_late"):                                                       "0x90",
	firing("factor_locked"):                                                         "0x90",
	firing("payouts_given_back"):                                                    "0x90",
	firing("phones_silent"):                                                         "0x90",
	firing("chain_stuck"):                                                           "0x90",
	firing("chain_lost"):                                                            "0x90",
	firing("pages_damaged"):                                                         "0x90",
	firing("operator_by_command"):                                                   "0x90",
	firing("second_operator_missing"):                                               "0x90",
	firing("feed_failing"):                                                          "0x90",
	firing("settlement_waiting"):                                                    "0x90",
	firing("payouts_overdue"):                                                       "0x90",
	firing("deposits_waiting"):                                                      "0x90",
	firing("appeals_waiting"):                                                       "0x90",
	firing("cases_waiting"):                                                         "0x90",
	firing("withdrawals_waiting"):                                                   "0x90",
	`gateway_ledger_seal_failures_total{instance="a"}`:                              "2x90",
	`gateway_ledger_overdrawn_accounts{instance="a"}`:                               "0x90",
	`gateway_rate_fresh{instance="a",currency="RUB"}`:                               "1x90",
	`gateway_rate_fresh{instance="a",currency="TRY"}`:                               "1x90",
	`gateway_webhook_attempts_total{instance="a",event_status="dead"}`:              "1x90",
	`gateway_webhook_attempts_total{instance="a",event_status="pending"}`:           "0+9x90",
	`gateway_card_conflicts{instance="a"}`:                                          "0x90",
	`gateway_db_oldest_snapshot_seconds{instance="a"}`:                              "2x90",
	`gateway_read_replica_used{instance="a"}`:                                       "1x90",
	`gateway_clock_skew_seconds{instance="a"}`:                                      "1x90",
}

func firing(alarm string) string { return `gateway_alarm_firing{instance="a",alarm="` + alarm + `"}` }

func create(le string) string {
	return `gateway_request_duration_seconds_bucket{procedure="/gateway.v1.PaymentService/CreatePayment",le="` + le + `"}`
}

// causes are the series that make each alert fire, in the place of the quiet ones.
var causes = map[string]map[string]string{
	"GatewayAway":              {`up{job="gateway",instance="a"}`: "0x90", `up{job="gateway",instance="b"}`: "0x90"},
	"GatewayReplicaAway":       {`up{job="gateway",instance="b"}`: "0x90"},
	"GatewayDatabaseAway":      {`gateway_webhook_relay_age_seconds{instance="b"}`: "-1x90"},
	"GatewaySettingsOld":       {`gateway_settings_age_seconds{instance="a"}`: "1.5x90"},
	"GatewayCallsWaiting":      {`gateway_calls_waiting{instance="a"}`: "1x90"},
	"GatewayConnectionsUsedUp": {`gateway_db_connections_acquired{instance="a",pool="calls"}`: "10x90"},
	"GatewayErrors":            {`gateway_request_duration_seconds_count{procedure="/x",status="500"}`: "0+20x90"},
	"GatewayCreatesSlow":       {create("0.1"): "0+50x90"},
	"GatewayNoRequisite": {
		`gateway_routing_refusals_total{currency="RUB",method="sbp",rule="slot_taken"}`: "0x70 0+5x19",
	},
	"GatewayAuditMismatch":         {`gateway_audit_violations{instance="a",scope="recent"}`: "1x90"},
	"GatewayAuditLate":             {`gateway_audit_runs_total{instance="a"}`: "70x90"},
	"GatewayFullAuditLate":         {firing("full_audit_late"): "1x90"},
	"GatewayDayUnsealed":           {`gateway_ledger_seal_age_seconds{instance="a"}`: "90001x90"},
	"GatewaySealFailing":           {`gateway_ledger_seal_failures_total{instance="a"}`: "0+1x90"},
	"GatewayAccountOverdrawn":      {`gateway_ledger_overdrawn_accounts{instance="a"}`: "1x90"},
	"GatewayRateStale":             {`gateway_rate_fresh{instance="a",currency="TRY"}`: "0x90"},
	"GatewayFeedFailing":           {firing("feed_failing"): "1x90"},
	"GatewaySettlementWaiting":     {firing("settlement_waiting"): "1x90"},
	"GatewayEventsWaiting":         {`gateway_webhook_relay_age_seconds{instance="b"}`: "61x90"},
	"GatewayDeliveriesLate":        {`gateway_webhook_delivery_wait_seconds{instance="a"}`: "61x90"},
	"GatewayEventsDead":            {`gateway_webhook_attempts_total{instance="a",event_status="dead"}`: "0x60 1x29"},
	"GatewayAlarmsOld":             {`gateway_alarms_age_seconds{instance="a"}`: "301x90"},
	"GatewayCardConflicts":         {`gateway_card_conflicts{instance="a"}`: "1x90"},
	"GatewayFactorLocked":          {firing("factor_locked"): "1x90"},
	"GatewayPayoutsGivenBack":      {firing("payouts_given_back"): "1x90"},
	"GatewayPhonesSilent":          {firing("phones_silent"): "1x90"},
	"GatewayChainStuck":            {firing("chain_stuck"): "1x90"},
	"GatewayChainLost":             {firing("chain_lost"): "1x90"},
	"GatewayOperatorByCommand":     {firing("operator_by_command"): "1x90"},
	"GatewaySecondOperatorMissing": {firing("second_operator_missing"): "1x90"},
	"GatewayPayoutsOverdue":        {firing("payouts_overdue"): "1x90"},
	"GatewayDepositsWaiting":       {firing("deposits_waiting"): "1x90"},
	"GatewayAppealsWaiting":        {firing("appeals_waiting"): "1x90"},
	"GatewayCasesWaiting":          {firing("cases_waiting"): "1x90"},
	"GatewayWithdrawalsWaiting":    {firing("withdrawals_waiting"): "1x90"},
	"GatewaySnapshotOld":           {`gateway_db_oldest_snapshot_seconds{instance="a"}`: "301x90"},
	"GatewayPagesDamaged":          {firing("pages_damaged"): "1x90"},
	"GatewayClockSkewed":           {`gateway_clock_skew_seconds{instance="a"}`: "-3x90"},
	"GatewayReplicaUnused":         {`gateway_read_replica_used{instance="a"}`: "0x90"},
}

// An alert fires by what it is about, and is silent while nothing is wrong.
func TestEachAlertFires(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, rule := range rules(t) {
		cause, there := causes[rule.Alert]
		if !there {
			t.Errorf("nothing makes %s fire", rule.Alert)
			continue
		}
		checked++
		if fires(t, rule.Expr, nil) {
			t.Errorf("%s fires while nothing is wrong", rule.Alert)
		}
		if !fires(t, rule.Expr, cause) {
			t.Errorf("%s does not fire", rule.Alert)
		}
	}
	if checked != len(causes) {
		t.Errorf("%d alerts of %d have rules", checked, len(causes))
	}
}

// A job that is missing is found, too, since nobody would hear of a gateway that nobody asks. So are
// gateways that answer and serve nobody.
func TestNoGateway(t *testing.T) {
	t.Parallel()
	for why, cause := range map[string]map[string]string{
		"a missing job": {`up{job="gateway",instance="a"}`: "_x90", `up{job="gateway",instance="b"}`: "_x90"},
		"none ready": {
			`gateway_ready{job="gateway",instance="a"}`: "0x90", `gateway_ready{job="gateway",instance="b"}`: "0x90",
		},
		"one not ready": {`gateway_ready{job="gateway",instance="b"}`: "0x90"},
	} {
		alert := "GatewayAway"
		if why == "one not ready" {
			alert = "GatewayReplicaAway"
		}
		for _, rule := range rules(t) {
			if rule.Alert == alert && !fires(t, rule.Expr, cause) {
				t.Errorf("%s is not found", why)
			}
		}
	}
}

// rules are the rules of the file. That their templates are right is checked, too.
func rules(t *testing.T) (list []rulefmt.Rule) {
	t.Helper()
	file, errs := rulefmt.ParseFile("../../../deploy/prometheus/alerts.yaml", false, model.LegacyValidation)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, group := range file.Groups {
		list = append(list, group.Rules...)
	}
	return list
}

// fires reports whether an expression finds something at the end of the series.
func fires(t *testing.T, expr string, cause map[string]string) bool {
	t.Helper()
	series := maps.Clone(quiet)
	for name, values := range cause {
		if _, known := series[name]; !known {
			t.Fatalf("%s is no series of the quiet ones", name)
		}
		series[name] = values
	}
	load := strings.Builder{}
	load.WriteString("load 1m\n")
	for _, name := range slices.Sorted(maps.Keys(series)) {
		load.WriteString("  " + name + " " + series[name] + "\n")
	}
	storage := promqltest.LoadedStorage(t, load.String())
	defer func() { _ = storage.Close() }()
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	query, err := engine.NewInstantQuery(t.Context(), storage, nil, expr, time.Unix(0, 0).Add(90*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()
	found, err := query.Exec(t.Context()).Vector()
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0
}

// Every query of the dashboard is one that Prometheus takes.
func TestDashboardQueries(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../deploy/grafana/gateway.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			// Grafana puts the interval in.
			expr := strings.ReplaceAll(target.Expr, "$__rate_interval", "1m")
			if _, err := parser.ParseExpr(expr); err != nil {
				t.Errorf("%s: %v", expr, err)
			}
		}
	}
}
