package acceptance

var errorSections = []section{
	{
		`Errors`,
		[]row{
			{`Error response body shape: not shown.`, do(errorShape)},
			{`| 401 | missing signature header | POST /api/v1/payments | No Signature header. |`,
				refused(postWithout("Signature"), 401, "signature_required")},
			{
				`| 401 | not authorized | GET /api/v1/payments, portal endpoints | No valid bearer token. |`,
				all(
					refused(nobodyGets(payments), 401, "unauthenticated"),
					refused(nobodyGets(portalKeys), 401, "unauthenticated"),
				),
			},
			{`| 403 | merchant_key_id_required | merchant API | X-Merchant-Key-Id missing. |`,
				do(signedEndpointsWantHeaders)},
			{`| 403 | wrong secret or signature | POST /api/v1/payments | Secret or signature mismatch. |`,
				do(secretByteForByte)},
			{
				`| 403 | merchant_collect_* | POST /api/v1/payments | Platform gate refusal. Full list of these codes: not shown. |`,
				all(
					switched("update cashbox set collect_enabled = false", "update cashbox set collect_enabled = true",
						newPayment.with(), 403, "merchant_collect_disabled"),
					refused(
						newPayment.with("currency", `"KZT"`, "method", `"c2c"`),
						403,
						"merchant_collect_method_disabled",
					),
				),
			},
			{
				`| 403 | external API disabled | POST /api/v1/payments | Merchant's external API is off. |`,
				switched(
					"update merchant set api_enabled = false",
					"update merchant set api_enabled = true",
					newPayment.with(),
					403,
					"merchant_api_disabled",
				),
			},
			{
				`| 403 | merchant_scope_required and others | deposits | Missing scope or access. |`,
				all(
					refused(newDeposit.by("sandbox-payments-only").with(), 403, "merchant_scope_required"),
					do(depositForForeignCashbox),
				),
			},
			{`| 403 | no merchant binding for the key | appeal | Key not linked to a merchant. |`,
				refused(appealBy("sandbox-without-merchant"), 403, "merchant_binding_required")},
			{`| 403 | portal token required | credential list | Wrong token type. |`,
				refused(tokenGet(portalKeys, "trader-1"), 403, "merchant_portal_token_required")},
			{
				`| 404 | not found | callback, deposit read, balance | Payment, deposit (or not a deposit) or cashbox missing. |`,
				all(
					refused(callbackOf("999999", `{"status":"failed"}`), 404, "not_found"),
					refused(signedGet("/api/v1/deposits/999999", firstKey), 404, "not_found"),
					refused(signedGet("/api/v1/cashboxes/999999/balance", firstKey), 404, "not_found"),
				),
			},
			{`| 409 | appeal_already_exists | appeal | An appeal exists already. |`,
				refused(appealOf("payment", "x"), 409, "appeal_already_exists")},
			{`| 409 | idempotency_key_conflict | deposits | Same key with a different cashbox. |`,
				do(depositConflicts)},
			{
				`| 422 | validation | payments, appeal, deposits, callback | Body invalid. |`,
				all(
					newPayment.rejects("amount", `"x"`),
					newDeposit.rejects("amount", `"x"`),
					newStatus.rejects("status", `"x"`),
					do(badAppealForms),
				),
			},
			{
				`| 422 | collect_requisites_not_available | POST /api/v1/payments | No requisite could be chosen (no trader, limits,
			trader USDT shortage and the like). |`,
				all(
					switched(
						"update requisite set enabled = false",
						"update requisite set enabled = true",
						newPayment.with(),
						422,
						"collect_requisites_not_available",
					),
					do(traderShortOfUSDT),
				),
			},
			{
				`| 422 | merchant_collect_amount_outside_platform_limits | POST /api/v1/payments | Amount outside the platform limits.
			|`,
				all(
					refused(
						newPayment.with("amount", `"5000000.01"`),
						422,
						"merchant_collect_amount_outside_platform_limits",
					),
					newPayment.takes("amount", `"5000000"`),
				),
			},
			{`| 422 | appeal conditions | appeal | Payment not failed, deadline passed, and similar. |`,
				all(do(appealConditions), late(once("the appeal window", appealWindow)))},
			{
				`| 422 | cashbox without trader bridge | balance | |`,
				refused(
					signedGet("/api/v1/cashboxes/{bridgeless}/balance", firstKey),
					422,
					"cashbox_without_trader_bridge",
				),
			},
			{`| 422 | attempts exhausted or wrong step | resend-code | |`,
				all(do(resendOutOfStep), late(once("resends run out", resendsRunOut)))},
			{`| 429 | too early | resend-code | Retry after nextAllowedAt. |`, do(resendTooEarly)},
			{`| 503 | application secret not configured | POST /api/v1/payments | |`,
				once("no application secret", withoutApplicationSecret)},
			{
				`| (status) | insufficient_cashbox_balance | POST /api/v1/payins | Not enough USDT. HTTP status: not shown. |`,
				refused(newPayin.with("amount", `"999999999999.99"`), 422, "insufficient_cashbox_balance"),
			},
			{
				`| (status) | merchant_external_payins_disabled | POST /api/v1/payins | Payouts disabled. HTTP status: not shown. |`,
				refused(newPayin.by("sandbox-payments-only").with(), 403, "merchant_external_payins_disabled"),
			},
		},
	},
	{
		`Limits`,
		[]row{
			{
				`| Minimum amount | 1 | payments and payouts |`,
				all(
					newPayment.takes("amount", "1", `"1.00"`),
					newPayment.rejects("amount", "0.99", `"0.99"`),
					newPayin.takes("amount", "1", `"1.00"`),
					newPayin.rejects("amount", "0.99"),
				),
			},
			{`| description length | 255 characters | payment create |`, newPayment.atMost("description", 255)},
			{`| externalReference length | 256 characters | deposit create |`,
				newDeposit.atMost("externalReference", 256)},
			{`| Deposit amount precision | up to 8 decimals | deposit create |`,
				all(newDeposit.takes("amount", `"1.12345678"`), newDeposit.rejects("amount", `"1.123456789"`))},
			{`| cardHolder length | 64 characters | payer-details |`, newCard.atMost("cardHolder", 64)},
			{`| cvv length | 3 to 4 digits | payer-details |`,
				all(newCard.takes("cvv", `"123"`, `"1234"`), newCard.rejects("cvv", `"12"`, `"12345"`))},
			{`| expMonth | 1 or 2 digits | payer-details |`,
				all(newCard.takes("expMonth", `"9"`, `"09"`), newCard.rejects("expMonth", `""`, `"009"`))},
			{`| expYear | 2 or 4 digits | payer-details |`,
				all(newCard.takes("expYear", `"35"`, `"2035"`), newCard.rejects("expYear", `"3"`, `"035"`, `"02035"`))},
			{`| otp length | 4 to 8 digits | payer-otp |`,
				all(newCode.takes("otp", `"1234"`, `"12345678"`), newCode.rejects("otp", `"123"`, `"123456789"`))},
			{`| Appeal window | 24 hours after the status change | appeal |`,
				late(once("the appeal window", appealWindow))},
			{`| Code resends | at most 3 per request (codeResendMax) | resend-code |`,
				late(once("resends run out", resendsRunOut))},
			{`| Pause between resends | about 45 seconds | resend-code |`,
				all(do(pauseIs45Seconds), late(once("resends run out", resendsRunOut)))},
			{`| Suggested status polling | every 2 to 5 seconds | GET checkout |`, do(pollingIsFree)},
			{
				`Rate limits per key or per address: not shown. Numeric platform amount limits behind
			merchant_collect_amount_outside_platform_limits: not shown. Length of the payment validity period: not shown (it
			depends on the method; read expiresAt).`,
				all(
					once("calls are limited", callsAreLimited),
					do(validity),
					refused(
						newPayment.with("amount", `"5000000.01"`),
						422,
						"merchant_collect_amount_outside_platform_limits",
					),
				),
			},
		},
	},
	{
		`Versioning`,
		[]row{
			{
				`- Merchant endpoints live under the path prefix /api/v1. The portal endpoints live under /api/merchant-portal.`,
				do(everyEndpointIsDescribed),
			},
			{`- The machine-readable description carries the version 1.0.0.`,
				gives(nobodyGets("/openapi.json"), 200, is("info.version", "1.0.0"))},
			{
				`- The outgoing payment webhook contract (type, eventId, createdAt, data) is stable; meta is not part of it.`,
				shows(
					"event",
					has("type", aText),
					has("eventId", aText),
					has("createdAt", dateTime),
					has("data", anObject),
				),
			},
			{`- Deprecation and change policy: not shown.`,
				refused(nobodyGets("/api/v2/payments"), 404, "not_found")},
		},
	},
}
