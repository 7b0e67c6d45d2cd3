package proposal

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/rate"
	"gateway.example/internal/requisite"
	"gateway.example/internal/session"
	"gateway.example/internal/withdrawal"
)

// Action is an action that may require a second operator.
type Action = foureyes.Action

// The actions whose payload is a Payload.
const (
	FundTrader     = foureyes.FundTrader
	WithdrawTrader = foureyes.WithdrawTrader
	Correct        = foureyes.Correct
	ConfirmDeposit = foureyes.ConfirmDeposit
	SetInsurance   = foureyes.SetInsurance
	SetRate        = foureyes.SetRate
)

// Payload is an action with money or rates. Each action uses its own fields;
// the others are not stored.
type Payload struct {
	TraderID  int64 `json:"trader_id,omitempty"`
	CashboxID int64 `json:"cashbox_id,omitempty"`
	DepositID int64 `json:"deposit_id,omitempty"`
	// TransferID is the transfer that the network showed for the deposit
	// when its confirmation was proposed; 0 is none.
	TransferID int64 `json:"transfer_id,omitempty"`
	// From and To are accounts, by id.
	From *int64 `json:"from,omitempty"`
	To   *int64 `json:"to,omitempty"`
	// Amount is in USDT.
	Amount       string `json:"amount,omitempty"`
	Reference    string `json:"reference,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Currency     string `json:"currency,omitempty"`
	FiatPerUSDT  string `json:"fiat_per_usdt,omitempty"`
	ValidSeconds *int64 `json:"valid_seconds,omitempty"`
	// Seen is the version of the rate by hand, or the insurance, that was
	// set when another was proposed; "" is any.
	Seen string `json:"seen,omitempty"`
}

// Services are the services that execute the actions.
type Services struct {
	Settings  *directory.Settings
	Rates     *rate.Settings
	Deposits  *deposit.Service
	Users     *session.Service
	Acquirers *acquirer.Directory
	Payments  *payment.Service
	Payouts   *payout.Service

	Withdrawals *withdrawal.Service
}

// approved are the services for use inside the transaction in which a second
// operator approves a proposal.
func (r Services) approved(tx pgx.Tx, p Proposal) Services {
	if r.Users != nil {
		r.Users = r.Users.Approved(tx, p.ID, p.ProposedBy)
	}
	return Services{
		Settings: within(r.Settings, tx), Rates: within(r.Rates, tx), Deposits: within(r.Deposits, tx), Users: r.Users,
		Acquirers: within(r.Acquirers, tx), Payments: within(r.Payments, tx), Payouts: within(r.Payouts, tx),
		Withdrawals: within(r.Withdrawals, tx),
	}
}

func within[R any, P interface {
	*R
	Approved(tx pgx.Tx) P
}](room P, tx pgx.Tx) P {
	if room == nil {
		return nil
	}
	return room.Approved(tx)
}

// Done is the result of an action. If a second operator has to approve it,
// Proposal is set and nothing was done.
type Done struct {
	Proposal *Proposal
	// Change is the entry in the log of settings; Deposit and Rate are what
	// was confirmed or set.
	Change  *directory.Change
	Deposit *deposit.Deposit
	Rate    *rate.Known
	// Code is what the approver of an invitation gives to whom it is for.
	// It is shown only here.
	Code string
}

// act is how an action is executed, who may do that, and what it is about.
type act struct {
	needs caller.Capability
	// read decodes the stored params into the action's type.
	read  func(payload []byte) (any, error)
	about func(params any) (subject, key string)
	do    func(ctx context.Context, who caller.Caller, r Services, params any) (Done, error)
	// hide takes secrets out of the params, and show puts them back.
	hide func(params any) (open any, secret string)
	show func(params any, secret string) any
}

// declare makes an action whose params have the type P.
func declare[P any](
	needs caller.Capability, about func(P) (subject, key string),
	do func(ctx context.Context, who caller.Caller, r Services, params P) (Done, error),
) act {
	return act{
		needs: needs,
		read: func(payload []byte) (any, error) {
			var params P
			decoder := json.NewDecoder(bytes.NewReader(payload))
			decoder.DisallowUnknownFields() // it would not be done as it was proposed
			err := decoder.Decode(&params)
			return params, err
		},
		about: func(params any) (subject, key string) { return about(params.(P)) }, //nolint:forcetypeassert // read made it
		do: func(ctx context.Context, who caller.Caller, r Services, params any) (Done, error) {
			return do(ctx, who, r, params.(P)) //nolint:forcetypeassert // read made it
		},
		hide: func(params any) (any, string) { return params, "" },
		show: func(params any, _ string) any { return params },
	}
}

// secret makes an action whose params contain a secret text. mask returns what
// is shown in its place.
func secret[P any](a act, text func(*P) *string, mask func(string) string) act {
	a.hide = func(params any) (any, string) {
		open := params.(P) //nolint:forcetypeassert // the action's own type
		hidden := *text(&open)
		*text(&open) = mask(hidden)
		return open, hidden
	}
	a.show = func(params any, hidden string) any {
		whole := params.(P) //nolint:forcetypeassert // read made it
		*text(&whole) = hidden
		return whole
	}
	return a
}

// logoApart stores a bank's logo with the secrets, because it is too large for
// the shown params.
func logoApart(a act) act {
	a.hide = func(params any) (any, string) {
		return params, string(params.(directory.Bank).Logo) //nolint:forcetypeassert // the action's own type
	}
	a.show = func(params any, logo string) any {
		bank := params.(directory.Bank) //nolint:forcetypeassert // read made it
		if logo != "" {
			bank.Logo = []byte(logo)
		}
		return bank
	}
	return a
}

// reads are the fields of the payload that an action uses.
var reads = map[Action]func(Payload) Payload{
	FundTrader: funding, WithdrawTrader: funding, Correct: correction, ConfirmDeposit: confirmation,
	SetInsurance: insurance, SetRate: manual,
}

//rule:what an operator can propose to another
var acts = map[Action]act{
	FundTrader:     declare(caller.OperatorMoney, aboutTrader, fundTrader),
	WithdrawTrader: declare(caller.OperatorMoney, aboutTrader, withdrawTrader),
	Correct:        declare(caller.OperatorMoney, aboutAccounts, correct),
	ConfirmDeposit: declare(caller.OperatorMoney, aboutDeposit, confirmDeposit),
	SetInsurance:   declare(caller.OperatorMoney, aboutCashbox, setInsurance),
	SetRate:        declare(caller.OperatorRates, aboutRate, setRate),

	// The query of a feed's address may contain a key.
	foureyes.SetRateFeed: secret(declare(caller.OperatorRates,
		func(f rate.Feed) (string, string) {
			if f.ID == 0 {
				return "rate", f.Currency
			}
			return "rate_feed", numbered(f.ID)
		},
		func(ctx context.Context, who caller.Caller, r Services, f rate.Feed) (Done, error) {
			_, err := r.Rates.SetFeed(ctx, who, f)
			return Done{}, err
		}), func(f *rate.Feed) *string { return &f.URL }, func(url string) string {
		open, _, hidden := strings.Cut(url, "?")
		if hidden {
			open += "?hidden"
		}
		return open
	}),
	foureyes.CreateUser: declare(caller.OperatorUsers,
		func(n session.NewUser) (string, string) { return aboutUser, n.Login },
		func(ctx context.Context, who caller.Caller, r Services, n session.NewUser) (Done, error) {
			return invited(r.Users.Create(ctx, who, n))
		}),
	foureyes.InviteUser: declare(caller.OperatorUsers,
		func(id int64) (string, string) { return aboutUser, numbered(id) },
		func(ctx context.Context, who caller.Caller, r Services, id int64) (Done, error) {
			return invited(r.Users.Invite(ctx, who, id))
		}),
	foureyes.UpdateUser: declare(caller.OperatorUsers,
		func(u session.UserUpdate) (string, string) { return aboutUser, numbered(u.ID) },
		func(ctx context.Context, who caller.Caller, r Services, u session.UserUpdate) (Done, error) {
			return changed(r.Users.Update(ctx, who, u))
		}),
	foureyes.SetReceiving: declare(caller.OperatorMoney,
		func(r deposit.Receiving) (string, string) { return "receiving_address", r.Network },
		func(ctx context.Context, who caller.Caller, r Services, a deposit.Receiving) (Done, error) {
			return noted(r.Deposits.SetReceiving(ctx, who, a))
		}),
	foureyes.SetWithdrawalTerms: declare(caller.OperatorMoney,
		func(n withdrawal.NewTerms) (string, string) { return "withdrawal_terms", n.Network },
		func(ctx context.Context, who caller.Caller, r Services, n withdrawal.NewTerms) (Done, error) {
			return noted(r.Withdrawals.SetTerms(ctx, who, n))
		}),
	foureyes.ApproveWithdrawal: ofWithdrawal(
		func(ctx context.Context, who caller.Caller, s *withdrawal.Service, d withdrawal.Decision) error {
			_, err := s.Approve(ctx, who, d.ID)
			return err
		}),
	foureyes.CompleteWithdrawal: ofWithdrawal(
		func(ctx context.Context, who caller.Caller, s *withdrawal.Service, d withdrawal.Decision) error {
			_, err := s.Complete(ctx, who, d)
			return err
		}),
	foureyes.FailWithdrawal: ofWithdrawal(
		func(ctx context.Context, who caller.Caller, s *withdrawal.Service, d withdrawal.Decision) error {
			_, err := s.Fail(ctx, who, d)
			return err
		}),
	foureyes.SetAcquirer: secret(declare(caller.OperatorDirectory,
		func(s acquirer.Setting) (string, string) { return "trader_acquirer", numbered(s.TraderID) },
		func(ctx context.Context, who caller.Caller, r Services, s acquirer.Setting) (Done, error) {
			c, _, err := r.Acquirers.Set(ctx, who, s)
			return changed(c, err)
		}), func(s *acquirer.Setting) *string { return &s.Secret }, func(string) string { return "" }),
	foureyes.CreateRequisite: secret(declare(caller.OperatorDirectory,
		func(n directory.NewRequisite) (string, string) { return "trader", numbered(n.TraderID) },
		func(ctx context.Context, who caller.Caller, r Services, n directory.NewRequisite) (Done, error) {
			return changed(r.Settings.CreateRequisite(ctx, who, n))
		}), func(n *directory.NewRequisite) *string { return &n.Value }, requisite.Mask),
	foureyes.SetCashboxMethod: declare(caller.OperatorDirectory,
		func(m directory.CashboxMethod) (string, string) { return "cashbox", numbered(m.CashboxID) },
		func(ctx context.Context, who caller.Caller, r Services, m directory.CashboxMethod) (Done, error) {
			return changed(r.Settings.SetMethod(ctx, who, m))
		}),
	foureyes.SetBank: logoApart(declare(caller.OperatorDirectory,
		func(b directory.Bank) (string, string) { return "bank", b.Currency + "/" + b.Name },
		func(ctx context.Context, who caller.Caller, r Services, b directory.Bank) (Done, error) {
			return changed(r.Settings.SetBank(ctx, who, b))
		})),
	foureyes.SetPayoutMethod: declare(caller.OperatorDirectory,
		func(m directory.CashboxPayoutMethod) (string, string) { return "cashbox", numbered(m.CashboxID) },
		func(ctx context.Context, who caller.Caller, r Services, m directory.CashboxPayoutMethod) (Done, error) {
			return changed(r.Settings.SetPayoutMethod(ctx, who, m))
		}),
	foureyes.SetTraderPayoutMethod: declare(caller.OperatorDirectory,
		func(m directory.TraderPayoutMethod) (string, string) { return "trader", numbered(m.TraderID) },
		func(ctx context.Context, who caller.Caller, r Services, m directory.TraderPayoutMethod) (Done, error) {
			return changed(r.Settings.SetTraderPayoutMethod(ctx, who, m))
		}),
	foureyes.UpdateMerchant: declare(caller.OperatorDirectory,
		func(u directory.MerchantUpdate) (string, string) { return "merchant", numbered(u.ID) },
		func(ctx context.Context, who caller.Caller, r Services, u directory.MerchantUpdate) (Done, error) {
			return changed(r.Settings.UpdateMerchant(ctx, who, u))
		}),
	foureyes.UpdateTrader: declare(caller.OperatorDirectory,
		func(u directory.TraderUpdate) (string, string) { return "trader", numbered(u.ID) },
		func(ctx context.Context, who caller.Caller, r Services, u directory.TraderUpdate) (Done, error) {
			return changed(r.Settings.UpdateTrader(ctx, who, u))
		}),
	foureyes.ResolveAppeal: declare(caller.OperatorCases,
		func(d payment.AppealDecision) (string, string) { return "appeal", numbered(d.ID) },
		func(ctx context.Context, who caller.Caller, r Services, d payment.AppealDecision) (Done, error) {
			_, err := r.Payments.ResolveAppeal(ctx, who, d.ID, d.Proposed())
			return Done{}, err
		}),
	foureyes.DecideCase: secret(declare(caller.OperatorCases,
		func(d payment.CaseDecision) (string, string) { return "payment", numbered(d.PaymentID) },
		func(ctx context.Context, who caller.Caller, r Services, d payment.CaseDecision) (Done, error) {
			_, err := r.Payments.DecideCase(ctx, who, d)
			return Done{}, err
		}), func(d *payment.CaseDecision) *string {
		if d.To == nil { // it does not go back, so nothing is secret
			return new(string)
		}
		to := *d.To // the caller's own stays whole
		d.To = &to
		return &to.Address
	}, requisite.Mask),
	foureyes.AttachArrival: declare(caller.OperatorCases,
		func(a payment.Attachment) (string, string) { return "payment", numbered(a.PaymentID) },
		func(ctx context.Context, who caller.Caller, r Services, a payment.Attachment) (Done, error) {
			_, err := r.Payments.Attach(ctx, who, a.ArrivalID, a.PaymentID)
			return Done{}, err
		}),
	foureyes.ResolvePayout: declare(caller.OperatorCases,
		func(d payout.Decision) (string, string) { return aboutPayout, d.ID },
		func(ctx context.Context, who caller.Caller, r Services, d payout.Decision) (Done, error) {
			_, err := r.Payouts.Resolve(ctx, who, d.ID, d.Proposed())
			return Done{}, err
		}),
	foureyes.ReclaimPayout: declare(caller.OperatorCases,
		func(d payout.Decision) (string, string) { return aboutPayout, d.ID },
		func(ctx context.Context, who caller.Caller, r Services, d payout.Decision) (Done, error) {
			_, err := r.Payouts.Reclaim(ctx, who, d.ID, d.Proposed())
			return Done{}, err
		}),
	foureyes.ReversePayout: declare(caller.OperatorCases,
		func(d payout.Decision) (string, string) { return aboutPayout, d.ID },
		func(ctx context.Context, who caller.Caller, r Services, d payout.Decision) (Done, error) {
			_, err := r.Payouts.Reverse(ctx, who, d.ID, d.Resolution.Reason)
			return Done{}, err
		}),
}

// ofWithdrawal makes an action that decides about a withdrawal.
func ofWithdrawal(
	do func(ctx context.Context, who caller.Caller, s *withdrawal.Service, d withdrawal.Decision) error,
) act {
	return declare(caller.OperatorMoney,
		func(d withdrawal.Decision) (string, string) { return "withdrawal", numbered(d.ID) },
		func(ctx context.Context, who caller.Caller, r Services, d withdrawal.Decision) (Done, error) {
			return Done{}, do(ctx, who, r.Withdrawals, d)
		})
}

const (
	aboutUser   = "app_user"
	aboutPayout = "payin"
)

// invited is the result of an approved invitation: the approver gets its code,
// and whoever proposed it gets the link from session.Service.Invite.
func invited(c directory.Changed[session.User], code string, err error) (Done, error) {
	done, err := changed(c, err)
	done.Code = code
	return done, err
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

func fundTrader(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	return noted(r.Settings.FundTrader(ctx, who, directory.Funding{
		TraderID: p.TraderID, Amount: p.Amount, Reference: p.Reference,
	}))
}

func withdrawTrader(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	return noted(r.Settings.WithdrawTrader(ctx, who, directory.Funding{
		TraderID: p.TraderID, Amount: p.Amount, Reference: p.Reference,
	}))
}

func correct(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	n := directory.Correction{Amount: p.Amount, Reference: p.Reference, Reason: p.Reason}
	if p.From != nil {
		n.From = ledger.AccountOf(*p.From)
	}
	if p.To != nil {
		n.To = ledger.AccountOf(*p.To)
	}
	return noted(r.Settings.Correct(ctx, who, n))
}

func confirmDeposit(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	d, err := r.Deposits.ConfirmBy(ctx, who, p.DepositID, p.TransferID)
	return Done{Deposit: &d}, err
}

func setInsurance(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	return noted(r.Settings.SetInsuranceFrom(ctx, who, p.CashboxID, p.Seen, p.Amount))
}

func setRate(ctx context.Context, who caller.Caller, r Services, p Payload) (Done, error) {
	known, err := r.Rates.Set(ctx, who, rate.Manual{
		Currency: p.Currency, FiatPerUSDT: p.FiatPerUSDT, ValidSeconds: p.ValidSeconds, Seen: p.Seen,
	})
	return Done{Rate: &known}, err
}

func noted(c directory.Change, err error) (Done, error) { return Done{Change: &c}, err }

func changed[T any](c directory.Changed[T], err error) (Done, error) {
	return noted(c.SettingChange, err)
}
