package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
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
	firing("feed_still"):                                                            "0x90",
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

// causes are the series that make each alert fire, in the place of the quiet
// ones. What follows a comma tells the causes of one alert apart.
var causes = map[string]map[string]string{
	"GatewayAway": {`up{job="gateway",instance="a"}`: "0x90", `up{job="gateway",instance="b"}`: "0x90"},
	// Nobody would hear of a gateway that nobody asks, nor of one that
	// answers and serves nobody.
	"GatewayAway, a missing job": {`up{job="gateway",instance="a"}`: "_x90", `up{job="gateway",instance="b"}`: "_x90"},
	"GatewayAway, none ready": {
		`gateway_ready{job="gateway",instance="a"}`: "0x90", `gateway_ready{job="gateway",instance="b"}`: "0x90",
	},
	"GatewayReplicaAway, one not ready": {`gateway_ready{job="gateway",instance="b"}`: "0x90"},
	"GatewayReplicaAway":                {`up{job="gateway",instance="b"}`: "0x90"},
	"GatewayDatabaseAway":               {`gateway_webhook_relay_age_seconds{instance="b"}`: "-1x90"},
	"GatewaySettingsOld":                {`gateway_settings_age_seconds{instance="a"}`: "1.5x90"},
	"GatewayCallsWaiting":               {`gateway_calls_waiting{instance="a"}`: "1x90"},
	"GatewayConnectionsUsedUp":          {`gateway_db_connections_acquired{instance="a",pool="calls"}`: "10x90"},
	"GatewayErrors":                     {`gateway_request_duration_seconds_count{procedure="/x",status="500"}`: "0+20x90"},
	"GatewayCreatesSlow":                {create("0.1"): "0+50x90"},
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
	"GatewayFeedStill":             {firing("feed_still"): "1x90"},
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

// Prometheus takes the alert rules and the queries of the dashboard. An alert
// fires by what it is about, and is silent while nothing is wrong.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	var wanted []string
	for _, queries := range dashboardQueries(t) {
		for _, query := range queries {
			// Grafana puts the interval in.
			wanted = append(wanted, "group("+strings.ReplaceAll(query, "$__rate_interval", "1m")+") or vector(1)")
		}
	}
	causeless := alertRules(t)
	for name := range causeless {
		wanted = append(wanted, "absent("+alerting(name)+")")
	}
	scenarios := []any{scenario(t, nil, wanted...)}
	for why, cause := range causes {
		name, _, _ := strings.Cut(why, ",")
		delete(causeless, name)
		scenarios = append(scenarios, scenario(t, cause, alerting(name)+" # "+why))
	}
	testenv.Check(t, len(causeless) == 0, "nothing makes these fire: %v", slices.Sorted(maps.Keys(causeless)))

	rules := testenv.Must(filepath.Abs(filepath.Join(root, alertFile)))(t)
	content := testenv.Must(json.Marshal(map[string]any{ // JSON is YAML
		// Rules are evaluated at the beginning and the end of the
		// series: at each minute that takes twenty seconds.
		"rule_files": []string{rules}, "evaluation_interval": "90m", "tests": scenarios,
	}))(t)
	file := filepath.Join(t.TempDir(), "scenarios.yaml")
	testenv.NoError(t, os.WriteFile(file, content, 0o600))
	out, err := exec.CommandContext(t.Context(), promtool(t), "test", "rules", file).CombinedOutput()
	testenv.Check(t, err == nil, "%v\n%s", err, out)
}

// alerting is an expression that finds a 1 where the rule of an alert finds
// something.
func alerting(name string) string { return `group(ALERTS{alertname="` + name + `"})` }

// scenario has promtool see that each expression finds a 1 at the end of the
// series, those of a cause among them.
func scenario(t *testing.T, cause map[string]string, wanted ...string) any {
	t.Helper()
	series := maps.Clone(quiet)
	for name, values := range cause {
		testenv.Check(t, quiet[name] != "", "%s is no series of the quiet ones", name)
		series[name] = values
	}
	var input, tests []any
	for name, values := range series {
		input = append(input, map[string]string{"series": name, "values": values})
	}
	found := []any{map[string]any{"labels": "{}", "value": 1}}
	for _, expr := range wanted {
		tests = append(tests, map[string]any{"expr": expr, "eval_time": "90m", "exp_samples": found})
	}
	return map[string]any{"interval": "1m", "input_series": input, "promql_expr_test": tests}
}

// promtool is Prometheus's own program, where Debian's package has it or is
// unpacked.
func promtool(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"promtool", "/opt/prometheus/usr/bin/promtool"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	testenv.Missing(t, "no promtool: install prometheus")
	return ""
}
