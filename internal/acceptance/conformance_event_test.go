package acceptance

var eventSections = []section{
	{
		`Events`,
		[]row{
			{
				`Events are HTTP POST webhooks sent to the callbackUri given at creation. They may be delivered more than once; handle
			them idempotently by payment uuid or id.`,
				all(do(webhookIsAPost), late(once("a refused webhook comes again", refusedWebhookComesAgain))),
			},
		},
	},
	{
		`payment.status.updated`,
		[]row{
			{
				`Sent after a payment status change (also after the status-update endpoint). Stable contract:`,
				all(
					shows(
						"event",
						is("type", "payment.status.updated"),
						only("", "type", "eventId", "createdAt", "data", "meta"),
					),
					do(webhookIsAPost),
				),
			},
			{`| type | string (payment.status.updated) |`, field("event", "type", equal("payment.status.updated"))},
			{`| eventId | string |`, field("event", "eventId", aText)},
			{`| createdAt | string (ISO 8601 date-time) |`, field("event", "createdAt", dateTime)},
			{
				`| data | object: uuid, orderId, status (UPPERCASE), amount, currency |`,
				shows(
					"event",
					only("data", "uuid", "orderId", "status", "amount", "currency"),
					has("data.uuid", uuidText),
					has("data.orderId", aText),
					is("data.status", "FAILED"),
					is("data.amount", "1500.00"),
					is("data.currency", "RUB"),
				),
			},
			{
				`| meta | optional object; not part of the stable contract |`,
				shows(
					"event",
					only("meta", "id", "method", "previousStatus", "reason", "sequence"),
					has("meta.id", integer),
					is("meta.method", "sbp"),
					is("meta.previousStatus", "PENDING"),
					is("meta.reason", "why"),
					has("meta.sequence", exactly("1")),
				),
			},
			{
				`Status webhooks also carry payerRequisites (cardLast4, optional cardHolder) after card entry.`,
				shows(
					"card event",
					is("type", "payment.status.updated"),
					is("data.status", "COMPLETED"),
					only("data.payerRequisites", "cardLast4"),
					is("data.payerRequisites.cardLast4", "1111"),
				),
			},
		},
	},
	{
		`payment.quasi_ecom.code_resend`,
		[]row{
			{
				`Sent when the trader requests a code resend. The payment status stays PENDING. Fields: type, eventId, createdAt, data,
			plus top-level id (uuid) and order_id. data: id (uuid), orderId, status, amount, currency, requestedBy (trader),
			quasiEcom (phase, codeResendCount, codeResendMax, attemptsLeft, codeResendLastBy, codeResendLastAt).`,
				all(
					shows(
						"resend event",
						only("", "type", "eventId", "createdAt", "data", "id", "order_id", "meta"),
						is("type", "payment.quasi_ecom.code_resend"),
						has("eventId", aText),
						has("createdAt", dateTime),
						has("id", uuidText),
						is("order_id", "trader-resends"),
						only("data", "id", "orderId", "status", "amount", "currency", "requestedBy", "quasiEcom"),
						has("data.id", uuidText),
						is("data.orderId", "trader-resends"),
						is("data.status", "PENDING"),
						is("data.amount", "100.00"),
						is("data.currency", "AZN"),
						is("data.requestedBy", "trader"),
						only(
							"data.quasiEcom",
							"phase",
							"codeResendCount",
							"codeResendMax",
							"attemptsLeft",
							"codeResendLastBy",
							"codeResendLastAt",
						),
						is("data.quasiEcom.phase", "awaiting_payer_otp"),
						has("data.quasiEcom.codeResendCount", exactly("1")),
						has("data.quasiEcom.codeResendMax", exactly("3")),
						has("data.quasiEcom.attemptsLeft", exactly("2")),
						is("data.quasiEcom.codeResendLastBy", "trader"),
						has("data.quasiEcom.codeResendLastAt", dateTime),
					),
					do(traderResendTells),
				),
			},
		},
	},
	{`Payout webhook`, []row{
		{`Sent to the payout callbackUri on a terminal status. Its body: not shown.`, do(payoutTells)},
	}},
	{
		`Other`,
		[]row{
			{`Retry schedule and delivery guarantees of webhooks: not shown. Other event types: not shown.`,
				late(once("a refused webhook comes again", refusedWebhookComesAgain))},
			{
				`Which operation emits which event: the status-update endpoint, trader or payer cancel, and status changes emit
			payment.status.updated; a trader resend emits payment.quasi_ecom.code_resend; a merchant resend emits no webhook (the
			new state is in the response).`,
				all(
					do(traderCancels),
					do(payerCancels),
					do(callbackMoves),
					do(creationTellsNothing),
					shows("resend event", is("type", "payment.quasi_ecom.code_resend")),
					do(merchantResendTellsNothing),
				),
			},
		},
	},
}
