package portal

import (
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// entry is a page in the navigation, for who has the capability. Group is the heading of entries that
// belong together, of which an operator has many.
type entry struct {
	needs caller.Capability
	href  string
	label say.Phrase
	group say.Phrase
}

var merchantEntries = []entry{
	{needs: caller.MerchantRead, href: "/merchant", label: say.Overview},
	{needs: caller.MerchantRead, href: "/merchant/payments", label: say.Payments},
	{needs: caller.MerchantRead, href: "/merchant/payouts", label: say.Payouts},
	{needs: caller.MerchantRead, href: "/merchant/appeals", label: say.Appeals},
	{needs: caller.MerchantMoney, href: "/merchant/deposits", label: say.Deposits},
	{needs: caller.MerchantMoney, href: "/merchant/balance", label: say.BalanceTitle},
	{needs: caller.MerchantMoney, href: "/merchant/statement", label: say.StatementTitle},
	{needs: caller.MerchantEvents, href: "/merchant/developers/keys", label: say.KeysTitle},
	{needs: caller.MerchantEvents, href: "/merchant/developers/webhooks", label: say.WebhooksTitle},
	{needs: caller.MerchantEvents, href: "/merchant/developers/events", label: say.EventsTitle},
	{needs: caller.MerchantEvents, href: requestsPath, label: say.RequestsTitle},
	{needs: caller.MerchantEvents, href: "/merchant/developers/doctor", label: say.DoctorTitle},
	{needs: caller.MerchantEvents, href: looksPath, label: say.LooksTitle},
	{needs: caller.MerchantTeamRead, href: "/merchant/team", label: say.TeamTitle},
	{needs: caller.MerchantTeamRead, href: "/merchant/log", label: say.LogTitle},
}

var traderEntries = []entry{
	{needs: caller.TraderRead, href: "/trader", label: say.Desk},
	{needs: caller.TraderRead, href: "/trader/payments", label: say.Payments},
	{needs: caller.TraderRead, href: "/trader/payouts", label: say.Payouts},
	{needs: caller.TraderRead, href: "/trader/requisites", label: say.Requisites},
	{needs: caller.TraderMoney, href: "/trader/statement", label: say.StatementTitle},
}

// entries are the pages of a kind of user.
func entries(kind caller.Kind) []entry {
	switch kind {
	case caller.MerchantPortal:
		return merchantEntries
	case caller.Trader:
		return traderEntries
	case caller.Operator:
		return slices.Concat(workEntries, directoryEntries, rateEntries, moneyEntries, trustEntries)
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet:
	}
	return nil
}

// navigation lists the pages of the user's portal, as far as their role has them.
func (v *visit) navigation() []view.NavItem {
	var items []view.NavItem
	all := slices.Clone(entries(v.who.Kind))
	if v.Simulator != nil && v.who.Kind == caller.Operator {
		all = append(all, simulatorEntries...)
	}
	for _, e := range append(all, entry{href: "/account", label: say.Account}) {
		if e.needs != "" && !v.who.May(e.needs) {
			continue
		}
		items = append(items, view.NavItem{Href: e.href, Label: e.label, Group: e.group, Current: v.isAt(e.href)})
	}
	return items
}

// isAt tells whether the page belongs to an entry. The portal's first page is only itself.
func (v *visit) isAt(href string) bool {
	path := v.r.URL.Path
	return path == href || strings.HasPrefix(path, href+"/") && strings.Count(href, "/") > 1
}
