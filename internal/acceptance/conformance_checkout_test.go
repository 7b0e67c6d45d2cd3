package acceptance

var checkoutSections = []section{
	{`Checkout endpoints (no merchant signature)`, []row{
		{`The {token} is the token taken from the checkout URL after /pay/; it is not the payment id.`,
			do(tokenIsOfTheURL)},
	}},
	{`POST /api/v1/checkout/{token}/payer-details`, []row{
		{`| pan | string | yes | Card number. |`,
			all(newCard.needs("pan"),
				newCard.takes("pan", `"4111 1111-1111 1111"`, `"4222222222222"`, `"4111111111111111110"`),
				newCard.rejects("pan", `"4111111111111112"`, `"422222222222"`, `"41111111111111111115"`,
					`"4111x11111111111"`, `"4111.1111.1111.1111"`))},
		{`| expMonth | string | yes | 1 or 2 digits. |`,
			all(newCard.needs("expMonth"), newCard.takes("expMonth", `"1"`, `"01"`, `"12"`),
				newCard.rejects("expMonth", `"0"`, `"00"`, `"13"`, `"001"`, `"x"`, `"-1"`, `" 1"`))},
		{`| expYear | string | yes | 2 or 4 digits. |`,
			all(newCard.needs("expYear"), newCard.takes("expYear", `"35"`, `"2035"`),
				newCard.rejects("expYear", `"5"`, `"203"`, `"20355"`, `"xx"`, `"-5"`),
				refused(newCard.with("expYear", `"2020"`), 422, "validation_failed", "expMonth", "expYear"))},
		{`| cvv | string | yes | 3 to 4 digits. |`,
			all(newCard.needs("cvv"), newCard.takes("cvv", `"123"`, `"0123"`),
				newCard.rejects("cvv", `"12"`, `"12345"`, `"12a"`, `" 123"`, `"1-23"`))},
		{`| cardHolder | string | no | Name on the card, at most 64 characters. |`,
			all(newCard.isText("cardHolder"), newCard.atMost("cardHolder", 64),
				newCard.takes("cardHolder", "", `"ANNA B"`), newCard.rejects("cardHolder", `"A\nB"`))},
		{`Response {message, data}; data: amount (string), currency, phase, orderIdMasked (string, masked),
			expiresAt, paymentStatus, isTerminal (boolean), otpUrl (URL of the code-only page). Card data is
			encrypted on the server.`,
			all(shows("card", only("", "message", "data"), only("data", checkoutFields...),
				is("message", "Card accepted"), is("data.amount", "100.00"), is("data.currency", "AZN"),
				is("data.phase", "awaiting_trader_bank_sms"), is("data.orderIdMasked", "cu***ea"),
				has("data.expiresAt", dateTime), is("data.paymentStatus", "pending"),
				has("data.isTerminal", exactly("false")), has("data.otpUrl", codeURL)),
				do(otpPageIsForTheCode),
				do(cardIsSealed))},
	}},
	{`POST /api/v1/checkout/{token}/payer-otp`, []row{
		{`Body: otp (string, digits only, 4 to 8; needed when the bank asked for an SMS code; optional
			otherwise). May be sent right after the card. If the bank requests no code this step is skipped.
			Response body: not shown.`,
			all(newCode.isText("otp"), newCode.takes("otp", `"1234"`, `"12345678"`, "", `""`, "null"),
				newCode.rejects("otp", `"123"`, `"123456789"`, `"12a4"`, `" 1234"`, `"-123"`), do(codeWhenAsked),
				shows("code", is("data.phase", "awaiting_trader_confirm")),
				once("a card without a code", cardWithoutCode),
				shows("code", only("", "message", "data"), only("data", checkoutFields...)))},
	}},
	{`POST /api/v1/checkout/{token}/cancel`, []row{
		{`The payer cancels; the payment becomes cancelled for the merchant at once (webhook). Response body:
			not shown.`, do(payerCancels)},
	}},
	{`GET /api/v1/checkout/{token}`, []row{
		{`Returns the checkout status, including isTerminal. Polling every 2 to 5 seconds is advised.
			Response body: not shown.`,
			all(shows("checkout", only("", "message", "data"), only("data", checkoutFields...),
				has("data.isTerminal", exactly("false"))),
				do(stepsOutOfOrder),
				do(pollingIsFree))},
	}},
	{`POST /api/v1/payments/{id}/quasi-ecom/resend-code (signed)`, []row{
		{`- Body: empty JSON object. Signature as for other merchant requests.`, do(resendIsSigned)},
		{`- Purpose: resets the stored code on the request and signals the trader to request the SMS again.
			Call it once per "code did not arrive" event; do not poll to trigger it. It also works when the trader
			first marked the code as not needed and later asked for it.`,
			all(do(resendAsksAgain), once("resends from each phase", resendFromEachPhase))},
		{`- 200: {message, data: {phase, attemptsLeft, nextAllowedAt, codeResendCount, codeResendMax,
			codeResendLastBy, codeResendLastAt}}.`,
			shows("resend", only("", "message", "data"), only("data", resendFields...),
				is("data.phase", "awaiting_payer_otp"), has("data.attemptsLeft", exactly("2")),
				has("data.nextAllowedAt", dateTime), has("data.codeResendCount", exactly("1")),
				has("data.codeResendMax", exactly("3")), is("data.codeResendLastBy", "merchant"),
				has("data.codeResendLastAt", dateTime))},
		{`- 429: too early; wait until nextAllowedAt. 422: attempts exhausted or wrong payment step.`,
			all(do(resendTooEarly), do(resendOutOfStep), late(once("resends run out", resendsRunOut)))},
	}},
}
