package model_test

import "slices"

// modelOutcomes are what a long walk must have seen: every move of a status, every refusal, every
// injury.
func modelOutcomes() []string {
	outcomes := slices.Concat(paymentOutcomes, cardOutcomes, payoutOutcomes, cashboxOutcomes, appealOutcomes)
	for _, from := range modelStatuses {
		for _, to := range modelStatuses {
			outcomes = append(outcomes, from+"-"+to)
		}
	}
	// The rarer steps are injured too, but not surely in every walk.
	for _, op := range []string{
		"create", "move", "confirm", "payout", "take", "finish", "deposit", "confirm-deposit", "insure", "appeal", "review", "enter", "code",
		"resend",
	} {
		outcomes = append(outcomes, "aborted "+op, "lost "+op)
	}
	return outcomes
}

var paymentOutcomes = []string{
	"created", "replayed", "rushed", "invalid", "collect_requisites_not_available", "merchant_collect_disabled",
	"merchant_collect_method_disabled", "merchant_collect_amount_outside_platform_limits", "payment_not_pending",
	"claimed", "claimed again", "claim payment_not_pending", "claim not_found",
	"not_found", "trader completed", "trader cancelled", "expired", "settled", "expired cut short",
	"delivered", "restart", "spent", "overspent", "forbidden",
}

// What happens to cards, and what an acquirer says against what others say.
var cardOutcomes = slices.Concat([]string{
	"card entered",
	"card entered twice",
	"card invalid",
	"card checkout_closed",
	"card checkout_wrong_step",
	"cut short enter",
	"code given",
	"code rejected",
	"code lost",
	"code not needed",
	"code checkout_closed",
	"code checkout_wrong_step",
	"code validation_failed",
	"cut short code",
	"payer cancelled",
	"payer-cancel checkout_closed",
	"looked",
	"line cut",
	"request-code",
	"request-code checkout_wrong_step",
	"request-code not_found",
	"request-code payment_not_pending",
	"no-code",
	"no-code checkout_wrong_step",
	"no-code not_found",
	"no-code payment_not_pending",
	"resent by merchant",
	"resend code_resend_wrong_step",
	"resend code_resend_too_early",
	"resend code_resend_exhausted",
	"resend cashbox_access_denied",
	"resent by trader",
	"trader-resend code_resend_wrong_step",
	"trader-resend code_resend_too_early",
	"trader-resend code_resend_exhausted",
	"trader-resend not_found",
	"trader-resend payment_not_pending",
	"resent by payer",
	"bank declined before payer",
	"bank declined before trader's no",
	"bank declined before trader's yes",
	"payer-resend checkout_closed",
	"payer-resend code_resend_wrong_step",
	"payer-resend code_resend_too_early",
	"payer-resend code_resend_exhausted",
	"card declined, another may be tried",
	"desk checkout_wrong_step",
	"desk code_resend_wrong_step",
	"desk payment_not_pending",
	"attempt charged",
	"attempt declined",
	"attempt voided",
	"attempt lost",
	"attempt conflict",
	"bank approves",
	"bank approves for good",
	"bank asks for a code",
	"bank declines",
	"bank undoes",
	"bank pending-completed",
	"bank pending-failed card_declined",
	"bank pending-failed card_expired",
	"bank pending-failed insufficient_funds",
	"bank pending-failed code_rejected",
	"card late",
	"answer late",
	"bank against application",
	"bank against clock won",
	"bank against clock lost",
}, duelOutcomes())

// duelOutcomes are a bank, a card and a code against each that may end the payment at the same
// moment.
func duelOutcomes() []string {
	var outcomes []string
	for _, ender := range []string{"payer", "trader's no", "trader's yes"} {
		outcomes = append(
			outcomes,
			"bank against "+ender+" won",
			"bank against "+ender+" lost",
			"card against "+ender,
			"code against "+ender,
		)
	}
	return outcomes
}

// Of the moves between a payout's statuses these exist and no other.
var payoutOutcomes = []string{
	"payout created", "payout replayed", "payout rushed", "payout rushed for money", "payout invalid", "payout overdue",
	"payout waiting-processing", "payout waiting-cancelled", "payout expired", "payout expired cut short",
	"payout processing-completed", "payout processing-failed", "payout taken by two", "payout duel",
	"payout validation_failed", "payout insufficient_cashbox_balance", "take not_found", "take payin_not_waiting",
	"finish not_found", "finish payin_not_processing", "withdraw cashbox_access_denied", "withdraw payin_not_waiting",
	"resolve payin_not_processing", "payout processing-waiting", "payout completed-failed", "take payin_take_limit",
	"give-back not_found", "give-back payin_not_processing", "reverse payin_not_completed", "finish without proof",
}

var cashboxOutcomes = []string{
	"deposit created",
	"deposit replayed",
	"deposit invalid",
	"deposit validation_failed",
	"deposit cashbox_access_denied",
	"deposit not_found",
	"deposit-again idempotency_key_conflict",
	"deposit confirmed",
	"deposit confirmed by three",
	"deposit rejected",
	"confirm-deposit deposit_not_pending",
	"reject-deposit deposit_not_pending",
	"insured",
	"insurance lowered",
	"insure insufficient_cashbox_balance",
	"balance",
}

// Every payment has a trader here, so that appeal_trader_required cannot come.
var appealOutcomes = []string{
	"appeal opened",
	"appeal rushed",
	"appeal invalid",
	"appeal appeal_already_exists",
	"appeal appeal_payment_not_failed",
	"appeal appeal_window_closed",
	"appeal cashbox_access_denied",
	"operator appeal",
	"operator completed",
	"operator failed",
	"review appeal_not_open",
	"decide appeal_not_in_review",
	"appeal decided both ways",
	"appeal followed the application",
}
