package notify

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// appeals has the trader's users be told of appeals, by their ids.
func (b *bundle) appeals(t *testing.T, ids ...int) {
	t.Helper()
	for _, id := range ids {
		testenv.NoError(t, b.tell(t.Context(), []event{{
			kind: TraderAppeal, of: ofTrader, ownerID: b.trader.ID, subject: fmt.Sprint(id), path: fmt.Sprint("/trader/appeals/", id),
		}}))
	}
}

// takes leases the line of the only chat, as a process does that visits it.
func (b *bundle) takes(t *testing.T) db.NotifyLeaseRow {
	t.Helper()
	lines := testenv.Must(b.q.NotifyLease(t.Context(), db.NotifyLeaseParams{
		Channel: string(Telegram), Most: 1, Holder: b.deliverer.holder, Seconds: leaseLasts.Seconds(),
	}))(t)
	testenv.Need(t, len(lines) == 1, "%d lines are due", len(lines))
	return lines[0]
}

// At the end of quiet hours all that waits comes due within some milliseconds.
// What comes due while a message about the first is being sent is told, too,
// and the message leads to what it is about.
func TestDueWhileAnotherIsSent(t *testing.T) {
	far, b := byTelegram(t, "41")
	b.round(t)
	b.appeals(t, 5, 6)
	b.Exec(t, "update notice set due_at = now() + interval '1 hour' where subject = '6'")
	line := b.takes(t)
	waiting := testenv.Must(b.deliverer.waiting(t.Context(), line.ID))(t)
	testenv.Need(t, len(waiting) == 1 && waiting[0].Due == 1, "waiting: %+v", waiting)
	b.Exec(t, "update notice set due_at = now() where subject = '6'")
	testenv.Must(b.deliverer.send(t.Context(), line, waiting[0]))(t)
	same(t, far.Heard("41"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}, "told of the first")
	b.Exec(t, "update notify_channel set leased_until = now()")
	b.roundLater(t, "61 seconds")
	same(t, far.Heard("41"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/6"}, "told of the second")
}

// What is to be told after quiet hours is told then, also where it came when a
// visit to its line was about to end.
func TestWaitsBesideAVisit(t *testing.T) {
	_, b := byTelegram(t, "42")
	b.round(t)
	b.appeals(t, 5)
	line := b.takes(t)
	b.Exec(t, "update notice set done_at = now()")
	testenv.Must(b.answer(t.Context(), "42", "@x", "/mute"))(t)
	b.appeals(t, 6)
	testenv.NoError(t, b.q.NotifyLeave(t.Context(), db.NotifyLeaveParams{ID: line.ID, Holder: b.deliverer.holder, Seconds: -1}))
	b.round(t)
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel where due_at between now() + interval '7 hours' and now() + interval '8 hours'"), 1,
		"lines that are looked at when they may be told")
}

// What could not be told before quiet hours, or before somebody asked for
// silence, waits for their end as well.
func TestTriedAgainAfterQuietHours(t *testing.T) {
	far, b := byTelegram(t, "43")
	b.round(t)
	far.Refuse["43"] = `{"ok":false,"error_code":429,"description":"slow","parameters":{"retry_after":30}}`
	b.appeals(t, 5)
	b.round(t)
	delete(far.Refuse, "43")
	testenv.Must(b.answer(t.Context(), "43", "@x", "/mute"))(t)
	b.roundLater(t, "31 seconds")
	same(t, far.Heard("43"), nil, "told in the silence")
	b.clock.Advance(muteFor)
	b.roundLater(t, "8 hours")
	want := []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5"}
	same(t, far.Heard("43"), want, "told after it")

	// Who ends the silence is told at once.
	b.Exec(t, "delete from notice")
	b.appeals(t, 5)
	testenv.Must(b.answer(t.Context(), "43", "@x", "/mute"))(t)
	b.round(t)
	same(t, far.Heard("43"), nil, "told in another silence")
	testenv.Must(b.answer(t.Context(), "43", "@x", "/unmute"))(t)
	b.round(t)
	same(t, far.Heard("43"), want, "told when it is ended")
}

// Who is invited again because their phone is lost is told on it that they
// are, and nothing of what only a signed-in user sees.
func TestInvitedAgainHearsNothingElse(t *testing.T) {
	far, b := byTelegram(t, "44")
	b.round(t)
	b.Exec(t, "update app_user set password_hash = null where id = $1", b.who.ID)
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), Say(AccessReset, b.who.ID, "1", time.Now())))
	b.appeals(t, 5)
	b.round(t)
	about, _ := AboutOf(AccessReset)
	same(t, far.Heard("44"), []string{about.English.One + "\nhttps://portal.example" + about.All}, "told who is invited again")
}

// Who switches a kind off on a channel is not told of what waits there for the
// end of quiet hours; of other kinds and elsewhere they are.
func TestSwitchedOffWhileItWaits(t *testing.T) {
	far, b := byTelegram(t, "45")
	b.linked(t, b.newUser(t, "desk-2"), "46")
	b.round(t)
	for _, chat := range []string{"45", "46"} {
		testenv.Must(b.answer(t.Context(), chat, "@x", "/mute"))(t)
	}
	b.appeals(t, 5)
	testenv.NoError(t, b.tell(t.Context(), []event{{
		kind: PaymentCase, of: ofTrader, ownerID: b.trader.ID, subject: "7", path: "/trader/payments/7",
	}}))
	testenv.NoError(t, b.Set(t.Context(), b.who, Update{KeepQuiet: true, Choices: []Choice{
		{TraderAppeal, Telegram, false}, {PaymentCase, Push, false}, {DeviceSilent, Telegram, true},
	}}))
	b.clock.Advance(muteFor)
	b.roundLater(t, "8 hours")
	news := "There is news of a payment of which another amount came.\nhttps://portal.example/trader/payments/7"
	same(t, far.Heard("45"), []string{news}, "told who switched appeals off")
	same(t, far.Heard("46"), []string{"There is news of an appeal.\nhttps://portal.example/trader/appeals/5", news}, "told the other")
}

// A payment whose end is moved, for who says that they have paid or for the
// rest of its amount, is about to expire a second time, and that is told.
func TestExpiresAgain(t *testing.T) {
	far, b := byTelegram(t, "45")
	b.round(t)
	b.pay(t, 1, 1)
	ends := func(in time.Duration) {
		t.Helper()
		b.Exec(t, "update payment set expires_at = $1", b.clock.Now().Add(in))
		clear(b.feed.read) // as it is every ten seconds
		b.roundLater(t, "61 seconds")
	}
	ends(time.Hour)
	far.Heard("45")
	want := []string{"A payment is about to expire.\nhttps://portal.example/trader/payments/1"}
	ends(time.Minute)
	same(t, far.Heard("45"), want, "told before the first end")
	ends(time.Minute)
	ends(time.Hour)
	b.clock.Advance(time.Hour - time.Minute)
	ends(time.Minute)
	same(t, far.Heard("45"), want, "told before the second end")
}
