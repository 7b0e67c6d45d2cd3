package settings

import (
	"context"
	"net/url"
	"slices"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The platform's addresses to which merchants send deposits.
var receivingRoutes = append(
	settings(portal.ReceivingPath+"/{network}", caller.OperatorMoney, (*visit).receiving),
	looks(portal.ReceivingPath, (*visit).receivingList),
)

var (
	sayReceivingOf   = say.Both("Deposits by %s", "Пополнения по %s")
	sayReceivingText = say.Both(
		"Merchants see this address, with a QR code, when they request a deposit. Without one they type where they send the USDT.",
		"Этот адрес с QR-кодом видят мерчанты, когда запрашивают пополнение. Без адреса они сами пишут, куда отправляют USDT.",
	)
	sayReceivingHint = say.Both(
		"Compare it letter by letter with your wallet. Empty: no deposits come by this network.",
		"Сверьте каждый символ со своим кошельком. Пусто: по этой сети пополнений нет.",
	)
)

// receivingList lists all networks, also those on which the platform has no
// address.
func (v *visit) receivingList() error {
	list, err := v.Deposits.ReceivingAddresses(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	d := Directory{Title: say.ReceivingTitle, Columns: v.Columns(false, say.Network, say.Address), Text: sayReceivingText}
	for _, network := range chain.Names() {
		address := view.Cell{Text: v.Say(say.NotSet), Class: "quiet"}
		for _, r := range list {
			if r.Network == network && r.Address != "" {
				address = view.Cell{Text: r.Address, Class: "mono"}
			}
		}
		d.row(portal.ReceivingPath+"/"+network, view.Cell{Text: network}, address)
	}
	return v.showDirectory(d)
}

// receiving is the page of the platform's address on a network, to which
// deposits are sent. Where two operators are required, saving it makes a
// proposal. An unknown network is not found.
func (v *visit) receiving() (subject, error) {
	network := v.R.PathValue("network")
	if !slices.Contains(chain.Names(), network) {
		return subject{}, fault.ErrNotFound
	}
	list, err := v.Deposits.ReceivingAddresses(v.Ctx(), v.Who)
	s := subject{
		title: v.Say(sayReceivingOf, network), path: portal.ReceivingPath + "/" + network,
		needs: caller.OperatorMoney, version: directory.NotThere, log: [2]string{"receiving_address", network},
		inputs: []input{{name: "address", label: say.Address, hint: sayReceivingHint, max: 64}},
	}
	s.page.Crumbs = []Crumb{{Text: v.Say(say.ReceivingTitle), Href: portal.ReceivingPath}}
	for _, r := range list {
		if r.Network == network {
			s.version, s.values = r.Version, url.Values{"address": {r.Address}}
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		_, err := v.Deposits.SetReceiving(ctx, v.Who, deposit.Receiving{
			Network: network, Address: form.plain("address"), Seen: form.Get("version"),
		})
		return s.path, err
	}
	return s, err
}
