package payment_test

import (
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// An operator and the trader who has an appeal's payment write to each other until the appeal is decided. What one has not read is
// counted for them; another trader, and who only looks, changes nothing.
func TestThread(t *testing.T) {
	b := setup(t)
	p, merchant, trader := b.failed(t)
	opened := testenv.Must(b.payments.OpenAppeal(t.Context(), merchant.Caller, p.ID, appeal(100)))(t)
	support := b.user(t, caller.Caller{Kind: caller.Operator, Role: caller.Support, Stale: true}, "olga")
	desk := b.user(t, caller.Caller{Kind: caller.Trader, Role: caller.Desk, TraderID: trader.ID}, "tim")
	foreign := caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: trader.ID + 1}
	write := func(who caller.Caller, text string) error {
		return b.payments.WriteThread(t.Context(), who, opened.ID, text)
	}
	unread := func(side string) int {
		return b.Count(t, "select coalesce(sum("+side+"_unread), 0) from appeal_thread where appeal_id = $1", opened.ID)
	}

	wantCode(t, write(foreign, "mine?"), "not_found")
	wantCode(t, testenv.ErrOf(b.payments.ReadThread(t.Context(), foreign, opened.ID)), "not_found")
	wantCode(t, write(portalOf(merchant.ID), "and me?"), "token_kind_not_allowed")
	wantCode(t, testenv.ErrOf(b.payments.ReadThread(t.Context(), portalOf(merchant.ID), opened.ID)), "token_kind_not_allowed")
	auditor := caller.Caller{Kind: caller.Operator, Role: caller.Auditor}
	wantCode(t, write(auditor, "seen"), "role_not_allowed")
	for _, wrong := range []string{" \n", strings.Repeat("я", 1001), "it went to 4111 1111 1111 1111"} {
		wantCode(t, write(support, wrong), "validation_failed")
	}
	testenv.Want(t, unread("trader")+unread("operator"), 0, "nothing is written, unread")

	noError(t, write(support, " Did 1,000.00 ₽ come at 12:05? "))
	noError(t, write(support, "Look at the statement, please."))
	testenv.Want(t, unread("trader"), 2, "the trader has not read")
	looks := desk
	looks.ViewAs = true
	testenv.Must(b.payments.ReadThread(t.Context(), looks, opened.ID))(t)
	testenv.Must(b.payments.ReadThread(t.Context(), support, opened.ID))(t)
	list, next, err := b.payments.ListThreads(t.Context(), desk, payment.Page{})
	testenv.Check(t, err == nil && next == nil && len(list) == 1 && list[0].Unread == 2 && list[0].Messages == 2 &&
		list[0].Appeal.ID == opened.ID, "listed %+v, %v", list, err)
	testenv.Must(b.payments.ReadThread(t.Context(), desk, opened.ID))(t)
	testenv.Want(t, unread("trader"), 0, "the trader has read, unread")
	b.clock.Advance(time.Minute)
	noError(t, write(desk, "It did not."))
	testenv.Want(t, unread("operator"), 1, "no operator has read")
	testenv.Must(b.payments.ReadThread(t.Context(), auditor, opened.ID))(t)
	testenv.Want(t, unread("operator"), 1, "who may not answer has read it, unread")
	read := testenv.Must(b.payments.ReadThread(t.Context(), support, opened.ID))(t)
	last := read.Messages[2]
	testenv.Check(t, read.Open && read.Messages[0].Login == "olga" && read.Messages[0].Text == "Did 1,000.00 ₽ come at 12:05?" &&
		last.FromTrader && last.Login == "tim" && last.At.Equal(b.clock.Now()), "read %+v", read)
	testenv.Want(t, unread("operator"), 0, "unread")
	theirs := testenv.Must(b.payments.ReadThread(t.Context(), desk, opened.ID))(t)
	testenv.Check(t, theirs.Messages[0].Login == "" && theirs.Messages[2].Login == "tim", "the trader reads %+v", theirs)

	list, _, err = b.payments.ListThreads(t.Context(), foreign, payment.Page{})
	testenv.Check(t, err == nil && len(list) == 0, "another trader lists %+v, %v", list, err)
	b.Exec(t, "update appeal_thread set messages = 100 where appeal_id = $1", opened.ID)
	wantCode(t, write(desk, "once more"), "appeal_thread_full")
	b.Exec(t, "update appeal_thread set messages = 3 where appeal_id = $1", opened.ID)
	testenv.Must(b.payments.ReviewAppeal(t.Context(), operator, opened.ID))(t)
	noError(t, write(desk, "Still not."))
	b.set(t, p.ID, "failed")
	wantCode(t, write(desk, "Too late?"), "appeal_not_open")
}

// user is a caller with a user of that login.
func (b *bundle) user(t *testing.T, who caller.Caller, login string) caller.Caller {
	t.Helper()
	row := b.Pool.QueryRow(t.Context(), `insert into app_user (kind, login, role, trader_id, created_at)
		values ($1, $2, $3, nullif($4::bigint, 0), $5) returning id`, who.Kind, login, who.Role, who.TraderID, b.clock.Now())
	noError(t, row.Scan(&who.ID))
	return who
}
