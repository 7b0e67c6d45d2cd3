package requisites

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A trader's requisites: their limits, and why they get no payments.
var requisiteRoutes = []route{
	{Pattern: "GET /trader/requisites", Kinds: portal.Traders, Needs: caller.TraderRead, Handle: (*visit).requisites},
	{
		Pattern: "GET /trader/requisites/{id}",
		Kinds:   portal.Traders,
		Needs:   caller.TraderRead,
		Handle:  (*visit).requisitePage,
	},
	{
		Pattern: "POST /trader/requisites/{id}",
		Kinds:   portal.Traders,
		Needs:   caller.TraderRequisites,
		Handle:  (*visit).changeRequisite,
	},
	{
		Pattern: "POST /trader/requisites/{id}/switch",
		Kinds:   portal.Traders,
		Needs:   caller.TraderRequisites,
		Handle:  (*visit).switchRequisite,
	},
}

const (
	requisitesPath = "/trader/requisites"
	requisitePage  = 24
)

// standing is a requisite with whether payments come.
type standing struct {
	own directory.OwnRequisite
	why payment.RequisiteExplanation
}

// standings are the trader's requisites, or the one of the id.
func (v *visit) standings(id int64) ([]standing, error) {
	var list []directory.OwnRequisite
	var err error
	if id == 0 {
		list, err = v.Settings.ListOwnRequisites(v.Ctx(), v.Who)
	} else {
		list = make([]directory.OwnRequisite, 1)
		list[0], err = v.Settings.OwnRequisite(v.Ctx(), v.Who, id)
	}
	if err != nil {
		return nil, err
	}
	explained, err := v.Payments.ExplainForTrader(v.Ctx(), v.Who, id)
	if err != nil {
		return nil, err
	}
	why := make(map[int64]payment.RequisiteExplanation, len(explained))
	for _, e := range explained {
		why[e.RequisiteID] = e
	}
	all := make([]standing, 0, len(list))
	for _, own := range list {
		// One that has just been added is explained a moment later.
		if e, known := why[own.ID]; known {
			all = append(all, standing{own: own, why: e})
		}
	}
	return all, nil
}

func (v *visit) requisites() error {
	all, err := v.standings(0)
	if err != nil {
		return err
	}
	shown := Requisites{MayChange: v.Who.May(caller.TraderRequisites), MayWork: v.Who.May(caller.TraderWork)}
	if shown.OnBreak, err = v.Settings.Break(v.Ctx(), v.Who); err != nil {
		return err
	}
	shown.Answer, shown.Tone = v.answer(all)
	shown.Reasons = reasons(all)
	v.choose(&shown, all)
	v.Shell.Title = v.Shell.Say(say.Requisites)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return RequisitesPage(s, shown) })
	return nil
}

// answer says of all requisites in a sentence whether they get payments.
func (v *visit) answer(all []standing) (text, tone string) {
	getting := 0
	for _, s := range all {
		if s.gets() {
			getting++
		}
	}
	switch {
	case len(all) == 0:
		return v.Shell.Say(sayAnswerNothing), ""
	case getting == 0:
		return v.Shell.Say(sayAnswerNone), "bad"
	case getting < len(all):
		return v.Shell.Say(sayAnswerSome, v.counted(getting), v.counted(len(all))), ""
	case len(all) == 1:
		return v.Shell.Say(sayAnswerOnly) + " " + v.Shell.Say(sayAnswerQuiet), "good"
	}
	return v.Shell.CountOf(say.AnswerAll, len(all)) + " " + v.Shell.Say(sayAnswerQuiet), "good"
}

// counted writes how many there are.
func (v *visit) counted(n int) string { return v.Shell.Number(decimal.NewFromInt(int64(n))) }

// gets tells whether the requisite gets payments. One that has an open payment of some amount gets
// those of other amounts.
func (s standing) gets() bool { return len(s.rules()) == 0 }

// rules name what keeps payments away.
func (s standing) rules() []string {
	var rules []string
	for _, d := range s.why.Drops {
		if d.Rule != routing.SlotTaken {
			rules = append(rules, string(d.Rule))
		}
	}
	for rule, holds := range map[string]bool{
		"no_rate": s.why.NoRate, "outside_platform": s.why.OutsidePlatform, "not_taken": !s.why.Taken,
	} {
		if holds {
			rules = append(rules, rule)
		}
	}
	return rules
}

// reasons counts what keeps payments away, what is most frequent first.
func reasons(all []standing) []Reason {
	counts := map[string]int{}
	for _, s := range all {
		for _, rule := range s.rules() {
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

// choose fills in the page of requisites that the address asks for: of a pool, those without
// payments, from a place on.
func (v *visit) choose(shown *Requisites, all []standing) {
	asked := v.R.URL.Query()
	pool, without := asked.Get("pool"), asked.Get("without") != ""
	shown.Pools = v.poolChips(all, pool, asked.Get("without"))
	shown.Without = view.Pick{Text: v.Shell.Say(sayOnlyWithout), Current: without}
	toggled := "1"
	if without {
		toggled = ""
	}
	shown.Without.Href = view.Query(requisitesPath, "pool", pool, "without", toggled)
	all = slices.DeleteFunc(slices.Clone(all), func(s standing) bool {
		return pool != "" && s.pool() != pool || without && s.gets()
	})
	from, _ := strconv.Atoi(asked.Get("from"))
	from = max(0, min(from, len(all)-1)) / requisitePage * requisitePage
	until := min(from+requisitePage, len(all))
	for _, s := range all[from:until] {
		shown.Cards = append(shown.Cards, v.requisiteCard(s))
	}
	at := func(from int) string { return strconv.Itoa(from) }
	if from > 0 {
		shown.Newer = view.Query(
			requisitesPath,
			"pool",
			pool,
			"without",
			asked.Get("without"),
			"from",
			at(from-requisitePage),
		)
	}
	if until < len(all) {
		shown.Older = view.Query(requisitesPath, "pool", pool, "without", asked.Get("without"), "from", at(until))
	}
	shown.Range = v.Shell.Say(sayRangeOf, from+1, until, v.counted(len(all)))
}

// pool names the payments that a requisite is for, in an address.
func (s standing) pool() string { return s.own.Method + "-" + s.own.Currency }

// poolChips are the pools that the trader has requisites in.
func (v *visit) poolChips(all []standing, chosen, without string) []view.Pick {
	chips := []view.Pick{{
		Text: v.Shell.Say(say.AllMethods), Current: chosen == "", Href: view.Query(requisitesPath, "without", without),
	}}
	counts := map[string]int{}
	for _, s := range all {
		counts[s.pool()]++
	}
	for _, s := range all {
		pool := s.pool()
		if counts[pool] == 0 {
			continue
		}
		text := v.Shell.Say(say.Method(s.own.Method)) + ", " + s.own.Currency + " · " + strconv.Itoa(counts[pool])
		chips = append(chips, view.Pick{
			Text: text, Current: chosen == pool, Href: view.Query(requisitesPath, "pool", pool, "without", without),
		})
		counts[pool] = 0
	}
	return chips
}

// backTo is the page a form was on, or another where the browser does not say.
func (v *visit) backTo(otherwise string) string {
	if back := v.Back(); back != "/" {
		return back
	}
	return otherwise
}

func (v *visit) switchRequisite() error {
	id, err := v.PaymentID()
	if err != nil {
		return err
	}
	form, err := v.Form()
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
	return v.Done(v.backTo(requisitesPath), word)
}
