package report

import (
	"io"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/export"
)

// column is a column of an exported list: its name, its value, and which
// callers get it, if not all do.
type column[R any] struct {
	name string
	cell func(R) any
	has  func(caller.Kind) bool
}

// file is an exported list, with the columns that its reader gets.
type file[R any] struct {
	*export.Table

	columns []column[R]
}

func newFile[R any](w io.Writer, zone *time.Location, who caller.Caller, all []column[R]) file[R] {
	columns, names := []column[R](nil), []string(nil)
	for _, c := range all {
		if c.has == nil || c.has(who.Kind) {
			columns, names = append(columns, c), append(names, c.name)
		}
	}
	return file[R]{export.New(w, zone, names...), columns}
}

func (f file[R]) write(row R) {
	cells := make([]any, 0, len(f.columns))
	for _, c := range f.columns {
		cells = append(cells, c.cell(row))
	}
	f.Row(cells...)
}

func operators(k caller.Kind) bool    { return k == caller.Operator }
func notTraders(k caller.Kind) bool   { return k != caller.Trader }
func notMerchants(k caller.Kind) bool { return k != caller.MerchantPortal }

// paymentRow is a payment in a file, as its reader may see it.
type paymentRow struct {
	PaymentItem

	names Names
}

// paymentColumns are the columns of payments. New ones are added at the end,
// because programs also read files by the order of the columns.
var paymentColumns = []column[paymentRow]{
	{name: "created_at", cell: func(p paymentRow) any { return p.CreatedAt }},
	{name: "id", cell: func(p paymentRow) any { return p.ID }},
	{name: "uuid", cell: func(p paymentRow) any { return p.UUID }},
	{name: "order_id", cell: func(p paymentRow) any { return p.OrderID }},
	{name: "method", cell: func(p paymentRow) any { return p.Method }},
	{name: "currency", cell: func(p paymentRow) any { return p.Currency }},
	{name: "amount", cell: func(p paymentRow) any { return export.Fiat(p.Amount) }},
	{name: "status", cell: func(p paymentRow) any { return string(p.Status) }},
	{name: "status_reason", cell: func(p paymentRow) any { return p.StatusReason }},
	{name: "status_at", cell: func(p paymentRow) any { return p.StatusAt }},
	{name: "cashbox_id", cell: func(p paymentRow) any { return p.CashboxID }},
	{name: "trader_id", cell: func(p paymentRow) any { return p.TraderID }},
	{name: "requisite", cell: func(p paymentRow) any { return p.RequisiteValue }},
	{name: "card_last4", cell: func(p paymentRow) any { return p.CardLast4 }},
	{name: "amount_usdt", cell: func(p paymentRow) any { return export.USDT(p.Sums.Amount) }},
	{name: "profit_usdt", cell: func(p paymentRow) any { return export.USDT(p.Sums.Profit) }, has: notMerchants},
	{name: "spread_trader_usdt", cell: func(p paymentRow) any { return export.USDT(p.Sums.SpreadTrader) }, has: notMerchants},
	{name: "spread_platform_usdt", cell: func(p paymentRow) any { return export.USDT(p.Sums.SpreadPlatform) }, has: notMerchants},
	{name: "merchant_id", cell: func(p paymentRow) any { return p.MerchantID }, has: operators},
	{name: "merchant", cell: func(p paymentRow) any { return p.names.Merchants[p.MerchantID] }, has: operators},
	{name: "trader", cell: func(p paymentRow) any { return p.names.Traders[p.TraderID] }, has: operators},
	{name: "received_amount", cell: func(p paymentRow) any { return fiatOrEmpty(p.ReceivedAmount) }},
	{name: "metadata", cell: func(p paymentRow) any { return p.Metadata.Text() }, has: notTraders},
	{name: "difference_usdt", cell: func(p paymentRow) any { return export.USDT(p.Sums.Difference) }, has: operators},
}

// payoutRow is a payout in a file, as its reader may see it.
type payoutRow struct {
	PayoutItem

	names Names
	// frozen is how much the payout costs; nil for traders, whom that does
	// not concern, and if it ended unpaid.
	frozen *decimal.Decimal
}

// endUnpaid leaves of the sums what an end without a transfer has moved:
// nothing, but for a return.
func (p *payoutRow) endUnpaid() {
	for _, sum := range []**decimal.Decimal{&p.frozen, &p.RewardUSDT} {
		switch {
		case p.kept.IsZero():
			*sum = nil
		case *sum != nil:
			*sum = new(p.kept.Neg())
		}
	}
}

// trader is the name of the trader who has taken the payout.
func (p payoutRow) trader() string {
	_, trader := p.Owners()
	return p.names.Traders[trader]
}

// payoutColumns are the columns of payouts. Their order must not change.
var payoutColumns = []column[payoutRow]{
	{name: "created_at", cell: func(p payoutRow) any { return p.CreatedAt }},
	{name: "id", cell: func(p payoutRow) any { return p.ID }},
	{name: "uuid", cell: func(p payoutRow) any { return p.UUID }},
	{name: "order_id", cell: func(p payoutRow) any { return p.OrderID }},
	{name: "method", cell: func(p payoutRow) any { return p.Method }},
	{name: "currency", cell: func(p payoutRow) any { return p.Currency }},
	{name: "amount", cell: func(p payoutRow) any { return export.Fiat(p.Amount) }},
	{name: "status", cell: func(p payoutRow) any { return string(p.Status) }},
	{name: "status_reason", cell: func(p payoutRow) any { return p.StatusReason }},
	{name: "status_at", cell: func(p payoutRow) any { return p.StatusAt }},
	{name: "cashbox_id", cell: func(p payoutRow) any { return p.CashboxID }},
	{name: "trader_id", cell: func(p payoutRow) any { return p.TraderID }},
	{name: "address", cell: func(p payoutRow) any { return p.AddressMask }},
	{name: "recipient", cell: func(p payoutRow) any { return p.Recipient }},
	{name: "proof_reference", cell: func(p payoutRow) any { return p.ProofReference }},
	{name: "frozen_usdt", cell: func(p payoutRow) any { return export.USDT(p.frozen) }},
	{name: "reward_usdt", cell: func(p payoutRow) any { return export.USDT(p.RewardUSDT) }},
	{name: "merchant_id", cell: func(p payoutRow) any { return p.MerchantID }, has: operators},
	{name: "merchant", cell: func(p payoutRow) any { return p.names.Merchants[p.MerchantID] }, has: operators},
	{name: "trader", cell: func(p payoutRow) any { return p.trader() }, has: operators},
	{name: "metadata", cell: func(p payoutRow) any { return p.Metadata.Text() }, has: notTraders},
}

// fiatOrEmpty is an amount, or an empty cell.
func fiatOrEmpty(d decimal.NullDecimal) export.Number {
	if !d.Valid {
		return ""
	}
	return export.Fiat(d.Decimal)
}
