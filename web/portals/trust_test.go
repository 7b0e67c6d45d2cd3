package portals_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/docs"
	"gateway.example/internal/alarm"
	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portal/say"
)

// An operator finds who signed in and who could not, and what was set, before
// and after. What was typed as a login that nobody has is not kept: it may be a
// password.
func TestAuditLog(t *testing.T) {
	b := portaltest.Parallel(t)
	b.User(t, "root", caller.Operator, caller.Admin, 0)
	p := b.SignIn(t, "root")
	b.Nobody().Post(t, "/sign-in", "login", "root", "password", "canary-one")
	b.Nobody().Post(t, "/sign-in", "login", "canary-two", "password", "canary-three")
	const holder = `=<script>alert(1)</script>`
	testenv.NoError(t, db.RecordSetting(t.Context(), b.Queries(), db.SettingChange{
		At: time.Now().UTC(), Actor: "operator:1", Subject: "requisite", SubjectKey: "7",
		Before: []byte(`{"value": "79990004455", "holder": "Before"}`),
		After:  fmt.Appendf(nil, `{"value": "79990004466", "holder": %q, "webhook_secret": "canary-four"}`, holder),
	}))

	page := p.Page(t, "/operator/audit")
	want(t, "lines", page.Find("tbody tr[data-row]").Length(), 4)
	wantIn(t, "the log says", page.Find("main").Text(), holder, "4466")
	want(t, "scripts of strangers", page.Find("main script").Length(), 0)
	want(t, "failed", p.Page(t, "/operator/audit?status=sign_in_failed").Find("tbody tr[data-row]").Length(), 2)
	want(t, "failed of root", p.Page(t, "/operator/audit?status=sign_in_failed&q=root").Find("tbody tr").Length(), 1)
	requisite := p.Page(t, "/operator/audit?subject=requisite&key=7")
	want(t, "of the requisite", requisite.Find("tbody tr").Length(), 1)
	requisite.Find(".chips a").Each(func(_ int, chip *goquery.Selection) {
		want(t, "without "+words(chip), p.Get(t, chip.AttrOr("href", "")).Code, http.StatusOK)
	})
	want(t, "an id alone", p.Get(t, "/operator/audit?key=1").Code, http.StatusUnprocessableEntity)
	want(t, "no place", p.Get(t, "/operator/audit?after=x").Code, http.StatusNotFound)

	file := p.Get(t, "/operator/audit.csv")
	want(t, "the file", file.Code, http.StatusOK)
	want(t, "its last line", strings.HasSuffix(file.Body, "rows,4\n"), true)
	wantNot(t, "the file has", file.Body, "canary", portaltest.Password, "79990004455", "79990004466")
	wantIn(t, "in Russian", p.Get(t, "/operator/audit?lang=ru").Text(), "Неудачный вход")
}

// slowReader takes the first part of an answer slowly, and does something
// meanwhile.
type slowReader struct {
	*httptest.ResponseRecorder
	meanwhile func()
}

func (r *slowReader) SetWriteDeadline(time.Time) error { return nil }

func (r *slowReader) Write(part []byte) (int, error) {
	if r.meanwhile != nil {
		r.meanwhile()
		r.meanwhile = nil
		time.Sleep(time.Second) // longer than it counts that somebody was let in
	}
	return r.ResponseRecorder.Write(part)
}

// Of a file that its reader takes slowly no more is sent once the session has
// ended.
func TestFileEndsWithTheSession(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Auditor)
	b.Exec(t, `insert into setting_change (at, actor, subject, subject_key, before, after)
		select now(), 'operator:1', 'merchant', n::text, '{"name":""}', jsonb_build_object('name', repeat('x', 100))
		from generate_series(1, 500) n`)
	read := func(meanwhile func()) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, b.Server.URL+"/operator/audit.csv", nil)
		r.AddCookie(&http.Cookie{Name: "session", Value: p.Cookie()})
		w := &slowReader{httptest.NewRecorder(), meanwhile}
		func() {
			defer func() { _ = recover() }() // as the server does where a file is broken off
			b.Server.Config.Handler.ServeHTTP(w, r)
		}()
		return w.Body.String()
	}
	want(t, "whole", strings.HasSuffix(read(func() {}), "rows,501\n"), true)
	got := read(func() { b.Exec(t, "delete from session") })
	want(t, "begun", len(got) > 0, true)
	want(t, "sent to its end", strings.Contains(got, "\nrows,"), false)
}

// The page says what the audits found, what of it is still so, and which days
// are sealed.
func TestReconciliation(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Auditor)
	const path = "/operator/reconciliation"
	wantIn(t, "before the first audit", p.Get(t, path).Text(), "No full audit has ended yet")
	run := func() {
		_, due, err := audit.Complete.Do(context.Background(), b.Pool, b.Clock.Now)
		testenv.NoError(t, err)
		want(t, "due", due, true)
		b.Clock.Advance(audit.Complete.Every)
	}
	run()
	page := p.Page(t, path)
	want(t, "holds", page.Find(".head .badge").Text(), "The ledger holds")
	want(t, "broken", page.Find("tbody .badge.bad").Length(), 0)

	b.Exec(t, "update payment set event_sequence = 7 where id = $1", b.Create(t, "1500").ID)
	run()
	page = p.Page(t, path)
	want(t, "does not hold", page.Find(".head .badge").Text(), "The ledger does not hold")
	want(t, "broken", page.Find("tbody .badge.bad").Length(), 2)
	wantIn(t, "what was found", page.Find(".note.bad").Text(), "sequence 7")
	wantIn(t, "in Russian", p.Get(t, path+"?lang=ru").Text(), "Книга не сходится")

	testenv.NoError(t, seal.NewSealer(b.Pool, b.Clock, b.Services.Signer).Run(t.Context()))
	day := p.Page(t, p.Page(t, path+"?lang=en").Find("td.lead a[href*='/days/']").First().AttrOr("href", ""))
	want(t, "sealed", day.Find(".head .badge").Text(), "as it was signed")
	want(t, "no day", p.Get(t, path+"/days/1999-01-01").Code, http.StatusNotFound)
	want(t, "no date", p.Get(t, path+"/days/x").Code, http.StatusNotFound)
	want(t, "no place", p.Get(t, path+"?days=x").Code, http.StatusNotFound)
}

// Every alarm is said in words, and leads to a part of the manual that is
// there, in both languages.
func TestAlarmsPage(t *testing.T) {
	_, p := portaltest.Operator(t, caller.Auditor)
	page := p.Page(t, "/operator/alarms")
	want(t, "alarms", page.Find("tbody tr").Length(), len(alarm.Rules))
	for _, language := range []string{say.English, say.Russian} {
		manual := p.Page(t, "/operator/manual/runbooks?lang="+language)
		for _, rule := range alarm.Rules {
			wantNot(t, "is not said in words", page.Text(), "%!d", rule.Name)
			want(t, rule.Name+": what to do", page.Find("a[href='/operator/manual/runbooks#"+rule.Runbook+"']").Length() > 0, true)
			want(t, rule.Name+": its part of the manual", manual.Find("article #"+rule.Runbook).Length(), 1)
		}
	}
}

// Each page of the manual is one of the portal's, in both languages, and leads
// to parts of it that are there, or to other sites. The index leads to all.
func TestManual(t *testing.T) {
	_, p := portaltest.Operator(t, caller.Auditor)
	for language, title := range map[string]string{say.English: "Runbooks", say.Russian: "Инструкции к тревогам"} {
		shown := map[string]*goquery.Document{}
		for _, page := range docs.Operate(language) {
			path := portal.ManualPart(page.Name, "")
			shown[path] = p.Page(t, path+"?lang="+language)
			want(t, path+": titles", shown[path].Find("h1").Length(), 1)
			want(t, path+": where", shown[path].Find(".nav a[aria-current]").AttrOr("href", ""), portal.ManualPath)
			want(t, path+" is in the index", shown[portal.ManualPath].Find("article td a[href='"+path+"']").Length(), min(len(page.Name), 1))
		}
		for path, page := range shown {
			page.Find("article a").Each(func(_ int, link *goquery.Selection) {
				to, part, named := strings.Cut(link.AttrOr("href", ""), "#")
				own := shown[to] != nil && (!named || shown[to].Find("article #"+part).Length() == 1)
				if !own && !strings.HasPrefix(to, "https://") {
					t.Errorf("%s leads to %q", path, link.AttrOr("href", ""))
				}
			})
		}
		want(t, "a title", shown["/operator/manual/runbooks"].Find("h1").Text(), title)
	}
	for _, name := range []string{"unknown", "operate", "runbooks.md"} {
		want(t, name, p.Get(t, "/operator/manual/"+name).Code, http.StatusNotFound)
	}
}

// A link to a part of the manual as it once was, one page, leads to the
// runbook.
func TestOldManualLinks(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Auditor)
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/operator/manual?lang=en#" + alarm.Rules[0].Runbook)
	tab.Await("h1", "Runbooks")
}

// What takes long says how far it is, asks for itself anew while it goes on,
// and then no more: events that are sent again, and audits.
func TestLongWorkShowsProgress(t *testing.T) {
	b, admin := portaltest.Operator(t, caller.Admin)
	for i := range int64(3) {
		b.Tell(t, b.Merchant, 901+i, "dead")
	}
	var id int64
	b.Get(t, &id, `insert into webhook_replay (merchant_id, url, after_number, last_number, replayed, started_at)
		values ($1, $2, 901, 903, 6, now()) returning id`, b.Merchant.ID, portaltest.DeadURL)
	path := fmt.Sprintf("/operator/events/replays/%d", id)
	shown := func(part *goquery.Selection) string {
		bar := part.Find("progress")
		return line(bar.AttrOr("value", "-"), bar.AttrOr("max", "-"), part.AttrOr("hx-get", "-"), part.Find("noscript").Length())
	}
	want(t, "a replay that runs", shown(admin.Page(t, path).Find("#replay")), "6 8 "+path+"/progress 1")
	want(t, "asked for anew", shown(admin.Page(t, path+"/progress").Find("#replay")), "6 8 "+path+"/progress 1")
	b.Exec(t, "update webhook_replay set state = 'done'")
	want(t, "one that is done", shown(admin.Page(t, path).Find("#replay")), "6 6 - 0")

	want(t, "no audit runs", shown(admin.Page(t, "/operator/reconciliation").Find("#audits")), "- - - 0")
	b.Exec(t, `update audit_run set began_at = now(), seen_at = now(), rule = 'an account has what was moved to and from it'
		where scope = 'full'`)
	got := shown(admin.Page(t, "/operator/reconciliation").Find("#audits"))
	want(t, "one that runs", strings.Contains(got, "/operator/reconciliation"+"/audits 1") && !strings.HasPrefix(got, "- -"), true)
}

// What the audit proves is said in Russian, too: each of its rules.
func TestInvariantsInRussian(t *testing.T) {
	_, admin := portaltest.Operator(t, caller.Auditor)
	page := admin.Get(t, "/operator/reconciliation", "Accept-Language", "ru").Page(t)
	page.Find("td.lead").Each(func(_ int, cell *goquery.Selection) {
		text := words(cell)
		want(t, text+" is in English", strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz"), false)
	})
	want(t, "rules are listed", page.Find("td.lead").Length() > 10, true)
}
