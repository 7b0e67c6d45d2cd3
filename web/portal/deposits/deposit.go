package deposits

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A merchant's deposits into its cashboxes, and what these hold.
var depositRoutes = []route{
	{Pattern: "GET /merchant/deposits", Needs: caller.MerchantMoney, Keeps: &depositList, Handle: (*visit).deposits},
	{Pattern: "GET /merchant/deposits/new", Needs: caller.MerchantDeposits, Handle: (*visit).newDeposit},
	{Pattern: "POST /merchant/deposits", Needs: caller.MerchantDeposits, Handle: portal.After((*visit).Form, (*visit).requestDeposit)},
	{Pattern: "GET /merchant/deposits/{id}", Needs: caller.MerchantMoney, Handle: portal.After((*visit).Numbered, (*visit).deposit)},
	{Pattern: "POST /merchant/deposits/{id}/transaction", Needs: caller.MerchantDeposits, Handle: (*visit).nameTransaction},
	{Pattern: "GET /merchant/balance", Needs: caller.MerchantMoney, Handle: (*visit).balance},
}

// depositList has few filters, because merchants request few deposits.
var depositList = portal.List{
	Path:     portal.OwnDepositsPath,
	Statuses: portal.DepositStatuses,
	Status:   say.DepositStatus,
	Cashbox:  true,
	Metadata: true,
	Always:   true,
	Single:   true,
	None:     say.NoDeposits,
	NoneText: sayNoDepositsText,
}

// deposits lists the merchant's deposits, by status, cashbox and one pair of
// metadata.
func (v *visit) deposits() error {
	return portal.ShowList(v.Visit, depositList, func(a portal.Asked) (found report.Page[deposit.Deposit], err error) {
		var page deposit.OwnPage
		page.Status, page.Cursor = optional.Of(a.Query.Get(portal.AsksStatus)), optional.Of(a.Filter.Cursor)
		page.CashboxID, page.Backward = a.CashboxID(), a.Filter.Backward
		if pair := a.Filter.Metadata; pair != nil {
			page.Metadata = metadata.Set{pair.Key: pair.Value}
		}
		found.Items, found.Next, err = v.Deposits.ListOwn(v.Ctx(), v.Who, page)
		return found, err
	}, v.showDeposits)
}

// showDeposits shows a page of the merchant's deposits. The link to request one
// is for users who may. If the address has mistakes, nothing was read, and the
// table says so.
func (v *visit) showDeposits(a portal.Asked, found report.Page[deposit.Deposit]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	boxes, err := v.Cashboxes(a)
	if err != nil {
		return err
	}
	if v.Who.May(caller.MerchantDeposits) {
		filters.Act, filters.ActLabel = portal.OwnDepositsPath+"/new", sayRequestDeposit
	}
	sheet := view.Sheet{Label: v.Say(say.Deposits), Empty: a.Nothing(), Columns: []view.Column{
		{Text: v.Say(say.Number)}, {Text: v.Say(say.Created)}, {Text: v.Say(say.Amount), Right: true, Sum: true},
		{Text: v.Say(say.Network)}, {Text: v.Say(say.Cashbox)}, {Text: v.Say(say.Status)},
	}}
	var ids []int64
	for _, d := range found.Items {
		ids = append(ids, d.ID)
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: portal.IDText(d.ID), Href: view.Link(v.DepositPath(d.ID))}, {At: &d.CreatedAt}, {Text: v.USDT(d.Amount)},
			{Text: d.Network}, {Text: boxes.Name(portal.IDText(d.CashboxID))}, v.Shell.BadgeCell(view.DepositBadge(d.Status)),
		})
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.Deposits), view.ListPage, view.List{
		Filters: filters, Sheet: sheet, Pages: portal.Around(a, found.Next, ids),
	})
}

func (v *visit) deposit(id int64) error { return v.showDeposit(http.StatusOK, id, "", nil) }

// nameTransaction stores the hash of the transaction by which the USDT are
// sent.
func (v *visit) nameTransaction() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	typed := form.Get("transactionHash")
	_, err = v.Deposits.Name(v.Ctx(), v.Who, id, typed)
	wrong, f := v.Wrong(err), fault.As(err)
	if f != nil && f.Code == "deposit_names_full" {
		wrong = map[string]string{"transactionHash": say.Refused(v.Shell.Code, f.Code, f.Message)}
	}
	if wrong != nil {
		return v.showDeposit(http.StatusUnprocessableEntity, id, typed, wrong)
	}
	if f != nil && (f.Kind == fault.Refused || f.Kind == fault.Conflict) {
		return v.Done(v.DepositPath(id), "changed")
	}
	if err != nil {
		return err
	}
	return v.Done(v.DepositPath(id), "transaction-named")
}

// seenOf shows a deposit's transfer on the network, and its proof in the
// ledger.
func (v *visit) seenOf(d deposit.Deposit) (facts []view.Fact) {
	if t := d.Transfer; t != nil {
		if !t.Credited().Equal(d.Amount) {
			facts = append(facts, view.Fact{Label: say.TransferCame, Value: v.Say(say.AnotherCame, v.USDT(t.Credited())), Class: "wrong"})
		}
		confirmed := v.Say(say.ConfirmationsOf, min(t.Confirmations, t.Needed), t.Needed)
		facts = append(facts, view.Fact{Label: say.TransactionHash, Value: t.Hash, Class: "mono"},
			view.Fact{Label: say.Confirmations, Value: confirmed, Class: "num"})
	}
	if d.Status == "confirmed" {
		facts = append(facts, view.Fact{
			Label: say.LedgerProof, Value: v.Say(say.LedgerProofFile), Href: view.Link(v.DepositPath(d.ID) + "/proof.json"),
		})
	}
	return facts
}

// showDeposit shows a deposit, with the typed transaction and its mistakes.
func (v *visit) showDeposit(status int, id int64, typed string, wrong map[string]string) error {
	d, err := v.Deposits.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	moves, err := v.Deposits.History(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	boxes, err := v.Cashboxes(portal.Asked{List: depositList})
	if err != nil {
		return err
	}
	shown := Deposit{Amount: v.USDT(d.Amount), Status: d.Status, Here: v.DepositPath(d.ID), Facts: []view.Fact{
		{Label: say.Cashbox, Value: boxes.Name(portal.IDText(d.CashboxID))},
		{Label: say.Network, Value: d.Network},
	}}
	if d.Status == "pending" {
		if err := v.sendTo(&shown, d); err != nil {
			return err
		}
		if d.Transfer == nil && v.May(caller.MerchantDeposits) {
			shown.Name = &view.Field{
				Name: "transactionHash", Label: sayNameHash, Value: cmp.Or(typed, d.Named), Wrong: wrong["transactionHash"],
				Hint: v.Say(sayNameHint), Max: 80, More: templ.Attributes{"autocomplete": "off", "spellcheck": "false"},
			}
		}
	}
	if shown.Send.Address == "" {
		shown.Facts = append(shown.Facts, view.Fact{Label: say.Address, Value: d.Address, Class: "mono"})
	}
	shown.Facts = append(shown.Facts, view.Fact{Label: sayReference, Value: optional.Value(d.ExternalReference)})
	if d.Named != "" && (d.Transfer == nil || d.Transfer.Hash != d.Named) && shown.Name == nil {
		shown.Facts = append(shown.Facts, view.Fact{Label: sayNamed, Value: d.Named, Class: "mono"})
	}
	shown.Facts = append(append(shown.Facts, v.seenOf(d)...), view.Fact{Label: say.Created, At: &d.CreatedAt})
	shown.Noted = v.Noted(d.Metadata, "/deposits")
	shown.Curl = v.Curl("/api/v1/deposits/" + portal.IDText(d.ID))
	if shown.Lines, err = v.Moves(moves, say.DepositStatus); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(say.DepositTitle, d.ID), len(wrong) > 0
	return portal.Show(v.Visit, status, DepositPage, shown)
}

// sendTo shows to which address the USDT of a deposit are to be sent, if it is
// the platform's.
func (v *visit) sendTo(shown *Deposit, d deposit.Deposit) error {
	receiving, err := v.Deposits.ReceivingAddresses(v.Ctx(), v.Who)
	if err != nil || !slices.ContainsFunc(receiving, func(r deposit.Receiving) bool {
		return r.Network == d.Network && r.Address == d.Address
	}) {
		return err
	}
	code, err := site.QR(d.Address)
	if err != nil {
		return err
	}
	if v.Shell.Sandbox && d.Transfer == nil {
		shown.SandboxSend = view.Link("/sandbox/wallet/deposits/" + portal.IDText(d.ID))
	}
	shown.Send = Send{Network: d.Network, Address: d.Address, QR: string(code)}
	return nil
}

func (v *visit) newDeposit() error {
	typed := url.Values{"token": {submission.NewToken()}, portal.AsksCashbox: {v.R.URL.Query().Get(portal.AsksCashbox)}}
	return v.askDeposit(http.StatusOK, typed, nil)
}

// askDeposit asks for a deposit, with what was typed and its mistakes. The
// merchant types an address only if the platform has set none on any network;
// otherwise the network stands for it, and a network that was closed since the
// form was shown is a mistake there.
func (v *visit) askDeposit(status int, typed url.Values, wrong map[string]string) error {
	boxes, err := v.Cashboxes(portal.Asked{List: depositList})
	if err != nil {
		return err
	}
	receiving, err := v.Deposits.ReceivingAddresses(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := NewDeposit{
		AsksAddress: len(receiving) == 0, Token: typed.Get("token"), Cashbox: typed.Get(portal.AsksCashbox),
		Amount: typed.Get("amount"), Network: typed.Get("network"), Address: typed.Get("address"),
		Reference: typed.Get("externalReference"), Metadata: typed.Get("metadata"), Wrong: wrong,
	}
	for _, box := range boxes {
		id := portal.IDText(box.ID)
		shown.Cashboxes = append(shown.Cashboxes, view.Option{Value: id, Text: boxes.Name(id)})
	}
	for _, r := range receiving {
		shown.Networks = append(shown.Networks, view.Option{Value: r.Network, Text: r.Network})
	}
	if !shown.AsksAddress && wrong["address"] != "" { // the network's address was removed meanwhile
		wrong["network"] = v.Say(sayNetworkClosed)
	}
	if shown.AsksAddress {
		for _, network := range chain.Names() {
			shown.Networks = append(shown.Networks, view.Option{Value: network, Text: network})
		}
	}
	return portal.ShowPage(v.Visit, status, v.Say(sayRequestDeposit), NewDepositPage, shown)
}

// requestDeposit requests a deposit. The form's token is its idempotency key.
func (v *visit) requestDeposit(form url.Values) error {
	box := portal.IDOf(form, portal.AsksCashbox)
	noted, flaw := metadata.TypedLines(form.Get("metadata"))
	if flaw != "" {
		err := fault.Fields{"metadata": {flaw}}.Err()
		return v.askDeposit(http.StatusUnprocessableEntity, form, v.Wrong(err))
	}
	err := v.Once(form, func() (submission.Outcome, error) {
		created, err := v.Deposits.Create(v.Ctx(), v.Who, deposit.Request{
			CashboxID:         &box,
			Amount:            money.Typed(form.Get("amount")),
			Network:           form.Get("network"),
			Address:           strings.TrimSpace(form.Get("address")),
			ExternalReference: optional.Of(form.Get("externalReference")),
			IdempotencyKey:    form.Get("token"),
			Metadata:          noted,
		})
		return submission.Outcome{LedTo: v.DepositPath(created.Deposit.ID), Said: "deposit-requested"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		for field, said := range wrong { // mistakes in a pair are shown at the field of all pairs
			if key, ok := strings.CutPrefix(field, "metadata."); ok {
				wrong["metadata"] += key + ": " + said + " "
			}
		}
		return v.askDeposit(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// balance shows what each cashbox of the merchant has, with a link to its
// statement, and the sums if there are several.
func (v *visit) balance() error {
	boxes, err := v.Deposits.Balances(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Balances{Deposits: v.Who.May(caller.MerchantDeposits), Sheet: view.Sheet{
		Label: v.Say(say.BalanceTitle), Empty: view.Empty{Title: sayNoCashboxes},
		Columns: portal.AtRight(v.Columns(false,
			say.Cashbox, say.Currency, say.Total, say.AccountAvailable, say.AccountReserved, say.Insured), 2, 3, 4, 5),
	}}
	var total, available, reserved, insured decimal.Decimal
	for _, box := range boxes {
		b := box.Balance
		total, available = total.Add(b.Total), available.Add(b.Available)
		reserved, insured = reserved.Add(b.Reserved), insured.Add(b.Insurance)
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			{
				Text: box.Name, Beside: "№ " + portal.IDText(box.ID),
				Href: view.Query(portal.OwnStatementPath, portal.AsksCashbox, portal.IDText(box.ID)),
			},
			{Text: box.Currency}, {Text: v.Shell.Figure(b.Total)}, {Text: v.Shell.Figure(b.Available)},
			{Text: v.Shell.Figure(b.Reserved)}, {Text: v.Shell.Figure(b.Insurance)},
		})
	}
	if len(boxes) > 1 {
		shown.Sheet.Foot = []view.Cell{
			{Text: v.Say(sayAllCashboxes)}, {}, {Text: v.Shell.Figure(total)}, {Text: v.Shell.Figure(available)},
			{Text: v.Shell.Figure(reserved)}, {Text: v.Shell.Figure(insured)},
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.BalanceTitle), BalancePage, shown)
}
