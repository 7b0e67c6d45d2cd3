package acceptance

var decidedSections = []section{
	{`Errors`, []row{
		{`| 401 | signature_required | no Signature header (checked first) |`,
			refused(bareRequest("POST", payments, "{", nil), 401, "signature_required")},
		{`| 403 | merchant_key_id_required | no key id |`,
			refused(postWithout("X-Merchant-Key-Id"), 403, "merchant_key_id_required")},
		{`| 403 | merchant_secret_required | no X-Merchant-Secret; needed on every signed endpoint, payins
			too, since only its hash is stored |`, do(signedEndpointsWantHeaders)},
		{`| 403 | invalid_signature | unknown or revoked key, wrong secret, wrong signature: one answer for all |`,
			all(do(secretByteForByte), do(revokedKey))},
		{`| 401 | unauthenticated | bearer token missing, unknown, expired |`,
			all(refused(nobodyGets(payments), 401, "unauthenticated"),
				refused(bareRequest("GET", payments, "", bearer("unknown")), 401, "unauthenticated"),
				do(expiredToken))},
		{`| 403 | merchant_portal_token_required, token_kind_not_allowed | a token of the wrong kind: portal
			endpoints; elsewhere |`,
			all(refused(tokenGet(portalKeys, "trader-1"), 403, "merchant_portal_token_required"),
				refused(tokenGet(payments, "trader-1"), 403, "token_kind_not_allowed"))},
		{`| 403 | merchant_api_disabled | the merchant's external API is off (a switch per merchant) |`,
			switched("update merchant set api_enabled = false", "update merchant set api_enabled = true",
				newPayment.with(), 403, "merchant_api_disabled")},
		{`| 403 | merchant_collect_disabled, merchant_collect_method_disabled | collect off for the cashbox
			(a switch); a known method and currency not enabled on it |`,
			all(switched("update cashbox set collect_enabled = false", "update cashbox set collect_enabled = true",
				newPayment.with(), 403, "merchant_collect_disabled"),
				refused(newPayment.with("currency", `"KZT"`, "method", `"c2c"`), 403,
					"merchant_collect_method_disabled"))},
		{`| 403 | merchant_scope_required, merchant_binding_required, merchant_external_payins_disabled |
			missing scope; key without a merchant (possible for legacy keys); payouts not enabled on the key |`,
			all(refused(newDeposit.by("sandbox-payments-only").with(), 403, "merchant_scope_required"),
				refused(newPayment.by("sandbox-without-merchant").with(), 403, "merchant_binding_required"),
				refused(newPayin.by("sandbox-payments-only").with(), 403, "merchant_external_payins_disabled"))},
		{`| 403 | cashbox_access_denied | the cashbox or record belongs to another merchant |`,
			all(refused(signedGet("/api/v1/payments/{payment}", "sandbox-second-rub"), 403, "cashbox_access_denied"),
				do(depositForForeignCashbox),
				refused(signedGet("/api/v1/payins/{payin}", "sandbox-second-rub"), 403, "cashbox_access_denied"))},
		{`| 404 | not_found | also an unknown checkout token, a nonexistent merchantCashboxId |`,
			all(refused(signedGet("/api/v1/payments/999999", firstKey), 404, "not_found"),
				refused(newDeposit.with("merchantCashboxId", "999999"), 404, "not_found"),
				refused(step("nonsense", "", ""), 404, "not_found"))},
		{`| 405 / 413 / 415 | method_not_allowed / body_too_large / unsupported_media_type | JSON bodies over
			64 KiB; appeals over 10 MiB |`,
			all(refused(bareRequest("DELETE", payments, "", nil), 405, "method_not_allowed"),
				refused(postAs("text/plain"), 415, "unsupported_media_type"), do(largeBodies))},
		{`| 409 | appeal_already_exists, idempotency_key_conflict | |`,
			all(refused(appealOf("payment", "x"), 409, "appeal_already_exists"), do(depositConflicts))},
		{`| 422 | validation_failed | body invalid, merchantName present, a method or currency that the table
			of methods does not know |`,
			all(newPayment.rejects("merchantName", `"x"`), newPayment.rejects("method", `"cash"`),
				newPayment.rejects("currency", `"USD"`), newPayment.rejects("amount", `"x"`))},
		{`| 422 | collect_requisites_not_available, merchant_collect_amount_outside_platform_limits,
			insufficient_cashbox_balance, cashbox_without_trader_bridge | |`,
			all(refused(newPayment.with("amount", `"5000000.01"`), 422,
				"merchant_collect_amount_outside_platform_limits"),
				switched("update requisite set enabled = false", "update requisite set enabled = true",
					newPayment.with(), 422, "collect_requisites_not_available"),
				refused(newPayin.with("amount", `"999999999999.99"`), 422, "insufficient_cashbox_balance"),
				refused(signedGet("/api/v1/cashboxes/{bridgeless}/balance", firstKey), 422,
					"cashbox_without_trader_bridge"))},
		{`| 422 | appeal_payment_not_failed, appeal_window_closed, appeal_trader_required | an existing
			appeal (409) is answered first, then these in this order |`,
			all(do(appealConditions), refused(appealOf("payment", "x"), 409, "appeal_already_exists"),
				late(once("the appeal window", appealWindow)))},
		{`| 422 | payment_not_pending | a trader's or payer's action on a payment that is no longer pending |`,
			all(do(traderActsTooLate), do(payerActsTooLate))},
		{`| 422 | code_resend_exhausted, code_resend_wrong_step, checkout_wrong_step, checkout_closed |
			checkout_closed: the payment is terminal or expired. Exhausted wins over too early |`,
			all(do(stepsOutOfOrder), do(resendOutOfStep), late(once("the session ends", sessionEnds)),
				late(once("resends run out", resendsRunOut)))},
		{`| 429 | code_resend_too_early, rate_limited | with Retry-After; the first also nextAllowedAt at the
			top level of the error |`, all(once("calls are limited", callsAreLimited), do(resendTooEarly))},
		{`| 503 | external_payments_secret_not_configured, rate_unavailable | payment creation and callback
			without the secret (the server starts, with a warning); a payout without any rate |`,
			all(once("no application secret", withoutApplicationSecret), do(payoutWithoutRate))},
	}},
	{`Payments`, []row{
		{`- Method × currency, a table in the database: RUB sbp sim card mtstpay; AZN, TRY quasi_ecom c2c;
			MNT c2c iban; KZT, UZS c2c. mtstpay and quasi_ecom are card checkout: checkoutUrl, no requisite, the
			same phases; only quasi_ecom carries the quasiEcom block and takes resend-code (mtstpay:
			code_resend_wrong_step).`, do(methodTable)},
	}},
}
