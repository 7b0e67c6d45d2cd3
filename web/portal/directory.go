package portal

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The directory of the operators' console: lists of those who take part, a page for each, and the
// settings that operators change there.
var directoryEntries = []entry{
	{needs: caller.OperatorRead, href: merchantsPath, label: say.Merchants, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: cashboxesPath, label: say.Cashboxes, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: tradersPath, label: say.Traders, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: allRequisitesPath, label: say.Requisites, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: usersPath, label: say.Users, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: limitsPath, label: say.PlatformLimit, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: banksPath, label: say.Banks, group: say.DirectoryGroup},
}

var directoryRoutes = slices.Concat(
	directoryMerchantRoutes, directoryCashboxRoutes, directoryTraderRoutes, directoryRequisiteRoutes,
	directoryUserRoutes, directoryLimitRoutes,
)

// looks is a page of the directory that every operator reads.
func looks(pattern string, handle func(*visit) error) route {
	return route{pattern: "GET " + pattern, kinds: operators, needs: caller.OperatorRead, handle: handle}
}

// changes are a page that leads to a change of the directory, and the change.
func changes(pattern string, needs caller.Capability, page, act func(*visit) error) []route {
	return []route{
		{pattern: "GET " + pattern, kinds: operators, needs: needs, handle: page},
		{pattern: "POST " + pattern, kinds: operators, needs: needs, handle: act},
	}
}

// settings are a page of settings that every operator reads, and the change of them.
func settings(pattern string, needs caller.Capability, page, act func(*visit) error) []route {
	return []route{
		looks(pattern, page),
		{pattern: "POST " + pattern, kinds: operators, needs: needs, handle: act},
	}
}

// The names of parameters of lists.
const (
	asksOn   = "on"
	asksKind = "kind"
)

// searched is what the address asks of a list of the directory.
func (v *visit) searched() directory.Search {
	given := v.r.URL.Query()
	search := directory.Search{
		Text: given.Get(asksSearch), Currency: given.Get(asksCurrency), Method: given.Get(asksMethod),
	}
	search.MerchantID, _ = strconv.ParseInt(given.Get(asksMerchant), 10, 64)
	search.TraderID, _ = strconv.ParseInt(given.Get(asksTrader), 10, 64)
	if after := given.Get(asksAfter); after != "" {
		search.Cursor = &after
	}
	switch given.Get(asksOn) {
	case "1":
		search.On = new(true)
	case "0":
		search.On = new(false)
	}
	return search
}

// showList shows a list of the directory, kept to what the address asks for by these parameters, too.
func (v *visit) showList(d view.Directory, cursor *string, err error, keep ...string) error {
	if wrong := v.wrong(err); wrong != nil {
		if wrong["cursor"] != "" {
			return fault.ErrNotFound
		}
		d.Wrong = slices.Sorted(maps.Values(wrong))[0]
	} else if err != nil {
		return err
	}
	given := v.r.URL.Query()
	d.Search = given.Get(asksSearch)
	kept := []string{}
	for _, name := range keep {
		if given.Get(name) != "" {
			d.Keep = append(d.Keep, [2]string{name, given.Get(name)})
			kept = append(kept, name, given.Get(name))
			d.Chips = append(d.Chips, view.Chip{
				Text: v.keptTo(name, given.Get(name)), Href: view.Query(d.Path, asksSearch, d.Search),
			})
		}
	}
	d.Picks = append(d.Picks, v.switchPicks(d.Path, append(kept, asksSearch, d.Search))...)
	on := given.Get(asksOn)
	if on != "" {
		d.Keep = append(d.Keep, [2]string{asksOn, on})
	}
	kept = append(kept, asksSearch, d.Search, asksOn, on)
	if cursor != nil {
		d.Pages.Older = view.Query(d.Path, append(kept, asksAfter, *cursor)...)
	}
	if given.Get(asksAfter) != "" {
		d.Pages.Newest = view.Query(d.Path, kept...)
	}
	d.None = say.NobodyYet
	if len(kept) > 0 && (d.Search != "" || on != "" || len(d.Keep) > 0) {
		d.None = say.NoneMatch
	}
	v.shell.Title = v.shell.Say(d.Title)
	status := http.StatusOK
	if d.Wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	v.show(status, func(s view.Shell) site.Page { return view.DirectoryPage(s, d) })
	return nil
}

// keptTo says what a list is kept to by a parameter.
func (v *visit) keptTo(name, value string) string {
	switch name {
	case asksMerchant:
		return v.shell.Say(say.HistoryIs, v.shell.Say(say.MerchantNumber), value)
	case asksTrader:
		return v.shell.Say(say.HistoryIs, v.shell.Say(say.TraderNumber), value)
	case asksMethod:
		return v.methodName(value)
	case asksKind:
		return v.shell.Say(say.Kind(value))
	}
	return value
}

// switchPicks keep a list to what is switched on, or off.
func (v *visit) switchPicks(path string, kept []string) []view.Pick {
	var picks []view.Pick
	for _, one := range []struct {
		value string
		label say.Phrase
	}{{"", say.AllMethods}, {"1", say.OnlyOn}, {"0", say.OnlyOff}} {
		picks = append(picks, view.Pick{
			Text: v.shell.Say(one.label), Current: v.r.URL.Query().Get(asksOn) == one.value,
			Href: view.Query(path, append(slices.Clone(kept), asksOn, one.value)...),
		})
	}
	return picks
}

// makes is where a new one is made, for who may.
func (v *visit) makes(href view.Link, needs caller.Capability) view.Link {
	if !v.may(needs) {
		return ""
	}
	return href
}

// named is an id of the address.
func (v *visit) named() (int64, error) { return v.paymentID() }

// openFact tells how many payments of somebody are open, and leads to them where they are listed.
func (v *visit) openFact(of directory.Whose, pairs ...string) (view.SubjectFact, error) {
	n, err := v.Settings.OpenPayments(v.ctx(), v.who, of)
	fact := view.SubjectFact{Label: say.OpenOf, Value: strconv.Itoa(n), Class: "num"}
	if n >= directory.OpenMost {
		fact.Value = v.shell.Say(say.OpenOrMore, n)
	}
	const list = "/operator/payments"
	if n > 0 {
		fact.Href = view.Query(list, append(pairs, asksStatus, "pending")...)
	}
	return fact, err
}

// reader is the visitor as those are noted who read what is sensitive.
func (v *visit) reader() caller.Caller {
	who := v.who
	who.RequestID, who.Address = edge.KeptRequestID(v.ctx()), edge.Address(v.ctx())
	return who
}

// numbered is the address of one of a list.
func numbered(path string, id int64) string { return path + "/" + strconv.FormatInt(id, 10) }

func idText(id int64) string { return strconv.FormatInt(id, 10) }
