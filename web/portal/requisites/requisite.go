package requisites

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// A trader's requisites: their limits, and why they get no payments.
var requisiteRoutes = []route{
	{Pattern: "GET /trader/requisites", Needs: caller.TraderRead, Handle: (*visit).requisites},
	{Pattern: "POST /trader/requisites", Needs: caller.TraderRequisites, Handle: portal.After((*visit).Form, (*visit).changeRequisites)},
	{Pattern: "GET /trader/requisites/new", Needs: caller.TraderPropose, Handle: (*visit).proposePage},
	{Pattern: "POST /trader/requisites/new", Needs: caller.TraderPropose, Handle: portal.After((*visit).Form, (*visit).propose)},
	{Pattern: "GET /trader/requisites/{id}", Needs: caller.TraderRead, Handle: (*visit).requisitePage},
	{Pattern: "POST /trader/requisites/{id}", Needs: caller.TraderRequisites, Handle: (*visit).changeRequisite},
	{Pattern: "POST /trader/requisites/{id}/switch", Needs: caller.TraderRequisites, Handle: (*visit).switchRequisite},
}

const requisitesPath = "/trader/requisites"

// standing is a requisite with the reasons why it gets payments or not.
type standing struct {
	own directory.OwnRequisite
	why payment.RequisiteExplanation
}

func (v *visit) requisites() error { return v.showRequisites(http.StatusOK, BulkForm{}) }

// showRequisites shows the page in the address, with the form for several
// requisites as it was filled in.
func (v *visit) showRequisites(status int, bulk BulkForm) error {
	explained, err := v.Payments.ExplainForTrader(v.Ctx(), v.Who, 0)
	if err != nil {
		return err
	}
	shown := Requisites{
		MayChange: v.Who.May(caller.TraderRequisites), MayWork: v.Who.May(caller.TraderWork),
		Search: v.R.URL.Query().Get("q"), Bulk: bulk,
	}
	if shown.OnBreak, err = v.Settings.Break(v.Ctx(), v.Who); err != nil {
		return err
	}
	shown.Answer, shown.Tone = v.answer(explained)
	shown.Reasons = reasons(explained)
	if shown.Proposed, err = v.proposed(); err != nil {
		return err
	}
	if err := v.choose(&shown, explained); err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.Requisites), RequisitesPage, shown)
}

// answer says in one sentence whether the requisites get payments.
func (v *visit) answer(all []payment.RequisiteExplanation) (text, tone string) {
	getting := 0
	for _, e := range all {
		if e.Gets() {
			getting++
		}
	}
	switch {
	case len(all) == 0:
		return v.Say(sayAnswerNothing), ""
	case getting == 0:
		return v.Say(sayAnswerNone), "bad"
	case getting < len(all):
		return v.Say(sayAnswerSome, v.counted(getting), v.counted(len(all))), ""
	case len(all) == 1:
		return v.Say(sayAnswerOnly) + " " + v.Say(sayAnswerQuiet), "good"
	}
	return v.Shell.CountOf(say.AnswerAll, len(all)) + " " + v.Say(sayAnswerQuiet), "good"
}

// counted formats a number of items.
func (v *visit) counted(n int) string { return v.Number(decimal.NewFromInt(int64(n))) }

// rules are the rules that keep payments away.
func rules(e payment.RequisiteExplanation) []string {
	var rules []string
	for _, d := range e.Drops {
		if d.Rule != routing.SlotTaken {
			rules = append(rules, string(d.Rule))
		}
	}
	for rule, holds := range map[string]bool{
		"no_rate": e.NoRate, "outside_platform": e.OutsidePlatform, "not_taken": !e.Taken,
	} {
		if holds {
			rules = append(rules, rule)
		}
	}
	return rules
}

// reasons counts the rules that keep payments away, the most frequent first.
func reasons(all []payment.RequisiteExplanation) []Reason {
	counts := map[string]int{}
	for _, e := range all {
		for _, rule := range rules(e) {
			counts[rule]++
		}
	}
	var names []string
	for rule := range counts {
		names = append(names, rule)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	list := make([]Reason, 0, len(names))
	for _, rule := range names {
		list = append(list, Reason{Count: counts[rule], Text: sayRuleOf(rule)})
	}
	return list
}

// choose adds the requisites of the page in the address, with its filters: a
// currency and method, a text, only those without payments, and a position.
func (v *visit) choose(shown *Requisites, explained []payment.RequisiteExplanation) error {
	asked := v.R.URL.Query()
	pool, without := asked.Get("pool"), asked.Get("without")
	link := func(pool, without, after string) templ.SafeURL {
		return view.Query(requisitesPath, "q", shown.Search, "pool", pool, "without", without, "after", after)
	}
	shown.Keep = [][2]string{{"pool", pool}, {"without", without}}
	shown.Pools = v.poolChips(explained, pool, func(pool string) templ.SafeURL { return link(pool, without, "") })
	shown.Without = view.Pick{Text: v.Say(sayOnlyWithout), Current: without != "", Href: link(pool, "1", "")}
	query := directory.OwnQuery{Search: shown.Search}
	query.Method, query.Currency, _ = strings.Cut(pool, "-")
	if without != "" {
		shown.Without.Href, query.IDs = link(pool, "", ""), []int64{}
	}
	if after := asked.Get("after"); after != "" {
		query.Cursor, shown.First = &after, link(pool, without, "")
	}
	why := make(map[int64]payment.RequisiteExplanation, len(explained))
	for _, e := range explained {
		why[e.RequisiteID] = e
		if without != "" && !e.Gets() {
			query.IDs = append(query.IDs, e.RequisiteID)
		}
	}
	list, next, err := v.Settings.OwnPage(v.Ctx(), v.Who, query)
	if err != nil {
		return err
	}
	for _, own := range list {
		// A requisite that was added just now is shown once it is
		// explained.
		if e, known := why[own.ID]; known {
			row := v.requisiteCard(standing{own: own, why: e})
			row.Ticked, row.Refused = slices.Contains(shown.Bulk.IDs, own.ID), shown.Bulk.Refused[own.ID]
			shown.Rows = append(shown.Rows, row)
		}
	}
	if next != nil {
		shown.Next = link(pool, without, *next)
	}
	shown.Here = string(link(pool, without, asked.Get("after")))
	return nil
}

// poolOf identifies a requisite's method and currency in an address.
func poolOf(e payment.RequisiteExplanation) string { return e.Method + "-" + e.Currency }

// poolChips are the methods and currencies in which the trader has requisites.
func (v *visit) poolChips(all []payment.RequisiteExplanation, chosen string, link func(pool string) templ.SafeURL) []view.Pick {
	chips := []view.Pick{{Text: v.Say(say.AllMethods), Current: chosen == "", Href: link("")}}
	counts := map[string]int{}
	for _, e := range all {
		counts[poolOf(e)]++
	}
	for _, e := range all {
		pool := poolOf(e)
		if counts[pool] == 0 {
			continue
		}
		text := v.Say(say.Method(e.Method)) + ", " + e.Currency + " · " + v.counted(counts[pool])
		chips = append(chips, view.Pick{Text: text, Current: chosen == pool, Href: link(pool)})
		counts[pool] = 0
	}
	return chips
}

// switchRequisite sets the trader's own switch of a requisite. Setting it again
// changes nothing, so the form needs no token. A requisite that an operator has
// switched off cannot be switched on, and the page says so.
func (v *visit) switchRequisite() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	on := form.Get("on") == "1"
	_, err = v.Settings.UpdateOwnRequisite(v.Ctx(), v.Who, id, directory.OwnUpdate{Enabled: &on})
	word := "requisite-off"
	if on {
		word = "requisite-on"
	}
	if f := fault.As(err); f != nil && f.Kind == fault.Refused {
		word, err = "requisite-locked", nil
	}
	if err != nil {
		return err
	}
	return v.Done(v.BackTo(requisitesPath), word)
}
