package portals_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A form's token does one thing for one user: sent again, with another's record
// or by somebody else, it moves no money.
func TestFormTokenReplayed(t *testing.T) {
	b, p := portaltest.Trader(t)
	other := b.Trader(t, 1)
	first, second, third := b.Create(t, "1500"), b.Create(t, "1600"), b.Create(t, "20000")
	path := func(id int64) string { return fmt.Sprintf("/trader/payments/%d/confirm", id) }
	fields := hidden(p.Page(t, path(first.ID)))
	want(t, "confirmed", line(p.Post(t, path(first.ID), fields...).Code, b.Status(t, first)), "303 completed")
	p.Post(t, path(second.ID), fields...)
	other.Post(t, path(third.ID), fields...)
	other.Post(t, path(second.ID), hidden(p.Page(t, path(second.ID)))...)
	want(t, "with a token that was used", b.Status(t, second), "pending")
	want(t, "with another's token that was used", b.Status(t, third), "pending")
	b.Audit(t)
}

// A form acts once: a double click, the Back button and a repeat lead to the
// first outcome.
func TestFormActsOnce(t *testing.T) {
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	fields := hidden(p.Page(t, "/trader/payments/1/cancel"), "reason", "no money came")
	var clicks sync.WaitGroup
	led := make([]string, 3)
	for i := range led {
		browser := b.Nobody()
		browser.Cookies["session"] = p.Cookie()
		clicks.Go(func() {
			led[i] = fmt.Sprint(browser.Post(t, "/trader/payments/1/cancel", fields...).To(), " ",
				browser.Cookies["flash"])
		})
	}
	clicks.Wait()
	led = append(led, p.Post(t, "/trader/payments/1/cancel", fields...).To()+" "+p.Cookies["flash"])
	for _, where := range led {
		want(t, "led to", where, "/trader cancelled")
	}
	moves := b.Count(t, "select count(*) from payment_history where payment_id = 1 and to_status = 'cancelled'")
	want(t, "cancelled", line(moves, b.Status(t, pay)), "1 cancelled")
}

// What a form does goes on when its browser hangs up, as it does at a double
// click: the second sending is led to what the first has done.
func TestFormOutlivesItsBrowser(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Withdrawn(t, "trader")
	const remove = "/trader/withdrawals/addresses/1/remove"
	fields := hidden(p.Page(t, remove))
	held := b.Beside(t)
	testenv.Must(held.Exec(t.Context(), "select from withdrawal_address for update"))(t)
	patience, hangUp := context.WithCancel(t.Context())
	first := testenv.Must(http.NewRequestWithContext(patience, http.MethodPost, b.Server.URL+remove,
		strings.NewReader(portaltest.Form(fields...).Encode())))(t)
	first.Header = http.Header{
		"Cookie": {"session=" + p.Cookie()}, "Origin": {b.Server.URL}, "Sec-Fetch-Site": {"same-origin"},
		"Content-Type": {"application/x-www-form-urlencoded"},
	}
	var click sync.WaitGroup
	click.Go(func() {
		if a, err := b.Server.Client().Do(first); err == nil {
			_ = a.Body.Close()
			t.Error("the first sending is answered before its browser hangs up")
		}
	})
	b.AwaitBlocked(t)
	hangUp()
	click.Wait()
	testenv.NoError(t, held.Rollback(t.Context()))
	want(t, "the second", p.Post(t, remove, fields...).Led(), "303 /trader/withdrawals/addresses address-removed")
}

// A form whose first sending died half way says that its outcome is not known,
// and does not act.
func TestUnfinished(t *testing.T) {
	testenv.OneByOne(t)
	b, p := portaltest.Trader(t)
	pay := b.Create(t, "1500")
	fields := hidden(p.Page(t, "/trader/payments/1/confirm"))
	b.Exec(t, `insert into submission (token, user_id, created_at)
		select $1::uuid, id, now() from app_user where login = 'owner-1'`, fields[1])
	wantAnswer(t, "half way", p.Post(t, "/trader/payments/1/confirm", fields...), http.StatusConflict, "not known yet")
	want(t, "the payment", b.Status(t, pay), "pending")
}

// What a page asks for by itself is no use of the session, which ends while it
// is only asked for so.
func TestRegionsAreNoUse(t *testing.T) {
	b, p := portaltest.Trader(t)
	b.Exec(t, "update session set seen_at = now() - interval '29 minutes'")
	want(t, "the region", p.Get(t, "/trader/desk", "HX-Request", "true").Code, http.StatusOK)
	want(t, "seen since", b.Count(t, "select count(*) from session where seen_at > now() - interval '28 minutes'"), 0)
	want(t, "a page", p.Get(t, "/trader").Code, http.StatusOK)
	want(t, "seen then", b.Count(t, "select count(*) from session where seen_at > now() - interval '28 minutes'"), 1)
}

// A part of a page that is asked for after the session has ended leads the page
// to the sign-in.
func TestExpiredFragment(t *testing.T) {
	a := portaltest.Parallel(t).Nobody().Get(t, "/trader/desk", "HX-Request", "true")
	want(t, "the page leads to the sign-in", line(a.Code, strings.HasPrefix(a.Header.Get("HX-Redirect"), "/sign-in"), a.Body),
		line(http.StatusOK, true, ""))
}

// A user may ask for pages as often as anybody can read them, and no script
// more often.
func TestPagesAreBounded(t *testing.T) {
	b := portaltest.Parallel(t)
	b.Exec(t, "update rate_limit set calls = 5, per_seconds = 60 where name = 'user'")
	testenv.NoError(t, b.Services.Limits.Load(t.Context()))
	p := b.Trader(t, 0)
	var last portaltest.Answer
	for range 8 {
		last = p.Get(t, "/account")
	}
	wantAnswer(t, "the last try", last, http.StatusTooManyRequests, "Too many tries")
	want(t, "somebody else", b.Nobody().Get(t, "/sign-in").Code, http.StatusOK)
}

// Whoever has only a user's password, and an operator who looks as the user,
// use up their own pages and not the user's.
func TestOthersBoundNobodysPages(t *testing.T) {
	b := portaltest.Parallel(t)
	viewer := b.Viewer(t)
	user := b.SignIn(t, "trader-1")
	b.Exec(t, `insert into passkey (id, user_id, name, credential, created_at)
		select '\x01', id, 'key', '{}', now() from app_user where login = 'trader-1'`)
	thief := b.SignIn(t, "trader-1")
	b.Exec(t, "update rate_limit set calls = 5, per_seconds = 60 where name = 'user'")
	testenv.NoError(t, b.Services.Limits.Load(t.Context()))
	for who, p := range map[string]*portaltest.Person{"an operator": viewer, "a thief": thief} {
		for range 6 {
			p.Get(t, "/trader")
		}
		want(t, who, p.Get(t, "/trader").Code, http.StatusTooManyRequests)
	}
	want(t, "the user", user.Get(t, "/trader").Code, http.StatusOK)
}
