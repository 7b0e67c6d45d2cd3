package cases

import (
	"slices"
	"time"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/report"
	"gateway.example/internal/session"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// platform is what already exists of what the first payment needs. If there are
// several merchants, cashboxes or traders, it has the newest.
type platform struct {
	// alone says that nobody could approve what the visitor proposes, and
	// proposed that something waits for approval.
	alone, proposed bool
	rate            bool
	merchant        *directory.Merchant
	box             *directory.Cashbox
	method          bool
	trader          *directory.Trader
	requisite       *directory.Requisite
	funded          bool
	shop, desk      *session.User
}

// firstSteps are what a platform needs before its first payment; none after it.
func (v *visit) firstSteps() ([]view.FirstStep, error) {
	made, err := v.Reports.Payments(v.Ctx(), v.Who, report.Filter{
		Paging: report.Paging{Limit: 1}, From: time.Unix(0, 0),
	})
	if err != nil || len(made.Items) > 0 {
		return nil, err
	}
	p := platform{}
	for _, look := range []func(*platform) error{v.lookAtApprovals, v.lookAtMerchant, v.lookAtTrader, v.lookAtRate} {
		if err := look(&p); err != nil {
			return nil, err
		}
	}
	return v.stepsOf(p), nil
}

// newest is the first item of a list, or nil.
func newest[T any](list []T, _ *string, err error) (*T, error) {
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// lookAtApprovals finds out whether anything could be approved. Without the
// rule of two operators nothing has to be, and both answers stay false.
func (v *visit) lookAtApprovals(p *platform) error {
	if !v.Settings.FourEyes.On {
		return nil
	}
	others, err := v.Proposals.Others(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	waiting, _, err := v.Proposals.List(v.Ctx(), v.Who, proposal.Page{})
	p.alone, p.proposed = others == 0, len(waiting) > 0
	return err
}

// lookAtMerchant finds the newest merchant, cashbox and user of merchants. They
// need not belong together; only the method is that cashbox's.
func (v *visit) lookAtMerchant(p *platform) (err error) {
	search := directory.Search{}
	search.Limit = new(int32(1))
	if p.merchant, err = newest(v.Settings.Merchants(v.Ctx(), v.Who, search)); err != nil {
		return err
	}
	if p.box, err = newest(v.Settings.Cashboxes(v.Ctx(), v.Who, search)); err != nil {
		return err
	}
	if p.box != nil {
		methods, err := v.Settings.Methods(v.Ctx(), v.Who, p.box.ID)
		if err != nil {
			return err
		}
		p.method = slices.ContainsFunc(methods, func(m directory.MethodSetting) bool { return m.Enabled })
	}
	p.shop, err = v.newestUser(caller.MerchantPortal)
	return err
}

// lookAtTrader finds the newest trader, requisite and user of traders. They
// need not belong together; only the balance is that trader's.
func (v *visit) lookAtTrader(p *platform) (err error) {
	search := directory.Search{}
	search.Limit = new(int32(1))
	if p.trader, err = newest(v.Settings.Traders(v.Ctx(), v.Who, search)); err != nil {
		return err
	}
	if p.requisite, err = newest(v.Settings.Requisites(v.Ctx(), v.Who, search)); err != nil {
		return err
	}
	if p.trader != nil {
		has, err := v.Settings.Balance(v.Ctx(), v.Who, ledger.Trader, p.trader.ID)
		if err != nil {
			return err
		}
		p.funded = has.Available.GreaterThan(decimal.Zero)
	}
	p.desk, err = v.newestUser(caller.Trader)
	return err
}

func (v *visit) newestUser(kind caller.Kind) (*session.User, error) {
	search := session.UserSearch{Kind: kind}
	search.Limit = new(int32(1))
	return newest(v.Sessions.Users(v.Ctx(), v.Who, search))
}

// lookAtRate looks for a rate of the cashbox's currency, or for any rate if
// there is no cashbox yet.
func (v *visit) lookAtRate(p *platform) error {
	known, _, err := v.Rates.List(v.Ctx(), v.Who)
	p.rate = slices.ContainsFunc(known, func(k rate.Known) bool {
		return k.InUse && (p.box == nil || k.Currency == p.box.Currency)
	})
	return err
}

// stepsOf are the steps, in an order in which each one comes after what it
// needs.
func (v *visit) stepsOf(p platform) []view.FirstStep {
	ofMerchant, ofTrader, currency := "", "", ""
	box, fund := view.Link(portal.CashboxesPath), view.Link(portal.ApprovalsPath)
	if p.merchant != nil {
		ofMerchant = portal.IDText(p.merchant.ID)
	}
	if p.box != nil {
		box, currency = view.Link(portal.Numbered(portal.CashboxesPath, p.box.ID)), p.box.Currency
	}
	if p.trader != nil {
		ofTrader = portal.IDText(p.trader.ID)
	}
	if !p.proposed {
		fund = view.Query(portal.MoneyPath+"/fund", "traderId", ofTrader)
	}
	var steps []view.FirstStep
	add := func(label say.Phrase, done bool, needs caller.Capability, href view.Link) {
		steps = append(steps, view.FirstStep{Label: label, Done: done, Href: v.Makes(href, needs)})
	}
	if v.Settings.FourEyes.On {
		// An operator whom the first one set up alone cannot approve
		// the first one's proposals.
		add(sayFirstOperator, !p.alone, caller.OperatorUsers, "")
	}
	add(sayFirstRate, p.rate, caller.OperatorRates, view.Query(portal.SetRatePath, "currency", currency))
	add(sayFirstMerchant, p.merchant != nil, caller.OperatorDirectory, portal.MerchantsPath+"/new")
	add(say.FirstBox, p.box != nil, caller.OperatorDirectory,
		view.Query(portal.CashboxesPath+"/new", portal.AsksMerchant, ofMerchant))
	add(say.FirstMethod, p.method, caller.OperatorDirectory, box)
	add(say.FirstShop, p.shop != nil, caller.OperatorUsers, view.Query(portal.UsersPath+"/new", portal.AsksMerchant, ofMerchant))
	add(sayFirstTrader, p.trader != nil, caller.OperatorDirectory, portal.TradersPath+"/new")
	add(say.FirstRequisite, p.requisite != nil, caller.OperatorDirectory,
		view.Query(portal.RequisitesPath+"/new", portal.AsksTrader, ofTrader))
	add(say.FirstDesk, p.desk != nil, caller.OperatorUsers, view.Query(portal.UsersPath+"/new", portal.AsksTrader, ofTrader))
	add(say.FirstFunds, p.funded, caller.OperatorMoney, fund)
	return steps
}
