package settings

import (
	"context"
	"net/http"

	"gateway.example/internal/chain"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What holds for withdrawals by each network.
var withdrawalRoutes = append(
	settings(portal.TermsPath+"/{network}", setting.WithdrawalTerms.Needs, (*visit).termsPage, (*visit).setTerms),
	looks(portal.TermsPath, (*visit).termsList),
)

var (
	sayTermsOf   = say.Both("Withdrawals by %s", "Выводы по %s")
	sayTermsText = say.Both(
		"Amounts are in USDT. Without a row of its own nothing leaves by a network.",
		"Суммы в USDT. По сети без своей строки ничего не выводится.",
	)
)

func (v *visit) termsList() error {
	list, err := v.Withdrawals.Terms(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	labels := setting.WithdrawalTerms.Only("fee", "minAmount", "dailyAmount")
	d := Directory{Columns: []say.Phrase{say.Network}, Text: sayTermsText}
	for _, one := range labels {
		d.Columns = append(d.Columns, say.Both(one.Label.En, one.Label.Ru))
	}
	d.Columns = append(d.Columns, say.Status)
	for _, network := range chain.Names() {
		unset := SubjectCell{Text: v.Shell.Say(sayNotSet), Class: "quiet"}
		cells := []SubjectCell{{Text: network}, unset, unset, unset, {Badge: OnBadge(false)}}
		for _, t := range list {
			if t.Network == network {
				cells = []SubjectCell{
					{Text: network}, {Text: v.Shell.Number(t.Fee), Class: "num"}, {Text: v.Shell.Number(t.MinAmount), Class: "num"},
					{Text: v.Shell.Number(t.DailyAmount), Class: "num"}, {Badge: OnBadge(t.Enabled)},
				}
			}
		}
		d.Rows = append(d.Rows, DirectoryRow{Href: view.Link(portal.TermsPath + "/" + network), Cells: cells})
	}
	v.Shell.Title = v.Shell.Say(say.WithdrawalsTerms)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return DirectoryPage(s, d) })
	return nil
}

func (v *visit) termsAsked() (subject, error) {
	network := v.R.PathValue("network")
	if _, known := chain.Find(network); !known {
		return subject{}, fault.ErrNotFound
	}
	list, err := v.Withdrawals.Terms(v.Ctx(), v.Who)
	s := subject{
		title: v.Shell.Say(sayTermsOf, network), path: portal.TermsPath + "/" + network,
		needs: setting.WithdrawalTerms.Needs, version: directory.NotThere, log: [2]string{setting.WithdrawalTerms.Name, network},
		inputs: inputsOf(setting.WithdrawalTerms.Settings...),
	}
	s.page.Crumbs = []Crumb{{Text: v.Shell.Say(say.WithdrawalsTerms), Href: portal.TermsPath}}
	for _, t := range list {
		if t.Network == network {
			s.version, s.values = t.Version, valuesOf(setting.WithdrawalTerms, t)
		}
	}
	return s, err
}

func (v *visit) termsPage() error {
	s, err := v.termsAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setTerms() error {
	s, err := v.termsAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		n := withdrawal.NewTerms{Network: v.R.PathValue("network"), Enabled: *form.tick("enabled"), Seen: form.Get("version")}
		n.Fee, n.MinAmount, n.DailyAmount = form.plain("fee"), form.plain("minAmount"), form.plain("dailyAmount")
		_, err := v.Withdrawals.SetTerms(ctx, v.Who, n)
		return s.path, err
	})
}
