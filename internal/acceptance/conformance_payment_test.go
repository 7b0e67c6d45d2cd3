package acceptance

var paymentSections = []section{
	{
		`Payment (create response, data)`,
		[]row{
			{`| id | integer or uuid string | See the rule below. |`, field("payment", "data.id", integer)},
			{`| uuid | string (uuid) | Present in one documented shape. |`, field("payment", "data.uuid", uuidText)},
			{`| orderId | string | |`, all(field("payment", "data.orderId", aText), do(orderIsTrimmed))},
			{
				`| description | string or null | |`,
				all(
					field("payment", "data.description", equal(described)),
					field("bare payment", "data.description", null),
				),
			},
			{`| status | string | pending at creation. |`, field("payment", "data.status", equal("pending"))},
			{
				`| amount | string | Two decimals. |`,
				all(
					field("payment", "data.amount", equal("1500.00")),
					gives(newPayment.with("amount", `"850.5"`), 200, is("data.amount", "850.50")),
				),
			},
			{`| currency | string | |`, field("payment", "data.currency", equal("RUB"))},
			{
				`| method | string | Present in the newer shape. |`,
				all(
					field("payment", "data.method", equal("sbp")),
					field("card payment", "data.method", equal("card")),
				),
			},
			{
				`| expiresAt | string (ISO 8601 date-time) or null | End of the requisite reservation; the validity period depends on
			the method. |`,
				all(field("payment", "data.expiresAt", dateTime), do(validity)),
			},
			{
				`| requisite | object or null | Present for requisite methods. Fields: type (string, e.g. sbp, card), method (string,
			e.g. sbp, card2card), value (string; phone or card number), holder (string or null), bank (string or null). Snapshot
			at creation. |`,
				all(
					shows(
						"payment",
						only("data.requisite", "type", "method", "value", "holder", "bank"),
						is("data.requisite.type", "sbp"),
						is("data.requisite.method", "sbp"),
						has("data.requisite.value", phone),
						has("data.requisite.holder", aText),
						has("data.requisite.bank", aText),
					),
					shows(
						"card payment",
						is("data.requisite.type", "card"),
						is("data.requisite.method", "card2card"),
						has("data.requisite.value", cardNumber),
					),
					do(requisiteIsSnapshot),
				),
			},
			{`| paymentPageUrl | string (URL) | For requisite methods: page with requisites, path under /r/. |`,
				field("payment", "data.paymentPageUrl", matching(`^http://[^/]+/r/[A-Za-z0-9_-]{43}$`))},
			{
				`| checkoutUrl | string (URL) | For quasi_ecom and mtstpay: path under /pay/; no requisite is returned. |`,
				all(
					shows(
						"quasi_ecom",
						has("data.checkoutUrl", checkoutURL),
						has("data.requisite", null),
						lacks("data.paymentPageUrl"),
					),
					shows(
						"mtstpay",
						has("data.checkoutUrl", checkoutURL),
						has("data.requisite", null),
						lacks("data.paymentPageUrl"),
					),
				),
			},
			{
				`| quasiEcom | object | For quasi_ecom; see the checkout section. |`,
				all(
					shows("quasi_ecom", only("data.quasiEcom", quasiEcomFields...)),
					shows("mtstpay", lacks("data.quasiEcom")),
				),
			},
			{
				`| extra | object | fiatPerUsdt (string, fiat per 1 USDT), marginPercent (string, commission percent), rate (string,
			USDT amount after commission), cryptoCurrency (string, USDT). |`,
				shows(
					"payment",
					only("data.extra", "fiatPerUsdt", "marginPercent", "rate", "cryptoCurrency"),
					is("data.extra.fiatPerUsdt", "92.50"),
					is("data.extra.marginPercent", "4.5"),
					is("data.extra.rate", "15.51791025"),
					is("data.extra.cryptoCurrency", "USDT"),
				),
			},
			{`| ledger | object or null | Server-side requisite and USDT calculation; fields below. |`,
				shows("payment", only("data.ledger", ledgerFields...))},
			{`The top-level response has message (string, Payment created) and data.`,
				shows("payment", only("", "message", "data"), is("message", "Payment created"))},
			{
				`Type of data.id: shown both as an integer (with a separate uuid) and as a uuid string; which applies is not shown.`,
				shows("payment", has("data.id", integer), has("data.uuid", uuidText)),
			},
			{
				`The link token inside paymentPageUrl and checkoutUrl is part of the URL; it is not data.id. The URL is opened as
			given.`,
				do(linkOpens),
			},
		},
	},
	{
		`Ledger object`,
		[]row{
			{`All fields are nullable strings unless noted.`, do(ledgerIsTexts)},
			{`| requisitePhone | Requisite phone. |`, field("payment", "data.ledger.requisitePhone", phone)},
			{`| requisiteFullName | Requisite holder name. |`,
				field("payment", "data.ledger.requisiteFullName", aText)},
			{`| bank | Bank. |`, field("payment", "data.ledger.bank", aText)},
			{
				`| transferMethod | Collect channel plus requisite type. Written <payChannel>/<paymentMethod> when they differ, a
			single value when they match. |`,
				all(
					field("payment", "data.ledger.transferMethod", equal("sbp")),
					field("card payment", "data.ledger.transferMethod", equal("card")),
					gives(newPayment.with("method", `"sim"`), 200, is("data.ledger.transferMethod", "sim/phone")),
					gives(
						newPayment.by("sandbox-try").with("method", `"c2c"`, "currency", `"TRY"`),
						200,
						is("data.ledger.transferMethod", "c2c/card"),
					),
				),
			},
			{`| sms | SMS-related value. |`, field("payment", "data.ledger.sms", null)},
			{`| amountUsdt | USDT amount. |`, field("payment", "data.ledger.amountUsdt", equal("15.51791025"))},
			{`| profitUsdt | Full USDT spread (spot minus amountUsdt). |`,
				field("payment", "data.ledger.profitUsdt", equal("0.69830596"))},
			{
				`| spreadTraderUsdt | Fixed trader share of the spread, not more than the full spread. |`,
				all(
					field("payment", "data.ledger.spreadTraderUsdt", equal("0.24324324")),
					gives(
						newPayment.with("ratePercent", "1"),
						200,
						is("data.ledger.profitUsdt", "0.16055659"),
						is("data.ledger.spreadTraderUsdt", "0.16055659"),
					),
				),
			},
			{
				`| spreadPlatformUsdt | Remainder of the spread for the platform. |`,
				all(
					field("payment", "data.ledger.spreadPlatformUsdt", equal("0.45506272")),
					gives(
						newPayment.with("ratePercent", "1"),
						200,
						is("data.ledger.spreadPlatformUsdt", "0.00000000"),
					),
				),
			},
			{
				`| baseRateRubPerUsdt | Raw base rate. |`,
				all(
					field("payment", "data.ledger.baseRateRubPerUsdt", equal("92.50")),
					gives(
						newPayment.by("sandbox-try").with("method", `"c2c"`, "currency", `"TRY"`),
						200,
						has("data.ledger.baseRateRubPerUsdt", null),
					),
				),
			},
			{
				`| sellerRateMarkupPercent | Applied markup percent (number, float). Priority: body ratePercent, then cashbox method
			margin_percent, then merchant profile, then trader setting, then configuration. |`,
				all(field("payment", "data.ledger.sellerRateMarkupPercent", exactly("4.5")), do(markupPriority)),
			},
			{`| rateUnavailable | boolean. |`,
				all(field("payment", "data.ledger.rateUnavailable", exactly("false")), do(rateGoesStale))},
			{
				`In GET /api/v1/payments and in the trader's confirm-received response the fields profitUsdt, spreadPlatformUsdt,
			baseRateRubPerUsdt and sellerRateMarkupPercent are hidden; spreadTraderUsdt stays.`,
				all(
					shows("list", lacks(hiddenOf("data.0.ledger")...), has("data.0.ledger.spreadTraderUsdt", aText)),
					do(traderSees),
				),
			},
		},
	},
	{
		`Payment list item (GET /api/v1/payments)`,
		[]row{
			{`| id | integer |`, inLists("id", integer)},
			{`| uuid | string (uuid) |`, inLists("uuid", uuidText)},
			{`| order_id | string |`, all(inLists("order_id", aText), do(listedIsThePayment))},
			{`| amount | string |`, inLists("amount", decimal2)},
			{`| currency | string |`, inLists("currency", equal("RUB"))},
			{`| status | string |`, inLists("status", equal("pending"))},
			{
				`| payment_snapshot | object or null (legacy requisite snapshot; the normalized requisite_snapshot is preferred when
			filled) |`,
				inLists("payment_snapshot", null),
			},
			{`| requisite_snapshot | object or null (normalized, immutable snapshot at creation) |`,
				all(inLists("requisite_snapshot", anObject), do(listedIsThePayment))},
			{`| ledger | object or null (server calculation for RUB collect) |`,
				all(inLists("ledger", anObject), shows("list", only("data.0.ledger", visibleLedger...)))},
			{`| created_at | date-time or null |`, inLists("created_at", dateTime)},
			{`| status_updated_at | date-time or null |`, inLists("status_updated_at", dateTime)},
		},
	},
}
