package acceptance

var paymentEndpointSections = []section{
	{`Endpoints`, []row{
		{`Merchant API headers (all endpoints marked "signed"): X-Merchant-Key-Id, X-Merchant-Secret, Signature. See
			Authentication. Error statuses are collected in Errors.`,
			do(signedEndpointsWantHeaders)},
	}},
	{
		`POST /api/v1/payments (signed)`,
		[]row{
			{
				`- Body: Payment create request (JSON, Content-Type: application/json).`,
				all(
					gives(newPayment.with(), 200),
					refused(postAs("text/plain"), 415, "unsupported_media_type"),
					refused(postAs(""), 415, "unsupported_media_type"),
				),
			},
			{
				`- 200: {message, data} as in the Payment create response. message is Payment created.`,
				shows(
					"payment",
					only("", "message", "data"),
					is("message", "Payment created"),
					only("data", paymentFields...),
				),
			},
			{
				`- Errors: 401, 403, 422, 503.`,
				all(
					refused(postWithout("Signature"), 401, "signature_required"),
					refused(postWithout("X-Merchant-Key-Id"), 403, "merchant_key_id_required"),
					refused(newPayment.with("amount", "0"), 422, "validation_failed", "amount"),
					once("no application secret", withoutApplicationSecret),
				),
			},
		},
	},
	{
		`GET /api/v1/payments`,
		[]row{
			{
				`- Authenticated by a bearer token (cabinet). Returns payments by the user's id or by payer.userId given at creation.`,
				do(listedByIDAndLogin),
			},
			{
				`- 200: {data: [Payment list item]}. 401 when not authorized.`,
				all(
					gives(tokenGet(payments, "payer"), 200, has("data", aList)),
					shows("list", only("data.0", listFields...)),
					refused(nobodyGets(payments), 401, "unauthenticated"),
				),
			},
		},
	},
	{
		`GET /api/v1/payments/{id}`,
		[]row{
			{
				`- A payment read by id. The response contains payerRequisites after card entry. Full body: not shown.`,
				all(
					shows("read", only("", "data"), only("data", paymentFields...)),
					do(readIsThePayment),
					shows("read with card", is("data.payerRequisites.cardLast4", "1111")),
					gives(signedGet("/api/v1/payments/{uuid}", firstKey), 200),
					refused(signedGet("/api/v1/payments/999999", firstKey), 404, "not_found"),
				),
			},
		},
	},
	{
		`POST /api/v1/payments/{payment}/callback`,
		[]row{
			{
				`- Path: payment integer, id of the external payment record.`,
				all(
					field("callback", "data.id", integer),
					refused(callbackOf("{uuid}", `{"status":"failed"}`), 404, "not_found"),
					refused(callbackOf("x", `{"status":"failed"}`), 404, "not_found"),
				),
			},
			{
				`- Body (JSON): status (string, required; pending, completed, failed, cancelled, appeal), providerPaymentId (string or
			null), reason (string or null).`,
				all(
					newStatus.needs("status"),
					newStatus.takes("status", `"pending"`, `"completed"`, `"failed"`, `"cancelled"`, `"appeal"`),
					newStatus.rejects("status", `"expired"`, `"FAILED"`),
					newStatus.isText("providerPaymentId"),
					newStatus.isText("reason"),
					newStatus.takes("providerPaymentId", "", "null", `"p-1"`),
					newStatus.takes("reason", "", "null", `"why"`),
					newStatus.atMost("reason", 255),
					newStatus.atMost("providerPaymentId", 255),
				),
			},
			{`- Effect: updates the status and queues an HTTP POST to the payment's callbackUri.`,
				all(shows("event", is("data.status", "FAILED")), do(callbackMoves))},
			{
				`- 200: {message: "Payment status updated", data: {id (integer), uuid (uuid), orderId, status, callbackQueued
			(boolean)}}.`,
				shows(
					"callback",
					only("", "message", "data"),
					is("message", "Payment status updated"),
					only("data", "id", "uuid", "orderId", "status", "callbackQueued"),
					has("data.id", integer),
					has("data.uuid", uuidText),
					has("data.orderId", aText),
					is("data.status", "failed"),
					has("data.callbackQueued", exactly("true")),
				),
			},
			{
				`- 404 payment not found; 422 validation.`,
				all(
					refused(callbackOf("999999", `{"status":"failed"}`), 404, "not_found"),
					newStatus.rejects("status", "1", ""),
				),
			},
		},
	},
	{
		`POST /api/v1/payments/{payment}/appeal (signed)`,
		[]row{
			{
				`- Path: payment integer, id of the payment record.`,
				all(
					shows("appeal", has("data.paymentId", integer)),
					refused(appealOf("x", "x"), 404, "not_found"),
					refused(appealOf("999999", "x"), 404, "not_found"),
				),
			},
			{`- Body: multipart/form-data with reason (string, required) and file (binary, required).`,
				all(gives(freshAppeal("x"), 201), do(badAppealForms))},
			{
				`- Allowed only for a payment with status failed, within 24 hours after the status change, with a trader assigned. A
			second appeal returns 409.`,
				all(
					do(appealConditions),
					refused(appealOf("payment", "x"), 409, "appeal_already_exists"),
					late(once("the appeal window", appealWindow)),
				),
			},
			{
				`- 201 appeal created (response body: not shown). 403, 409, 422.`,
				all(
					gives(freshAppeal("x"), 201, is("message", "Appeal created"), only("data", appealFields...)),
					refused(foreignAppeal, 403, "cashbox_access_denied"),
					refused(appealOf("payment", "x"), 409, "appeal_already_exists"),
					do(appealConditions),
				),
			},
		},
	},
}
