package model_test

import "slices"

// modelOutcomes are what a long walk must have seen: every move of a status, every refusal, every injury.
func modelOutcomes() []string {
	outcomes := slices.Concat(paymentOutcomes, payoutOutcomes, cashboxOutcomes, appealOutcomes)
	for _, from := range modelStatuses {
		for _, to := range modelStatuses {
			outcomes = append(outcomes, from+"-"+to)
		}
	}
	// The rarer steps are injured too, but not surely in every walk.
	for _, op := range []string{
		"create", "move", "confirm", "payout", "take", "finish", "deposit", "confirm-deposit", "insure", "appeal", "review",
	} {
		outcomes = append(outcomes, "aborted "+op, "lost "+op)
	}
	return outcomes
}

var paymentOutcomes = []string{
	"created", "replayed", "rushed", "invalid", "collect_requisites_not_available", "merchant_collect_disabled",
	"merchant_collect_method_disabled", "merchant_collect_amount_outside_platform_limits", "payment_not_pending",
	"not_found", "trader completed", "trader cancelled", "expired", "settled", "expired cut short",
	"delivered", "restart", "spent", "overspent", "forbidden",
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
	"deposit created", "deposit replayed", "deposit invalid", "deposit validation_failed", "deposit cashbox_access_denied",
	"deposit not_found", "deposit-again idempotency_key_conflict", "deposit confirmed", "deposit confirmed by three",
	"deposit rejected", "confirm-deposit deposit_not_pending", "reject-deposit deposit_not_pending",
	"insured", "insurance lowered", "insure insufficient_cashbox_balance", "balance",
}

// Every payment has a trader here, so that appeal_trader_required cannot come.
var appealOutcomes = []string{
	"appeal opened", "appeal rushed", "appeal invalid", "appeal appeal_already_exists", "appeal appeal_payment_not_failed",
	"appeal appeal_window_closed", "appeal cashbox_access_denied", "operator appeal", "operator completed", "operator failed",
	"review appeal_not_open", "decide appeal_not_in_review", "appeal decided both ways", "appeal followed the application",
}
