package bankstatement_test

import (
	"cmp"
	"fmt"
	"net/http"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

var want, wantIn, words = portaltest.Want, portaltest.WantIn, portaltest.Words

// A statement is sorted into what came for a payment that is not completed,
// what came for none, what was completed without having come, and what is in
// order; a trader sees their own requisite, an operator each, and nothing is
// kept.
func TestStatement(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Auditor)
	trader := b.Joins(t, "own", caller.Trader, caller.Owner, b.Traders[0].ID)
	requisite, hour := b.Traders[0].Requisites[0], dbtest.Start.UTC()
	for order, amount := range map[string]string{"open": "1500", "done": "1600", "lost": "1700", "parts": "1900", "rest": "2100"} {
		made := b.Create(t, amount)
		b.Exec(t, "update payment set trader_id = $1, requisite_id = $2 where id = $3", b.Traders[0].ID, requisite, made.ID)
		if order != "open" {
			b.Exec(t, "update payment set status = 'completed', status_at = created_at where id = $1", made.ID)
		}
	}
	b.Exec(t, "update payment set received_amount = 1600.01 where amount = 1600")
	b.Exec(t, "update payment set received_amount = 1900 where amount = 1900")
	b.Exec(t, `insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, actor, created_at, state, merchant_id, payment_id)
		select trader_id, requisite_id, currency, part, status_at, '', '', 'trader:1', status_at, 'kept', merchant_id, id
		from payment, unnest(case amount when 1900 then array[1200, 700] when 2100 then array[1300] end) part`)
	file := "Date;Amount;Description\n"
	for i, amount := range []string{"1500", "1600,01", "1800.5", "-20", "1", "700", "1200", "1300", "800"} {
		file += fmt.Sprintf("%s;%s;line %d\n", hour.AddDate(0, 0, i/5).Format("2006-01-02 15:04:05"), amount, i)
	}
	for who, list := range map[*portaltest.Person]string{trader: "/trader/requisites", operator: "/operator/requisites"} {
		of := fmt.Sprintf("%s/%d", list, requisite)
		path := who.Page(t, of).Find("main a[href$='/statement']").AttrOr("href", "")
		want(t, list+": the requisite leads there", path, of+"/statement")
		a := who.Upload(t, path, nil, "statement.csv", file)
		want(t, list, a.Code, http.StatusOK)
		page := a.Page(t)
		for id, expected := range map[string][]string{
			"unpaid": {"1,500", "line 0", "Pending"}, "unknown": {"1,800.50 ₽", "line 2", "line 4"},
			"missing": {"1,700", "Completed"}, "matched": {"1,600.01", "line 1", "Completed", "line 5", "line 6", "line 7", "line 8"},
		} {
			part := page.Find("section:has(#" + id + ")")
			want(t, list+", "+id, words(page.Find("dl a[href='#"+id+"']").Closest("div").Find("dd")), cmp.Or(map[string]string{"unknown": "2", "matched": "5"}[id], "1"))
			wantIn(t, list+", "+id, words(part.Find("table")), expected...)
		}
		wantIn(t, list, words(page.Find("main [role=status]")), "8 incoming, 1 outgoing")
		days := who.Upload(t, path, nil, "statement.csv", "Date;Amount\n"+hour.Format("2006-01-02")+";1500\n").Page(t)
		want(t, list+", of a whole day without times", words(days.Find("dl a[href='#missing']").Closest("div").Find("dd")), "4")

		a = who.Upload(t, path, nil, "statement.csv", "Date;Amount\n2026-11-20;ten\n")
		want(t, list+", a file with a fault", a.Code, http.StatusUnprocessableEntity)
		wantIn(t, list+", a file with a fault", a.Body, "has a line 2 whose amount cannot be read")
	}
	foreign := fmt.Sprintf("/trader/requisites/%d/statement", b.Traders[1].Requisites[0])
	want(t, "another trader's requisite", trader.Upload(t, foreign, nil, "statement.csv", file).Code, http.StatusNotFound)
}
