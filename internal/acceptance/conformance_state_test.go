package acceptance

var stateSections = []section{
	{`Payment statuses`, []row{
		{`Values accepted by the status-update operation: pending, completed, failed, cancelled, appeal. In
			webhooks the status is written in UPPERCASE.`,
			all(do(statusesInWebhooks), newStatus.rejects("status", `"expired"`, `"PENDING"`, `"done"`, `" failed"`))},
		{`| (none) | create payment | valid request, requisite available | pending | requisite reserved until
			expiresAt |`,
			all(shows("payment", is("data.status", "pending"), has("data.requisite", anObject)),
				late(do(reservedUntilExpiry)))},
		{`| any | POST /api/v1/payments/{payment}/callback | body status is one of the five values | the
			given status | callback webhook queued |`,
			all(shows("callback", is("data.status", "failed"), has("data.callbackQueued", exactly("true"))),
				shows("event", is("data.status", "FAILED")))},
		{`| pending | payer cancels on checkout, or trader cancels in the cabinet | | cancelled | merchant
			webhook sent immediately |`, all(do(traderCancels), do(payerCancels))},
		{`| failed | open appeal | within 24 h of the status change, trader assigned, no earlier appeal |
			appeal record created (201) | |`,
			all(shows("appeal", has("data.id", integer)), gives(freshAppeal("x"), 201, is("data.status", "open")),
				do(appealConditions))},
		{`Which status moves are permitted between the five values: not shown.`, do(anyStatusFollowsAny)},
	}},
	{`Quasi-ecom phases (quasiEcom.phase)`, []row{
		{`Named phases: awaiting_payer_details (card entry), awaiting_payer_otp (waiting for the SMS code, if
			the bank asked for it), awaiting_trader_confirm (data accepted, waiting for completion),
			awaiting_trader_bank_sms (returned after the card is accepted via the API).`,
			once("the phases", phasesFollow)},
		{`| (none) | create payment with method quasi_ecom | | awaiting_payer_details | |`,
			shows("quasi_ecom", is("data.quasiEcom.phase", "awaiting_payer_details"))},
		{`| awaiting_payer_details | payer-details accepted | | awaiting_trader_bank_sms (as returned) |
			response carries otpUrl |`,
			all(shows("checkout", is("data.phase", "awaiting_payer_details")),
				shows("card", is("data.phase", "awaiting_trader_bank_sms"), has("data.otpUrl", codeURL)))},
		{`| any | resend-code accepted | see resend rules | awaiting_payer_otp (as returned) |
			codeResendCount up by 1, attemptsLeft down by 1 |`,
			all(shows("resend", is("data.phase", "awaiting_payer_otp"), has("data.codeResendCount", exactly("1")),
				has("data.attemptsLeft", exactly("2"))),
				once("resends from each phase", resendFromEachPhase),
				late(once("resends run out", resendsRunOut)))},
		{`The SMS step is optional; if the bank sends no code the payer waits and the result arrives by
			webhook. The session lasts until expiresAt, the same as the payment.`,
			all(once("a card without a code", cardWithoutCode), late(once("the session ends", sessionEnds)))},
	}},
	{`Payout and deposit`, []row{
		{`Payout statuses: waiting is the usual state at creation. Other payout states and all payout
			transitions: not shown.`, all(shows("payin", is("data.status", "waiting")), do(payoutMoves))},
		{`Deposit: pending at creation; an operator confirmation in the admin area credits the balance.
			Deposit status values beyond pending: not shown.`,
			all(shows("deposit", is("data.status", "pending")), do(depositIsConfirmed))},
	}},
}
