package proposal

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/rate"
)

// Action is something that may take a second operator.
type Action string

// The actions.
const (
	FundTrader     Action = "fund_trader"
	WithdrawTrader Action = "withdraw_trader"
	Correct        Action = "correct"
	ConfirmDeposit Action = "confirm_deposit"
	SetInsurance   Action = "set_insurance"
	SetRate        Action = "set_rate"
)

// Payload is what an action is done with. Each action reads its own fields, and nothing else is kept of
// it.
type Payload struct {
	TraderID  int64 `json:"trader_id,omitempty"`
	CashboxID int64 `json:"cashbox_id,omitempty"`
	DepositID int64 `json:"deposit_id,omitempty"`
	// From and To are accounts, by their ids.
	From *int64 `json:"from,omitempty"`
	To   *int64 `json:"to,omitempty"`
	// Amount is in USDT.
	Amount       string `json:"amount,omitempty"`
	Reference    string `json:"reference,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Currency     string `json:"currency,omitempty"`
	FiatPerUSDT  string `json:"fiat_per_usdt,omitempty"`
	ValidSeconds *int64 `json:"valid_seconds,omitempty"`
}

// Rooms do the actions.
type Rooms struct {
	Settings *directory.Settings
	Rates    *rate.Settings
	Deposits *deposit.Service
}

// approved are the rooms within a transaction in which a second operator approves what they do.
func (r Rooms) approved(tx pgx.Tx) Rooms {
	return Rooms{Settings: r.Settings.Approved(tx), Rates: r.Rates.Approved(tx), Deposits: r.Deposits.Approved(tx)}
}

// Done is what came of an action. Proposal is set where a second operator has to approve it, and then
// nothing was done.
type Done struct {
	Proposal *Proposal
	// Change is the row of the log of settings; Deposit and Rate are what was confirmed or set.
	Change  *directory.Change
	Deposit *deposit.Deposit
	Rate    *rate.Known
}

// act says how an action is done, who may, and what it is about.
type act struct {
	needs caller.Capability
	// fields are those of the payload that it reads.
	fields func(Payload) Payload
	about  func(Payload) (subject, key string)
	do     func(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error)
}

var acts = map[Action]act{
	FundTrader:     {caller.OperatorMoney, funding, aboutTrader, fundTrader},
	WithdrawTrader: {caller.OperatorMoney, funding, aboutTrader, withdrawTrader},
	Correct:        {caller.OperatorMoney, correction, aboutAccounts, correct},
	ConfirmDeposit: {caller.OperatorMoney, confirmation, aboutDeposit, confirmDeposit},
	SetInsurance:   {caller.OperatorMoney, insurance, aboutCashbox, setInsurance},
	SetRate:        {caller.OperatorRates, manual, aboutRate, setRate},
}

func funding(p Payload) Payload {
	return Payload{TraderID: p.TraderID, Amount: p.Amount, Reference: p.Reference}
}

func correction(p Payload) Payload {
	return Payload{From: p.From, To: p.To, Amount: p.Amount, Reference: p.Reference, Reason: p.Reason}
}

func confirmation(p Payload) Payload { return Payload{DepositID: p.DepositID} }

func insurance(p Payload) Payload { return Payload{CashboxID: p.CashboxID, Amount: p.Amount} }

func manual(p Payload) Payload {
	return Payload{Currency: p.Currency, FiatPerUSDT: p.FiatPerUSDT, ValidSeconds: p.ValidSeconds}
}

func numbered(id int64) string { return strconv.FormatInt(id, 10) }

func aboutTrader(p Payload) (subject, key string)  { return "trader", numbered(p.TraderID) }
func aboutDeposit(p Payload) (subject, key string) { return "deposit", numbered(p.DepositID) }
func aboutCashbox(p Payload) (subject, key string) { return "cashbox", numbered(p.CashboxID) }
func aboutRate(p Payload) (subject, key string)    { return "rate", p.Currency }

func aboutAccounts(p Payload) (subject, key string) {
	return "account", numbered(*p.From) + ">" + numbered(*p.To)
}

func fundTrader(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	return changed(r.Settings.FundTrader(ctx, who, directory.Funding{
		TraderID: p.TraderID, Amount: p.Amount, Reference: p.Reference,
	}))
}

func withdrawTrader(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	return changed(r.Settings.WithdrawTrader(ctx, who, directory.Funding{
		TraderID: p.TraderID, Amount: p.Amount, Reference: p.Reference,
	}))
}

func correct(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	n := directory.Correction{Amount: p.Amount, Reference: p.Reference, Reason: p.Reason}
	if p.From != nil {
		n.From = ledger.AccountOf(*p.From)
	}
	if p.To != nil {
		n.To = ledger.AccountOf(*p.To)
	}
	return changed(r.Settings.Correct(ctx, who, n))
}

func confirmDeposit(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	d, err := r.Deposits.Confirm(ctx, who, p.DepositID)
	return Done{Deposit: &d}, err
}

func setInsurance(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	return changed(r.Settings.SetInsurance(ctx, who, p.CashboxID, p.Amount))
}

func setRate(ctx context.Context, who caller.Caller, r Rooms, p Payload) (Done, error) {
	known, err := r.Rates.Set(ctx, who, rate.Manual{
		Currency: p.Currency, FiatPerUSDT: p.FiatPerUSDT, ValidSeconds: p.ValidSeconds,
	})
	return Done{Rate: &known}, err
}

func changed(c directory.Change, err error) (Done, error) { return Done{Change: &c}, err }
