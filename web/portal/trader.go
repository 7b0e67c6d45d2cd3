package portal

import (
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// navigation lists the pages of the user's portal, as far as their role has them.
func (v *visit) navigation() []view.NavItem {
	var items []view.NavItem
	add := func(needs caller.Capability, href string, label say.Phrase) {
		if needs != "" && !v.who.May(needs) {
			return
		}
		path := v.r.URL.Path
		here := path == href || strings.HasPrefix(path, href+"/") && strings.Count(href, "/") > 1
		items = append(items, view.NavItem{Href: href, Label: label, Current: here})
	}
	if v.who.Kind == caller.Trader {
		add(caller.TraderRead, "/trader", say.Desk)
		add(caller.TraderRead, "/trader/payments", say.Payments)
		add(caller.TraderRead, "/trader/payouts", say.Payouts)
		add(caller.TraderRead, "/trader/requisites", say.Requisites)
		add(caller.TraderMoney, "/trader/statement", say.StatementTitle)
	}
	if v.who.Kind == caller.MerchantPortal {
		add(caller.MerchantRead, "/merchant", say.Overview)
	}
	add("", "/account", say.Account)
	return items
}
