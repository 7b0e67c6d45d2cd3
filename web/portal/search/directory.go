package search

import (
	"strings"

	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/session"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// named searches for participants by a name, a part of it, or a number.
func named(text string) directory.Search {
	search := directory.Search{Text: text}
	search.Limit = new(int32(most))
	return search
}

// listed is a group of results from a list, with a link to the list if that has
// more.
func listed[T any](label say.Phrase, path, text string, list []T, next *string, row func(T) Row) Group {
	group := Group{Label: label}
	for _, one := range list {
		group.Rows = append(group.Rows, row(one))
	}
	if next != nil {
		group.All = view.Query(path, portal.AsksSearch, text)
	}
	return group
}

func (v *visit) merchants(text string) (Group, error) {
	list, next, err := v.Settings.Merchants(v.Ctx(), v.Who, named(text))
	return listed(say.Merchants, portal.MerchantsPath, text, list, next, func(m directory.Merchant) Row {
		return Row{
			Text: portal.Titled(m.Name, m.ID), Note: v.Say(say.PortalMerchant), Badge: view.OnBadge(m.APIEnabled),
			Href: view.Link(portal.Numbered(portal.MerchantsPath, m.ID)),
		}
	}), err
}

func (v *visit) cashboxes(text string) (Group, error) {
	list, next, err := v.Settings.Cashboxes(v.Ctx(), v.Who, named(text))
	return listed(say.Cashboxes, portal.CashboxesPath, text, list, next, func(c directory.Cashbox) Row {
		return Row{
			Text: portal.Titled(c.Name, c.ID), Note: line([]string{c.Currency, portal.Titled(c.MerchantName, c.MerchantID)}),
			Href: view.Link(portal.Numbered(portal.CashboxesPath, c.ID)),
		}
	}), err
}

func (v *visit) traders(text string) (Group, error) {
	list, next, err := v.Settings.Traders(v.Ctx(), v.Who, named(text))
	return listed(say.Traders, portal.TradersPath, text, list, next, func(t directory.Trader) Row {
		return Row{
			Text: portal.Titled(t.Name, t.ID), Note: v.Say(say.PortalTrader), Badge: view.OnBadge(t.Enabled),
			Href: view.Link(portal.Numbered(portal.TradersPath, t.ID)),
		}
	}), err
}

func (v *visit) requisites(text string) (Group, error) {
	list, next, err := v.Settings.Requisites(v.Ctx(), v.Who, named(text))
	return listed(say.Requisites, portal.RequisitesPath, text, list, next, func(r directory.Requisite) Row {
		return Row{
			Text: portal.Titled(r.Masked, r.ID), Badge: view.OnBadge(r.Enabled && r.OwnEnabled),
			Note: line([]string{v.MethodName(r.Method), r.Currency, optional.Value(r.Holder), portal.Titled(r.TraderName, r.TraderID)}),
			Href: view.Link(portal.Numbered(portal.RequisitesPath, r.ID)),
		}
	}), err
}

// ownRequisites finds a trader's requisites by the last characters or the
// holder.
func (v *visit) ownRequisites(text string) (Group, error) {
	group := Group{Label: say.Requisites}
	list, err := v.Settings.ListOwnRequisites(v.Ctx(), v.Who)
	for _, r := range list {
		found := strings.HasSuffix(r.Masked, text) || portal.IDText(r.ID) == text || holds(optional.Value(r.Holder), text) ||
			strings.ReplaceAll(r.Value, " ", "") == strings.ReplaceAll(text, " ", "")
		if found && r.Masked != "" && len(group.Rows) < most {
			group.Rows = append(group.Rows, Row{
				Text: r.Masked, Note: line([]string{v.MethodName(r.Method), r.Currency, optional.Value(r.Holder)}),
				Href:  view.Link(portal.Numbered("/trader/requisites", r.ID)),
				Badge: view.OnBadge(r.Enabled && r.EnabledByOperator),
			})
		}
	}
	return group, err
}

func (v *visit) users(text string) (Group, error) {
	search := session.UserSearch{Text: text}
	search.Limit = new(int32(most))
	list, next, err := v.Sessions.Users(v.Ctx(), v.Who, search)
	return listed(say.Users, portal.UsersPath, text, list, next, func(u session.User) Row {
		return Row{
			Text: u.Login, Badge: view.OnBadge(u.Enabled), Href: view.Link(portal.Numbered(portal.UsersPath, u.ID)),
			Note: line([]string{v.Say(say.Kind(string(u.Kind))), v.Say(say.Role(string(u.Role))), u.OfName}),
		}
	}), err
}

// holds reports whether a text contains another, in upper or lower case.
func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
