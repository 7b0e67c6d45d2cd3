package auditlog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/auditlog"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle has the log.
type bundle struct {
	*dbtest.DB
	log *auditlog.Service
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	return &bundle{d, auditlog.New(d.Pools(), nil)}
}

var reader = caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 1}

// logged fills the log: twenty changes and ten sign-ins, of which pairs are of
// the same moment, three readings, and a proposal that was approved.
func (b *bundle) logged(t *testing.T) {
	t.Helper()
	b.Exec(t, `insert into setting_change (at, actor, subject, subject_key, before, after)
		select timestamptz '2026-11-20 12:00Z' + n / 2 * interval '1 minute', 'operator:' || n % 3, 'cashbox', n::text, null, '{}'
		from generate_series(1, 20) n`)
	b.Exec(t, `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		select timestamptz '2026-11-20 12:00Z' + n * interval '1 minute', 1, 'web',
			case when n % 2 = 0 then 'signed_in' else 'wrong_password' end, '', '' from generate_series(1, 10) n`)
	b.Exec(t, `insert into sensitive_read (at, user_id, login, subject, subject_key, what, request_id)
		select timestamptz '2026-11-20 12:00Z' + n * interval '3 minutes', 70 + n, 'reader' || n, 'appeal', '9', 'file', ''
		from generate_series(1, 3) n`)
	b.Exec(t, `insert into app_user (id, login, kind, role, created_at) overriding system value
		values (71, 'asks', 'operator', 'treasury', now()), (72, 'agrees', 'operator', 'admin', now())`)
	b.Exec(t, `insert into proposal (action, payload, subject, subject_key, reason, proposed_by, created_at, expires_at,
		decision, decided_by, decided_at, decision_reason) values ('fund_trader', '{"amount": "250", "trader_id": 4}', 'trader', '4',
		'his cash', 71, '2026-11-20 12:09Z', '2026-11-21 12:09Z', 'approved', 72, '2026-11-20 12:10Z', 'seen it')`)
}

func logLines(page report.Page[auditlog.Item]) string {
	var lines []string
	for _, item := range page.Items {
		lines = append(lines, fmt.Sprint(item.Kind[:4], item.ID))
	}
	return strings.Join(lines, " ")
}

// The log is the same by pages of any size, down and up again.
func TestLogPages(t *testing.T) {
	b := setup(t)
	b.logged(t)
	whole := logLines(testenv.Must(b.log.List(t.Context(), reader, auditlog.Filter{}))(t))
	// At 12:10 there are a decision, a sign-in and a change, and at 12:09 a
	// proposal, a reading, and others.
	begins := "deci1 sign10 sett20 prop1 read3 sign9 sett19 sett18 sign8"
	testenv.Need(t, len(strings.Fields(whole)) == 35 && strings.HasPrefix(whole, begins), "the log: %s", whole)
	for _, limit := range []int{1, 4, 7, 29, 30} {
		f := auditlog.Filter{Paging: report.Paging{Limit: limit}}
		var down, up []string
		for {
			page := testenv.Must(b.log.List(t.Context(), reader, f))(t)
			down = append(down, logLines(page))
			if page.Next == nil {
				f.Cursor, f.Backward = "", true
				if page.Previous != nil {
					f.Cursor = *page.Previous
				}
				up = []string{logLines(page)}
				break
			}
			f.Cursor = *page.Next
		}
		for f.Cursor != "" {
			page := testenv.Must(b.log.List(t.Context(), reader, f))(t)
			up = append([]string{logLines(page)}, up...)
			f.Cursor = ""
			if page.Previous != nil {
				f.Cursor = *page.Previous
			}
		}
		testenv.Check(t, strings.Join(down, " ") == whole && strings.Join(up, " ") == whole,
			"by %d: down %v, up %v", limit, down, up)
	}
}

// Each filter keeps to what it says.
func TestLogFilters(t *testing.T) {
	b := setup(t)
	b.logged(t)
	at := time.Date(2026, 11, 20, 12, 5, 0, 0, time.UTC)
	for want, f := range map[string]auditlog.Filter{
		"sign10 sign8 sign6 sign4 sign2": {Kinds: []string{auditlog.SignIn}},
		"sign9 sign7 sign5 sign3 sign1":  {Kinds: []string{auditlog.Failed}},
		"sett7":                          {Subject: "cashbox", Key: "7"},
		"sign5 sett11 sett10":            {From: at, To: at.Add(time.Minute)},
		"sett20 sett17 sett14":           {User: "operator:2", From: at.Add(2 * time.Minute)},
		"":                               {Kinds: []string{auditlog.ViewAs}},
		"read3 read2 read1":              {Subject: "appeal", Key: "9"},
		"read2":                          {User: "72", Kinds: []string{auditlog.Read}},
		"prop1 read1":                    {User: "asks"},
		"deci1 read2":                    {User: "agrees"},
		"deci1 prop1":                    {Kinds: []string{auditlog.Proposal, auditlog.Decision}, Subject: "trader"},
	} {
		got := logLines(testenv.Must(b.log.List(t.Context(), reader, f))(t))
		testenv.Check(t, got == want, "%+v:\n got %s\nwant %s", f, got, want)
	}
	_, err := b.log.List(t.Context(), reader, auditlog.Filter{Key: "7", Kinds: []string{"x"}})
	testenv.Check(t, dbtest.CodeOf(err) == "invalid_request" || dbtest.CodeOf(err) == "validation_failed", "wrong fields: %v", err)
	_, err = b.log.List(t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner}, auditlog.Filter{})
	testenv.Check(t, err != nil, "a trader reads the log")
	var file bytes.Buffer
	testenv.NoError(t, b.log.Export(t.Context(), reader, auditlog.Filter{}, &file, time.UTC))
	testenv.Check(t, strings.HasSuffix(file.String(), "\nrows,35\n"), "the file ends: %s", file.String())
}

// A line says what was read or proposed, by whom, and why.
func TestLogOfReadsAndProposals(t *testing.T) {
	b := setup(t)
	b.logged(t)
	kinds := []string{auditlog.Read, auditlog.Proposal, auditlog.Decision}
	got := testenv.Must(b.log.List(t.Context(), reader, auditlog.Filter{Kinds: kinds}))(t).Items
	var lines []string
	for _, l := range got {
		lines = append(lines, strings.Join([]string{
			l.At.Format("15:04"), l.Kind, l.Actor, l.Login, l.Subject, l.Key, l.What, l.Outcome, l.Reason,
			string(l.After),
		}, "|"))
	}
	testenv.Want(t, strings.Join(lines, "\n"), strings.Join([]string{
		`12:10|decision|operator:72|agrees|trader|4|fund_trader|approved|seen it|`,
		`12:09|proposal|operator:71|asks|trader|4|fund_trader||his cash|{"amount": "250", "trader_id": 4}`,
		`12:09|read|operator:73|reader3|appeal|9|file|||`,
		`12:06|read|operator:72|reader2|appeal|9|file|||`,
		`12:03|read|operator:71|reader1|appeal|9|file|||`,
	}, "\n"), "the lines")
}

// What the log is asked for is read by indexes, and not by looking at all of
// it.
func TestLogUsesItsIndexes(t *testing.T) {
	b := setup(t)
	b.Exec(t, `insert into setting_change (at, actor, subject, subject_key, after)
		select timestamptz '2026-11-20 12:00Z' + n * interval '1 second', 'operator:' || n % 50, 'subject' || n % 20,
			(n % 500)::text, '{}' from generate_series(1, 20000) n`)
	b.Exec(t, `insert into sign_in_event (at, user_id, door, outcome, address, agent)
		select timestamptz '2026-11-20 12:00Z' + n * interval '1 second', n % 300, 'web',
			case when n % 50 = 0 then 'wrong_password' else 'signed_in' end, '', '' from generate_series(1, 20000) n`)
	b.Exec(t, "analyze setting_change, sign_in_event")
	for index, query := range map[string]string{
		"setting_change_at_idx":         "setting_change where true",
		"setting_change_actor_at_idx":   "setting_change where actor = 'operator:7'",
		"setting_change_subject_at_idx": "setting_change where subject = 'subject3'",
		"setting_change_key_at_idx":     "setting_change where subject = 'subject3' and subject_key = '43'",
		"sign_in_event_at_idx":          "sign_in_event where true",
		"sign_in_event_failed_idx":      "sign_in_event where failed",
		"sign_in_event_user_idx":        "sign_in_event where user_id = 7",
	} {
		plan := b.Explain(t, "select * from "+query+` and (at, id) < (timestamptz '9999-01-01', 0)
			and at >= timestamptz '1970-01-01' order by at desc, id desc limit 51`)
		testenv.Check(t, strings.Contains(plan, " "+index+" ") && !strings.Contains(plan, "Sort"), "%s:\n%s", index, plan)
	}
}
