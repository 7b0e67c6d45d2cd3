package bankmessage_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A message confirms the one payment that it is about, once, and says so in the
// payment's history and steps.
func TestConfirm(t *testing.T) {
	b := setup(t)
	b.base(t, "1000.50")
	p := b.create(t, "1500")
	for range 3 {
		testenv.Want(t, b.send(t, came("a", "1500", "2500.50")), bankmessage.Confirmed, "the message is")
	}
	testenv.Want(t, b.status(t, p), payment.Completed, "the payment is")
	history := b.History(t, p.MerchantID, p.ID)
	last := history[len(history)-1]
	testenv.Check(t, len(history) == 2 && last.Actor == bankmessage.Actor, "history %+v", history)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where subject_id = $1", p.ID), 1, "webhooks")
	testenv.Want(t, b.Text(t, "select detail ->> 'by' from payment_step where what = 'bank_message'"), "sber", "the evidence is of")
	testenv.Want(t, b.Text(t, "select received_amount::text from payment"), "1500.00", "what came is")
	b.Audit(t)

	list := b.list(t, bankmessage.Page{})
	testenv.Check(t, len(list) == 2 && strings.Contains(*list[0].Text, "Сидор С.") && *list[0].PaymentID == p.ID, "listed %+v", list)
	testenv.Want(t, b.Count(t, "select count(*) from bank_message m where m::text like '%Сидор%' or encode(text, 'escape') like '%2500%'"),
		0, "texts in the clear")
	b.Exec(t, "update bank_message set arrived_at = arrived_at - interval '1 hour' where id = $1", list[0].ID)
	for range 2 {
		testenv.NoError(t, b.messages.Purge(t.Context(), time.Hour-time.Second))
	}
	list = b.list(t, bankmessage.Page{})
	testenv.Check(t, list[0].Text == nil && list[0].Amount != nil && list[1].Text != nil, "after its time: %+v", list)
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where subject = 'purge'"), 1, "receipts of purges")
}

// An SMS and a push about one transfer are one: the second confirms nothing
// else and contradicts nothing, whichever of them came to the phone first.
func TestRepeat(t *testing.T) {
	for name, apart := range map[string]time.Duration{"later": time.Second, "earlier": -time.Second} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.base(t, "1000.50")
			b.create(t, "1500")
			push := came("push", "1500", "2500.50")
			push.ReceivedAt = new(b.clock.Now().Add(apart))
			testenv.Want(t, b.send(t, came("sms", "1500", "2500.50")), bankmessage.Confirmed, "the message is")
			other := b.create(t, "1500")
			testenv.Want(t, b.send(t, push), bankmessage.Noted, "the same once more is")
			testenv.Want(t, b.Text(t, "select why from bank_message where message_id = 'push'"), bankmessage.WhyRepeat, "it is noted as")
			testenv.Want(t, b.status(t, other), payment.Pending, "another payment of that amount is")
			b.clock.Advance(11 * time.Minute)
			testenv.Want(t, b.send(t, came("next", "1500", "4000.50")), bankmessage.Confirmed, "the next transfer is")
			b.Audit(t)
		})
	}
}

// A message that came twice is noted however many others of its amount came
// beside it, and the ones after it count.
func TestRepeatAmongMany(t *testing.T) {
	b := setup(t)
	b.base(t, "1000")
	const many = 25
	for i := range many {
		b.send(t, came(fmt.Sprint("sms-", i), "100", fmt.Sprint(1100+100*i)))
	}
	last := fmt.Sprint(1000 + 100*many)
	testenv.Want(t, b.send(t, came("push", "100", last)), bankmessage.Noted, "the last once more is")
	b.create(t, "1500")
	testenv.Want(t, b.send(t, came("next", "1500", fmt.Sprint(2500+100*many))), bankmessage.Confirmed, "the next transfer is")
}

// Who dismisses a message has said that its transfer is about no payment. A
// second message about that transfer confirms nothing.
func TestTwinOfDismissed(t *testing.T) {
	b := setup(t)
	p := b.create(t, "1500")
	testenv.Want(t, b.send(t, came("sms", "1500", "2500.50")), bankmessage.Waiting, "the first message is")
	testenv.NoError(t, b.messages.Dismiss(t.Context(), b.trader.Caller, b.id(t, "sms")))
	testenv.Want(t, b.send(t, came("push", "1500", "")), bankmessage.Waiting, "a push about the same transfer is")
	testenv.Want(t, b.list(t, bankmessage.Page{Waiting: true})[0].Why, bankmessage.WhyTwin, "it waits for")
	testenv.Want(t, b.send(t, came("again", "1500", "2500.50")), bankmessage.Noted, "one with the same balance is")
	testenv.Want(t, b.status(t, p), payment.Pending, "the payment is")
}

// One-time codes are refused whoever sends them, and nothing of them is kept.
func TestCodesAreRefused(t *testing.T) {
	b := setup(t)
	for _, sender := range []string{"900", "Unknown", "+79001112233"} {
		_, err := b.messages.Receive(t.Context(), phone(b.device, b.trader), bankmessage.Forwarded{
			ID: "code-" + sender, Kind: "sms", Sender: sender, Text: "Код 45812. Никому его не сообщайте",
		})
		dbtest.WantCode(t, err, "one_time_code")
		testenv.Check(t, !strings.Contains(err.Error(), "45812"), "the refusal has the code: %v", err)
	}
	testenv.Want(t, b.Count(t, "select count(*) from bank_message"), 0, "messages kept")
}

// What a message may not do by itself waits for a person, who needs one click.
func TestWaits(t *testing.T) {
	for why, send := range map[string]func(b *bundle) bankmessage.Forwarded{
		bankmessage.WhyNone:   func(*bundle) bankmessage.Forwarded { return came("a", "1500.01", "9000") },
		bankmessage.WhyAmount: func(b *bundle) bankmessage.Forwarded { b.create(t, "5000.01"); return came("a", "5000.01", "") },
		bankmessage.WhyTime: func(b *bundle) bankmessage.Forwarded {
			m := came("a", "1500", "9000")
			m.ReceivedAt = new(b.clock.Now().Add(-time.Minute))
			return m
		},
		"time after all": func(b *bundle) bankmessage.Forwarded {
			b.base(t, "7500")
			b.clock.Advance(30 * time.Minute) // nobody has looked at what has expired
			return came("a", "1500", "9000")
		},
		bankmessage.WhyFirst: func(*bundle) bankmessage.Forwarded { return came("a", "1500", "9000") },
		bankmessage.WhyGap: func(b *bundle) bankmessage.Forwarded {
			b.send(t, came("before", "1", "1000"))
			return came("a", "1500", "2600")
		},
		"gap of two": func(b *bundle) bankmessage.Forwarded {
			b.send(t, came("before", "1", "1000"))
			b.send(t, came("forged", "7", "9000"))
			return came("a", "1500", "10500")
		},
		bankmessage.WhyBalance: func(*bundle) bankmessage.Forwarded {
			m := came("a", "1500", "")
			m.Kind, m.Sender = "sms", "900"
			return m
		},
		bankmessage.WhyTwin: func(b *bundle) bankmessage.Forwarded {
			b.send(t, came("before", "1500", ""))
			b.create(t, "1500")
			return came("a", "1500", "")
		},
	} {
		t.Run(why, func(t *testing.T) {
			b := setup(t)
			p := b.create(t, "1500")
			testenv.Want(t, b.send(t, send(b)), bankmessage.Waiting, "the message is")
			m := b.list(t, bankmessage.Page{Waiting: true})[0]
			testenv.Want(t, m.Why, strings.Fields(why)[0], "it waits for")
			if m.PaymentID == nil {
				testenv.NoError(t, b.messages.Assign(t.Context(), b.trader.Caller, m.ID, p.ID))
				testenv.Want(t, b.Text(t, "select status || ' ' || received_amount from payment"), "appeal "+m.Amount.StringFixed(2), "a case")
				testenv.Want(t, b.Count(t, "select count(*) from arrival where message_id = 1 and payment_id = 1"), 1, "what came")
				b.Audit(t)
				return
			}
			other, _ := b.pair(t, 1)
			dbtest.WantCode(t, b.messages.Assign(t.Context(), other.Caller, m.ID, *m.PaymentID), "not_found")
			testenv.NoError(t, b.messages.Assign(t.Context(), b.trader.Caller, m.ID, *m.PaymentID))
			dbtest.WantCode(t, b.messages.Assign(t.Context(), b.trader.Caller, m.ID, *m.PaymentID), "message_decided")
			b.Audit(t)
		})
	}
}

// A message may come after its payment was confirmed by hand. It does not
// confirm the next one of the amount, here or on another requisite of the bank.
// An hour later, or if a message told of the first, nothing is in doubt.
func TestAfterOneByHand(t *testing.T) {
	for name, c := range map[string]struct {
		byHand bool
		later  time.Duration
		want   bankmessage.State
	}{
		"by hand":         {byHand: true, want: bankmessage.Waiting},
		"by hand, before": {byHand: true, later: 61 * time.Minute, want: bankmessage.Confirmed},
		"by a message":    {want: bankmessage.Confirmed},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.base(t, "1000.50")
			first, balance := b.create(t, "1500"), "2500.50"
			if c.byHand {
				testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, first.ID))(t)
			} else {
				testenv.Want(t, b.send(t, came("first", "1500", balance)), bankmessage.Confirmed, "the first message is")
				balance = "4000.50"
				b.clock.Advance(11 * time.Minute)
			}
			b.clock.Advance(c.later)
			b.wantNext(t, balance, c.want)
		})
	}
}

// So it is with a message about money that somebody has reported lately as a
// part of a payment, as its rest, or as no payment's: its transfer counts once.
func TestAfterPartByHand(t *testing.T) {
	part := func(t *testing.T, b *bundle) payment.Payment {
		t.Helper()
		p := b.create(t, "1400")
		testenv.Must(b.payments.ConfirmReceived(t.Context(), b.trader.Caller, p.ID, new("700")))(t)
		return p
	}
	wait := func(t *testing.T, b *bundle, id int64) payment.Payment {
		t.Helper()
		d := payment.CaseDecision{PaymentID: id, Decision: payment.WaitForRest}
		return testenv.Must(b.payments.DecideCase(t.Context(), operator, d))(t)
	}
	next := func(t *testing.T, b *bundle) payment.Payment { t.Helper(); return b.create(t, "700") }
	for name, open := range map[string]func(t *testing.T, b *bundle) payment.Payment{
		"part":      func(t *testing.T, b *bundle) payment.Payment { t.Helper(); part(t, b); return next(t, b) },
		"of itself": func(t *testing.T, b *bundle) payment.Payment { t.Helper(); return wait(t, b, part(t, b).ID) },
		"rest": func(t *testing.T, b *bundle) payment.Payment {
			t.Helper()
			p := wait(t, b, part(t, b).ID)
			testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
			return next(t, b)
		},
		"of no payment": func(t *testing.T, b *bundle) payment.Payment {
			t.Helper()
			came := payment.Came{Amount: new("700")}
			testenv.Must(b.payments.KeepMoney(t.Context(), b.trader.Caller, b.trader.Requisites[0], came))(t)
			return next(t, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.base(t, "1000.50")
			p := open(t, b)
			b.clock.Advance(time.Second)
			testenv.Want(t, b.send(t, came("late", "700", "1700.50")), bankmessage.Waiting, "the message is")
			testenv.Want(t, b.list(t, bankmessage.Page{Waiting: true})[0].Why, bankmessage.WhyTwin, "it waits for")
			testenv.Want(t, b.status(t, p), payment.Pending, "the payment")
			_, _, err := b.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: "failed"})
			testenv.NoError(t, err)
			b.clock.Advance(61 * time.Minute)
			next(t, b)
			testenv.Want(t, b.send(t, came("next", "700", "2400.50")), bankmessage.Confirmed, "an hour later it is")
			b.Audit(t)
		})
	}
}

// wantNext makes another payment of 1500 and wants a message of that amount to
// confirm it, or to wait since it may be about the payment before.
func (b *bundle) wantNext(t *testing.T, balance string, want bankmessage.State) {
	t.Helper()
	second := b.create(t, "1500")
	testenv.Want(t, b.send(t, came("second", "1500", balance)), want, "the message is")
	if want == bankmessage.Waiting {
		testenv.Want(t, b.list(t, bankmessage.Page{Waiting: true})[0].Why, bankmessage.WhyTwin, "it waits for")
		testenv.Want(t, b.status(t, second), payment.Pending, "the second")
	}
	b.Audit(t)
}

// A transfer may come after its payment has ended unpaid. It does not confirm
// one of the amount on another requisite of the same account, unless the first
// one ended long ago or a message has told of it.
func TestAfterOneUnpaid(t *testing.T) {
	for name, c := range map[string]struct {
		status payment.Status
		told   bool
		later  time.Duration
		want   bankmessage.State
	}{
		"failed":       {status: payment.Failed, want: bankmessage.Waiting},
		"cancelled":    {status: payment.Cancelled, want: bankmessage.Waiting},
		"long ago":     {status: payment.Failed, later: 15*time.Minute + time.Second, want: bankmessage.Confirmed},
		"after a word": {status: payment.Failed, told: true, want: bankmessage.Confirmed},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.Exec(t, "update trader set on_break = true")
			b.trader, b.device = b.pair(t, 2)
			testenv.NoError(t, b.messages.SetRule(t.Context(), b.trader.Caller, bankmessage.NewRule{
				RequisiteID: b.trader.Requisites[1], DeviceID: b.device.ID, Bank: "sber", Mode: bankmessage.On, Most: "5000",
			}))
			b.base(t, "1000.50")
			first, balance := b.create(t, "1500"), "2500.50"
			if c.told {
				testenv.Want(t, b.send(t, came("first", "1500", balance)), bankmessage.Confirmed, "the first message is")
				balance = "4000.50"
			}
			_, _, err := b.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, first.ID,
				payment.Update{Status: string(c.status)})
			testenv.NoError(t, err)
			b.clock.Advance(c.later)
			b.wantNext(t, balance, c.want)
		})
	}
}

// A requisite for which messages do nothing counts where one has to be the only
// one, and is never confirmed by itself.
func TestOtherRequisites(t *testing.T) {
	b := setup(t)
	testenv.Must(b.Pool.Exec(t.Context(), "update trader set on_break = true"))(t)
	trader, device := b.pair(t, 2)
	b.trader, b.device = trader, device
	// A message that names no account can be about any.
	testenv.Must(b.Pool.Exec(t.Context(), "update requisite_message set account = '1234'"))(t)
	first, second := b.create(t, "1500"), b.create(t, "1500")
	watched, other := first, second
	if *first.RequisiteID != trader.Requisites[0] {
		watched, other = second, first
	}
	waits := func(id, why string, proposed *int64) {
		t.Helper()
		testenv.Want(t, b.send(t, came(id, "1500", "")), bankmessage.Waiting, "the message is")
		list := b.list(t, bankmessage.Page{})
		testenv.Want(t, list[0].Why, why, "it waits for")
		testenv.Check(t, (list[0].PaymentID == nil) == (proposed == nil) && (proposed == nil || *proposed == *list[0].PaymentID), "proposed %+v", list[0])
		testenv.NoError(t, b.messages.Dismiss(t.Context(), trader.Caller, list[0].ID))
	}
	waits("a", bankmessage.WhySeveral, nil)
	testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, watched.ID))(t)
	waits("b", bankmessage.WhyUnset, &other.ID)
	testenv.Want(t, b.status(t, other), payment.Pending, "the other requisite's payment is")
}

// Without the time at which the phone got it, a message may be about a payment
// that has ended long ago.
func TestWithoutItsTime(t *testing.T) {
	b := setup(t)
	b.create(t, "1500")
	b.clock.Advance(time.Second)
	state := testenv.Must(b.messages.Receive(t.Context(), phone(b.device, b.trader), came("a", "1500", "9000")))(t)
	testenv.Want(t, state, bankmessage.Waiting, "the message is")
	testenv.Want(t, b.Text(t, "select why from bank_message"), bankmessage.WhyTime, "it waits for")
}

// A payment that a message has confirmed, and that was set back, is not
// confirmed by another one unless a person says so.
func TestSetBack(t *testing.T) {
	b := setup(t)
	p := b.create(t, "1500")
	b.send(t, came("a", "1500", ""))
	_, _, err := b.payments.UpdateStatus(t.Context(), caller.Caller{Kind: caller.Application}, p.ID, payment.Update{Status: string(payment.Pending)})
	testenv.NoError(t, err)
	b.clock.Advance(11 * time.Minute) // not as a twin
	testenv.Want(t, b.send(t, came("b", "1500", "")), bankmessage.Waiting, "the second message is")
	testenv.Want(t, b.Text(t, "select why from bank_message where message_id = 'b'"), bankmessage.WhyRefused, "it waits for")
	testenv.NoError(t, b.messages.Assign(t.Context(), b.trader.Caller, b.id(t, "b"), p.ID))
	testenv.Want(t, b.status(t, p), payment.Completed, "after a person said so the payment is")
	b.Audit(t)
}

// A message that the next one contradicts was forged: its requisite confirms
// nothing until somebody has looked.
func TestForged(t *testing.T) {
	b := setup(t)
	b.base(t, "1000")
	p := b.create(t, "1500")
	testenv.Want(t, b.send(t, came("forged", "1500", "2501")), bankmessage.Waiting, "a message of another balance is")
	b.send(t, came("true", "20", "1020"))
	rules, err := b.messages.Rules(t.Context(), b.trader.Caller)
	testenv.Check(t, err == nil && rules[0].StoppedBy != nil, "rules %+v, %v", rules, err)
	testenv.Want(t, b.send(t, came("stopped", "1500", "2520")), bankmessage.Waiting, "while it is stopped, a true message is")
	testenv.Want(t, b.status(t, p), payment.Pending, "the payment is")
	testenv.NoError(t, b.messages.Looked(t.Context(), b.trader.Caller, b.trader.Requisites[0]))
	q := b.create(t, "30")
	testenv.Want(t, b.send(t, came("again", "30", "2550")), bankmessage.Confirmed, "after somebody has looked, a message is")
	testenv.Want(t, b.status(t, q), payment.Completed, "its payment is")
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where subject = 'requisite_message'"), 3, "lines in the log")
}

// Who begins with an SMS in the bank's name, before any balance is known,
// confirms nothing, by however many that follow from one another: a person
// begins what is trusted, and then the ones that come count.
func TestFirst(t *testing.T) {
	b := setup(t)
	forged, p, q := b.create(t, "700"), b.create(t, "1500"), b.create(t, "1600")
	b.send(t, bankmessage.Forwarded{ID: "0", Kind: "sms", Sender: "900", Text: "СЧЁТ1234 Баланс: 5000р"})
	testenv.Want(t, b.send(t, came("1", "700", "5700")), bankmessage.Waiting, "what follows from a forged balance is")
	b.Exec(t, "delete from bank_message")
	testenv.Want(t, b.send(t, came("2", "700", "5700")), bankmessage.Waiting, "the first is")
	testenv.Want(t, b.send(t, came("3", "1500", "7200")), bankmessage.Waiting, "what follows from it is")
	testenv.Want(t, b.Text(t, "select string_agg(why, ' ') from bank_message"), "first first", "they wait for")
	testenv.NoError(t, b.messages.Dismiss(t.Context(), b.trader.Caller, b.id(t, "2")))
	testenv.Want(t, b.send(t, came("4", "1600", "8800")), bankmessage.Waiting, "after it is dismissed, the next is")
	testenv.NoError(t, b.messages.Assign(t.Context(), b.trader.Caller, b.id(t, "3"), p.ID))
	testenv.Want(t, b.status(t, q), payment.Pending, "what had come before a person confirmed one is still looked at: the payment is")
	b.create(t, "1700")
	testenv.Want(t, b.send(t, came("5", "1700", "10500")), bankmessage.Confirmed, "what comes then is")
	// Nor does another account's, where the rule names none: nothing would
	// contradict it.
	other := came("6", "1", "9000")
	other.Text = strings.ReplaceAll(other.Text, "СЧЁТ1234", "СЧЁТ9999")
	b.create(t, "1900")
	b.send(t, other)
	testenv.Want(t, b.send(t, came("7", "1900", "12400")), bankmessage.Waiting, "beside another account it is")
	testenv.Want(t, b.Text(t, "select why from bank_message where message_id = '7'"), bankmessage.WhyAccount, "it waits for")
	b.Exec(t, "update requisite_message set account = '1234'")
	b.create(t, "2000")
	testenv.Want(t, b.send(t, came("8", "2000", "14400")), bankmessage.Confirmed, "where the rule names it, it is")
	testenv.Want(t, b.status(t, forged), payment.Pending, "that of the forged one is")
	b.Audit(t)
}

// What was spent is known from its message: what comes next follows from the
// balance after it, and confirms as much as messages may.
func TestSpentIsFollowed(t *testing.T) {
	b := setup(t)
	b.base(t, "1000")
	p := b.create(t, "5000")
	spent := bankmessage.Forwarded{ID: "spent", Kind: "sms", Sender: "900", Text: "СЧЁТ1234 14:07 Покупка 350р PYATEROCHKA 15 Баланс: 650р"}
	testenv.Want(t, b.send(t, spent), bankmessage.Noted, "what was spent is")
	testenv.Want(t, b.send(t, came("a", "5000", "5650")), bankmessage.Confirmed, "what comes then is")
	testenv.Want(t, b.status(t, p), payment.Completed, "the payment is")
}

// A message is about payments of its own trader only, whoever says so, and is
// shown beside those of its amount that were there before it. Only a phone
// forwards any.
func TestOnlyOfTheTrader(t *testing.T) {
	b := setup(t)
	other, _ := b.pair(t, 1)
	b.Exec(t, "update requisite set enabled = trader_id = $1", other.ID)
	theirs := b.create(t, "1500")
	b.Exec(t, "update requisite set enabled = trader_id <> $1", other.ID)
	ours, more := b.create(t, "1500"), b.create(t, "1600")
	testenv.Want(t, b.send(t, came("a", "1500", "9000")), bankmessage.Waiting, "the message is")
	dbtest.WantCode(t, b.messages.Assign(t.Context(), b.trader.Caller, b.id(t, "a"), theirs.ID), "not_found")
	testenv.Want(t, b.status(t, theirs), payment.Pending, "another trader's payment is")
	dbtest.WantCode(t, b.messages.Dismiss(t.Context(), other.Caller, b.id(t, "a")), "not_found")
	_, err := b.messages.Keep(t.Context(), other.Caller, bankmessage.Keeping{MessageID: b.id(t, "a"), RequisiteID: other.Requisites[0]})
	dbtest.WantCode(t, err, "not_found")
	b.clock.Advance(time.Hour)
	b.Exec(t, "delete from requisite_slot")
	after := b.create(t, "1500")
	beside := testenv.Must(b.messages.Beside(t.Context(), b.trader.Caller, []payment.Payment{ours, more, after}))(t)
	testenv.Check(t, len(beside) == 1 && len(beside[ours.ID]) == 1, "beside %+v", beside)
	user := b.trader.Caller
	user.ID = b.device.ID
	dbtest.WantCode(t, testenv.ErrOf(b.messages.Receive(t.Context(), user, came("b", "1", "9001"))), "token_kind_not_allowed")
}

// A message that came late closes the gap that it left, and what waited for it
// confirms.
func TestLateClosesGap(t *testing.T) {
	b := setup(t)
	b.base(t, "1000")
	p := b.create(t, "1500")
	first := came("late", "20", "1020")
	first.ReceivedAt = new(b.clock.Now())
	b.clock.Advance(time.Second)
	testenv.Want(t, b.send(t, came("second", "1500", "2520")), bankmessage.Waiting, "with a gap it is")
	testenv.Want(t, b.status(t, p), payment.Pending, "the payment is")
	b.send(t, first)
	testenv.Want(t, b.status(t, p), payment.Completed, "without the gap the payment is")
}

// In the shadow nothing is confirmed; what would have been is compared with
// what the trader did. An objection leads back there.
func TestShadow(t *testing.T) {
	b := setup(t)
	b.rule(t, b.trader, b.device, bankmessage.ShadowMode)
	right, wrong, untold := b.create(t, "1500"), b.create(t, "1600"), b.create(t, "1700")
	testenv.Want(t, b.send(t, came("a", "1500", "")), bankmessage.Shadow, "the message is")
	testenv.Want(t, b.send(t, came("b", "1600", "")), bankmessage.Shadow, "the message is")
	for _, p := range []payment.Payment{right, untold} {
		testenv.Must(b.payments.Confirm(t.Context(), b.trader.Caller, p.ID))(t)
	}
	testenv.Must(b.payments.Cancel(t.Context(), b.trader.Caller, wrong.ID, nil))(t)
	tally := testenv.Must(b.messages.Rules(t.Context(), b.trader.Caller))(t)[0].Tally
	testenv.Check(t, *tally.Precision() == 50 && *tally.Recall() == 50, "counted %+v", tally)

	b.rule(t, b.trader, b.device, bankmessage.On)
	b.clock.Advance(time.Minute)
	b.create(t, "1800")
	b.send(t, came("c", "1800", ""))
	list := b.list(t, bankmessage.Page{})
	testenv.NoError(t, b.messages.Object(t.Context(), b.trader.Caller, list[0].ID, "It never came"))
	dbtest.WantCode(t, b.messages.Object(t.Context(), b.trader.Caller, list[0].ID, "Twice"), "message_decided")
	rules, err := b.messages.Rules(t.Context(), b.trader.Caller)
	testenv.Check(t, err == nil && rules[0].Mode == bankmessage.ShadowMode, "after an objection: %+v, %v", rules, err)
	objected, _, err := b.messages.Objected(t.Context(), operator, bankmessage.Page{})
	testenv.Check(t, err == nil && len(objected) == 1 && objected[0].Why == "It never came", "operators see %+v, %v", objected, err)
}

var operator = caller.Caller{Kind: caller.Operator, ID: 1, Login: "operator", Role: caller.Admin}

// An operator sees what nobody knows in groups, and tries a pattern against it,
// of bounded size. That they saw texts is noted.
func TestTryPattern(t *testing.T) {
	b := setup(t)
	for i, text := range []string{
		"Вам пришло 1 500,50 руб от Иван П., стало 2 000 руб", "Оценка 5 из 5",
		"Вам пришло 20 руб от Анна-Мария К., стало 2 020 руб",
	} {
		m := came(fmt.Sprint(i), "1500", "2000")
		m.Text = text
		testenv.Want(t, b.send(t, m), bankmessage.Noted, "an unknown message is")
	}
	unknown, err := b.messages.Unknown(t.Context(), operator)
	testenv.Check(t, err == nil && unknown.Of == 3 && len(unknown.List) == 2 && unknown.List[0].Count == 2 &&
		strings.Contains(*unknown.List[0].Newest.Text, "Анна"), "grouped %+v, %v", unknown, err)
	try := func(kind bankmessage.Kind, expr string) (bankmessage.Try, error) {
		return b.messages.TryPattern(t.Context(), operator, bankmessage.NewPattern{Currency: "RUB", Kind: kind, Expr: expr})
	}
	tried, err := try(bankmessage.Incoming, "вам пришло {amount} {unit} от {from}, стало {balance} {unit}")
	testenv.Check(t, err == nil && tried.Of == 3 && tried.Known == 2 && tried.Messages[1].Amount.StringFixed(2) == "1500.50" &&
		tried.Messages[1].Balance.StringFixed(2) == "2000.00", "tried %+v, %v", tried, err)
	tried, err = try(bankmessage.Advertisement, "оценка .*")
	testenv.Check(t, err == nil && tried.Known == 1, "tried %+v, %v", tried, err)
	for _, wrong := range []string{"", "(", strings.Repeat("a", 1001), strings.Repeat(".{900}", 6)} {
		dbtest.WantFields(t, testenv.ErrOf(try(bankmessage.Incoming, wrong)), "pattern")
	}
	dbtest.WantFields(t, testenv.ErrOf(try(bankmessage.Code, "a")), "says")
	testenv.Want(t, b.Count(t, "select count(*) from sensitive_read where subject = 'bank_message'"), 3, "noted reads")
}

// The money of a message that fits no payment, or that no pattern knows, is
// kept once, however many ask, with who did it; then the message is decided,
// and another one about the same transfer still counts as its twin.
func TestKeep(t *testing.T) {
	b := setup(t)
	ctx, who := t.Context(), b.trader.Caller
	message := func() (id int64) {
		t.Helper()
		b.Get(t, &id, "select max(id) from bank_message")
		return id
	}
	keep := func(by caller.Caller, id int64, amount *string) error {
		return testenv.ErrOf(b.messages.Keep(ctx, by, bankmessage.Keeping{
			MessageID: id, RequisiteID: b.trader.Requisites[0], Amount: amount, Payer: new("Sidor"),
		}))
	}
	testenv.Want(t, b.send(t, came("1", "700", "")), bankmessage.Waiting, "about no payment")
	waits := message()
	stranger, _ := b.pair(t, 1)
	dbtest.WantCode(t, keep(stranger.Caller, waits, nil), "not_found")
	elsewhere := bankmessage.Keeping{MessageID: waits, RequisiteID: stranger.Requisites[0]}
	dbtest.WantCode(t, testenv.ErrOf(b.messages.Keep(ctx, who, elsewhere)), "not_found")
	errs := testenv.AtOnce(6, func(i int) error { return keep([]caller.Caller{who, operator}[i%2], waits, new("9999")) })
	dbtest.WantOne(t, errs, "message_decided")
	testenv.Want(t, b.Text(t, "select amount || ' ' || state || ' ' || payer || ' ' || (actor = (select decided_by from bank_message where id = $1)) "+
		"from arrival where message_id = $1", waits), "700.00 free Sidor true", "what is kept")
	dbtest.WantCode(t, b.messages.Dismiss(ctx, who, waits), "message_decided")

	unknown := bankmessage.Forwarded{ID: "2", Kind: "push", Sender: "new.bank", Text: "Came 55.50 from Ivan"}
	testenv.Want(t, b.send(t, unknown), bankmessage.Noted, "known to no pattern")
	dbtest.WantCode(t, keep(operator, message(), nil), "validation_failed")
	testenv.NoError(t, keep(operator, message(), new("55.50")))
	testenv.Want(t, b.Text(t, "select amount || ' ' || actor from arrival where message_id = $1", message()), "55.50 "+operator.Actor(), "of an unknown one")
	dbtest.WantCode(t, keep(operator, message(), new("55.50")), "message_decided")

	// The same transfer once more, by an SMS without a balance: it
	// completes nothing by itself.
	p := b.create(t, "700")
	again := came("3", "700", "")
	testenv.Want(t, b.send(t, again), bankmessage.Waiting, "the twin")
	testenv.Want(t, b.Text(t, "select why from bank_message where id = $1", message()), bankmessage.WhyTwin, "why it waits")
	testenv.Want(t, b.status(t, p), payment.Pending, "the payment")
	b.Audit(t)
}
