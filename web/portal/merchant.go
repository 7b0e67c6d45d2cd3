package portal

import (
	"net/http"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What merchants have like traders: payments, payouts and statements, and what their cashboxes hold.
var merchantRoutes = []route{
	{
		pattern: "GET /merchant/payments", kinds: merchants, needs: caller.MerchantRead,
		handle: with(ownPaymentList, (*visit).payments),
	},
	{
		pattern: "GET /merchant/payments.csv", kinds: merchants, needs: caller.MerchantMoney,
		handle: with(ownPaymentList, (*visit).paymentsCSV),
	},
	{pattern: "GET /merchant/payments/{id}", kinds: merchants, needs: caller.MerchantRead, handle: (*visit).payment},
	{
		pattern: "GET /merchant/payments/{id}/receipts/{n}", kinds: merchants, needs: caller.MerchantRead,
		handle: (*visit).receipt,
	},
	{
		pattern: "GET /merchant/payouts", kinds: merchants, needs: caller.MerchantRead,
		handle: with(ownPayoutList, (*visit).payouts),
	},
	{
		pattern: "GET /merchant/payouts.csv", kinds: merchants, needs: caller.MerchantMoney,
		handle: with(ownPayoutList, (*visit).payoutsCSV),
	},
	{pattern: "GET /merchant/payouts/{id}", kinds: merchants, needs: caller.MerchantRead, handle: (*visit).payout},
	{
		pattern: "GET /merchant/payouts/{id}/cancel", kinds: merchants, needs: caller.MerchantPayouts,
		handle: (*visit).cancelPayoutPage,
	},
	{
		pattern: "POST /merchant/payouts/{id}/cancel", kinds: merchants, needs: caller.MerchantPayouts,
		handle: (*visit).cancelPayout,
	},
	{pattern: "GET /merchant/balance", kinds: merchants, needs: caller.MerchantMoney, handle: (*visit).balance},
	{
		pattern: "GET /merchant/statement", kinds: merchants, needs: caller.MerchantMoney,
		handle: with(ownStatementList, (*visit).statement),
	},
	{
		pattern: "GET /merchant/statement.csv", kinds: merchants, needs: caller.MerchantMoney,
		handle: with(ownStatementList, (*visit).statementCSV),
	},
}

var (
	ownPaymentList = list{
		path:       "/merchant/payments",
		currencies: catalogue.Currencies,
		statuses:   paymentList.statuses,
		status:     say.PaymentStatus,
		methods:    paymentList.methods,
		search:     true,
		hint:       say.SearchOrders,
		amounts:    true,
		cashbox:    true,
		export:     caller.MerchantMoney,

		about: say.Order, sum: say.YouGetUSDT,
		none: say.NoPayments, noneText: say.NoOwnPaymentsText, lately: say.NoneLately,
	}
	ownPayoutList = list{
		path:     "/merchant/payouts",
		overdue:  true,
		statuses: []string{"waiting", "processing", "completed", "failed", "cancelled", "expired"},
		status:   say.PayoutStatus,
		methods:  payoutList.methods,
		search:   true,
		hint:     say.SearchPayouts,
		amounts:  true,
		cashbox:  true,
		export:   caller.MerchantMoney,

		about: say.Recipient, sum: say.YouPayUSDT,
		none: say.NoOwnPayouts, noneText: say.NoOwnPayoutsText, lately: say.NoneTaken,
	}
	ownStatementList = list{path: "/merchant/statement", account: true, cashbox: true, export: caller.MerchantMoney}
)

// cashboxes are those of a merchant.
type cashboxes []report.Cashbox

// cashboxes reads those of the reader's merchant, where a list may be kept to one.
func (v *visit) cashboxes(a asked) (cashboxes, error) {
	if !a.cashbox {
		return nil, nil
	}
	return v.Reports.Cashboxes(v.ctx(), v.who)
}

// name is what people call a cashbox; two of the same name are told apart by their numbers.
func (c cashboxes) name(id string) string {
	for _, box := range c {
		if strconv.FormatInt(box.ID, 10) == id {
			return box.Name + " (№\u00a0" + id + ")"
		}
	}
	return "№\u00a0" + id
}

// options are the cashboxes to choose from. There is nothing to choose from one.
func (c cashboxes) options(v *visit, a asked) []view.Option {
	if len(c) < 2 {
		return nil
	}
	var options []view.Option
	if !a.account {
		options = append(options, view.Option{Text: v.shell.Say(say.AnyCashbox)})
	}
	for _, box := range c {
		id := strconv.FormatInt(box.ID, 10)
		options = append(options, view.Option{Value: id, Text: c.name(id)})
	}
	return options
}

func (v *visit) balance() error {
	boxes, err := v.Deposits.Balances(v.ctx(), v.who)
	if err != nil {
		return err
	}
	shown := view.Balances{Deposits: v.who.May(caller.MerchantDeposits)}
	for _, box := range boxes {
		id, b := strconv.FormatInt(box.ID, 10), box.Balance
		shown.Items = append(shown.Items, view.BalanceRow{
			Name: box.Name, Number: id, Currency: box.Currency,
			Total: view.Figure(b.Total), Available: view.Figure(b.Available), Reserved: view.Figure(b.Reserved),
			Insured:   view.Figure(b.Insurance),
			Statement: view.Query(ownStatementList.path, asksCashbox, id),
		})
	}
	v.shell.Title = v.shell.Say(say.BalanceTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.BalancePage(s, shown) })
	return nil
}
