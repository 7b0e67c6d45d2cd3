package model_test

import (
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

func (p *modelPayout) look(w *modelWalk, b *pgx.Batch) {
	b.Queue("select * from payin where merchant_id = $1 and id = $2", p.merchantID, p.id).
		Query(func(rows pgx.Rows) error {
			row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[db.Payin])
			if err == nil {
				err = p.same(row)
			}
			return in("the database", err)
		})
	lookAtHistory(b, "payin", p.merchantID, p.id, &p.modelHistory)
	lookAtEvents(w, b, p)
}

// same compares a payout with the model's in everything the contract decides.
func (p *modelPayout) same(got db.Payin) error {
	usdt := func(d decimal.Decimal) string { return d.Shift(8).String() }
	units := func(n int64) string { return strconv.FormatInt(n, 10) }
	trader, parts := int64(0), decimal.NullDecimal{}
	if p.trader != nil {
		trader, parts.Valid = p.trader.ID, true
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
		{"callbackUri", got.CallbackURI, p.callback},
		{"address", got.AddressMask, "•••• " + p.address[len(p.address)-4:]},
		{"recipient", got.Recipient, p.recipient},
		{"status", got.Status, p.status},
		{"reason", deref(got.StatusReason), deref(p.reason)},
		{"proofReference", deref(got.ProofReference), deref(p.proof)},
		{
			"statusUpdatedAt",
			got.StatusAt.UTC().String(),
			p.at.String(),
		},
		{"createdAt", got.CreatedAt.UTC().String(), p.created.String()},
		{"expiresAt", got.ExpiresAt.UTC().String(), p.expires.String()},
		{"sequence", units(int64(got.EventSequence)), strconv.Itoa(len(p.events))},
		{"base", got.BaseRate.StringFixed(8), p.fiat.FloatString(8)},
		{"markup", got.MarkupPercent.String(), decimal.RequireFromString(p.markup).String()},
		{"spot", usdt(got.SpotUSDT), units(p.spot)},
		{"frozenUsdt", usdt(got.FrozenUSDT), units(p.frozen)},
		{"trader", units(orZero(got.TraderID)), units(trader)},
		{"taken", strconv.FormatBool(got.TraderUSDT.Valid), strconv.FormatBool(parts.Valid)},
		{"the trader's part", usdt(got.TraderUSDT.Decimal), units(p.traderPart)},
		{"the platform's part", usdt(got.PlatformUSDT.Decimal), units(p.platformPart)},
	})
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
