package main

var checkoutSections = []section{
	{`Checkout endpoints (no merchant signature)`, []row{
		{`The {token} is the token taken from the checkout URL after /pay/; it is not the payment id.`,
			cardCheckout},
	}},
	{`POST /api/v1/checkout/{token}/payer-details`, []row{
		{`| pan | string | yes | Card number. |`,
			cardCheckout},
		{`| expMonth | string | yes | 1 or 2 digits. |`,
			cardCheckout},
		{`| expYear | string | yes | 2 or 4 digits. |`,
			cardCheckout},
		{`| cvv | string | yes | 3 to 4 digits. |`,
			cardCheckout},
		{`| cardHolder | string | no | Name on the card, at most 64 characters. |`,
			cardCheckout},
		{`Response {message, data}; data: amount (string), currency, phase, orderIdMasked (string, masked), expiresAt,
			paymentStatus, isTerminal (boolean), otpUrl (URL of the code-only page). Card data is encrypted on the server.`,
			cardCheckout},
	}},
	{`POST /api/v1/checkout/{token}/payer-otp`, []row{
		{`Body: otp (string, digits only, 4 to 8; needed when the bank asked for an SMS code; optional otherwise). May be sent
			right after the card. If the bank requests no code this step is skipped. Response body: not shown.`,
			cardCheckout},
	}},
	{`POST /api/v1/checkout/{token}/cancel`, []row{
		{`The payer cancels; the payment becomes cancelled for the merchant at once (webhook). Response body: not shown.`,
			cardCheckout},
	}},
	{`GET /api/v1/checkout/{token}`, []row{
		{`Returns the checkout status, including isTerminal. Polling every 2 to 5 seconds is advised. Response body: not shown.`,
			cardCheckout},
	}},
	{`POST /api/v1/payments/{id}/quasi-ecom/resend-code (signed)`, []row{
		{`- Body: empty JSON object. Signature as for other merchant requests.`,
			cardCheckout},
		{`- Purpose: resets the stored code on the request and signals the trader to request the SMS again. Call it once per
			"code did not arrive" event; do not poll to trigger it. It also works when the trader first marked the code as not
			needed and later asked for it.`,
			cardCheckout},
		{`- 200: {message, data: {phase, attemptsLeft, nextAllowedAt, codeResendCount, codeResendMax, codeResendLastBy,
			codeResendLastAt}}.`,
			cardCheckout},
		{`- 429: too early; wait until nextAllowedAt. 422: attempts exhausted or wrong payment step.`,
			cardCheckout},
	}},
}
