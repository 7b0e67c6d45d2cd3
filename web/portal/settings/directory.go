package settings

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryRoutes = slices.Concat(
	directoryMerchantRoutes, directoryCashboxRoutes, directoryTraderRoutes, directoryRequisiteRoutes,
	directoryUserRoutes, directoryLimitRoutes, receivingRoutes, withdrawalRoutes,
)

// looks is the route of a page that every operator may read.
func looks(pattern string, handle func(*visit) error) route {
	return route{Pattern: "GET " + pattern, Needs: caller.OperatorRead, Handle: handle}
}

// changes are the routes of a page that leads to a change, and of the change,
// which require a capability.
func changes(pattern string, needs caller.Capability, page, act func(*visit) error) []route {
	return []route{
		{Pattern: "GET " + pattern, Needs: needs, Handle: page},
		{Pattern: "POST " + pattern, Needs: needs, Handle: act},
	}
}

// settings are the routes of a page of settings that every operator may read,
// and of changing them.
func settings(pattern string, needs caller.Capability, of func(*visit) (subject, error)) []route {
	return settingsBy(pattern, needs, of, keeps(of))
}

// settingsBy are the routes of settings that act changes in its own way.
func settingsBy(
	pattern string, needs caller.Capability, of func(*visit) (subject, error), act func(*visit) error,
) []route {
	return []route{
		looks(pattern, shows(of)),
		{Pattern: "POST " + pattern, Needs: needs, Handle: act},
	}
}

// makes are the routes of the page on which an item of a list is made, and of
// making it.
func makes(list string, needs caller.Capability, page func(*visit) subject) []route {
	of := func(v *visit) (subject, error) { return page(v), nil }
	return changes(list+"/new", needs, shows(of), keeps(of))
}

// The names of parameters of lists.
const (
	asksOn   = "on"
	asksKind = "kind"
)

// searched reads from the address what is asked of a list.
func (v *visit) searched() directory.Search {
	given := v.R.URL.Query()
	search := directory.Search{
		Text:     given.Get(portal.AsksSearch),
		Currency: given.Get(portal.AsksCurrency),
		Method:   given.Get(portal.AsksMethod),
	}
	search.MerchantID, _ = strconv.ParseInt(given.Get(portal.AsksMerchant), 10, 64)
	search.TraderID, _ = strconv.ParseInt(given.Get(portal.AsksTrader), 10, 64)
	if after := given.Get(portal.AsksAfter); after != "" {
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

// showList shows a list, filtered by what the address asks for. keep names
// further parameters that filter it.
func (v *visit) showList(d Directory, cursor *string, err error, keep ...string) error {
	if wrong := v.Wrong(err); wrong != nil {
		if wrong["cursor"] != "" {
			return fault.ErrNotFound
		}
		d.Wrong = slices.Sorted(maps.Values(wrong))[0]
	} else if err != nil {
		return err
	}
	given := v.R.URL.Query()
	d.Search = given.Get(portal.AsksSearch)
	kept := []string{}
	for _, name := range keep {
		if given.Get(name) != "" {
			d.Keep = append(d.Keep, [2]string{name, given.Get(name)})
			kept = append(kept, name, given.Get(name))
			d.Chips = append(d.Chips, view.Chip{
				Text: v.keptTo(name, given.Get(name)), Href: view.Query(d.Path, portal.AsksSearch, d.Search),
			})
		}
	}
	d.Picks = append(d.Picks, v.switchPicks(d.Path, append(kept, portal.AsksSearch, d.Search))...)
	on := given.Get(asksOn)
	if on != "" {
		d.Keep = append(d.Keep, [2]string{asksOn, on})
	}
	kept = append(kept, portal.AsksSearch, d.Search, asksOn, on)
	if cursor == nil && given.Get(portal.AsksAfter) == "" && len(d.Rows) > 1 {
		v.sorted(&d, kept)
	}
	if cursor != nil {
		d.Pages.Older = view.Query(d.Path, append(kept, portal.AsksAfter, *cursor)...)
	}
	if given.Get(portal.AsksAfter) != "" {
		d.Pages.Newest = view.Query(d.Path, kept...)
	}
	d.None = sayNobodyYet
	if len(kept) > 0 && (d.Search != "" || on != "" || len(d.Keep) > 0) {
		d.None = say.NoneMatch
	}
	return v.showDirectory(d)
}

func (v *visit) showDirectory(d Directory) error {
	v.Shell.Title = v.Say(d.Title)
	status := http.StatusOK
	if d.Wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	return portal.Show(v.Visit, status, DirectoryPage, d)
}

// keptTo describes a filter.
func (v *visit) keptTo(name, value string) string {
	switch name {
	case portal.AsksMerchant:
		return v.Say(sayHistoryIs, v.Say(say.PortalMerchant), v.Called(portal.PickMerchant, value))
	case portal.AsksTrader:
		return v.Say(sayHistoryIs, v.Say(say.PortalTrader), v.Called(portal.PickTrader, value))
	case portal.AsksMethod:
		return v.MethodName(value)
	case asksKind:
		return v.Say(say.Kind(value))
	}
	return value
}

// switchPicks filter a list by what is switched on or off.
func (v *visit) switchPicks(path string, kept []string) []view.Pick {
	var picks []view.Pick
	for _, one := range []struct {
		value string
		label say.Phrase
	}{{"", say.AllMethods}, {"1", sayOnlyOn}, {"0", sayOnlyOff}} {
		picks = append(picks, view.Pick{
			Text: v.Say(one.label), Current: v.R.URL.Query().Get(asksOn) == one.value,
			Href: view.Query(path, append(slices.Clone(kept), asksOn, one.value)...),
		})
	}
	return picks
}

// openFact says how many payments of somebody are open, with a link to the list
// of them.
func (v *visit) openFact(of directory.Whose, pairs ...string) (view.Fact, error) {
	n, err := v.Settings.OpenPayments(v.Ctx(), v.Who, of)
	fact := view.Fact{Label: sayOpenOf, Value: v.openOf(n), Class: "num"}
	if n > 0 {
		fact.Href = view.Query(portal.PaymentsPath, append(pairs, portal.AsksStatus, "pending")...)
	}
	return fact, err
}

// reader is the visitor in the form in which readers of sensitive data are
// recorded.
func (v *visit) reader() caller.Caller {
	who := v.Who
	who.RequestID, who.Address = edge.KeptRequestID(v.Ctx()), edge.Address(v.Ctx())
	return who
}
