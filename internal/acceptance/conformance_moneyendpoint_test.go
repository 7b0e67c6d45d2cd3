package acceptance

var moneyEndpointSections = []section{
	{
		`POST /api/v1/deposits (signed)`,
		[]row{
			{`- Creates a deposit request (direction deposit, status pending).`,
				shows("deposit", is("data.direction", "deposit"), is("data.status", "pending"))},
			{`- Body (JSON):`, do(depositsTakeJSON)},
			{
				`| merchantCashboxId | integer or null | conditional | Optional when the key is bound to a product cashbox; otherwise
			required. The cashbox must belong to the same merchant user. |`,
				all(
					newDeposit.takes("merchantCashboxId", "", "null"),
					newDeposit.rejects("merchantCashboxId", `"1"`, "1.5", "true", "[]", "{}"),
					do(unboundKeyNamesCashbox),
					do(depositForForeignCashbox),
				),
			},
			{
				`| amount | string | yes | USDT, up to 8 decimals. |`,
				all(
					newDeposit.needs("amount"),
					newDeposit.takes("amount", `"0.00000001"`, `"1"`),
					gives(newDeposit.with("amount", `"250.12345678"`), 201, is("data.amount", "250.12345678")),
					gives(newDeposit.with("amount", `"1"`), 201, is("data.amount", "1.00000000")),
					newDeposit.rejects("amount", "250.5", `"0"`, `"-1"`, `"1.000000001"`, `"1e2"`),
				),
			},
			{`| network | string | yes | TRC20, ERC20, BEP20, POLYGON, ARBITRUM. |`,
				all(newDeposit.needs("network"), do(networks), newDeposit.rejects("network", `"SOL"`, `"trc20"`))},
			{
				`| currency | string | no | USDT. |`,
				all(
					newDeposit.isText("currency"),
					newDeposit.takes("currency", "", `"USDT"`),
					gives(newDeposit.with("currency", ""), 201, is("data.currency", "USDT")),
					newDeposit.rejects("currency", `"USDC"`, `"RUB"`, `""`),
				),
			},
			{
				`| address | string | yes | Destination address for the transfer. |`,
				all(
					newDeposit.needs("address"),
					newDeposit.rejects("address", `"T"`, `"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"`),
				),
			},
			{
				`| externalReference | string or null | no | At most 256 characters. |`,
				all(
					newDeposit.isText("externalReference"),
					newDeposit.atMost("externalReference", 256),
					newDeposit.takes("externalReference", "", "null"),
					gives(newDeposit.with("externalReference", `"ref 7"`), 201, is("data.externalReference", "ref 7")),
				),
			},
			{
				`| idempotencyKey | string (uuid) | yes | A repeat with the same key and same cashbox returns the same request. |`,
				all(
					newDeposit.needs("idempotencyKey"),
					newDeposit.rejects("idempotencyKey", `"x"`, `"7d4448409dc011d1b2455ffdce74fad2"`),
					do(depositRepeats),
				),
			},
			{`- 201: {data: deposit} on creation. 200: {data: deposit} on an idempotent repeat.`, do(depositRepeats)},
			{
				`- 403 (merchant_scope_required; other codes: not shown), 409 (idempotency_key_conflict: same key, different cashbox),
			422 validation.`,
				all(
					refused(newDeposit.by("sandbox-payments-only").with(), 403, "merchant_scope_required"),
					do(depositConflicts),
					newDeposit.rejects("amount", `"0"`),
				),
			},
		},
	},
	{
		`GET /api/v1/deposits/{deposit} (signed)`,
		[]row{
			{
				`- Path: deposit integer id. Returns only deposit-direction records owned by the merchant. The body is empty, so
			Signature is the HMAC of the empty string.`,
				all(
					gives(signedGet("/api/v1/deposits/{deposit}", firstKey), 200, is("data.direction", "deposit")),
					do(getSignsNothing),
					refused(signedGet("/api/v1/deposits/{uuid}", firstKey), 404, "not_found"),
				),
			},
			{
				`- 200: {data: deposit}. 403 no access. 404 not found or not a deposit.`,
				all(
					gives(
						signedGet("/api/v1/deposits/{deposit}", firstKey),
						200,
						only("", "data"),
						only("data", depositFields...),
					),
					refused(
						signedGet("/api/v1/deposits/{deposit}", "sandbox-second-rub"),
						403,
						"cashbox_access_denied",
					),
					refused(signedGet("/api/v1/deposits/999999", firstKey), 404, "not_found"),
				),
			},
		},
	},
	{
		`GET /api/v1/cashboxes/{merchantCashbox}/balance (signed)`,
		[]row{
			{`- Path: merchantCashbox integer. Empty body; the signature is over the empty string.`,
				all(gives(signedGet("/api/v1/cashboxes/{merchantCashbox}/balance", firstKey), 200), do(getSignsNothing),
					refused(signedGet("/api/v1/cashboxes/x/balance", firstKey), 404, "not_found"))},
			{
				`- 200: {data: Cashbox balance}. 403, 404 cashbox not found, 422 cashbox without a trader bridge.`,
				all(
					shows("balance", only("", "data"), only("data", balanceFields...)),
					refused(signedGet("/api/v1/cashboxes/{second}/balance", firstKey), 403, "cashbox_access_denied"),
					refused(signedGet("/api/v1/cashboxes/999999/balance", firstKey), 404, "not_found"),
					refused(
						signedGet("/api/v1/cashboxes/{bridgeless}/balance", firstKey),
						422,
						"cashbox_without_trader_bridge",
					),
				),
			},
		},
	},
	{
		`POST /api/v1/payins (signed)`,
		[]row{
			{`The key must have payouts enabled. Body (JSON):`,
				refused(newPayin.by("sandbox-payments-only").with(), 403, "merchant_external_payins_disabled")},
			{
				`| orderId | string | yes | Merchant's payout id. A repeat with the same orderId and method returns the same object. |`,
				all(newPayin.needs("orderId"), do(payinRepeats)),
			},
			{
				`| amount | number or string | yes | In RUB, minimum 1. |`,
				all(
					newPayin.takes("amount", "1", `"1"`, "1.5"),
					newPayin.rejects(
						"amount",
						"",
						"null",
						`""`,
						"0.99",
						`"0.99"`,
						"0",
						"-1",
						"true",
						"[]",
						"1.001",
						"1e2",
					),
					gives(
						newPayin.with("amount", "1500"),
						200,
						is("data.currency", "RUB"),
						is("data.amount", "1500.00"),
					),
				),
			},
			{
				`| currency | string | yes | RUB is the documented value. |`,
				all(
					newPayin.needs("currency"),
					newPayin.rejects("currency", `"USD"`, `"rub"`),
					newPayin.takes("currency", `"RUB"`),
				),
			},
			{
				`| callbackUri | string (URL) | yes | HTTPS URL for the terminal-status webhook. |`,
				all(
					newPayin.needs("callbackUri"),
					newPayin.rejects("callbackUri", `"http://shop.example/"`, `"shop.example"`),
					do(payoutTells),
				),
			},
			{
				`| method | string | yes | sbp or c2c (card). |`,
				all(
					newPayin.needs("method"),
					newPayin.rejects("method", `"card"`, `"sim"`),
					newPayin.takes("method", `"sbp"`),
					gives(
						newPayin.with("method", `"c2c"`, "address", `"4111111111111111"`),
						200,
						is("data.method", "c2c"),
						is("data.beneficiary.value", "•••• 1111"),
					),
				),
			},
			{
				`| address | string | yes | Recipient requisite: SBP phone, card number or account. Replaces beneficiary.value. |`,
				all(
					newPayin.needs("address"),
					newPayin.rejects("address", `"4111111111111111"`, `"+7999"`),
					newPayin.takes("address", `"+79991234567"`),
					gives(
						newPayin.with("method", `"c2c"`, "address", `"40817810099910004312"`),
						200,
						is("data.beneficiary.value", "•••• 4312"),
					),
				),
			},
			{
				`| recipient | string | yes | Recipient full name. Replaces beneficiary.holder. |`,
				all(
					newPayin.needs("recipient"),
					gives(newPayin.with("recipient", `"Anna S"`), 200, is("data.beneficiary.holder", "Anna S")),
				),
			},
			{
				`| code | string | no | Bank code or identifier; lands in beneficiary.bank. |`,
				all(
					newPayin.isText("code"),
					newPayin.takes("code", ""),
					gives(newPayin.with("code", `"044525225"`), 200, is("data.beneficiary.bank", "044525225")),
				),
			},
			{
				`| bankName | string | no | Human-readable bank name. |`,
				all(
					newPayin.isText("bankName"),
					newPayin.takes("bankName", ""),
					gives(newPayin.with("bankName", `"Sber"`), 200, is("data.beneficiary.bank", "Sber")),
					gives(newPayin.with("bankName", `"Sber"`, "code", `"1"`), 200, is("data.beneficiary.bank", "1")),
				),
			},
			{`| userId | string | no | Merchant-side user id (audit and metadata). |`,
				all(newPayin.isText("userId"), newPayin.takes("userId", "", `"u-1"`))},
			{
				`| userIp | string | no | IPv4 or IPv6 of the payer. |`,
				all(
					newPayin.isText("userIp"),
					newPayin.takes("userIp", "", `"203.0.113.9"`, `"2001:db8::1"`),
					newPayin.rejects("userIp", `"1.2.3"`, `"x"`),
				),
			},
			{
				`Headers: Content-Type: application/json, X-Merchant-Key-Id, Signature, and X-Merchant-Secret where needed. Response:
			{message: "Payin created", data: Payout}. Errors: insufficient_cashbox_balance, merchant_external_payins_disabled.`,
				all(
					shows(
						"payin",
						only("", "message", "data"),
						is("message", "Payin created"),
						only("data", payinFields...),
					),
					refused(newPayin.with("amount", `"999999999999.99"`), 422, "insufficient_cashbox_balance"),
					refused(newPayin.by("sandbox-payments-only").with(), 403, "merchant_external_payins_disabled"),
				),
			},
		},
	},
}
