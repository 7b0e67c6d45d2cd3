package session_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
)

// events are the sign-ins that are kept, the oldest first.
func (o office) events(t testing.TB) string {
	t.Helper()
	rows, err := o.Pool.Query(t.Context(), `select coalesce(u.login, 'nobody') || ' ' || e.outcome || ' ' || e.address
		from sign_in_event e left join app_user u on u.id = e.user_id order by e.id`)
	noError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	noError(t, err)
	return strings.Join(list, "\n")
}

// Sign-ins are kept, and those that failed, but nothing of what was typed.
func TestSignInsAreKept(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, secret, _ := o.operator(t, "root")
	try := func(login, password, code string) {
		t.Helper()
		_, _ = o.SignIn(t.Context(), session.Credentials{Login: login, Password: password, Code: code}, home)
	}
	try("root", "canary", "")
	try("canary", password, "")
	try("root", password, "000000")
	opened := o.signIn(t, "root", "")
	_, err := o.GiveFactor(t.Context(), opened.Session, session.Factor{Code: "canary"})
	if err == nil {
		t.Error("a wrong code was taken")
	}
	_, err = o.GiveFactor(t.Context(), opened.Session, session.Factor{Code: o.nextCode(t, secret)})
	noError(t, err)
	o.signIn(t, "root", o.nextCode(t, secret))
	want := `root awaits_enrolment 192.0.2.1
root wrong_password 192.0.2.1
nobody wrong_password 192.0.2.1
root wrong_factor 192.0.2.1
root awaits_factor 192.0.2.1
root wrong_factor 192.0.2.1
root factor_given 192.0.2.1
root signed_in 192.0.2.1`
	if got := o.events(t); got != want {
		t.Errorf("kept:\n%s\nwant:\n%s", got, want)
	}
	var all string
	noError(t, o.Pool.QueryRow(t.Context(), "select string_agg(e::text, '') from sign_in_event e").Scan(&all))
	if strings.Contains(all, "canary") || strings.Contains(all, password) {
		t.Errorf("what was typed is kept: %s", all)
	}
}

// Of a user and an outcome only so many sign-ins are kept in an hour, and others no less for that.
func TestSignInsAreBounded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.add(t, caller.Cabinet, "payer", nil, nil)
	_, err := o.Pool.Exec(t.Context(), `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		select now() - interval '1 minute', $1, 'web', 'wrong_password', '', '' from generate_series(1, 100)`, id)
	noError(t, err)
	_, err = o.SignIn(t.Context(), session.Credentials{Login: "payer", Password: "wrong"}, home)
	if err == nil {
		t.Error("a wrong password was taken")
	}
	o.signIn(t, "payer", "")
	events := o.events(t)
	if strings.Count(events, "wrong_password") != 100 || strings.Count(events, "signed_in") != 1 {
		t.Errorf("kept: %s", events)
	}
}

// What is kept is never changed, and removed only when it is old.
func TestSignInsStay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.add(t, caller.Cabinet, "payer", nil, nil)
	o.signIn(t, "payer", "")
	for _, sql := range []string{"delete from sign_in_event", "update sign_in_event set address = ''", "truncate sign_in_event"} {
		if _, err := o.Pool.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: done", sql)
		}
	}
	_, err := o.Pool.Exec(t.Context(), `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		values (now() - interval '402 days', 1, 'web', 'signed_in', 'old', '')`)
	noError(t, err)
	noError(t, o.Prune(t.Context()))
	if events := o.events(t); strings.Contains(events, "old") || !strings.Contains(events, "payer signed_in") {
		t.Errorf("kept: %s", events)
	}
}
