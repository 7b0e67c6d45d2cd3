package settings

import (
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The page of a new participant leads step by step to their first payment. The
// last step is a payment that is only tried.

// paid reports whether there has been a payment.
func (v *visit) paid(f report.Filter) (bool, error) {
	f.Limit, f.From = 1, time.Unix(0, 0)
	made, err := v.Reports.Payments(v.Ctx(), v.Who, f)
	return len(made.Items) > 0, err
}

// merchantSteps are what a merchant needs before the first payment; none after
// it.
func (v *visit) merchantSteps(id int64) ([]view.FirstStep, error) {
	if paid, err := v.paid(report.Filter{MerchantID: id}); err != nil || paid {
		return nil, err
	}
	search := directory.Search{MerchantID: id}
	search.Limit = new(int32(1))
	boxes, _, err := v.Settings.Cashboxes(v.Ctx(), v.Who, search)
	if err != nil {
		return nil, err
	}
	users := session.UserSearch{MerchantID: id}
	users.Limit = search.Limit
	invited, _, err := v.Sessions.Users(v.Ctx(), v.Who, users)
	if err != nil {
		return nil, err
	}
	method, try, box := "", view.Link(portal.RoutingPath), view.Link(portal.CashboxesPath)
	if len(boxes) > 0 {
		box = view.Link(portal.Numbered(portal.CashboxesPath, boxes[0].ID))
		set, err := v.Settings.Methods(v.Ctx(), v.Who, boxes[0].ID)
		if err != nil {
			return nil, err
		}
		if on := slices.IndexFunc(set, func(m directory.MethodSetting) bool { return m.Enabled }); on >= 0 {
			method = set[on].Name
			try = view.Query(portal.RoutingPath, "cashboxId", portal.IDText(boxes[0].ID), "currency", boxes[0].Currency,
				"method", method, "amount", triedAmount)
		}
	}
	of := portal.IDText(id)
	return []view.FirstStep{
		v.step(say.FirstBox, len(boxes) > 0, caller.OperatorDirectory,
			view.Query(portal.CashboxesPath+"/new", portal.AsksMerchant, of)),
		v.step(say.FirstMethod, method != "", caller.OperatorDirectory, box),
		v.step(say.FirstShop, len(invited) > 0, caller.OperatorUsers,
			view.Query(portal.UsersPath+"/new", portal.AsksMerchant, of)),
		v.step(sayTryPayment, false, caller.OperatorRead, try),
	}, nil
}

// triedAmount is the amount with which a payment is first tried.
const triedAmount = "1000"

// traderSteps are what a trader needs before the first payment; none after it.
func (v *visit) traderSteps(t directory.Trader) ([]view.FirstStep, error) {
	if paid, err := v.paid(report.Filter{TraderID: t.ID}); err != nil || paid {
		return nil, err
	}
	search := directory.Search{TraderID: t.ID}
	search.Limit = new(int32(1))
	requisites, _, err := v.Settings.Requisites(v.Ctx(), v.Who, search)
	if err != nil {
		return nil, err
	}
	users := session.UserSearch{TraderID: t.ID}
	users.Limit = search.Limit
	invited, _, err := v.Sessions.Users(v.Ctx(), v.Who, users)
	if err != nil {
		return nil, err
	}
	has, err := v.Settings.Balance(v.Ctx(), v.Who, ledger.Trader, t.ID)
	of := portal.IDText(t.ID)
	return []view.FirstStep{
		v.step(say.FirstRequisite, len(requisites) > 0, caller.OperatorDirectory,
			view.Query(portal.RequisitesPath+"/new", portal.AsksTrader, of)),
		v.step(say.FirstDesk, len(invited) > 0, caller.OperatorUsers,
			view.Query(portal.UsersPath+"/new", portal.AsksTrader, of)),
		v.step(say.FirstFunds, has.Available.IsPositive(), caller.OperatorMoney,
			view.Query(portal.MoneyPath+"/fund", "traderId", of)),
		v.step(sayWhyPayments, false, caller.OperatorRead, view.Link(portal.StandingPath(t.ID))),
	}, err
}

func (v *visit) step(label say.Phrase, done bool, needs caller.Capability, href view.Link) view.FirstStep {
	return view.FirstStep{Label: label, Done: done, Href: v.Makes(href, needs)}
}
