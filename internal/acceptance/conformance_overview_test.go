package acceptance

var overviewSections = []section{
	{`Merchant Payment Gateway Interface`, []row{
		{`This document covers the whole interface of the service: merchant payment acceptance, payouts, USDT
			deposits to a merchant cashbox, cashbox balance, appeals, the card checkout flow (quasi_ecom),
			merchant-portal credential management, and outgoing webhooks. It is the only document; it carries all
			nine parts in order.`, do(everyEndpointIsDescribed)},
		{`Conventions: all paths are relative to {base_url} (no trailing slash). Checkout pages live on a
			separate address written {pay_url}. JSON bodies use the field names exactly as given. Values in angle
			brackets are placeholders.`, do(addresses)},
	}},
	{`What the service does`, []row{
		{`The service is a payment gateway for merchants.`,
			gives(newPayment.with(), 200, is("message", "Payment created"))},
		{`- A merchant creates a payment for a payer. The service picks a payment requisite (a phone for a
			fast-payment-system transfer, or a card) from a trader and returns it together with an expiry time, or
			for card-checkout methods returns a checkout link.`,
			all(gives(newPayment.with(), 200, has("data.requisite.value", phone), has("data.expiresAt", dateTime)),
				gives(newPayment.with("method", `"card"`), 200, has("data.requisite.value", cardNumber),
					has("data.expiresAt", dateTime)),
				shows("quasi_ecom", has("data.checkoutUrl", checkoutURL)))},
		{`- The service sends a webhook to the merchant's callbackUri when the payment status changes.`,
			shows("event", is("type", "payment.status.updated"), is("data.status", "FAILED"))},
		{`- A merchant creates a payout (called a payin in paths and identifiers) to a recipient requisite;
			the service freezes USDT on the cashbox for it.`, do(payoutFreezes)},
		{`- A merchant creates a USDT deposit request for a cashbox; an operator confirms it later. The
			merchant can read deposit status and cashbox balance.`, do(depositIsConfirmed)},
		{`- A merchant can open an appeal for a failed payment.`, shows("appeal", is("data.status", "open"))},
		{`- A payer can pay on a checkout page, or a merchant can drive the card and SMS-code steps through
			checkout endpoints of its own page.`, all(do(payerUsesPages), do(merchantDrivesCard))},
		{`- A merchant-portal user manages API credentials of a product cashbox.`,
			all(shows("credentials", is("data.0.name", "Web shop")), do(newKeyWorks))},
		{`- Signature rule for the merchant API: an HMAC-SHA256 signature, in hex, of the request body, sent
			in headers together with a public key id.`, do(signedByHand)},
		{`- The payment rate is computed on the server: a fiat-per-USDT rate plus a markup percent yields a
			USDT amount.`,
			shows("payment", is("data.extra.fiatPerUsdt", "92.50"), is("data.extra.marginPercent", "4.5"),
				is("data.ledger.amountUsdt", "15.51791025"))},
	}},
}
