package fault

import "regexp"

// Code is an error code: what its callers are told of it, beside the message of the case.
type Code struct {
	// Name is what programs compare.
	Name string
	// Kind decides the HTTP status.
	Kind Kind
	// Meaning is what has happened.
	Meaning string
	// Remedy is what to do about it, in Markdown, for the page docs/integrate.md.
	Remedy string
}

// Codes are all there are, by status and name. The program, the description of the API and the
// documentation know a code from here alone; internal/gendocs fails where a fault is not listed.
var Codes = []Code{
	{
		Name: "invalid_credentials", Kind: Unauthenticated,
		Meaning: "Login, password or code is wrong.",
		Remedy:  "Check login and password, and the code if the user has a second factor.",
	},
	{
		Name: "signature_required", Kind: Unauthenticated,
		Meaning: "The signature header is missing.",
		Remedy:  "Send the header `Signature`.",
	},
	{
		Name: "unauthenticated", Kind: Unauthenticated,
		Meaning: "A valid bearer token is required.",
		Remedy:  "Send `Authorization: Bearer TOKEN`. Sign in again if the token has expired.",
	},
	{
		Name: "cashbox_access_denied", Kind: Forbidden,
		Meaning: "The cashbox or record belongs to another merchant.",
		Remedy:  "Check the id, and that the key is the right merchant's.",
	},
	{
		Name: "factor_locked", Kind: Forbidden,
		Meaning: "Too many wrong codes were given in a row: the second factor must be reset.",
		Remedy:  "Have the user invited again, as when the second factor is lost. A passkey goes on working.",
	},
	{
		Name:    "factor_needed",
		Kind:    Forbidden,
		Meaning: "Confirm first that it is you, with your second factor.",
		Remedy:  "Give the second factor again, in the portal or by `SecondFactor`, and repeat the action within five minutes.",
	},
	{
		Name:    "invalid_signature",
		Kind:    Forbidden,
		Meaning: "The key, secret or signature is wrong.",
		Remedy:  "Read `details.hint`, which says what was signed wrongly. Without `details` the key id or the secret is wrong, or the key is revoked. See [Sign a request](#sign-a-request).",
	},
	{
		Name: "key_address_not_allowed", Kind: Forbidden,
		Meaning: "The key may not be used from this address.",
		Remedy:  "Call from one of the networks that the key was made for, or make another key.",
	},
	{
		Name: "key_expired", Kind: Forbidden,
		Meaning: "The key has expired.",
		Remedy:  "Make another key in the merchant portal.",
	},
	{
		Name: "key_payout_limit", Kind: Forbidden,
		Meaning: "The key has asked for as many payouts today as it may.",
		Remedy:  "Wait for the next day of UTC, or use a key with a higher limit.",
	},
	{
		Name: "merchant_api_disabled", Kind: Forbidden,
		Meaning: "The merchant's external API is switched off.",
		Remedy:  "Contact the operator: they switch the API of a merchant on and off.",
	},
	{
		Name: "merchant_binding_required", Kind: Forbidden,
		Meaning: "The key is not bound to a merchant.",
		Remedy:  "Create a key in the merchant portal. This one belongs to no merchant.",
	},
	{
		Name: "merchant_collect_disabled", Kind: Forbidden,
		Meaning: "Collecting payments is switched off for the cashbox.",
		Remedy:  "Contact the operator: they switch payments of a cashbox on and off.",
	},
	{
		Name: "merchant_collect_method_disabled", Kind: Forbidden,
		Meaning: "The method is not enabled on the merchant's cashbox.",
		Remedy:  "Use another method or currency, or ask the operator to enable this one.",
	},
	{
		Name: "merchant_collect_open_limit", Kind: Forbidden,
		Meaning: "The merchant has as many unpaid payments as it may have open.",
		Remedy:  "Wait until some of the pending payments have ended, or ask the operator for a higher limit.",
	},
	{
		Name: "merchant_external_payins_disabled", Kind: Forbidden,
		Meaning: "Payouts are not enabled on the key.",
		Remedy:  "Use a key with the scope `payouts`.",
	},
	{
		Name: "merchant_key_id_required", Kind: Forbidden,
		Meaning: "The key id header is missing.",
		Remedy:  "Send the header `X-Merchant-Key-Id`.",
	},
	{
		Name: "merchant_portal_token_required", Kind: Forbidden,
		Meaning: "A token of the merchant portal is required.",
		Remedy:  "Sign in as a user of the merchant portal and send that token.",
	},
	{
		Name: "merchant_scope_required", Kind: Forbidden,
		Meaning: "The key lacks the scope this call needs.",
		Remedy:  "Use a key that has the scope of this call, `payments` or `deposits`.",
	},
	{
		Name: "merchant_secret_required", Kind: Forbidden,
		Meaning: "The secret header is missing.",
		Remedy:  "Send the header `X-Merchant-Secret`.",
	},
	{
		Name: "proposal_own", Kind: Forbidden,
		Meaning: "You made this proposal: another operator approves it.",
		Remedy:  "For operators: another operator with the role admin or treasury approves it. You may refuse it.",
	},
	{
		Name: "proposal_decider", Kind: Forbidden,
		Meaning: "One of you set the other up, or you were set up within 24 hours: another operator approves it.",
		Remedy:  "For operators: an operator whom neither of you made approves it; a new one may after a day.",
	},
	{
		Name: "role_not_allowed", Kind: Forbidden,
		Meaning: "Your role does not include this.",
		Remedy:  "Ask the owner of your account for a role that includes it.",
	},
	{
		Name:    "second_factor_required",
		Kind:    Forbidden,
		Meaning: "The sign-in is not finished: give the second factor, or set one up.",
		Remedy:  "Call `SecondFactor`, or set a second factor up with `BeginTotp` and `ConfirmTotp`, and use the token of its answer.",
	},
	{
		Name: "token_kind_not_allowed", Kind: Forbidden,
		Meaning: "This token's kind may not call this method.",
		Remedy:  "Sign in as a user of the kind that this call is for.",
	},
	{
		Name:    "consent_awaited",
		Kind:    Forbidden,
		Meaning: "Your account waits for the consent of an owner.",
		Remedy:  "An operator let this user in. Ask an owner of your merchant or trader to accept them in the portal, or wait until the time in the message.",
	},
	{
		Name: "view_only", Kind: Forbidden,
		Meaning: "You are looking as somebody else: nothing can be changed.",
		Remedy:  "Leave the view of the other user first.",
	},
	{
		Name: "file_purged", Kind: NotFound,
		Meaning: "The file was removed: it had been kept as long as it is to be.",
		Remedy:  "Ask the operator for how long files are kept. Its name, type and size stay.",
	},
	{
		Name: "invitation_invalid", Kind: NotFound,
		Meaning: "The invitation was accepted or replaced already, or has expired.",
		Remedy:  "Ask whoever invited you for a new link. An invitation works once, and for 72 hours.",
	},
	{
		Name: "not_found", Kind: NotFound,
		Meaning: "No such resource.",
		Remedy:  "Check the path and the id. A malformed id gets this answer too.",
	},
	{
		Name: "method_not_allowed", Kind: MethodNotAllowed,
		Meaning: "This path does not take this method.",
		Remedy:  "Use the HTTP method that this page or `/openapi.json` gives for the path.",
	},
	{
		Name: "appeal_already_exists", Kind: Conflict,
		Meaning: "The payment has an appeal already.",
		Remedy:  "A payment can have one appeal. Wait for the webhook that tells how it was decided.",
	},
	{
		Name: "factor_last", Kind: Conflict,
		Meaning: "A second factor is compulsory, and this is the last.",
		Remedy:  "Set up another second factor first. Traders and operators must have one.",
	},
	{
		Name: "factor_missing", Kind: Conflict,
		Meaning: "No second factor is set up.",
		Remedy:  "Set up a second factor first: `BeginTotp` and `ConfirmTotp`, or in the portal.",
	},
	{
		Name: "factor_not_begun", Kind: Conflict,
		Meaning: "Begin again: there is nothing to confirm.",
		Remedy:  "Call `BeginTotp` again, or begin with the passkey again: what was begun is over.",
	},
	{
		Name: "idempotency_key_conflict", Kind: Conflict,
		Meaning: "The idempotency key was used for something else.",
		Remedy:  "Use a new key or reference for a new request.",
	},
	{
		Name: "passkeys_unavailable", Kind: Conflict,
		Meaning: "Passkeys do not work at this address.",
		Remedy:  "Use an authenticator app. Passkeys need portals at a name, such as `https://portal.example.com`.",
	},
	{
		Name: "setting_changed", Kind: Conflict,
		Meaning: "It has changed since you read it. Nothing was overwritten: read it again.",
		Remedy:  "For operators: read the setting again, and change it with the `version` that it has now.",
	},
	{
		Name:    "consent_over",
		Kind:    Conflict,
		Meaning: "They do not wait for an owner's answer, or not any more.",
		Remedy:  "Nothing: somebody has answered, or the 24 hours are over. Users of a merchant are switched off by `UpdateMember`.",
	},
	{
		Name: "consent_open", Kind: Conflict,
		Meaning: "Somebody waits for the answer of this owner, who is the only one. Switch that user off first.",
		Remedy:  "For operators: switch the user off whom you let in, or have the owner answer, and repeat the call.",
	},
	{
		Name: "team_last_owner", Kind: Conflict,
		Meaning: "They are the last owner who can sign in: nobody would be left to manage the team.",
		Remedy:  "Make another user an owner first.",
	},
	{
		Name: "work_taken", Kind: Conflict,
		Meaning: "Another operator has taken this.",
		Remedy:  "Ask the operator who works on it, or take it over with `over`.",
	},
	{
		Name: "body_too_large", Kind: TooLarge,
		Meaning: "The body must be at most N bytes.",
		Remedy:  "Send a smaller body: at most 64 KiB, and 10 MiB for an appeal with its file.",
	},
	{
		Name: "unsupported_media_type", Kind: UnsupportedMedia,
		Meaning: "The body's type is not supported here.",
		Remedy:  "Send the body uncompressed, with the media type that the message names.",
	},
	{
		Name: "appeal_not_in_review", Kind: Refused,
		Meaning: "The appeal is not in review.",
		Remedy:  "For operators: call `ReviewAppeal` first, or read the appeal again: somebody has decided it.",
	},
	{
		Name: "appeal_not_open", Kind: Refused,
		Meaning: "The appeal is not open any more.",
		Remedy:  "For operators: read the appeal again. Somebody has taken it up or decided it.",
	},
	{
		Name: "appeal_payment_not_failed", Kind: Refused,
		Meaning: "Only a failed payment can be appealed.",
		Remedy:  "Read the payment and its status.",
	},
	{
		Name: "appeal_trader_required", Kind: Refused,
		Meaning: "The payment has no trader who could look into it.",
		Remedy:  "Contact the operator.",
	},
	{
		Name: "appeal_window_closed", Kind: Refused,
		Meaning: "The payment failed more than 24 hours ago.",
		Remedy:  "Contact the operator. An appeal is possible for 24 hours after the failure.",
	},
	{
		Name: "cashbox_without_trader_bridge", Kind: Refused,
		Meaning: "The cashbox is bridged to no trader's cashbox.",
		Remedy:  "The operator sets the bridge: `UpdateCashbox` with `traderCashboxId`.",
	},
	{
		Name: "checkout_closed", Kind: Refused,
		Meaning: "The payment has ended; the checkout is closed.",
		Remedy:  "Read the checkout and show the result.",
	},
	{
		Name: "checkout_wrong_step", Kind: Refused,
		Meaning: "The checkout is not at this step.",
		Remedy:  "Read the checkout and continue from its `phase`.",
	},
	{
		Name:    "code_resend_exhausted",
		Kind:    Refused,
		Meaning: "The code was asked for again as often as may be.",
		Remedy:  "Let the payer type the last code, or create another payment. Three resends are allowed for a payment.",
	},
	{
		Name: "code_resend_wrong_step", Kind: Refused,
		Meaning: "A code cannot be asked for again at this step.",
		Remedy:  "Read the checkout. A resend is possible only for `quasi_ecom`, and only after the card was entered.",
	},
	{
		Name:    "collect_requisites_not_available",
		Kind:    Refused,
		Meaning: "No requisite is available for this payment now.",
		Remedy:  "Offer another method or amount, or try again in a few minutes: no trader can take this payment now. For operators: `ExplainRouting` says why.",
	},
	{
		Name: "deposit_not_pending", Kind: Refused,
		Meaning: "The deposit is no longer pending.",
		Remedy:  "For operators: read the deposit again. It was confirmed or rejected already.",
	},
	{
		Name:    "factor_wrong",
		Kind:    Refused,
		Meaning: "The second factor is wrong, or was used already.",
		Remedy:  "Use the code that the app shows now. Each code works once. Check the clock of the phone, or use a recovery code.",
	},
	{
		Name: "insufficient_account_balance", Kind: Refused,
		Meaning: "The account does not hold that much available.",
		Remedy:  "For operators: the account that was to give the USDT has less available.",
	},
	{
		Name:    "insufficient_cashbox_balance",
		Kind:    Refused,
		Meaning: "The cashbox does not hold that much available.",
		Remedy:  "Read the balance. Deposit USDT into the cashbox, or wait until payments are completed. Then repeat the call.",
	},
	{
		Name: "insufficient_trader_balance", Kind: Refused,
		Meaning: "The trader does not hold that much available.",
		Remedy:  "For operators: the trader has less available than you want to withdraw.",
	},
	{
		Name: "look_changed", Kind: Refused,
		Meaning: "The look of the cashbox has changed since it was read; nothing was changed.",
		Remedy:  "For merchants' users: read the look again, and change what it is now.",
	},
	{
		Name: "merchant_collect_amount_outside_platform_limits", Kind: Refused,
		Meaning: "The amount is outside the platform's limits.",
		Remedy:  "Use an amount within the limits that the operator has told you.",
	},
	{
		Name: "no_free_trader", Kind: Refused,
		Meaning: "No trader of the sandbox can take this payout now: each has as many open as they may have.",
		Remedy:  "In a sandbox: end some of the payouts that traders have taken, then trigger the event again.",
	},
	{
		Name: "payin_not_completed", Kind: Refused,
		Meaning: "The payout is not completed.",
		Remedy:  "For operators: read the payout. Only a completed payout can be reversed.",
	},
	{
		Name: "payin_not_processing", Kind: Refused,
		Meaning: "The payout is not being processed.",
		Remedy:  "Read the payout. It is not with a trader at the moment.",
	},
	{
		Name: "payin_not_waiting", Kind: Refused,
		Meaning: "The payout is no longer waiting.",
		Remedy:  "Read the payout. A trader has taken it, or it has ended, so it cannot be cancelled or taken.",
	},
	{
		Name: "payin_take_limit", Kind: Refused,
		Meaning: "You have taken as many payouts as you may have open: end one or give one back.",
		Remedy:  "For traders: complete, fail or give back a payout before you take another one.",
	},
	{
		Name: "payment_not_pending", Kind: Refused,
		Meaning: "The payment is no longer pending.",
		Remedy:  "Read the payment and its status.",
	},
	{
		Name:    "proposal_author",
		Kind:    Refused,
		Meaning: "Whoever made this proposal may not do this any more: refuse it.",
		Remedy:  "For operators: whoever proposed this has another role now, or is switched off. Refuse the proposal, and propose it yourself.",
	},
	{
		Name: "proposal_decided", Kind: Refused,
		Meaning: "The proposal was decided already.",
		Remedy:  "For operators: read the proposal again. Somebody has approved or refused it.",
	},
	{
		Name: "proposal_expired", Kind: Refused,
		Meaning: "The proposal is too old to be decided.",
		Remedy:  "For operators: propose it again. A proposal can be decided for 24 hours.",
	},
	{
		Name: "proposal_unreadable", Kind: Refused,
		Meaning: "Another version of the program made this proposal: refuse it, and propose it again.",
		Remedy:  "For operators: refuse the proposal, and propose the same again.",
	},
	{
		Name:    "receipts_closed",
		Kind:    Refused,
		Meaning: "Receipts are taken once the payer says that they have paid, and until 24 hours after an unpaid end.",
		Remedy:  "For hosted pages: a receipt can be sent once the payer says that they have paid, and until 24 hours after an unpaid end.",
	},
	{
		Name: "receipts_full", Kind: Refused,
		Meaning: "The payment has as many receipts as it may have.",
		Remedy:  "For hosted pages: three receipts of a payment are enough.",
	},
	{
		Name: "requisite_off_by_operator", Kind: Refused,
		Meaning: "An operator has switched the requisite off; only they can switch it on.",
		Remedy:  "For traders: ask an operator to switch the requisite on.",
	},
	{
		Name:    "second_operator_required",
		Kind:    Refused,
		Meaning: "This takes a second operator: propose it, and another operator approves it. Or: Another operator has to approve this: proposal N.",
		Remedy:  "For operators: the proposal is made. Another operator approves it in the portal under Approvals, or by `ApproveProposal`.",
	},
	{
		Name: "submission_unfinished", Kind: Refused,
		Meaning: "This was sent before, and its outcome is not known yet. Look before you repeat it.",
		Remedy:  "In the portal, look at the payment before you send the form again.",
	},
	{
		Name: "validation_failed", Kind: Invalid,
		Meaning: "The request is invalid.",
		Remedy:  "Correct the fields that `errors` names. All wrong fields are named at once.",
	},
	{
		Name: "code_resend_too_early", Kind: TooManyRequests,
		Meaning: "It is too early to ask for the code again.",
		Remedy:  "Wait until `nextAllowedAt` or for the seconds in `Retry-After`, then repeat the call.",
	},
	{
		Name: "rate_limited", Kind: TooManyRequests,
		Meaning: "Too many requests; come back later.",
		Remedy:  "Wait for the seconds in `Retry-After`, then repeat the call. See [Limits](#limits).",
	},
	{
		Name: "internal_error", Kind: 0,
		Meaning: "Something went wrong on our side.",
		Remedy:  "Repeat the call later, and report the `requestId` to the operator.",
	},
	{
		Name:    "acquirer_not_configured",
		Kind:    Unavailable,
		Meaning: "Cards cannot be taken for this payment now.",
		Remedy:  "The operator gives the trader a card processor (`SetTraderAcquirer`). Until then, offer another method.",
	},
	{
		Name: "busy", Kind: Unavailable,
		Meaning: "The service is busy; repeat the call.",
		Remedy:  "Repeat the same call after a pause. A repeat with the same order id is safe.",
	},
	{
		Name: "external_payments_secret_not_configured", Kind: Unavailable,
		Meaning: "The external payments secret is not configured on the server.",
		Remedy:  "The operator sets `GATEWAY_EXTERNAL_PAYMENTS_SECRET` and restarts the program.",
	},
	{
		Name: "outcome_unknown", Kind: Unavailable,
		Meaning: "The outcome is unknown; repeat the call to learn it.",
		Remedy:  "Repeat the same call with the same order id: it answers with what was done.",
	},
	{
		Name: "rate_unavailable", Kind: Unavailable,
		Meaning: "No rate is known for this currency.",
		Remedy:  "The operator sets a rate for the currency (`SetRate`) or repairs the feed.",
	},
	{
		Name: "unavailable", Kind: Unavailable,
		Meaning: "The service is unavailable for a moment; repeat the call.",
		Remedy:  "The database does not answer. Repeat the same call after the seconds in `Retry-After`.",
	},
}

// markdownLink is a link within docs/integrate.md.
var markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// PlainRemedy is the remedy without links, for elsewhere.
func (c Code) PlainRemedy() string { return markdownLink.ReplaceAllString(c.Remedy, "$1") }

var codeByName = func() map[string]Code {
	byName := make(map[string]Code, len(Codes))
	for _, c := range Codes {
		byName[c.Name] = c
	}
	return byName
}()

// FindCode returns the code of the name, and whether there is one.
func FindCode(name string) (Code, bool) {
	c, ok := codeByName[name]
	return c, ok
}
