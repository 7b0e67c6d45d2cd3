package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A merchant's deposits into its cashboxes.
var depositRoutes = []route{
	{pattern: "GET /merchant/deposits", kinds: merchants, needs: caller.MerchantMoney, handle: (*visit).deposits},
	{
		pattern: "GET /merchant/deposits/new", kinds: merchants, needs: caller.MerchantDeposits,
		handle: (*visit).newDeposit,
	},
	{
		pattern: "POST /merchant/deposits", kinds: merchants, needs: caller.MerchantDeposits,
		handle: (*visit).requestDeposit,
	},
	{pattern: "GET /merchant/deposits/{id}", kinds: merchants, needs: caller.MerchantMoney, handle: (*visit).deposit},
}

// depositList is short: merchants ask for few.
var depositList = list{
	path:     "/merchant/deposits",
	statuses: []string{"pending", "confirmed", "rejected"},
	status:   say.DepositStatus,
	cashbox:  true,
	always:   true,
	single:   true,
	none:     say.NoDeposits,
	noneText: say.NoDepositsText,
}

func (v *visit) depositPath(id int64) string { return v.path("/deposits/" + strconv.FormatInt(id, 10)) }

func (v *visit) deposits() error {
	a := v.asks(depositList)
	if v.tidied(a) {
		return nil
	}
	var found []deposit.Deposit
	var next *string
	if len(a.wrong) == 0 {
		var page deposit.OwnPage
		page.Status, page.Cursor = given(a.query.Get(asksStatus)), given(a.filter.Cursor)
		page.CashboxID, page.Backward = a.cashboxID(), a.filter.Backward
		var err error
		found, next, err = v.Deposits.ListOwn(v.ctx(), v.who, page)
		if a.wrong, err = v.flawed(err); err != nil {
			return err
		}
	}
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	boxes, err := v.cashboxes(a)
	if err != nil {
		return err
	}
	shown := view.Deposits{Filters: filters, Empty: a.nothing()}
	if v.who.May(caller.MerchantDeposits) {
		shown.Filters.Act, shown.Filters.ActLabel = "/merchant/deposits/new", say.RequestDeposit
	}
	var ids []int64
	for _, d := range found {
		ids = append(ids, d.ID)
		shown.Items = append(shown.Items, view.DepositRow{
			ID:        d.ID,
			Href:      view.Link(v.depositPath(d.ID)),
			CreatedAt: d.CreatedAt,
			Amount:    view.USDT(d.Amount),
			Network:   d.Network,
			Cashbox:   boxes.name(strconv.FormatInt(d.CashboxID, 10)),
			Status:    view.DepositBadge(d.Status),
		})
	}
	shown.Pages = around(a, next, ids)
	v.shell.Title = v.shell.Say(say.Deposits)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.DepositsPage(s, shown) })
	return nil
}

// cashboxID is the cashbox that a list is kept to, or nil.
func (a *asked) cashboxID() *int64 {
	if a.filter.CashboxID == 0 {
		return nil
	}
	return &a.filter.CashboxID
}

// nothing is what a short list says that shows nothing.
func (a *asked) nothing() view.Empty {
	switch {
	case len(a.wrong) > 0:
		return view.Empty{Text: say.NotShown}
	case a.filtered() || a.filter.Cursor != "":
		return view.Empty{Title: say.NoneMatch}
	}
	return view.Empty{Title: a.none, Text: a.noneText}
}

// around leads to the parts of a short list around one, of which these are the ids: on is where the
// list goes on in the direction in which it was read.
func around(a asked, on *string, ids []int64) view.Pages {
	var p view.Pages
	turned, back := a.filter.Cursor != "", a.filter.Backward
	if len(ids) == 0 {
		if turned {
			p.Newest = view.Link(a.href(a.query))
		}
		return p
	}
	if back && on != nil || turned && !back {
		p.Newer = a.with(asksBefore, strconv.FormatInt(ids[0], 10))
	}
	if !back && on != nil || turned && back {
		p.Older = a.with(asksAfter, strconv.FormatInt(ids[len(ids)-1], 10))
	}
	return p
}

func (v *visit) deposit() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	d, err := v.Deposits.Get(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	moves, err := v.Deposits.History(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	boxes, err := v.cashboxes(asked{list: depositList})
	if err != nil {
		return err
	}
	shown := view.Deposit{Amount: view.USDT(d.Amount), Status: d.Status, CreatedAt: d.CreatedAt, Facts: []view.Fact{
		{Label: say.Cashbox, Value: boxes.name(strconv.FormatInt(d.CashboxID, 10))},
		{Label: say.Network, Value: d.Network},
		{Label: say.Address, Value: d.Address, Class: "mono"},
		{Label: say.Reference, Value: text(d.ExternalReference)},
	}}
	if d.Status == "confirmed" {
		shown.Facts = append(shown.Facts, view.Fact{
			Label: say.LedgerProof, Value: v.shell.Say(say.LedgerProofFile),
			Href: view.Link(v.depositPath(d.ID) + "/proof.json"),
		})
	}
	shown.Curl = v.curl("/api/v1/deposits/" + strconv.FormatInt(d.ID, 10))
	shown.Lines = v.depositLines(moves)
	v.shell.Title = v.shell.Say(say.DepositTitle, d.ID)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.DepositPage(s, shown) })
	return nil
}

// depositLines put what became of a deposit into words.
func (v *visit) depositLines(moves []deposit.Move) []view.Line {
	lines := make([]view.Line, 0, len(moves))
	for _, move := range moves {
		line := view.Line{At: move.At, Kind: "status", Actor: v.actor(move.Actor)}
		line.Text = v.shell.Say(say.LineStatusFirst, v.shell.Say(say.DepositStatus(move.To)))
		if move.From != "" {
			line.Text = v.shell.Say(
				say.LineStatus, v.shell.Say(say.DepositStatus(move.From)), v.shell.Say(say.DepositStatus(move.To)))
		}
		if move.Reason != "" {
			line.Notes = []string{v.shell.Say(say.LineReason, move.Reason)}
		}
		lines = append(lines, line)
	}
	return lines
}

// numbered is the number that the address names.
func (v *visit) numbered() (int64, error) {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

func (v *visit) newDeposit() error {
	typed := url.Values{"token": {submission.NewToken()}, asksCashbox: {v.r.URL.Query().Get(asksCashbox)}}
	return v.askDeposit(http.StatusOK, typed, nil)
}

func (v *visit) askDeposit(status int, typed url.Values, wrong map[string]string) error {
	boxes, err := v.cashboxes(asked{list: depositList})
	if err != nil {
		return err
	}
	shown := view.NewDeposit{
		Token:   typed.Get("token"),
		Cashbox: typed.Get(asksCashbox),
		Amount:  typed.Get("amount"),
		Network: typed.Get(
			"network",
		),
		Address:   typed.Get("address"),
		Reference: typed.Get("externalReference"),
		Wrong:     wrong,
	}
	for _, box := range boxes {
		id := strconv.FormatInt(box.ID, 10)
		shown.Cashboxes = append(shown.Cashboxes, view.Option{Value: id, Text: boxes.name(id)})
	}
	for _, network := range deposit.Networks() {
		shown.Networks = append(shown.Networks, view.Option{Value: network, Text: network})
	}
	v.shell.Title = v.shell.Say(say.RequestDeposit)
	v.show(status, func(s view.Shell) site.Page { return view.NewDepositPage(s, shown) })
	return nil
}

// requestDeposit asks for a deposit. The form's token is its idempotency key.
func (v *visit) requestDeposit() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	box, err := strconv.ParseInt(form.Get(asksCashbox), 10, 64)
	if err != nil {
		box = 0 // nobody's
	}
	err = v.once(form, func() (submission.Outcome, error) {
		created, err := v.Deposits.Create(v.ctx(), v.who, deposit.Request{
			CashboxID: &box, Amount: plainAmount(form.Get("amount")), Network: form.Get("network"),
			Address: strings.TrimSpace(form.Get("address")), ExternalReference: given(form.Get("externalReference")),
			IdempotencyKey: form.Get("token"),
		})
		return submission.Outcome{LedTo: v.depositPath(created.Deposit.ID), Said: "deposit-requested"}, err
	})
	if wrong := v.wrong(err); wrong != nil {
		return v.askDeposit(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}
