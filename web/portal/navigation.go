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
	switch v.who.Kind {
	case caller.MerchantPortal:
		add(caller.MerchantRead, "/merchant", say.Overview)
		add(caller.MerchantRead, "/merchant/payments", say.Payments)
		add(caller.MerchantRead, "/merchant/payouts", say.Payouts)
		add(caller.MerchantRead, "/merchant/appeals", say.Appeals)
		add(caller.MerchantMoney, "/merchant/deposits", say.Deposits)
		add(caller.MerchantMoney, "/merchant/balance", say.BalanceTitle)
		add(caller.MerchantMoney, "/merchant/statement", say.StatementTitle)
	case caller.Trader:
		add(caller.TraderRead, "/trader", say.Desk)
		add(caller.TraderRead, "/trader/payments", say.Payments)
		add(caller.TraderRead, "/trader/payouts", say.Payouts)
		add(caller.TraderRead, "/trader/requisites", say.Requisites)
		add(caller.TraderMoney, "/trader/statement", say.StatementTitle)
	case caller.Operator, caller.Anyone, caller.MerchantKey, caller.Application, caller.Cabinet:
	}
	if v.who.Kind == caller.MerchantPortal {
		add(caller.MerchantEvents, "/merchant/developers/keys", say.KeysTitle)
		add(caller.MerchantEvents, "/merchant/developers/webhooks", say.WebhooksTitle)
		add(caller.MerchantEvents, "/merchant/developers/events", say.EventsTitle)
		add(caller.MerchantEvents, requestsPath, say.RequestsTitle)
		add(caller.MerchantEvents, "/merchant/developers/doctor", say.DoctorTitle)
		add(caller.MerchantEvents, looksPath, say.LooksTitle)
		add(caller.MerchantTeamRead, "/merchant/team", say.TeamTitle)
		add(caller.MerchantTeamRead, "/merchant/log", say.LogTitle)
	}
	add("", "/account", say.Account)
	return items
}
