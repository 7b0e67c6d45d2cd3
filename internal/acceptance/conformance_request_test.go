package acceptance

var paymentRequestSections = []section{
	{
		`Payment create request (JSON body of POST /api/v1/payments)`,
		[]row{
			{
				`| orderId | string | yes | Partner's order id, trimmed. Idempotent per merchant and per method channel: a repeat with
			the same orderId and method returns the same payment. |`,
				all(
					newPayment.needs("orderId"),
					newPayment.rejects("orderId", `" \t\n "`),
					do(orderIsTrimmed),
					do(orderRepeats),
				),
			},
			{
				`| amount | number or string | yes | Minimum 1. In the currency's major unit. |`,
				all(
					newPayment.rejects(
						"amount",
						"",
						"null",
						`""`,
						"0.99",
						`"0.99"`,
						"0",
						"-1",
						`"-1"`,
						"true",
						"[]",
						"{}",
						"1.001",
						`"1e2"`,
						"1e2",
					),
					newPayment.takes("amount", "1", `"1"`, `"1.00"`, "1.5"),
					gives(newPayment.with("amount", "1500"), 200, is("data.amount", "1500.00")),
				),
			},
			{
				`| currency | string | yes | RUB, AZN, KZT, TRY, UZS, MNT and others, depending on the cashbox. The method must be
			enabled on the merchant's cashbox. |`,
				all(
					newPayment.needs("currency"),
					newPayment.rejects("currency", `"USD"`, `"rub"`),
					do(currencies),
					refused(
						newPayment.with("currency", `"KZT"`, "method", `"c2c"`),
						403,
						"merchant_collect_method_disabled",
					),
					refused(
						newPayment.by("sandbox-try").with("currency", `"AZN"`, "method", `"c2c"`),
						403,
						"merchant_collect_method_disabled",
					),
				),
			},
			{
				`| callbackUri | string (URI) | yes | HTTPS URL receiving webhooks. |`,
				all(
					newPayment.needs("callbackUri"),
					newPayment.takes("callbackUri", `"https://shop.example/hook"`, `"https:\/\/shop.example\/hook"`),
					newPayment.rejects(
						"callbackUri",
						`"http://shop.example/"`,
						`"shop.example"`,
						`"ftp://shop.example/"`,
						`"https://"`,
						`"https://10.0.0.1/"`,
					),
				),
			},
			{
				`| method | string | yes (unless rubCollect.method is given) | sbp, sim, card; also quasi_ecom (currency AZN or TRY),
			mtstpay, c2c, iban. For currency MNT the methods are c2c (card) or iban. |`,
				all(
					newPayment.isText("method"),
					newPayment.rejects("method", "", "null", `""`, `"SBP"`, `"iban"`, `"c2c"`),
					gives(
						newPayment.with("method", "", "rubCollect", `{"method":"card"}`),
						200,
						is("data.method", "card"),
					),
					do(methods),
					newPayment.rejects("method", `"quasi_ecom"`),
					do(cardMethodsHaveLinks),
					refused(
						newPayment.by(cardKey).with("currency", `"AZN"`, "method", `"mtstpay"`),
						422,
						"validation_failed",
						"method",
					),
					newPayment.by("sandbox-mnt").rejectsAs("currency", "method", `"MNT"`),
				),
			},
			{
				`| rubCollect | object or null | no | Nested alternative for RUB: rubCollect.method with values sbp or card. When both
			root method and rubCollect.method are sent, rubCollect.method wins. |`,
				all(
					gives(newPayment.with("rubCollect", `{"method":"card"}`), 200, is("data.method", "card")),
					newPayment.takes("rubCollect", "", "null", "{}"),
					gives(
						newPayment.with("method", `"card"`, "rubCollect", `{"method":"sbp"}`),
						200,
						is("data.method", "sbp"),
					),
					newPayment.rejects("rubCollect", `"x"`, "1", "true", "[]"),
					newPayment.rejectsAs(
						"rubCollect",
						"rubCollect.method",
						`{"method":"sim"}`,
						`{"method":1}`,
						`{"method":"SBP"}`,
					),
				),
			},
			{
				`| description | string or null | no | Order comment, at most 255 characters. |`,
				all(
					newPayment.isText("description"),
					newPayment.atMost("description", 255),
					newPayment.takes("description", "", "null", `""`),
					gives(newPayment.with("description", `"Чашки"`), 200, is("data.description", "Чашки")),
				),
			},
			{
				`| ratePercent | number or null | no | Explicit markup percent used for the ledger calculation. Overrides the cashbox
			method margin, the merchant default and the trader setting. |`,
				all(
					newPayment.takes("ratePercent", "", "null", "0", "100", "4.5", "0.0001"),
					newPayment.rejects("ratePercent", `"4.5"`, "-1", "101", "100.0001", "0.00001", "true", "[]", "{}"),
					gives(
						newPayment.with("ratePercent", "10"),
						200,
						has("data.ledger.sellerRateMarkupPercent", exactly("10")),
					),
					do(markupPriority),
				),
			},
			{
				`| payer | object or null | no | See below. |`,
				all(
					newPayment.takes("payer", "", "null", "{}"),
					newPayment.rejects("payer", `"x"`, "1", "true", "[]"),
				),
			},
			{
				`payer fields: userId (string or null; links the payment to a cabinet user or login; for quasi_ecom it is needed so
			that a later payment of the same player on the same cashbox opens with the card prefilled), userIp (string, IPv4
			format, or null), fullName (string), type (string), payments (object with integer counters successful and expired).`,
				all(
					payerField("userId", `"u"`, "null"),
					payerField("userIp", `"203.0.113.9"`, "null"),
					payerField("fullName", `"Иван"`),
					payerField("type", `"trusted"`),
					newPayment.takes("payer", `{"payments":{"successful":0,"expired":7}}`, `{"payments":null}`),
					newPayment.rejectsAs(
						"payer",
						"payer.payments.successful",
						`{"payments":{"successful":"1"}}`,
						`{"payments":{"successful":-1}}`,
						`{"payments":{"successful":1.5}}`,
					),
					newPayment.rejectsAs(
						"payer",
						"payer.payments.expired",
						`{"payments":{"expired":true}}`,
						`{"payments":{"expired":9223372036854775808}}`,
					),
					newPayment.rejectsAs(
						"payer",
						"payer.userIp",
						`{"userIp":"::1"}`,
						`{"userIp":"1.2.3"}`,
						`{"userIp":"256.0.0.1"}`,
						`{"userIp":""}`,
					),
					do(prefilled),
				),
			},
			{
				`The body must not contain merchantName; the merchant is identified by the key headers. A body containing it is
			rejected.`,
				newPayment.rejects("merchantName", `"x"`, `""`, "null", "1", "{}"),
			},
			{
				`The first-generation flow always creates RUB collect payments: currency is RUB, and the channel is sbp or card.`,
				all(
					gives(
						newPayment.with("method", "", "rubCollect", `{"method":"sbp"}`),
						200,
						is("data.currency", "RUB"),
						is("data.method", "sbp"),
					),
					gives(
						newPayment.with("method", "", "rubCollect", `{"method":"card"}`),
						200,
						is("data.currency", "RUB"),
						is("data.method", "card"),
					),
				),
			},
		},
	},
}
