package model_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

const (
	// modelMost is what messages confirm at most, in hundredths.
	modelMost = 5_000_00
	// modelFalse is by how much a balance is wrong that somebody has made
	// up: more than anything that comes.
	modelFalse = 7_000_000_000_07
)

// modelPhone is a trader's phone with the bank's own book of their account, and
// what the gateway may make of its messages.
type modelPhone struct {
	trader *modelTrader
	device int64
	// rules are the requisites for which messages confirm.
	rules []int64
	// balance is what the bank has in its book.
	balance int64
	// told are the messages that the gateway has, the first first.
	told []*modelMessage
	// known is whether balances can be followed, after a person has vouched
	// for one. missed is money that no message told of since the last true
	// one, and forged are the messages since then that somebody has made
	// up.
	known, missed bool
	forged        []*modelMessage
	stopped       bool
}

// modelMessage is a message that came, and what it was about: payment is nil
// where it confirmed nothing.
type modelMessage struct {
	sent       bankmessage.Forwarded
	amount     int64
	balance    int64
	state, why string
	payment    *modelPayment
}

// addModelPhones gives each trader a phone, whose messages confirm payments on
// their requisites in roubles, but for those of sim.
func addModelPhones(t testing.TB, d *dbtest.DB, m *gatewayModel) {
	t.Helper()
	for _, trader := range m.traders {
		phone := &modelPhone{trader: trader, device: testenv.Must(d.Queries().BankDeviceNextID(t.Context()))(t), balance: 1_000_00}
		testenv.NoError(t, bankmessage.InsertDevice(t.Context(), d.Queries(), dbtest.Vault(), "secret", db.BankDeviceInsertParams{
			ID: phone.device, TraderID: trader.ID, Name: "Phone", KeyID: fmt.Sprint("device-", trader.ID), CreatedAt: dbtest.Start,
		}))
		for _, r := range m.requisites {
			if r.trader == trader && r.currency == "RUB" && r.method != "sim" && !cardMethod(r.method) {
				phone.rules = append(phone.rules, r.id)
				testenv.NoError(t, d.Queries().RequisiteMessagePut(t.Context(), db.RequisiteMessagePutParams{
					RequisiteID: r.id, TraderID: trader.ID, DeviceID: phone.device, Bank: "sber", Mode: "on",
					Most: decimal.New(modelMost, -2), Since: dbtest.Start,
				}))
			}
		}
		m.phones = append(m.phones, phone)
	}
}

// message has a phone forward what a bank writes, or what somebody writes in
// its name: of what a payment waits for, or of another amount; late; again; or
// of a balance that cannot be. Some money comes without a message.
func (w *modelWalk) message(s modelStep, p *modelPayment) {
	at := slices.IndexFunc(w.model.phones, func(f *modelPhone) bool { return f.trader == p.requisite.trader })
	if s.n[1]%8 == 0 {
		at = s.n[2] % len(w.model.phones)
	}
	phone := w.model.phones[at]
	amount := max(1, p.missing())
	if s.n[1]%8 == 1 {
		amount += 1 + int64(s.n[2]%300)
	}
	id, now := fmt.Sprint("message-", s.id), w.model.now
	m := &modelMessage{amount: amount, sent: bankmessage.Forwarded{ID: id, Kind: "sms", Sender: "900", ReceivedAt: &now}}
	switch s.n[3] % 10 {
	case 0:
		if len(phone.told) > 0 {
			m = pickModel(phone.told, s.n[2])
			w.tell("message again", m.sent.ID)
			w.forward(phone, m, m.state, m.why)
			return
		}
	case 1:
		w.tell("message lost", phone.device)
		phone.balance, phone.missed = phone.balance+amount, true
		return
	case 2, 3: // by the bank's app, which tells no balance; or found on the phone when it is long over
		m.sent.Kind, m.sent.Sender, m.sent.Text = "push", "ru.sberbankmobile", "Перевод по СБП от Сидор С. + "+fiatText(amount)+" ₽"
		phone.balance, phone.missed = phone.balance+amount, true
		if s.n[4]%3 == 0 {
			m.sent.ReceivedAt = new(now.Add(-90 * time.Minute))
		}
		w.decideMessage(phone, m, false)
		return
	case 4, 5:
		m.balance = phone.balance + amount + modelFalse + int64(len(phone.told))
		m.sent.Text = modelText900(amount, m.balance)
		w.decideMessage(phone, m, true)
		return
	}
	phone.balance += amount
	m.balance = phone.balance
	m.sent.Text = modelText900(amount, m.balance)
	w.decideMessage(phone, m, false)
}

func modelText900(amount, balance int64) string {
	return fmt.Sprintf("СЧЁТ1234 14:05 Перевод %sр от Сидор С. Баланс: %sр", fiatText(amount), fiatText(balance))
}

// decideMessage is what becomes of a new message, by the bank's book and not by
// what the gateway remembers: a made-up one, and one of which the book cannot
// be followed, confirm nothing.
func (w *modelWalk) decideMessage(phone *modelPhone, m *modelMessage, forged bool) {
	first := m.balance > 0 && !slices.ContainsFunc(phone.told, func(o *modelMessage) bool { return o.balance > 0 && o.why != "forged" })
	trusted := m.balance == 0
	switch {
	case forged:
		phone.forged = append(phone.forged, m)
	case m.balance > 0:
		// The one between two true ones is found out; of several nobody
		// knows.
		before := slices.ContainsFunc(phone.told, func(o *modelMessage) bool {
			return o.balance > 0 && o.why != "forged" && !slices.Contains(phone.forged, o)
		})
		if len(phone.forged) == 1 && !phone.missed && before {
			phone.forged[0].why = "forged"
			phone.forged = nil
			if !phone.stopped { // its messages confirm nothing until somebody has looked
				w.tell("message stopped", phone.device)
				w.model.settings += len(phone.rules)
				phone.stopped = true
			}
		}
		phone.known = phone.known && !phone.missed && len(phone.forged) == 0
		trusted, phone.missed, phone.forged = phone.known, false, nil
	}
	m.state, m.why, m.payment = w.model.judgeMessage(phone, m, first, trusted)
	phone.told = append(phone.told, m)
	if m.payment != nil {
		w.touch(m.payment)
	}
	w.tell(strings.TrimSpace("message " + m.state + " " + m.why))
	w.forward(phone, m, m.state, m.why)
	if p := m.payment; p != nil {
		whole := m.amount == p.amount
		came := modelArrival{received: p.counted() + m.amount, asItCame: p.box.methods[p.method].policy.kind == "received"}
		w.model.moveWith(p, "completed", bankmessage.Actor, nil, nil, &came, "")
		p.told = p.told || whole
	}
}

// judgeMessage is what may become of a message, and the payment that it
// confirms.
func (m *gatewayModel) judgeMessage(phone *modelPhone, n *modelMessage, first, trusted bool) (state, why string, of *modelPayment) {
	var found []*modelPayment
	for _, p := range m.payments {
		if p.requisite.trader == phone.trader && p.status == "pending" && p.checkout == nil && p.currency == "RUB" && p.missing() == n.amount {
			found = append(found, p)
		}
	}
	twin := slices.ContainsFunc(phone.told, func(o *modelMessage) bool {
		off := o.sent.ReceivedAt.Sub(*n.sent.ReceivedAt).Abs()
		return o.amount == n.amount && off <= 10*time.Minute && o.why != "forged" && (o.balance == 0 || n.balance == 0)
	})
	switch {
	case len(phone.rules) == 0:
		return "noted", "off", nil
	case len(found) == 0 && twin:
		return "waiting", "twin", nil
	case len(found) == 0:
		return "waiting", "none", nil
	case len(found) > 1:
		return "waiting", "several", nil
	}
	p, at := found[0], *n.sent.ReceivedAt
	twin = twin || slices.ContainsFunc(m.payments, func(p *modelPayment) bool { return p.endedUntold(phone, n) }) ||
		slices.ContainsFunc(m.words, func(s modelWord) bool { return s.untold(phone, n) })
	switch {
	case !slices.Contains(phone.rules, p.requisite.id):
		why = "unset"
	case !p.created.Before(at) || at.After(p.expires.Add(15*time.Minute)) || m.now.Sub(at) > time.Hour:
		why = "time"
	case phone.stopped:
		why = "stopped"
	case twin:
		why = "twin"
	case first:
		why = "first"
	case !trusted:
		why = "gap"
	case n.amount > modelMost:
		why = "amount"
	case p.told: // a message has confirmed it, and it was set back
		why = "refused"
	case n.amount != p.amount:
		return "confirmed", "part", p
	default:
		return "confirmed", "", p
	}
	return "waiting", why, nil
}

// endedUntold reports whether a payment was completed in the hour before a
// message of its amount, or ended unpaid in the 15 minutes before one of what
// it waited for, and none is known that told of it.
func (p *modelPayment) endedUntold(phone *modelPhone, n *modelMessage) bool {
	if p.requisite.trader != phone.trader || p.checkout != nil || p.currency != "RUB" || p.told {
		return false
	}
	switch p.status {
	case "completed":
		return cmp.Or(p.received, p.amount) == n.amount && !p.at.Before(n.sent.ReceivedAt.Add(-time.Hour))
	case "failed", "cancelled":
		return p.amount-p.received == n.amount && !p.at.Before(n.sent.ReceivedAt.Add(-15*time.Minute))
	}
	return false
}

// forward sends a message, and again where no answer came, as phones do; and
// some three times at once. Each answer is the same. What follows from a first
// message that nobody has confirmed may say so, or that the balance is not
// known.
func (w *modelWalk) forward(phone *modelPhone, m *modelMessage, state, why string) {
	who := caller.Caller{Kind: caller.Device, ID: phone.device, TraderID: phone.trader.ID}
	ctx, injury := w.injured()
	_, err := w.messages.Receive(ctx, who, m.sent)
	if injury.fired {
		w.tell(injury.word() + " message")
		must(injury.failed)
		if err == nil {
			fail("succeeded although it was cut short")
		}
	} else {
		must(err)
	}
	answers, errs := atOnce(1+w.now.n[5]%3, func(int) (bankmessage.State, error) { return w.messages.Receive(w.ctx, who, m.sent) })
	must(errs...)
	for _, got := range answers {
		if string(got) != state {
			fail("a message is %s, not %s %s", got, state, why)
		}
	}
	var found string
	must(w.check.QueryRow(w.ctx, "select why from bank_message where device_id = $1 and message_id = $2", phone.device, m.sent.ID).Scan(&found))
	if found != why && (found != "first" || why != "gap") {
		fail("a message is %s %s, not %s", state, found, why)
	}
}

// vouch has a trader keep the money of the last message that tells a balance,
// which is known from then on, and look at what has stopped.
func (w *modelWalk) vouch(s modelStep) {
	phone := pickModel(w.model.phones, s.n[0])
	if phone.stopped && s.n[1]%2 == 0 {
		for _, id := range phone.rules {
			must(w.messages.Looked(w.ctx, phone.trader.Caller, id))
		}
		w.model.settings += len(phone.rules)
		phone.stopped = false
		w.tell("messages resumed", phone.device)
	}
	var last *modelMessage
	for _, m := range phone.told {
		if m.balance > 0 && m.why != "forged" {
			last = m
		}
	}
	if last == nil || len(phone.forged) > 0 || last.state != "waiting" {
		return
	}
	requisite := w.model.requisites[slices.IndexFunc(w.model.requisites, func(r *modelRequisite) bool { return r.id == phone.rules[0] })]
	keeping := bankmessage.Keeping{RequisiteID: requisite.id}
	must(w.check.QueryRow(w.ctx, "select id from bank_message where device_id = $1 and message_id = $2", phone.device, last.sent.ID).
		Scan(&keeping.MessageID))
	kept := given(w.messages.Keep(w.ctx, phone.trader.Caller, keeping))
	w.tell("message vouched for", last.sent.ID)
	last.state, last.why = "dismissed", "kept"
	phone.known = true
	var meant *modelPayment
	for _, p := range w.model.payments {
		if p.requisite == requisite {
			meant = p
		}
	}
	if meant != nil {
		w.model.moneys = append(w.model.moneys, &modelMoney{modelStepped{s.id}, kept.ID, last.amount, 0, requisite, meant, "free"})
	}
}

// word is what happened to a call that was injured.
func (i *injury) word() string {
	if i.aborted() {
		return "aborted"
	}
	return "lost"
}

// lookAtMessages wants of each message that it confirmed its payment, of its
// own trader, amount and once, and nothing else by one.
func (w *modelWalk) lookAtMessages(b *pgx.Batch) {
	confirmed, want := map[int64]int{}, map[string]string{}
	for _, phone := range w.model.phones {
		for _, m := range phone.told {
			if m.payment != nil {
				confirmed[m.payment.id]++
				want[fmt.Sprint(m.payment.id)] = fmt.Sprint(confirmed[m.payment.id])
			}
		}
	}
	lookAtAll(b, "how often messages confirmed payment",
		"select payment_id::text, count(*)::text from payment_history where actor = 'message' group by payment_id", nil, want)
}
