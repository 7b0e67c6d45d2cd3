package payout

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
)

// repayFor is how long a trader has to return money to a payer. ListOverdue
// already shows it to operators after takenTime, like any payout that a trader
// took.
const repayFor = 24 * time.Hour

// ErrTraderShort refuses to hold more USDT than the trader has available.
var ErrTraderShort = fault.New(fault.Refused, "insufficient_trader_balance", "The trader does not hold that much available.")

// Recipient is the person to whom money is returned: the method, the requisite
// and the name.
type Recipient struct {
	Method, Address, Recipient string
	BankCode, BankName         *string
}

// Repayment is the money that arrived for a payment and is returned to its
// payer. The trader who received it sends it.
type Repayment struct {
	MerchantID, CashboxID, TraderID, PaymentID int64
	// OrderID is the order id of the payout, which is unique among the
	// merchant's.
	OrderID, CallbackURI, Currency string
	Amount                         decimal.Decimal
	// Base is the rate of the payment.
	Base rate.Base
	To   Recipient
}

// Repay makes a payout that returns a payment's money, in the transaction that
// ends the payment. It costs the merchant nothing: the trader has the money,
// and its worth in USDT is held from the trader until they have sent it. It
// returns ErrTraderShort if the trader has less available.
func (s *Service) Repay(ctx context.Context, tx pgx.Tx, who caller.Caller, r Repayment) (uuid.UUID, error) {
	o, err := validate(ctx, Request{
		OrderID: r.OrderID, Amount: money.Fiat(r.Amount), Currency: r.Currency, CallbackURI: r.CallbackURI,
		FeedOnly: r.CallbackURI == "", Method: r.To.Method, Address: r.To.Address, Recipient: r.To.Recipient, Code: r.To.BankCode, BankName: r.To.BankName,
	}, s.addresses)
	if err != nil {
		return uuid.Nil, err
	}
	q, now := db.New(tx), s.clock.Now()
	blocked, err := q.PayerBlocked(ctx, db.PayerBlockedParams{MerchantID: r.MerchantID, Now: now, Marks: s.marks(o)})
	if err != nil {
		return uuid.Nil, fmt.Errorf("look whether the recipient is blocked: %w", err)
	}
	if blocked != "" {
		return uuid.Nil, fault.Fields{"address": {"is not paid out to"}}.Err()
	}
	id, err := q.PayoutKeyInsert(ctx, db.PayoutKeyInsertParams{MerchantID: r.MerchantID, Channel: o.Method, OrderID: o.OrderID})
	for db.NoRows(err) { // the merchant has made a payout with this order id
		o.OrderID += "-"
		id, err = q.PayoutKeyInsert(ctx, db.PayoutKeyInsertParams{MerchantID: r.MerchantID, Channel: o.Method, OrderID: o.OrderID})
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("claim order id: %w", err)
	}
	who.MerchantID = r.MerchantID
	params, err := s.row(&draft{order: o, who: who, id: id, now: now, base: r.Base, box: &db.CashboxForPayoutRow{
		ID: r.CashboxID, ValiditySeconds: int32(repayFor / time.Second),
	}})
	if err != nil {
		return uuid.Nil, err
	}
	params.FrozenUSDT, params.ReturnOf = params.SpotUSDT, &r.PaymentID
	return params.UUID, s.holdReturn(ctx, tx, who, params, r.TraderID)
}

// holdReturn inserts a repayment, which its trader is processing from the
// beginning, and holds its worth from the trader.
func (s *Service) holdReturn(
	ctx context.Context, tx pgx.Tx, who caller.Caller, p db.PayoutInsertParams, traderID int64,
) error {
	cause := ledger.Cause{Kind: "freeze", Subject: subject, SubjectID: p.ID, At: p.CreatedAt}
	freeze := ledger.Plan(cause, false, ledger.Held(ledger.Trader, traderID, p.FrozenUSDT)...)
	waits, actor := string(Waiting), who.Actor()
	var inserted, taken db.Payout
	queries := append(freeze.Debits,
		db.One(&inserted, (*db.Queries).PayoutInsert, p),
		record(change{to: Waiting, actor: actor}, p.MerchantID, p.ID, nil, p.CreatedAt),
		db.One(&taken, (*db.Queries).PayoutTake, db.PayoutTakeParams{
			MerchantID: p.MerchantID, ID: p.ID, Now: p.CreatedAt, TraderID: traderID,
			TraderSharePercent: decimal.NewNullDecimal(decimal.Zero),
			TraderUSDT:         decimal.NewNullDecimal(p.FrozenUSDT), PlatformUSDT: decimal.NewNullDecimal(decimal.Zero),
		}),
		record(change{to: Processing, actor: actor}, p.MerchantID, p.ID, &waits, p.CreatedAt))
	if err := db.Pipeline(ctx, tx, append(queries, freeze.Record...)...); err != nil {
		return fmt.Errorf("insert repayment: %w", err)
	}
	if !freeze.Covered() {
		return ErrTraderShort
	}
	return nil
}

// positionOfReturn is where the money of a repayment is. It is held from the
// trader who received the payment, and is released when the trader has sent the
// money. If the repayment fails, the cashbox gets it instead, since it is the
// merchant whose customer the payer is.
func positionOfReturn(p db.Payout) ledger.Position {
	switch Status(p.Status) {
	case Processing:
		return ledger.Held(ledger.Trader, *p.TraderID, p.FrozenUSDT)
	case Failed:
		return ledger.Given(ledger.Trader, *p.TraderID,
			ledger.Share{To: ledger.Available(ledger.Cashbox, p.CashboxID), Amount: p.FrozenUSDT})
	default:
		return nil
	}
}
