package settings

import (
	"context"

	"gateway.example/internal/chain"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The terms of withdrawals on each network.
var withdrawalRoutes = append(
	settings(portal.TermsPath+"/{network}", setting.WithdrawalTerms.Needs, (*visit).terms),
	looks(portal.TermsPath, (*visit).termsList),
)

var (
	sayTermsOf   = say.Both("Withdrawals by %s", "Выводы по %s")
	sayTermsText = say.Both(
		"Amounts are in USDT. Without a row of its own nothing leaves by a network.",
		"Суммы в USDT. По сети без своей строки ничего не выводится.",
	)
)

// termsList lists all networks, also those without terms, which count as
// switched off.
func (v *visit) termsList() error {
	list, err := v.Withdrawals.Terms(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	labels := setting.WithdrawalTerms.Only("fee", "minAmount", "dailyAmount")
	columns := []say.Phrase{say.Network}
	for _, one := range labels {
		columns = append(columns, say.Of(one.Label))
	}
	d := Directory{
		Title: say.WithdrawalsTerms, Columns: v.Columns(false, append(columns, say.Status)...), Text: sayTermsText,
	}
	for _, network := range chain.Names() {
		unset := view.Cell{Text: v.Say(say.NotSet), Class: "quiet"}
		cells := []view.Cell{{Text: network}, unset, unset, unset, v.Shell.BadgeCell(view.OnBadge(false))}
		for _, t := range list {
			if t.Network == network {
				cells = []view.Cell{
					{Text: network}, number(v.Number(t.Fee)), number(v.Number(t.MinAmount)),
					number(v.Number(t.DailyAmount)), v.Shell.BadgeCell(view.OnBadge(t.Enabled)),
				}
			}
		}
		d.row(portal.TermsPath+"/"+network, cells...)
	}
	return v.showDirectory(d)
}

// terms is the page of the terms of withdrawals by a network. Two operators who
// set the first ones at the same time do not overwrite each other's. An unknown
// network is not found.
func (v *visit) terms() (subject, error) {
	network := v.R.PathValue("network")
	if _, known := chain.Find(network); !known {
		return subject{}, fault.ErrNotFound
	}
	list, err := v.Withdrawals.Terms(v.Ctx(), v.Who)
	s := subject{
		title: v.Say(sayTermsOf, network), path: portal.TermsPath + "/" + network,
		needs: setting.WithdrawalTerms.Needs, version: directory.NotThere, log: [2]string{setting.WithdrawalTerms.Name, network},
		inputs: inputsOf(setting.WithdrawalTerms.Settings...),
	}
	s.page.Crumbs = []Crumb{{Text: v.Say(say.WithdrawalsTerms), Href: portal.TermsPath}}
	for _, t := range list {
		if t.Network == network {
			s.version, s.values = t.Version, valuesOf(setting.WithdrawalTerms, t)
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		n := withdrawal.NewTerms{Network: network, Enabled: *form.tick("enabled"), Seen: form.Get("version")}
		n.Fee, n.MinAmount, n.DailyAmount = form.plain("fee"), form.plain("minAmount"), form.plain("dailyAmount")
		_, err := v.Withdrawals.SetTerms(ctx, v.Who, n)
		return s.path, err
	}
	return s, err
}
