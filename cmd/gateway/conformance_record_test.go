package main

var recordSections = []section{
	{`Payout (payin)`, []row{
		{`Create request fields are in Endpoints. Create response data: id (uuid string), orderId, status (waiting as a rule),
			amount (string, two decimals), currency, method, beneficiary (value masked requisite, holder, bank), frozenUsdt
			(string, USDT frozen on the cashbox), expiresAt (ISO 8601). Payin record fields beyond this response: not shown.`,
			shows("payin", is("message", "Payin created"), has("data.id", uuidText), has("data.orderId", aText), is("data.status", "waiting"), is("data.amount", "1500.00"),
				is("data.currency", "RUB"), is("data.method", "sbp"), only("data.beneficiary", "value", "holder", "bank"), is("data.beneficiary.value", "•••• 4567"),
				is("data.beneficiary.holder", "Иван Петров"), is("data.beneficiary.bank", "044525225"), is("data.frozenUsdt", "16.54054055"), has("data.expiresAt", dateTime))},
	}},
	{`Deposit request`, []row{
		{`A record of a cashbox crypto operation with direction=deposit and status=pending at creation. It carries a numeric id.
			Fields of the returned deposit record (named ExternalMerchantCryptoDeposit): not shown.`,
			shows("deposit", has("data.id", integer), is("data.direction", "deposit"), is("data.status", "pending"), only("data", depositFields...))},
	}},
	{`Cashbox balance (data)`, []row{
		{`| merchantCashboxId | integer |`,
			field("balance", "data.merchantCashboxId", integer)},
		{`| traderCashboxId | integer |`,
			field("balance", "data.traderCashboxId", integer)},
		{`| currency | string (USDT) |`,
			field("balance", "data.currency", equal("USDT"))},
		{`| totalBalance | string, 8 decimals |`,
			field("balance", "data.totalBalance", equal("100000.00000000"))},
		{`| available | string, 8 decimals; equals total balance minus reserved |`,
			shows("balance", is("data.available", "99933.45945945"))},
		{`| reserved | string, 8 decimals |`,
			field("balance", "data.reserved", equal("66.54054055"))},
		{`| insuranceReserved | string, 8 decimals; reserved for P2P insurance |`,
			field("balance", "data.insuranceReserved", equal("50.00000000"))},
	}},
	{`Appeal`, []row{
		{`Input: reason (text) and file (binary attachment). One appeal per payment.`,
			all(shows("appeal", is("data.reason", "I paid"), is("data.fileName", "a.pdf"), has("data.fileSize", exactly("9"))),
				refused(appealOf("payment", "again"), 409, "appeal_already_exists"))},
	}},
	{`API credential`, []row{
		{`A credential has a public key_id and a secret; the raw secret is shown only once in the create response (the service
			stores only a SHA-256 of it). A credential may be bound to a product cashbox (merchant_cashbox_id). Credential item
			fields (MerchantApiCredentialItem): not shown.`,
			all(shows("credential", has("data.key_id", matching(`^mk_[0-9a-f]{24}$`)), has("secret", matching(`^sk_[A-Za-z0-9_-]{43}$`)),
				has("data.merchant_cashbox_id", integer)), do(secretIsShownOnce), shows("credentials", lacks("secret", "data.0.secret")))},
	}},
	{`Quasi-ecom block (quasiEcom)`, []row{
		{`| phase | string | See States and transitions. |`,
			cardCheckout},
		{`| codeResendCount | integer | Starts at 0. |`,
			cardCheckout},
		{`| codeResendMax | integer | 3. |`,
			cardCheckout},
		{`| attemptsLeft | integer | Starts at 3. |`,
			cardCheckout},
		{`| nextAllowedAt | date-time or null | Earliest next resend. |`,
			cardCheckout},
		{`| codeResendLastBy | string or null | merchant or trader. |`,
			cardCheckout},
		{`| codeResendLastAt | date-time or null | |`,
			cardCheckout},
	}},
	{`Payer requisites in status webhooks and payment reads`, []row{
		{`After the card is entered, payerRequisites carries cardLast4 and, when available, cardHolder. The full card number,
			CVV, OTP and expiry are never passed.`,
			cardCheckout},
	}},
}
