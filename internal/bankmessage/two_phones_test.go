package bankmessage_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/testenv"
)

// twoPhones is a trader with a phone for each of two requisites.
func twoPhones(t *testing.T) (b *bundle, first, second bankmessage.NewDevice) {
	t.Helper()
	b = setup(t)
	b.Exec(t, "update requisite set enabled = false")
	b.trader, b.device = b.pair(t, 2)
	second = testenv.Must(b.messages.CreateDevice(t.Context(), b.trader.Caller, "Second"))(t)
	testenv.NoError(t, b.messages.SetRule(t.Context(), b.trader.Caller, bankmessage.NewRule{
		RequisiteID: b.trader.Requisites[1], DeviceID: second.ID, Bank: "sber", Mode: bankmessage.On, Most: "5000",
	}))
	return b, b.device, second
}

// Two phones may tell of one account. What the one has confirmed a payment by,
// told with the same balance, confirms no other by the other one.
func TestTwoPhonesOfOneAccount(t *testing.T) {
	b, first, second := twoPhones(t)
	said := func(amount, balance string, want ...bankmessage.State) {
		t.Helper()
		for i, device := range []bankmessage.NewDevice{first, second} {
			b.device = device
			testenv.Want(t, b.send(t, came(balance, amount, balance)), want[i], "%s, %s, by phone %d", amount, balance, i+1)
		}
	}
	said("1", "1000", bankmessage.Waiting, bankmessage.Waiting)
	b.Exec(t, "update bank_message set trusted = true, state = 'noted', why = '', decided_at = arrived_at")
	one, other := b.create(t, "1500"), b.create(t, "1500")
	testenv.Check(t, *one.RequisiteID != *other.RequisiteID, "payments of one amount on requisite %d", *one.RequisiteID)
	said("1500", "2500", bankmessage.Confirmed, bankmessage.Waiting)
	testenv.Want(t, b.list(t, bankmessage.Page{})[0].Why, bankmessage.WhyTwin, "what the second tells waits for")
	testenv.Want(t, b.Count(t, "select count(*) from payment where status = 'pending'"), 1, "open payments")
	said("1500", "4000", bankmessage.Waiting, bankmessage.Confirmed) // of the other requisite only the second phone tells
	b.Audit(t)
}

// So it is where both forward the message in the same moment.
func TestTwoPhonesTogether(t *testing.T) {
	b, first, second := twoPhones(t)
	phones := []bankmessage.NewDevice{first, second}
	for _, b.device = range phones {
		b.send(t, came("first", "1", "1000"))
	}
	b.Exec(t, "update bank_message set trusted = true, state = 'noted', why = '', decided_at = arrived_at")
	b.create(t, "1500")
	b.create(t, "1500")
	b.clock.Advance(time.Second)
	held := b.Beside(t)
	testenv.Must(held.Exec(t.Context(), "select from payment where requisite_id = $1 for update", b.trader.Requisites[0]))(t)
	states := make(chan bankmessage.State, len(phones))
	for n, device := range phones {
		m := came("both", "1500", "2500")
		m.ReceivedAt = new(b.clock.Now())
		go func() {
			state, err := b.messages.Receive(context.WithoutCancel(t.Context()), phone(device, b.trader), m)
			if err != nil {
				state = bankmessage.State(err.Error())
			}
			states <- state
		}()
		testenv.Until(t, "the message waits, or is decided", func() bool {
			return len(states)+b.Count(t, `select count(*) from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`) == n+1
		})
	}
	testenv.NoError(t, held.Rollback(t.Context()))
	got := []string{string(<-states), string(<-states)}
	slices.Sort(got)
	testenv.Want(t, strings.Join(got, " "), "confirmed waiting", "the two")
	testenv.Want(t, b.Count(t, "select count(*) from payment where status = 'pending'"), 1, "open payments")
	b.Audit(t)
}

// Messages about a requisite whose phone is disconnected may come by another
// one: that one takes none of them for another requisite's.
func TestPhoneIsDisconnected(t *testing.T) {
	b, _, lost := twoPhones(t)
	testenv.NoError(t, b.messages.RevokeDevice(t.Context(), b.trader.Caller, lost.ID))
	b.base(t, "1000")
	b.create(t, "1500")
	b.create(t, "1500")
	testenv.Want(t, b.send(t, came("a", "1500", "2500")), bankmessage.Waiting, "the message is")
	testenv.Want(t, b.list(t, bankmessage.Page{})[0].Why, bankmessage.WhySeveral, "it waits for")
}
