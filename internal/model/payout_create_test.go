package model_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
)

func (w *modelWalk) payOut(s modelStep) error { return w.payOutAs(w.payoutAsk(s), s) }

func (w *modelWalk) payOutAgain(s modelStep) error {
	a, ok := w.payoutAgain(s)
	if !ok {
		return nil
	}
	return w.payOutAs(a, s)
}

func (w *modelWalk) payOutAs(a modelPayoutAsk, s modelStep) error {
	w.payoutAsks = append(w.payoutAsks, a)
	want := w.model.expectPayout(a)
	who := w.model.merchants[a.merchant].Caller
	ctx, injury := w.injured(s)
	got, err := w.payouts.Create(ctx, who, a.request())
	done, wrong := w.judged(injury, err, want.code)
	switch {
	case wrong != nil || injury.aborted():
		return wrong
	case !done:
		return want.refused(err)
	case injury.lost():
		// What a merchant does who does not know what became of their call: they must find what the
		// lost answer told.
		if got, err = w.payouts.Create(w.ctx, who, a.request()); err != nil || !got.Replay {
			return fmt.Errorf("the repeat of a lost answer is a replay: %t, %w", got.Replay, orNone(err))
		}
		got.Replay = want.replay != nil
	}
	return w.judgePayout(a, want, got)
}

func (want modelPayoutExpectation) refused(err error) error {
	if want.code == "validation_failed" {
		return errUnlessInvalid(err, want.fields)
	}
	return errUnlessCode(err, want.code)
}

func (w *modelWalk) judgePayout(a modelPayoutAsk, want modelPayoutExpectation, got payout.Created) error {
	if got.Replay != (want.replay != nil) || !slices.Equal(got.Mismatch, want.mismatch) {
		return fmt.Errorf("replay %t, mismatch %v; want %t, %v", got.Replay, got.Mismatch, want.replay != nil,
			want.mismatch)
	}
	p := want.replay
	if p == nil {
		actor := w.model.merchants[a.merchant].Caller.Actor()
		p = w.model.createPayout(a, want.box, got.Payin.ID, got.Payin.UUID.String(), actor)
		w.tell("payout created", p.origin(), fmt.Sprintf(" %+v freezes %d", a, p.frozen))
	} else {
		w.tell("payout replayed", p.origin(), fmt.Sprint(" mismatch ", want.mismatch))
	}
	w.touch(p)
	return p.same(got.Payin)
}

// rushPayouts makes several creations at once: the same one, of which one creates, or different
// ones.
func (w *modelWalk) rushPayouts(s modelStep) error {
	a := w.payoutAsk(s)
	want := w.model.expectPayout(a)
	if s.n[0]%2 == 0 && want.box != nil {
		return w.rushForMoney(a, want.box)
	}
	asks := []modelPayoutAsk{a, a, a}
	w.payoutAsks = append(w.payoutAsks, a)
	answers, errs := w.payOutAll(asks)
	w.tell("payout rushed")
	if want.code != "" {
		for _, err := range errs {
			if wrong := want.refused(err); wrong != nil {
				return wrong
			}
		}
		return nil
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	// The one that created is judged first; to the others the payout is there already.
	slices.SortStableFunc(answers, func(a, b payout.Created) int { return boolToInt(a.Replay) - boolToInt(b.Replay) })
	for _, answer := range answers {
		if err := w.judgePayout(a, w.model.expectPayout(a), answer); err != nil {
			return in("a rush", err)
		}
	}
	return nil
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rushForMoney makes four equal payouts at once on a cashbox that has money for about two of them.
func (w *modelWalk) rushForMoney(a modelPayoutAsk, box *modelBox) error {
	a.amount = max(w.model.worth(box, a.method)*2/5, 1_00)
	a.literal = fiatText(a.amount)
	fit := min(w.model.affordable(box, a.method, a.amount), 4)
	var asks []modelPayoutAsk
	for i := range 4 {
		a.order = fmt.Sprintf("rush-%d-%d", a.step, i)
		asks = append(asks, a)
	}
	w.payoutAsks = append(w.payoutAsks, asks...)
	answers, errs := w.payOutAll(asks)
	w.tell("payout rushed for money", fit, " of 4 fit")
	made := int64(0)
	for i, ask := range asks {
		if errs[i] != nil {
			if wrong := errUnlessCode(errs[i], "insufficient_cashbox_balance"); wrong != nil {
				return wrong
			}
			continue
		}
		made++
		if err := w.judgePayout(ask, modelPayoutExpectation{box: box}, answers[i]); err != nil {
			return in("a rush", err)
		}
	}
	if made != fit {
		return fmt.Errorf("%d payouts made, not %d", made, fit)
	}
	return nil
}

// worth is what a cashbox's available USDT pay out by a method, in hundredths of the fiat.
func (m *gatewayModel) worth(box *modelBox, method string) int64 {
	available := big.NewRat(max(m.accounts[ledger.Available(ledger.Cashbox, box.id)], 0), 1e6)
	exact := available.Mul(available, m.rates["RUB"].fiat)
	exact.Quo(exact, new(big.Rat).Add(big.NewRat(1, 1), percentOf(box.payouts[method].markup)))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// modelPayoutAsk is a payout somebody asks for: always of a valid shape.
type modelPayoutAsk struct {
	// step is the one that asked.
	step          int
	merchant      int
	order, method string
	literal       string
	amount        int64
	callback      string
	address       string
	recipient     string
	// padded puts spaces around the order id and the recipient.
	padded bool
}

// modelPayoutCounters are who pays out how: mostly what is enabled.
var modelPayoutCounters = []struct {
	merchant int
	method   string
}{
	{0, "sbp"},
	{0, "c2c"},
	{1, "sbp"},
	{2, "sbp"},
	{2, "c2c"},
	{0, "sbp"},
	{1, "sbp"},
	{2, "sbp"},
	{2, "c2c"},
	{0, "c2c"},
	// Not enabled, and of a merchant without roubles.
	{1, "c2c"},
	{3, "sbp"},
}

var modelPayoutAmounts = []struct {
	literal string
	amount  int64
}{
	{"1000", 1_000_00}, {"500.00", 500_00}, {"99.99", 99_99}, {"1", 1_00}, {"777.77", 777_77}, {"3333.33", 3_333_33},
	{"0250.5", 250_50}, {"60000", 60_000_00},
}

// The second of each method's recipients differs in the visible digits too. Cards, and an account
// of 20 digits.
var modelRecipients = map[string][]string{
	"sbp": {"+79001234567", "+79161112233"},
	"c2c": {"4111111111111111", "5555555555554444", "40817810099910004312"},
}

func (w *modelWalk) payoutAsk(s modelStep) modelPayoutAsk {
	counter, amount := pickModel(modelPayoutCounters, s.n[1]), pickModel(modelPayoutAmounts, s.n[2])
	return modelPayoutAsk{
		step: s.id, merchant: counter.merchant, order: "payout-" + strconv.Itoa(s.n[5]),
		method: counter.method, literal: amount.literal, amount: amount.amount,
		callback: w.hooks.address(s.n[4] % 2), address: pickModel(modelRecipients[counter.method], s.n[3]),
		recipient: pickModel([]string{"Ivan Petrov", "Анна Ё."}, s.n[3]/10),
	}
}

// payoutAgain is an earlier ask once more, or nearly.
func (w *modelWalk) payoutAgain(s modelStep) (modelPayoutAsk, bool) {
	i := w.refer(s.n[0], len(w.payoutAsks), func(i int) int { return w.payoutAsks[i].step })
	if i < 0 {
		return modelPayoutAsk{}, false
	}
	a, other := w.payoutAsks[i], w.payoutAsk(s)
	a.step = s.id
	switch s.n[5] % 8 {
	case 0:
		a.amount, a.literal = other.amount, other.literal
	case 1:
		a.callback = other.callback
	case 2:
		a.method, a.address = other.method, other.address
	case 3:
		a.merchant = other.merchant
	case 4:
		a.padded = true
	case 5:
		a.address, a.recipient = pickModel(modelRecipients[a.method], s.n[3]), other.recipient
	}
	return a, true
}

func (a modelPayoutAsk) key() modelKey { return modelKey{a.merchant, a.method, a.order} }

func (a modelPayoutAsk) mismatch(p *modelPayout) []string {
	var fields []string
	for _, field := range []struct {
		name    string
		differs bool
	}{
		{"amount", a.amount != p.amount}, {"callbackUri", a.callback != p.callback}, {"address", a.address != p.address},
		{"recipient", a.recipient != p.recipient},
	} {
		if field.differs {
			fields = append(fields, field.name)
		}
	}
	return fields
}

func (a modelPayoutAsk) request() payout.Request {
	r := payout.Request{
		OrderID: a.order, Amount: a.literal, Currency: "RUB", CallbackURI: a.callback,
		Method: a.method, Address: a.address, Recipient: a.recipient,
	}
	if a.padded {
		r.OrderID, r.Recipient = "\t"+a.order+" ", " "+a.recipient+"\n"
	}
	return r
}

// payOutAll makes creations at the same time.
func (w *modelWalk) payOutAll(asks []modelPayoutAsk) ([]payout.Created, []error) {
	return atOnce(len(asks), func(i int) (payout.Created, error) {
		return w.payouts.Create(w.ctx, w.model.merchants[asks[i].merchant].Caller, asks[i].request())
	})
}
