package acceptance

var authenticationSections = []section{
	{`Merchant API signing (payments, payouts, deposits, balance, appeals, resend-code)`, []row{
		{`1. X-Merchant-Key-Id (required): the public key id of the merchant credential. Missing: 403
			merchant_key_id_required.`, refused(postWithout("X-Merchant-Key-Id"), 403, "merchant_key_id_required")},
		{`2. X-Merchant-Secret: the raw secret of that credential, byte for byte. Listed as required on the
			payment, appeal, deposit and balance endpoints; the payout endpoint says it is sent where needed.`,
			all(refused(postWithout("X-Merchant-Secret"), 403, "merchant_secret_required"), do(secretByteForByte),
				do(signedEndpointsWantHeaders))},
		{`3. Signature: lowercase or plain hex HMAC-SHA256 of the request body; the HMAC key is the same raw
			secret.`, do(signedByHand)},
		{`4. The service stores only a SHA-256 of the secret for matching; the HMAC uses the raw secret.`,
			do(onlyTheHashIsKept)},
		{`5. For JSON bodies either the raw body bytes or the canonical JSON is accepted. Canonical JSON is
			the body decoded and re-encoded compactly, without pretty-printing, without extra escaping of slashes
			and Unicode.`, do(canonicalIsTaken)},
		{`6. When the body is re-assembled, any extra whitespace or different field order changes the raw
			signature.`, do(otherBytesAreNot)},
		{`7. For GET requests the body is empty and the signature is the HMAC of the empty string.`,
			do(getSignsNothing)},
		{`8. For the multipart appeal the signature is the HMAC-SHA256 (hex, raw secret as key) of a
			canonical UTF-8 string with LF line breaks and four lines: the literal appeal-v1, then the reason, then
			the original file name, then the file size in bytes.`, do(appealSignsFourLines)},
		{`9. The three header names are configurable; the defaults are X-Merchant-Key-Id, X-Merchant-Secret,
			Signature.`, do(headersAreConfigurable)},
		{`10. The merchant is determined from the headers, never from the body.`,
			all(newPayment.rejects("merchantName", `"Sample Shop"`), do(merchantByHeaders))},
		{`11. The application-level external-payments secret must be configured on the server; otherwise
			payment creation returns 503.`, once("no application secret", withoutApplicationSecret)},
		{`12. Payouts require payouts to be enabled on the key; deposits require a merchant scope on the key (403
			merchant_scope_required).`,
			all(refused(newPayin.by("sandbox-payments-only").with(), 403, "merchant_external_payins_disabled"),
				refused(newDeposit.by("sandbox-payments-only").with(), 403, "merchant_scope_required"))},
	}},
	{`Other schemes`, []row{
		{`- GET /api/v1/payments uses a bearer token in Authorization: Bearer <ACCESS_TOKEN>.`,
			all(gives(tokenGet(payments, "payer"), 200), refused(basicGets(payments), 401, "unauthenticated"))},
		{`- Merchant-portal credential endpoints use a bearer token of the merchant portal.`,
			all(gives(tokenGet(portalKeys, "merchant"), 200), refused(nobodyGets(portalKeys), 401, "unauthenticated"))},
		{`- Checkout endpoints under /api/v1/checkout/{token} need no merchant signature; the link token is
			the access control.`, do(linkIsTheAccess)},
		{`- Authentication of POST /api/v1/payments/{payment}/callback: not shown.`,
			do(callbackIsSignedByTheApplication)},
		{`- Signing or verification scheme for outgoing webhooks: not shown.`, do(webhooksAreSigned)},
		{`- How a bearer token is obtained: not shown.`, do(loginGivesToken)},
	}},
}
