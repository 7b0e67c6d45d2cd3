package model_test

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// The steps around the payments: time, rates, money from and to the outside,
// settings.

// advance moves the clock, by preference to the instant at which something
// changes, or just before it.
func (w *modelWalk) advance(s modelStep) {
	m := w.model
	var expiries, payoutExpiries, appealEnds, freeings []time.Time
	for _, p := range m.payments {
		switch {
		case p.status == "pending":
			expiries = append(expiries, p.expires)
		case p.status == "failed" && p.appeal == nil:
			appealEnds = append(appealEnds, p.at.Add(modelAppealWindow)) // the last instant at which it can be appealed
		}
	}
	for _, p := range those(m.payouts, (*modelPayout).open) { // it expires or becomes overdue
		payoutExpiries = append(payoutExpiries, p.expires)
	}
	for _, hold := range m.slots {
		freeings = append(freeings, hold.free)
	}
	expiry, payoutExpiry, appealEnd := w.until(expiries...), w.until(payoutExpiries...), w.until(appealEnds...)
	by := pickModel([]time.Duration{
		time.Duration(1+s.n[1]%90) * time.Second, 5 * time.Minute, 15 * time.Minute,
		expiry, expiry, expiry - time.Millisecond, w.until(freeings...),
		w.until(m.rates["RUB"].stale, m.rates["MNT"].stale, m.rates["TRY"].stale),
		payoutExpiry, payoutExpiry, payoutExpiry - time.Millisecond, appealEnd, appealEnd + time.Millisecond,
	}, s.n[0])
	w.pass(by)
	w.tell("advanced", by)
}

// until is how long it is to the nearest of the times that are still to come,
// or a second.
func (w *modelWalk) until(times ...time.Time) time.Duration {
	nearest := time.Duration(0)
	for _, at := range times {
		if by := at.Sub(w.model.now); by > 0 && (nearest == 0 || by < nearest) {
			nearest = by
		}
	}
	if nearest == 0 {
		return time.Second
	}
	return nearest
}

var modelFiats = map[string][]string{
	"RUB": {"100", "97.35", "101.12345678"},
	"MNT": {"3400", "3415.5"},
	"TRY": {"41", "42.75"},
}

func (w *modelWalk) changeRate(s modelStep) {
	currency := []string{"RUB", "RUB", "MNT", "TRY"}[s.n[0]%4]
	fiat := pickModel(modelFiats[currency], s.n[1])
	var stale *time.Time
	if n := s.n[2] % 5; n > 1 { // at once, or in 10 or 20 minutes
		at := w.model.now.Add(time.Duration(n-2) * 10 * time.Minute)
		stale = &at
	}
	w.rate(currency, fiat, stale)
}

// rate sets a currency's rate, which is stale from then on, if ever.
func (w *modelWalk) rate(currency, fiat string, stale *time.Time) {
	must(w.db.Queries().RateSet(w.ctx, db.RateSetParams{
		Currency: currency, FiatPerUSDT: decimal.RequireFromString(fiat), Source: "model",
		ObservedAt: w.model.now, StaleAt: stale,
	}))
	exact, _ := new(big.Rat).SetString(fiat)
	rate := modelRate{fiat: exact}
	if stale != nil {
		rate.stale = *stale
	}
	w.model.rates[currency] = rate
	w.tell("rate", currency, " ", fiat, " stale ", stale)
}

func (w *modelWalk) topUp(s modelStep) {
	w.fund(pickModel(w.model.traders, s.n[0]), int64(s.n[1]%25)*1e8+int64(s.n[2])+1)
}

func (w *modelWalk) fund(trader *modelTrader, units int64) {
	account := ledger.Available(ledger.Trader, trader.ID)
	w.db.Fund(w.t, account, decimal.New(units, -8).String())
	w.model.accounts[ledger.Available(ledger.External, 0)] -= units
	w.model.accounts[account] += units
	w.model.outside += units
	w.tell("funded", "trader ", trader.ID, " ", units)
}

// spend takes money out of a cashbox, so that a later reversal finds it gone;
// now and then more than there is.
func (w *modelWalk) spend(s modelStep) {
	merchant := pickModel(w.model.merchants, s.n[0])
	account := ledger.Available(ledger.Cashbox, pickModel(merchant.boxes, s.n[1]).id)
	outside, balance := ledger.Available(ledger.External, 0), w.model.accounts[account]
	units := balance / 100 * int64(s.n[2]%101)
	if units <= 0 || s.n[3]%5 == 0 {
		units = max(balance, 0) + 1
	}
	err := db.InTx(w.ctx, w.db.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return ledger.Post(w.ctx, q, ledger.Cause{Kind: "spending", Subject: "sandbox", At: w.model.now},
			ledger.Transfer{Debit: account, Credit: outside, Amount: decimal.New(units, -8)})
	})
	if units > balance {
		w.tell("overspent")
		if !errors.Is(err, ledger.ErrInsufficient) {
			fail("%d of %d can be spent: %w", units, balance, orNone(err))
		}
		return
	}
	must(err)
	w.tell("spent", units)
	w.model.accounts[account] -= units
	w.model.accounts[outside] += units
	w.model.outside -= units
}

// fold does what the folding worker does to a busy account, and lets the worker
// itself look for one.
func (w *modelWalk) fold(s modelStep) {
	owners := []ledger.Account{ledger.Available(ledger.Platform, 0)}
	for _, trader := range w.model.traders {
		owners = append(owners, ledger.Available(ledger.Trader, trader.ID), ledger.Reserved(ledger.Trader, trader.ID))
	}
	for _, merchant := range w.model.merchants {
		owners = append(owners, ledger.Available(ledger.Cashbox, merchant.boxes[0].id))
	}
	id := pickModel(owners, s.n[0]).ID()
	w.tell("folded", id)
	err := db.InTx(w.ctx, w.db.Pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := q.AccountLock(w.ctx, id); err != nil {
			return err
		}
		return testenv.ErrOf(q.AccountDebit(w.ctx, db.AccountDebitParams{ID: id, Debit: decimal.Zero}))
	})
	must(err, ledger.Fold(w.ctx, w.db.Pool, w.db.Queries()))
}

func (w *modelWalk) prune(modelStep) {
	w.tell("pruned") // to the model a reservation that is over is none
	must(w.service.PruneSlots(w.ctx))
}

// flip switches a cashbox, one of its methods, a requisite, or what is paid out
// on, or one time in five off.
func (w *modelWalk) flip(s modelStep) {
	on := s.n[0]%5 > 0
	box := pickModel(pickModel(w.model.merchants, s.n[1]).boxes, s.n[2])
	paying := pickModel([]string{"sbp", "c2c"}, s.n[4])
	w.tell("switched", on, " ", s.n[3]%5)
	switch s.n[3] % 5 {
	case 0:
		box.collect = on
		w.exec("update cashbox set collect_enabled = $1 where id = $2", on, box.id)
	case 1:
		name := pickModel([]string{"sbp", "card", "sim", "c2c", "iban", "quasi_ecom", "mtstpay"}, s.n[4])
		if method := box.methods[name]; method != nil {
			method.enabled = on
		}
		w.exec("update cashbox_method set enabled = $1 where cashbox_id = $2 and method = $3", on, box.id, name)
	case 2:
		if method := box.payouts[paying]; method != nil {
			method.enabled = on
		}
		w.exec("update cashbox_payout_method set enabled = $1 where cashbox_id = $2 and method = $3", on, box.id, paying)
	case 3:
		trader := pickModel(w.model.traders, s.n[2])
		if _, pays := trader.pays[paying]; pays {
			trader.pays[paying] = on
		}
		w.exec("update trader_payout_method set enabled = $1 where trader_id = $2 and method = $3", on, trader.ID, paying)
	default:
		r := pickModel(w.model.requisites, s.n[4])
		r.active = on
		w.exec("update requisite set enabled = $1 where id = $2", on, r.id)
	}
}

var modelLimits = [][2]int64{
	{0, 999_999_999_999_99}, {500_00, 2_000_00}, {0, 999_999_999_999_99}, {0, 1_000_00}, {1_00, 999_999_999_999_99},
}

func (w *modelWalk) limit(s modelStep) {
	currency, limit := []string{"RUB", "MNT"}[s.n[0]%2], pickModel(modelLimits, s.n[1])
	w.tell("limited", currency, limit)
	w.model.limits[currency] = limit
	must(w.db.Queries().PlatformLimitSet(w.ctx, db.PlatformLimitSetParams{
		Currency: currency, MinAmount: decimal.New(limit[0], -2), MaxAmount: decimal.New(limit[1], -2),
	}))
}

func (w *modelWalk) exec(sql string, args ...any) {
	must(testenv.ErrOf(w.check.Exec(w.ctx, sql, args...)))
}

// someBox picks a cashbox, three times in four of the first two merchants.
func (w *modelWalk) someBox(s modelStep) *modelBox {
	merchant := w.model.merchants[s.n[0]%2]
	if s.n[0]%4 == 0 {
		merchant = pickModel(w.model.merchants, s.n[0]/4)
	}
	return pickModel(merchant.boxes, s.n[1])
}

// insure sets a cashbox's insurance: to a part of what it has available, all of
// it, or more, or lower than it was.
func (w *modelWalk) insure(s modelStep, box *modelBox) {
	w.touch(box)
	available := w.model.accounts[ledger.Available(ledger.Cashbox, box.id)]
	sum := box.insurance
	switch s.n[2] % 8 {
	case 0:
		sum += max(available, 0) / 100 * int64(s.n[3]%30)
	case 1:
		sum += max(available, 0)
	case 2:
		sum += max(available, 0) + 1
	case 3, 4, 5:
		sum = sum / 100 * int64(s.n[3]%100)
	case 6:
		sum = 0
	}
	more := sum - box.insurance
	ctx, injury := w.injured()
	_, err := w.settings.SetInsurance(ctx, modelOperator, box.id, usdtText(sum))
	if !w.judged(injury, err, unless(more <= max(available, 0), "insufficient_cashbox_balance")) {
		return
	}
	switch {
	case more > 0:
		w.tell("insured", "cashbox ", box.id, " ", sum)
	case more < 0:
		w.tell("insurance lowered", "cashbox ", box.id, " ", sum)
	}
	w.model.insure(box, sum)
}

func (b *modelBox) position() map[ledger.Account]int64 {
	return map[ledger.Account]int64{
		ledger.Available(ledger.Cashbox, b.id): -b.insurance, ledger.Reserved(ledger.Cashbox, b.id): b.insurance,
	}
}

func (m *gatewayModel) insure(box *modelBox, sum int64) {
	if sum != box.insurance {
		m.settings++
	}
	m.shift(box, func() { box.insurance = sum })
}

func (b *modelBox) look(_ *modelWalk, batch *pgx.Batch) {
	var sum int64
	lookAtOne(batch, "select (insurance_usdt * 1e8)::bigint from cashbox where id = $1", []any{b.id}, []any{&sum}, func() {
		sameFields(fmt.Sprint("cashbox ", b.id), []modelField{{"insurance", sum, b.insurance}})
	})
}
