package model_test

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/payout"
)

func (p *modelPayout) look(w *modelWalk, b *pgx.Batch) {
	b.Queue("select * from payin where merchant_id = $1 and id = $2", p.merchantID, p.id).
		Query(func(rows pgx.Rows) error {
			row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[db.Payin])
			if err == nil {
				err = p.sameRow(row)
			}
			return in("the database", err)
		})
	lookAtHistory(b, "payin", p.merchantID, p.id, &p.modelHistory)
	lookAtEvents(w, b, p)
}

// same compares a payout, as readers are shown it, with the model's in everything the contract
// decides.
func (p *modelPayout) same(got payout.Payin) error {
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	trader := int64(0)
	if p.trader != nil {
		trader = p.trader.ID
	}
	return sameFields(p.origin().String(), []modelField{
		{"id", units(got.ID), units(p.id)},
		{"uuid", got.UUID.String(), p.uuid},
		{"merchant", units(got.MerchantID), units(p.merchantID)},
		{"cashbox", units(got.CashboxID), units(p.box.id)},
		{"orderId", got.OrderID, p.order},
		{"method", got.Method, p.method},
		{"currency", got.Currency, "RUB"},
		{"amount", got.Amount.Shift(2).String(), units(p.amount)},
		{"address", got.AddressMask, "•••• " + p.address[len(p.address)-4:]},
		{"recipient", got.Recipient, p.recipient},
		{"status", string(got.Status), p.status},
		{"reason", deref(got.StatusReason), deref(p.reason)},
		{"proofReference", deref(got.ProofReference), deref(p.proof)},
		{"statusUpdatedAt", got.StatusAt.UTC().String(), p.at.String()},
		{"createdAt", got.CreatedAt.UTC().String(), p.created.String()},
		{"expiresAt", got.ExpiresAt.UTC().String(), p.expires.String()},
		{"frozenUsdt", got.FrozenUSDT.Shift(8).String(), units(p.frozen)},
		{"trader", units(orZero(got.TraderID)), units(trader)},
	})
}

// sameRow compares a payout's row with the model's.
func (p *modelPayout) sameRow(row db.Payin) error {
	usdt := func(d decimal.Decimal) string { return d.Shift(8).String() }
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	return errors.Join(p.same(shownPayout(row)), sameFields(p.origin().String(), []modelField{
		{"callbackUri", row.CallbackURI, p.callback},
		{"sequence", units(int64(row.EventSequence)), strconv.Itoa(len(p.events))},
		{"base", row.BaseRate.StringFixed(8), p.fiat.FloatString(8)},
		{"markup", row.MarkupPercent.String(), decimal.RequireFromString(p.markup).String()},
		{"spot", usdt(row.SpotUSDT), units(p.spot)},
		{"taken", strconv.FormatBool(row.TraderUSDT.Valid), strconv.FormatBool(p.trader != nil)},
		{"the trader's part", usdt(row.TraderUSDT.Decimal), units(p.traderPart)},
		{"the platform's part", usdt(row.PlatformUSDT.Decimal), units(p.platformPart)},
	}))
}

// shownPayout is what readers are to be shown of a row.
func shownPayout(row db.Payin) payout.Payin {
	return payout.Payin{
		ID: row.ID, UUID: row.UUID, MerchantID: row.MerchantID, CashboxID: row.CashboxID, OrderID: row.OrderID,
		Method: row.Method, Currency: row.Currency, Amount: row.Amount,
		AddressMask: row.AddressMask, Recipient: row.Recipient,
		Status: payout.Status(row.Status), StatusReason: row.StatusReason, StatusAt: row.StatusAt,
		CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt,
		TraderID: row.TraderID, ProofReference: row.ProofReference, FrozenUSDT: row.FrozenUSDT,
	}
}

type modelField struct{ name, got, want string }

// sameFields names the first field that differs.
func sameFields(record string, fields []modelField) error {
	for _, field := range fields {
		if field.got != field.want {
			return fmt.Errorf("%s: %s is %q, not %q", record, field.name, field.got, field.want)
		}
	}
	return nil
}
