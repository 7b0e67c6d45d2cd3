package main

// What the code cannot say by itself. The generator fails where something is missing here, or
// stands here for nothing.

// remedies say what to do about each error code.
var remedies = map[string]string{
	"acquirer_not_configured":       "The operator gives the trader a card processor (`SetTraderAcquirer`). Until then, offer another method.",
	"appeal_already_exists":         "A payment can have one appeal. Wait for the webhook that tells how it was decided.",
	"appeal_not_in_review":          "For operators: call `ReviewAppeal` first, or read the appeal again: somebody has decided it.",
	"appeal_not_open":               "For operators: read the appeal again. Somebody has taken it up or decided it.",
	"appeal_payment_not_failed":     "Read the payment and its status.",
	"appeal_trader_required":        "Contact the operator.",
	"appeal_window_closed":          "Contact the operator. An appeal is possible for 24 hours after the failure.",
	"body_too_large":                "Send a smaller body: at most 64 KiB, and 10 MiB for an appeal with its file.",
	"busy":                          "Repeat the same call after a pause. A repeat with the same order id is safe.",
	"cashbox_access_denied":         "Check the id, and that the key is the right merchant's.",
	"cashbox_without_trader_bridge": "The operator sets the bridge: `UpdateCashbox` with `traderCashboxId`.",
	"checkout_closed":               "Read the checkout and show the result.",
	"checkout_wrong_step":           "Read the checkout and continue from its `phase`.",
	"code_resend_exhausted":         "Let the payer type the last code, or create another payment. Three resends are allowed for a payment.",
	"code_resend_too_early":         "Wait until `nextAllowedAt` or for the seconds in `Retry-After`, then repeat the call.",
	"code_resend_wrong_step":        "Read the checkout. A resend is possible only for `quasi_ecom`, and only after the card was entered.",
	"collect_requisites_not_available": "Offer another method or amount, or try again in a few minutes: no trader can take this payment now. " +
		"For operators: `ExplainRouting` says why.",
	"deposit_not_pending":                     "For operators: read the deposit again. It was confirmed or rejected already.",
	"external_payments_secret_not_configured": "The operator sets `GATEWAY_EXTERNAL_PAYMENTS_SECRET` and restarts the program.",
	"factor_needed":                           "In the portal, give the second factor again and repeat the action within five minutes.",
	"factor_last":                             "Set up another second factor first. Traders and operators must have one.",
	"factor_missing":                          "Set up a second factor first: `BeginTotp` and `ConfirmTotp`, or in the portal.",
	"factor_not_begun":                        "Call `BeginTotp` again, or begin with the passkey again: what was begun is over.",
	"factor_wrong":                            "Use the code that the app shows now. Each code works once. Check the clock of the phone, or use a recovery code.",
	"idempotency_key_conflict":                "Use a new key or reference for a new request.",
	"insufficient_account_balance":            "For operators: the account that was to give the USDT has less available.",
	"insufficient_cashbox_balance":            "Read the balance. Deposit USDT into the cashbox, or wait until payments are completed. Then repeat the call.",
	"insufficient_trader_balance":             "For operators: the trader has less available than you want to withdraw.",
	"internal_error":                          "Repeat the call later, and report the `requestId` to the operator.",
	"invalid_credentials":                     "Check login and password, and the code if the user has a second factor.",
	"invalid_signature": "Check the key id, the secret and the signature. The answer is the same for each of them, and for a revoked key. " +
		"See [Sign a request](#sign-a-request).",
	"invitation_invalid":                              "Ask whoever invited you for a new link. An invitation works once, and for 72 hours.",
	"merchant_api_disabled":                           "Contact the operator: they switch the API of a merchant on and off.",
	"merchant_binding_required":                       "Create a key in the merchant portal. This one belongs to no merchant.",
	"merchant_collect_amount_outside_platform_limits": "Use an amount within the limits that the operator has told you.",
	"merchant_collect_disabled":                       "Contact the operator: they switch payments of a cashbox on and off.",
	"merchant_collect_method_disabled":                "Use another method or currency, or ask the operator to enable this one.",
	"merchant_collect_open_limit":                     "Wait until some of the pending payments have ended, or ask the operator for a higher limit.",
	"merchant_external_payins_disabled":               "Use a key with the scope `payouts`.",
	"merchant_key_id_required":                        "Send the header `X-Merchant-Key-Id`.",
	"merchant_portal_token_required":                  "Sign in as a user of the merchant portal and send that token.",
	"merchant_scope_required":                         "Use a key that has the scope of this call, `payments` or `deposits`.",
	"merchant_secret_required":                        "Send the header `X-Merchant-Secret`.",
	"method_not_allowed":                              "Use the HTTP method that this page or `/openapi.json` gives for the path.",
	"no_free_trader":                                  "In a sandbox: end some of the payouts that traders have taken, then trigger the event again.",
	"not_found":                                       "Check the path and the id. A malformed id gets this answer too.",
	"outcome_unknown":                                 "Repeat the same call with the same order id: it answers with what was done.",
	"passkeys_unavailable":                            "Use an authenticator app. Passkeys need portals at a name, such as `https://portal.example.com`.",
	"payin_not_completed":                             "For operators: read the payout. Only a completed payout can be reversed.",
	"payin_not_processing":                            "Read the payout. It is not with a trader at the moment.",
	"payin_not_waiting":                               "Read the payout. A trader has taken it, or it has ended, so it cannot be cancelled or taken.",
	"payin_take_limit":                                "For traders: complete, fail or give back a payout before you take another one.",
	"proposal_author":                                 "For operators: whoever proposed this has another role now, or is switched off. Refuse the proposal, and propose it yourself.",
	"proposal_decided":                                "For operators: read the proposal again. Somebody has approved or refused it.",
	"proposal_expired":                                "For operators: propose it again. A proposal can be decided for 24 hours.",
	"proposal_own":                                    "For operators: another operator with the role admin or treasury approves it. You may refuse it.",
	"second_operator_required":                        "For operators: propose it in the portal, or by the call that answers with a proposal. Another operator approves it.",
	"receipts_closed":                                 "For hosted pages: a receipt can be sent once the payer says that they have paid, and until 24 hours after an unpaid end.",
	"receipts_full":                                   "For hosted pages: three receipts of a payment are enough.",
	"payment_not_pending":                             "Read the payment and its status.",
	"rate_limited":                                    "Wait for the seconds in `Retry-After`, then repeat the call. See [Limits](#limits).",
	"rate_unavailable":                                "The operator sets a rate for the currency (`SetRate`) or repairs the feed.",
	"look_changed":                                    "For merchants' users: read the look again, and change what it is now.",
	"requisite_off_by_operator":                       "For traders: ask an operator to switch the requisite on.",
	"role_not_allowed":                                "Ask the owner of your account for a role that includes it.",
	"second_factor_required":                          "Call `SecondFactor`, or set a second factor up with `BeginTotp` and `ConfirmTotp`, and use the token of its answer.",
	"setting_changed":                                 "For operators: read the setting again, and change it with the `version` that it has now.",
	"signature_required":                              "Send the header `Signature`.",
	"team_last_owner":                                 "Make another user an owner first.",
	"token_kind_not_allowed":                          "Sign in as a user of the kind that this call is for.",
	"unauthenticated":                                 "Send `Authorization: Bearer TOKEN`. Sign in again if the token has expired.",
	"unavailable":                                     "The database does not answer. Repeat the same call after the seconds in `Retry-After`.",
	"unsupported_media_type":                          "Send the body uncompressed, with the media type that the message names.",
	"validation_failed":                               "Correct the fields that `errors` names. All wrong fields are named at once.",
	"submission_unfinished":                           "In the portal, look at the payment before you send the form again.",
	"work_taken":                                      "Ask the operator who works on it, or take it over with `over`.",
	"view_only":                                       "Leave the view of the other user first.",
}

// variables are the environment variables without a flag.
var variables = map[string]string{
	"GATEWAY_VAULT_KEYS": "Keys that seal secrets and card data in the database. Each key is the base64 of 32 random bytes. " +
		"Several keys are separated by commas, the newest first. Needed in production.",
	"GATEWAY_LINK_KEYS": "Keys that make the links of the hosted pages, in the same form. Needed in production.",
	"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "Secret that signs `POST /api/v1/payments/{id}/callback`, at least 32 characters. " +
		"Without it the program starts with a warning and answers payment creations and callbacks with 503. A sandbox makes its own.",
	"GATEWAY_MERCHANT_SECRET": "For `gateway sign` only: the secret of the merchant's key.",
	"GATEWAY_WEBHOOK_SECRET":  "For `gateway sign -check` only: a webhook secret, which may have been used by mistake.",
	"GATEWAY_POSTGRES_BIN":    "Directory of the PostgreSQL programs for the server that a sandbox and the tests start. Empty: they are searched for.",
}

// alerts say when to alert on each metric.
var alerts = map[string]string{
	"gateway_audit_runs_total":           "Yes: alert when the sum over all replicas has not increased for 10 minutes.",
	"gateway_audit_violations":           "Yes, at once: alert on anything but 0. The value is -1 while the database does not answer.",
	"gateway_calls_inside":               "No. Compare it with `gateway_calls_waiting`.",
	"gateway_calls_largest_share":        "No. It shows whether one caller causes the load.",
	"gateway_calls_waiting":              "Yes: alert when it stays above 0 for 5 minutes.",
	"gateway_card_conflicts":             "Yes, at once: alert on anything but 0. See `ListCardConflicts`.",
	"gateway_db_connections_acquired":    "Alert when it stays equal to `gateway_db_connections_max` for 5 minutes.",
	"gateway_db_connections_max":         "No.",
	"gateway_db_connections_total":       "No.",
	"gateway_db_oldest_snapshot_seconds": "Yes: alert above 300.",
	"gateway_ledger_overdrawn_accounts":  "Yes: alert on anything but 0.",
	"gateway_ledger_seal_age_seconds":    "Yes: alert above 90000, and on -1. See [Sealed days](#sealed-days).",
	"gateway_ledger_seal_failures_total": "Alert when it grows for an hour. The log says why.",
	"gateway_rate_age_seconds":           "No. Alert on `gateway_rate_fresh`.",
	"gateway_rate_feed_polls_total":      "Alert when a result other than `good` grows and `good` does not.",
	"gateway_rate_fresh":                 "Yes: alert on 0.",
	"gateway_request_duration_seconds":   "Alert on a rising part of the statuses 500 and 503, and on the latency of `CreatePayment`.",
	"gateway_request_log_dropped_total":  "No. `bounded` grows when somebody calls again and again with a wrong signature; `full` and `unwritten` when the database is slow or away.",
	"gateway_routing_refusals_total":     "Alert on a sudden rise. The label `rule` says what is missing.",
	"gateway_settings_age_seconds":       "Yes: alert above 1. Payments are refused then.",
	"gateway_settings_version":           "No. Replicas should show the same value.",
	"gateway_webhook_attempts_total":     "Alert when `event_status=\"dead\"` grows.",
	"gateway_webhook_in_flight":          "No.",
	"gateway_webhook_relay_age_seconds":  "Yes: alert above 10, and on -1.",
}

// events say when each webhook is sent.
var events = map[string]string{
	"payin.status.updated":           "A payout has ended, or a completed payout was reversed.",
	"payment.payer.claimed":          "The payer says that they have paid. The status stays `PENDING`. Sent where the cashbox's `payerEvents` is on.",
	"payment.quasi_ecom.code_resend": "The trader asks for the code of a card payment to be sent again. The status stays `PENDING`.",
	"payment.status.updated":         "The status of a payment has changed. Creation sends no webhook.",
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
