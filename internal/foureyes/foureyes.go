// Package foureyes decides which actions of operators take a second operator.
package foureyes

import (
	"context"
	"errors"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
)

// ErrSecondOperator refuses an action that one operator alone may not do.
var ErrSecondOperator = fault.New(fault.Refused, "second_operator_required",
	"This takes a second operator: propose it, and another operator approves it.")

// Action is an action that may take a second operator.
type Action string

const (
	FundTrader       Action = "fund_trader"
	WithdrawTrader   Action = "withdraw_trader"
	Correct          Action = "correct"
	ConfirmDeposit   Action = "confirm_deposit"
	SetInsurance     Action = "set_insurance"
	SetRate          Action = "set_rate"
	SetRateFeed      Action = "set_rate_feed"
	CreateUser       Action = "create_user"
	UpdateUser       Action = "update_user"
	InviteUser       Action = "invite_user"
	SetAcquirer      Action = "set_acquirer"
	CreateRequisite  Action = "create_requisite"
	SetCashboxMethod Action = "set_cashbox_method"
	UpdateMerchant   Action = "update_merchant"
	UpdateTrader     Action = "update_trader"
	ResolveAppeal    Action = "resolve_appeal"
	DecideCase       Action = "decide_case"
	AttachArrival    Action = "attach_arrival"
	ResolvePayout    Action = "resolve_payin"
	ReclaimPayout    Action = "reclaim_payin"
	ReversePayout    Action = "reverse_payin"
	SetReceiving     Action = "set_receiving"
	SetBank          Action = "set_bank"

	SetPayoutMethod       Action = "set_cashbox_payout_method"
	SetTraderPayoutMethod Action = "set_trader_payout_method"

	SetWithdrawalTerms Action = "set_withdrawal_terms"
	ApproveWithdrawal  Action = "approve_withdrawal"
	CompleteWithdrawal Action = "complete_withdrawal"
	FailWithdrawal     Action = "fail_withdrawal"
)

// SecondOperatorError is ErrSecondOperator with the action and its parameters,
// from which a proposal is made. Params are the parameters of the service's
// method.
type SecondOperatorError struct {
	Action Action
	Params any
}

func (w *SecondOperatorError) Error() string {
	return string(w.Action) + ": " + ErrSecondOperator.Error()
}

// Unwrap returns ErrSecondOperator.
func (w *SecondOperatorError) Unwrap() error { return ErrSecondOperator }

// WithAction adds the action to ErrSecondOperator. It returns other errors
// unchanged.
func WithAction(err error, a Action, params any) error {
	if errors.Is(err, ErrSecondOperator) {
		return &SecondOperatorError{a, params}
	}
	return err
}

// Proposed is the answer after a proposal was made.
func Proposed(id int64) error {
	proposed := fault.Newf(fault.Refused, "second_operator_required",
		"Another operator has to approve this: proposal %d.", id)
	proposed.ProposalID = id
	return proposed
}

// Rules say which actions take a second operator. The zero value needs none.
type Rules struct {
	// On switches the rules on.
	On bool
	// Above is how many USDT one operator may move alone in 24 hours. It is
	// also how many USDT all operators together may move alone for one
	// owner in that time.
	Above decimal.Decimal
	// RatePercent is by how many percent a rate that is set by hand may
	// differ from the last known rate. It is used for currencies without
	// feeds; for others the narrowest band of the feeds is used.
	RatePercent decimal.Decimal
}

// Always refuses an action that always takes a second operator.
func (r Rules) Always() error {
	if r.On {
		return ErrSecondOperator
	}
	return nil
}

// Movement is USDT that an operator's decision moves.
type Movement struct {
	OperatorID int64
	// Owner is the owner of the account, such as "cashbox 7".
	Owner  string
	Amount decimal.Decimal
	// Of is the whole amount if Amount is only a part of it. An operator
	// alone may not move a part of a sum that is above the limit.
	Of decimal.Decimal
	At time.Time
}

// Movements stores what operators moved alone.
type Movements interface {
	MoveAlone(ctx context.Context, operatorID int64, owner string, amount, most decimal.Decimal, at time.Time) (bool, error)
}

// Moving refuses an action that moves more USDT than one operator may move in a
// day; otherwise it records the movement. Call it in the transaction of the
// action, so that the record is rolled back with it.
//
//rule:which movements take a second operator
func (r Rules) Moving(ctx context.Context, moved Movements, m Movement) error {
	amount := m.Amount.Abs()
	switch {
	case !r.On:
		return nil
	case decimal.Max(amount, m.Of).GreaterThan(r.Above):
		return ErrSecondOperator
	case amount.IsZero():
		return nil
	}
	may, err := moved.MoveAlone(ctx, m.OperatorID, m.Owner, amount, r.Above, m.At)
	if err == nil && !may {
		return ErrSecondOperator
	}
	return err
}

// Deviating refuses a change that differs from the known value by more than the
// band, in percent.
//
//rule:which rates take a second operator
func (r Rules) Deviating(percent, band decimal.Decimal) error {
	if r.On && percent.GreaterThan(band) {
		return ErrSecondOperator
	}
	return nil
}
