package acceptance

var recordSections = []section{
	{`Payout (payin)`, []row{
		{`Create request fields are in Endpoints. Create response data: id (uuid string), orderId, status
			(waiting as a rule), amount (string, two decimals), currency, method, beneficiary (value masked
			requisite, holder, bank), frozenUsdt (string, USDT frozen on the cashbox), expiresAt (ISO 8601). Payin
			record fields beyond this response: not shown.`,
			shows("payin", is("message", "Payin created"), has("data.id", uuidText), has("data.orderId", aText),
				is("data.status", "waiting"), is("data.amount", "1500.00"), is("data.currency", "RUB"),
				is("data.method", "sbp"), only("data.beneficiary", "value", "holder", "bank"),
				is("data.beneficiary.value", "•••• 4567"), is("data.beneficiary.holder", "Иван Петров"),
				is("data.beneficiary.bank", "044525225"), is("data.frozenUsdt", "16.54054055"),
				has("data.expiresAt", dateTime))},
	}},
	{`Deposit request`, []row{
		{`A record of a cashbox crypto operation with direction=deposit and status=pending at creation. It
			carries a numeric id. Fields of the returned deposit record (named ExternalMerchantCryptoDeposit): not
			shown.`,
			shows("deposit", has("data.id", integer), is("data.direction", "deposit"), is("data.status", "pending"),
				only("data", depositFields...))},
	}},
	{`Cashbox balance (data)`, []row{
		{`| merchantCashboxId | integer |`, field("balance", "data.merchantCashboxId", integer)},
		{`| traderCashboxId | integer |`, field("balance", "data.traderCashboxId", integer)},
		{`| currency | string (USDT) |`, field("balance", "data.currency", equal("USDT"))},
		{`| totalBalance | string, 8 decimals |`, field("balance", "data.totalBalance", equal("100000.00000000"))},
		{`| available | string, 8 decimals; equals total balance minus reserved |`,
			shows("balance", is("data.available", "99933.45945945"))},
		{`| reserved | string, 8 decimals |`, field("balance", "data.reserved", equal("66.54054055"))},
		{`| insuranceReserved | string, 8 decimals; reserved for P2P insurance |`,
			field("balance", "data.insuranceReserved", equal("50.00000000"))},
	}},
	{`Appeal`, []row{
		{`Input: reason (text) and file (binary attachment). One appeal per payment.`,
			all(shows("appeal", is("data.reason", "I paid"), is("data.fileName", "a.pdf"),
				has("data.fileSize", exactly("9"))),
				refused(appealOf("payment", "again"), 409, "appeal_already_exists"))},
	}},
	{`API credential`, []row{
		{`A credential has a public key_id and a secret; the raw secret is shown only once in the create
			response (the service stores only a SHA-256 of it). A credential may be bound to a product cashbox
			(merchant_cashbox_id). Credential item fields (MerchantApiCredentialItem): not shown.`,
			all(shows("credential", has("data.key_id", matching(`^mk_[0-9a-f]{24}$`)),
				has("secret", matching(`^sk_[A-Za-z0-9_-]{43}$`)), has("data.merchant_cashbox_id", integer)),
				do(secretIsShownOnce),
				shows("credentials", lacks("secret", "data.0.secret")))},
	}},
	{`Quasi-ecom block (quasiEcom)`, []row{
		{`| phase | string | See States and transitions. |`,
			all(field("quasi_ecom", "data.quasiEcom.phase", equal("awaiting_payer_details")),
				field("read with card", "data.quasiEcom.phase", equal("awaiting_trader_bank_sms")),
				field("read with resend", "data.quasiEcom.phase", equal("awaiting_payer_otp")))},
		{`| codeResendCount | integer | Starts at 0. |`,
			all(field("quasi_ecom", "data.quasiEcom.codeResendCount", exactly("0")),
				field("read with resend", "data.quasiEcom.codeResendCount", exactly("1")))},
		{`| codeResendMax | integer | 3. |`,
			all(field("quasi_ecom", "data.quasiEcom.codeResendMax", exactly("3")),
				field("read with resend", "data.quasiEcom.codeResendMax", exactly("3")))},
		{`| attemptsLeft | integer | Starts at 3. |`,
			all(field("quasi_ecom", "data.quasiEcom.attemptsLeft", exactly("3")),
				field("read with resend", "data.quasiEcom.attemptsLeft", exactly("2")))},
		{`| nextAllowedAt | date-time or null | Earliest next resend. |`,
			all(field("quasi_ecom", "data.quasiEcom.nextAllowedAt", null),
				field("read with resend", "data.quasiEcom.nextAllowedAt", dateTime), do(pauseIs45Seconds),
				late(once("resends run out", resendsRunOut)))},
		{`| codeResendLastBy | string or null | merchant or trader. |`,
			all(field("quasi_ecom", "data.quasiEcom.codeResendLastBy", null),
				field("read with resend", "data.quasiEcom.codeResendLastBy", equal("merchant")),
				field("read with trader's resend", "data.quasiEcom.codeResendLastBy", equal("trader")))},
		{`| codeResendLastAt | date-time or null | |`,
			all(field("quasi_ecom", "data.quasiEcom.codeResendLastAt", null),
				field("read with resend", "data.quasiEcom.codeResendLastAt", dateTime))},
	}},
	{`Payer requisites in status webhooks and payment reads`, []row{
		{`After the card is entered, payerRequisites carries cardLast4 and, when available, cardHolder. The
			full card number, CVV, OTP and expiry are never passed.`,
			all(shows("quasi_ecom", lacks("data.payerRequisites")),
				shows("read with card", only("data.payerRequisites", "cardLast4", "cardHolder"),
					is("data.payerRequisites.cardLast4", "1111"), is("data.payerRequisites.cardHolder", "ANNA B")),
				shows("read with trader's resend", only("data.payerRequisites", "cardLast4"),
					is("data.payerRequisites.cardLast4", "1111")),
				shows("card event", only("data.payerRequisites", "cardLast4"),
					is("data.payerRequisites.cardLast4", "1111")),
				do(nothingElseOfTheCard))},
	}},
}
