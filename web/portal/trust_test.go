package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/alarm"
	"gateway.example/internal/audit"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/seal"
)

// An operator finds who signed in and who could not, and what was set, before and after. What was typed
// as a login that nobody has is not kept: it may be a password.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "root", caller.Operator, caller.Admin, 0)
	p := b.signIn(t, "root")
	b.nobody().post(t, "/sign-in", "login", "root", "password", "canary-one")
	b.nobody().post(t, "/sign-in", "login", "canary-two", "password", "canary-three")
	const holder = `=<script>alert(1)</script>`
	noError(t, db.RecordSetting(t.Context(), b.Queries(), db.SettingChange{
		At: time.Now().UTC(), Actor: "operator:1", Subject: "requisite", SubjectKey: "7",
		Before: []byte(`{"value": "79990004455", "holder": "Before"}`),
		After:  fmt.Appendf(nil, `{"value": "79990004466", "holder": %q, "webhook_secret": "canary-four"}`, holder),
	}))

	page := p.page(t, "/operator/audit")
	want(t, "lines", page.Find("tbody tr[data-row]").Length(), 4)
	wantIn(t, "the log says", page.Find("main").Text(), holder, "4466")
	want(t, "scripts of strangers", page.Find("main script").Length(), 0)
	failed := p.page(t, "/operator/audit?status=sign_in_failed")
	want(t, "failed", failed.Find("tbody tr[data-row]").Length(), 2)
	want(t, "failed of root", p.page(t, "/operator/audit?status=sign_in_failed&q=root").Find("tbody tr").Length(), 1)
	requisite := p.page(t, "/operator/audit?subject=requisite&key=7")
	want(t, "of the requisite", requisite.Find("tbody tr").Length(), 1)
	requisite.Find(".chips a").Each(func(_ int, chip *goquery.Selection) {
		want(t, "without "+words(chip), p.get(t, chip.AttrOr("href", "")).code, http.StatusOK)
	})
	want(t, "an id alone", p.get(t, "/operator/audit?key=1").code, http.StatusUnprocessableEntity)
	want(t, "no place", p.get(t, "/operator/audit?after=x").code, http.StatusNotFound)

	file := p.get(t, "/operator/audit.csv")
	want(t, "the file", file.code, http.StatusOK)
	want(t, "its last line", strings.HasSuffix(file.body, "rows,4\n"), true)
	wantNot(t, "the file has", file.body, "canary", password, "79990004455", "79990004466")
	russian := p.get(t, "/operator/audit?lang=ru").text()
	wantIn(t, "in Russian", russian, "Неудачный вход")
}

// The page says what the audits found, what of it is still so, and which days are sealed.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "auditor", caller.Operator, caller.Auditor, 0)
	p := b.signIn(t, "auditor")
	const path = "/operator/reconciliation"
	wantIn(t, "before the first audit", p.get(t, path).text(), "No full audit has ended yet")
	run := func() {
		_, due, err := audit.Complete.Do(context.Background(), b.Pool, b.clock.Now)
		noError(t, err)
		want(t, "due", due, true)
		b.clock.Advance(audit.Complete.Every)
	}
	run()
	page := p.page(t, path)
	want(t, "holds", page.Find(".head .badge").Text(), "The ledger holds")
	want(t, "broken", page.Find("tbody .badge.bad").Length(), 0)

	made := b.create(t, "1500")
	b.Exec(t, "update payment set event_sequence = 7 where id = $1", made.ID)
	run()
	page = p.page(t, path)
	want(t, "does not hold", page.Find(".head .badge").Text(), "The ledger does not hold")
	want(t, "broken", page.Find("tbody .badge.bad").Length(), 2)
	if found := page.Find(".note.bad").Text(); !strings.Contains(found, "sequence 7") {
		t.Errorf("what was found: %s", found)
	}
	wantIn(t, "in Russian", p.get(t, path+"?lang=ru").text(), "Книга не сходится")

	noError(t, seal.NewSealer(b.Pool, b.clock, b.rooms.Signer).Run(t.Context()))
	first := p.page(t, path+"?lang=en").Find("td.lead a[href*='/days/']").First()
	day := p.page(t, first.AttrOr("href", ""))
	want(t, "sealed", day.Find(".head .badge").Text(), "as it was signed")
	want(t, "no day", p.get(t, path+"/days/1999-01-01").code, http.StatusNotFound)
	want(t, "no date", p.get(t, path+"/days/x").code, http.StatusNotFound)
	want(t, "no place", p.get(t, path+"?days=x").code, http.StatusNotFound)
}

// Every alarm is said in words, and leads to a part of the manual that is there.
func TestAlarmsPage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "auditor", caller.Operator, caller.Auditor, 0)
	p := b.signIn(t, "auditor")
	page := p.page(t, "/operator/alarms")
	want(t, "alarms", page.Find("tbody tr").Length(), len(alarm.Rules()))
	manual := p.page(t, "/operator/manual")
	for _, rule := range alarm.Rules() {
		wantNot(t, "is not said in words", page.Text(), "%!d", rule.Name)
		want(t, rule.Name+": what to do", page.Find("a[href='/operator/manual#"+rule.Runbook+"']").Length() > 0, true)
		want(t, rule.Name+": its part of the manual", manual.Find("article #"+rule.Runbook).Length(), 1)
	}
	// What it leads to is there: parts of its own, or other sites.
	manual.Find("article a").Each(func(_ int, link *goquery.Selection) {
		to := link.AttrOr("href", "")
		part, own := strings.CutPrefix(to, "#")
		if own && manual.Find("#"+part).Length() != 1 || !own && !strings.HasPrefix(to, "https://") {
			t.Errorf("the manual leads to %q", to)
		}
	})
}
