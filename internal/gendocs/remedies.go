package main

// What the code cannot say by itself. The generator fails where something is missing here, or
// stands here for nothing.

// alerts say when to alert on each metric.
var alerts = map[string]string{
	"gateway_alarm_firing":                  "Yes: alert on 1. See [Alarms in the portal](#alarms-in-the-portal).",
	"gateway_alarms_age_seconds":            "Yes: alert above 300. See [When the alarms are not looked at](runbooks.md#when-the-alarms-are-not-looked-at).",
	"gateway_audit_runs_total":              "Yes: alert when the sum over all replicas has not increased for 10 minutes.",
	"gateway_audit_violations":              "Yes, at once: alert on anything but 0. The value is -1 while the database does not answer.",
	"gateway_calls_inside":                  "No. Compare it with `gateway_calls_waiting`.",
	"gateway_calls_largest_share":           "No. It shows whether one caller causes the load.",
	"gateway_calls_waiting":                 "Yes: alert when it stays above 0 for 5 minutes.",
	"gateway_clock_skew_seconds":            "Yes, at once: alert above 2 and below -2. See [a wrong clock](runbooks.md#when-a-clock-is-wrong).",
	"gateway_card_conflicts":                "Yes, at once: alert on anything but 0. See `ListCardConflicts`.",
	"gateway_db_connections_acquired":       "Alert when it stays equal to `gateway_db_connections_max` for 5 minutes. The pool `ops` has one connection, which a scrape uses.",
	"gateway_db_connections_max":            "No.",
	"gateway_db_connections_total":          "No.",
	"gateway_db_oldest_snapshot_seconds":    "Yes: alert above 300.",
	"gateway_ledger_overdrawn_accounts":     "Yes: alert on anything but 0.",
	"gateway_ledger_seal_age_seconds":       "Yes: alert above 90000, and on -1. See [Sealed days](runbooks.md#sealed-days).",
	"gateway_ledger_seal_failures_total":    "Alert when it grows for an hour. The log says why, in a line with the work `seal days`.",
	"gateway_notify_messages_total":         "No. Where `outcome=\"given_up\"` grows for one channel, look whether it works.",
	"gateway_payments_total":                "No. What came to `completed` beside what came to `pending` shows how many payers pay, by method.",
	"gateway_rate_age_seconds":              "No. Alert on `gateway_rate_fresh`.",
	"gateway_rate_feed_polls_total":         "No. Alert on the alarm `feed_failing`, which knows each feed.",
	"gateway_rate_fresh":                    "Yes: alert on 0.",
	"gateway_ready":                         "Yes, at once: alert when it is 0 on all replicas. When it is 0 on one for 5 minutes, look.",
	"gateway_read_replica_lag_seconds":      "No. Alert on `gateway_read_replica_used`.",
	"gateway_read_replica_used":             "Yes: alert on 0. See [the read replica](runbooks.md#when-the-read-replica-is-not-used).",
	"gateway_request_duration_seconds":      "Alert on a rising part of the statuses 500 and 503, and on the latency of `CreatePayment`.",
	"gateway_request_log_dropped_total":     "No. `bounded` grows when somebody calls again and again with a wrong signature, or comes while the service is busy; `full` and `unwritten` when the database is slow or away.",
	"gateway_routing_refusals_total":        "Alert on a sudden rise. The label `rule` says what is missing.",
	"gateway_settings_age_seconds":          "Yes: alert above 1. Payments are refused then.",
	"gateway_settings_version":              "No. Replicas should show the same value.",
	"gateway_settlements_waiting":           "No. Alert on `gateway_rate_fresh`, and on the alarm `settlement_waiting`.",
	"gateway_webhook_attempts_total":        "Alert when `event_status=\"dead\"` grows.",
	"gateway_webhook_deliveries_queued":     "No. It grows while an endpoint is away. Alert on dead events.",
	"gateway_webhook_in_flight":             "No.",
	"gateway_webhook_delivery_wait_seconds": "Yes: alert above 60 for 5 minutes. There are too few processes for what is delivered.",
	"gateway_webhook_relay_age_seconds":     "Yes: alert above 60, and on -1.",
}

// requisiteKind is the way that money goes to a type of requisites, and the form of its values.
type requisiteKind struct{ way, value string }

// requisiteKinds are by type; a method without one is card checkout.
var requisiteKinds = map[string]requisiteKind{
	"":      {"card checkout", "none (card checkout)"},
	"sbp":   {"fast transfer to a phone", "phone, such as `+79001234567`"},
	"phone": {"phone balance", "phone, such as `+79001234567`"},
	"card":  {"transfer to a card", "card number of 13 to 19 digits"},
	"iban":  {"transfer to an account", "IBAN"},
}
