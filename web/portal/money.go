package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/proposal"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	moneyPath     = "/operator/money"
	approvalsPath = "/operator/approvals"
)

// moneyEntries are the pages of money in an operator's navigation.
var moneyEntries = []entry{
	{needs: caller.OperatorMoney, href: moneyPath, label: say.MoneyTitle, group: say.MoneyGroup},
	{needs: caller.OperatorRead, href: approvalsPath, label: say.ApprovalsTitle, group: say.MoneyGroup},
	{needs: caller.OperatorRead, href: accountsPath, label: say.AccountsTitle, group: say.MoneyGroup},
	{needs: caller.OperatorRead, href: incomePath, label: say.IncomeTitle, group: say.MoneyGroup},
}

// What operators move by hand: a page, and for each action a form, a page that restates it, and the deed.
var moneyRoutes = append([]route{
	{pattern: "GET " + moneyPath, kinds: operators, needs: caller.OperatorMoney, handle: (*visit).money},
}, deedRoutes(moneyDeeds...)...)

// deed is an action that operators do by hand, once they have seen it restated.
type deed struct {
	path       string
	action     proposal.Action
	name, text say.Phrase
	needs      caller.Capability
	back       string
	// fields are the form's, read its payload, and facts what the page restates.
	fields func(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field)
	read   func(form url.Values, f fault.Fields) proposal.Payload
	facts  func(v *visit, p proposal.Payload) ([]view.Fact, error)
}

var moneyDeeds = []deed{
	{
		path: moneyPath + "/fund", action: proposal.FundTrader, name: say.FundTitle, text: say.FundText,
		needs: caller.OperatorMoney, back: moneyPath, fields: fundingFields, read: readFunding, facts: fundingFacts,
	},
	{
		path: moneyPath + "/withdraw", action: proposal.WithdrawTrader, name: say.WithdrawTitle, text: say.WithdrawText,
		needs: caller.OperatorMoney, back: moneyPath, fields: fundingFields, read: readFunding, facts: fundingFacts,
	},
	{
		path:   moneyPath + "/insurance",
		action: proposal.SetInsurance,
		name:   say.InsuranceTitle,
		text:   say.InsuranceText,
		needs:  caller.OperatorMoney,
		back:   moneyPath,
		fields: insuranceFields,
		read:   readInsurance,
		facts:  insuranceFacts,
	},
	{
		path:   moneyPath + "/correct",
		action: proposal.Correct,
		name:   say.CorrectTitle,
		text:   say.CorrectText,
		needs:  caller.OperatorMoney,
		back:   moneyPath,
		fields: correctionFields,
		read:   readCorrection,
		facts:  correctionFacts,
	},
}

// deedRoutes are the addresses of deeds.
func deedRoutes(deeds ...deed) []route {
	var routes []route
	for _, d := range deeds {
		form := func(v *visit) error { return v.deedForm(http.StatusOK, d, v.r.URL.Query(), nil) }
		sure := func(v *visit) error { return v.deedSure(d) }
		do := func(v *visit) error { return v.deedDo(d) }
		routes = append(routes,
			route{pattern: "GET " + d.path, kinds: operators, needs: d.needs, handle: form},
			route{pattern: "GET " + d.path + "/confirm", kinds: operators, needs: d.needs, handle: sure},
			route{pattern: "POST " + d.path, kinds: operators, needs: d.needs, handle: do})
	}
	return routes
}

func (v *visit) money() error {
	shown := view.Money{Alone: v.shell.Say(say.FourEyesOff)}
	if v.Settings.FourEyes.On {
		shown.Alone = v.shell.Say(say.FourEyesOn)
	}
	for _, d := range moneyDeeds {
		shown.Acts = append(shown.Acts, view.MoneyAct{
			Title: v.shell.Say(d.name), Text: v.shell.Say(d.text), Href: view.Link(d.path),
		})
	}
	v.shell.Title = v.shell.Say(say.MoneyTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.MoneyPage(s, shown) })
	return nil
}

// deedForm asks for what an action is done with.
func (v *visit) deedForm(status int, d deed, typed url.Values, wrong map[string]string) error {
	shown := view.MoneyForm{
		Action: d.path + "/confirm", Get: true, Text: v.shell.Say(d.text), Submit: v.shell.Say(say.GoOnToConfirm),
		Back: view.Link(d.back),
	}
	shown.Choices, shown.Fields = d.fields(v, typed, wrong)
	shown.Fields = append(shown.Fields, view.Field{
		Name: "reason", Label: say.ReasonWhy, Value: typed.Get("reason"), Hint: v.shell.Say(say.WhyHint),
		Wrong: wrong["reason"], Area: true, Max: 500, Optional: d.action != proposal.Correct,
	})
	if v.Settings.FourEyes.On {
		others, err := v.Proposals.Others(v.ctx(), v.who)
		if err != nil {
			return err
		}
		if others == 0 {
			shown.Notes = append(shown.Notes, v.shell.Say(say.NobodyElse))
		}
	}
	v.shell.Title = v.shell.Say(d.name)
	v.show(status, func(s view.Shell) site.Page { return view.MoneyFormPage(s, shown) })
	return nil
}

// deedSure restates what is about to be done.
func (v *visit) deedSure(d deed) error {
	typed := v.r.URL.Query()
	f := fault.Fields{}
	for name, values := range typed {
		for _, value := range values {
			f.Flaw(name, fault.TextLinesFlaw(value))
		}
	}
	p := d.read(typed, f)
	f.MaxLength("reason", typed.Get("reason"), 500)
	err := f.Err()
	var facts []view.Fact
	if err == nil {
		facts, err = d.facts(v, p)
	}
	if wrong := v.wrong(err); wrong != nil {
		return v.deedForm(http.StatusUnprocessableEntity, d, typed, wrong)
	}
	if err != nil {
		return err
	}
	facts = append(facts, view.Fact{Label: say.ReasonWhy, Value: typed.Get("reason")})
	q := view.Question{
		Title: say.SureTitle, Facts: facts, Action: d.path, Yes: v.shell.Say(say.SureYes),
		Back: view.Query(d.path, flat(typed)...), Texts: []string{v.shell.Say(d.text)},
	}
	if v.Settings.FourEyes.On {
		q.Texts = append(q.Texts, v.shell.Say(say.FourEyesOn))
		q.Yes = v.shell.Say(say.SurePropose)
	}
	if d.action == proposal.SetInsurance || d.action == proposal.SetRate { // small ones are done at once
		q.Yes = v.shell.Say(say.SureYes)
	}
	q.Hidden = pairsOf(typed)
	return v.question(q)
}

// pairsOf are the parameters of an address that a form sends on, in the order of their names.
func pairsOf(typed url.Values) [][2]string {
	var pairs [][2]string
	for _, name := range []string{
		"traderId", "cashboxId", "from", "to", "currency", "fiatPerUsdt", "validMinutes", "amount", "reference", "reason",
	} {
		if typed.Has(name) {
			pairs = append(pairs, [2]string{name, typed.Get(name)})
		}
	}
	return pairs
}

func flat(typed url.Values) []string {
	var list []string
	for _, pair := range pairsOf(typed) {
		list = append(list, pair[0], pair[1])
	}
	return list
}

// deedDo does an action once, or proposes it.
func (v *visit) deedDo(d deed) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	err = v.once(form, func() (submission.Outcome, error) {
		f := fault.Fields{}
		p := d.read(form, f)
		if err := f.Err(); err != nil {
			return submission.Outcome{}, err
		}
		done, err := v.Proposals.Do(v.ctx(), v.who, d.action, p, form.Get("reason"))
		if err != nil {
			return submission.Outcome{}, err
		}
		if done.Proposal != nil {
			return submission.Outcome{LedTo: approvalPath(done.Proposal.ID), Said: "proposed"}, nil
		}
		return submission.Outcome{LedTo: d.back, Said: "money-done"}, nil
	})
	if wrong := v.wrong(err); wrong != nil {
		return v.deedForm(http.StatusUnprocessableEntity, d, form, wrong)
	}
	return err
}

// holding is what an owner has; nothing where there is no such account.
func (v *visit) holding(owner ledger.Owner, id int64) (*report.Holding, error) {
	list, _, err := v.Reports.Accounts(
		v.ctx(),
		v.who,
		report.AccountFilter{Owner: owner.String(), OwnerID: &id, Limit: 1},
	)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// ownerName says whose an account is.
func (v *visit) ownerName(h report.Holding) string {
	id := h.Account.OwnerID
	switch h.Account.Owner {
	case ledger.Trader:
		return strings.TrimSpace(v.shell.Say(say.TraderOwner, id, h.Name))
	case ledger.Cashbox:
		return strings.TrimSpace(v.shell.Say(say.CashboxOwner, id, strings.TrimPrefix(h.Merchant+", "+h.Name, ", ")))
	case ledger.Platform:
		return v.shell.Say(say.PlatformOwner)
	case ledger.External:
	}
	return v.shell.Say(say.OutsideWorld)
}

func amountField(label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	return view.Field{
		Name: "amount", Label: label, Value: typed.Get("amount"), Wrong: wrong["amount"], Max: 24,
		More: map[string]any{"inputmode": "decimal", "autocomplete": "off"},
	}
}

func (v *visit) referenceField(typed url.Values, wrong map[string]string) view.Field {
	return view.Field{
		Name:  "reference",
		Label: say.MoneyReference,
		Value: typed.Get("reference"),
		Hint:  v.shell.Say(say.ReferenceHint),
		Wrong: wrong["reference"],
		More:  map[string]any{"autocomplete": "off", "spellcheck": "false"},
	}
}

func numberField(name string, label say.Phrase, typed url.Values, wrong map[string]string) view.Field {
	return view.Field{
		Name: name, Label: label, Value: typed.Get(name), Wrong: wrong[name], Max: 19,
		More: map[string]any{"inputmode": "numeric", "autocomplete": "off"},
	}
}

func fundingFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	return nil, []view.Field{
		numberField("traderId", say.TraderNumber, typed, wrong), amountField(say.AmountUSDT, typed, wrong),
		v.referenceField(typed, wrong),
	}
}

// readID reads a number that names something.
func readID(form url.Values, name string, f fault.Fields) int64 {
	id, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64)
	if f.Required(name, form.Get(name)) {
		f.Check(err == nil && id > 0, name, "must be a number")
	}
	return id
}

// readAmount reads an amount of USDT as people type it.
func readAmount(form url.Values, f fault.Fields) string {
	amount := plainAmount(form.Get("amount"))
	fault.Read(f, "amount", amount, money.ParseUSDT)
	return amount
}

func readFunding(form url.Values, f fault.Fields) proposal.Payload {
	return proposal.Payload{
		TraderID: readID(form, "traderId", f), Amount: readAmount(form, f),
		Reference: f.RequiredText("reference", form.Get("reference"), 255),
	}
}

func fundingFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	h, err := v.holding(ledger.Trader, p.TraderID)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, fault.Fields{"traderId": {v.shell.Say(say.WrongTrader)}}.Err()
	}
	return []view.Fact{
		{Label: say.Counterparty, Value: v.ownerName(*h)},
		{Label: say.Amount, Value: p.Amount + " USDT"},
		{Label: say.HasNow, Value: view.USDT(h.Available)},
		{Label: say.MoneyReference, Value: p.Reference, Class: "mono"},
	}, nil
}

func insuranceFields(_ *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	return nil, []view.Field{
		numberField("cashboxId", say.CashboxNumber, typed, wrong), amountField(say.InsuranceAmount, typed, wrong),
	}
}

func readInsurance(form url.Values, f fault.Fields) proposal.Payload {
	return proposal.Payload{CashboxID: readID(form, "cashboxId", f), Amount: readAmount(form, f)}
}

func insuranceFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	h, err := v.holding(ledger.Cashbox, p.CashboxID)
	if err != nil {
		return nil, err
	}
	if h == nil {
		return nil, fault.Fields{"cashboxId": {v.shell.Say(say.WrongCashbox)}}.Err()
	}
	return []view.Fact{
		{Label: say.Counterparty, Value: v.ownerName(*h)},
		{Label: say.InsuranceAmount, Value: p.Amount + " USDT"},
		{Label: say.HasNow, Value: view.USDT(h.Available)},
		{Label: say.InsuredNow, Value: view.USDT(h.Reserved)},
	}, nil
}

func correctionFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	account := func(name string, label say.Phrase) view.Field {
		return view.Field{
			Name:  name,
			Label: label,
			Value: typed.Get(name),
			Hint:  v.shell.Say(say.AccountHint),
			Wrong: wrong[name],
			Max:   40,
			More:  map[string]any{"autocomplete": "off", "spellcheck": "false"},
		}
	}
	return nil, []view.Field{
		account("from", say.FromAccount), account("to", say.ToAccount), amountField(say.AmountUSDT, typed, wrong),
		v.referenceField(typed, wrong),
	}
}

// readAccount reads whose account is meant, such as "trader 3".
func readAccount(form url.Values, name string, f fault.Fields) *int64 {
	words := strings.Fields(strings.ToLower(form.Get(name)))
	if !f.Required(name, strings.Join(words, " ")) {
		return nil
	}
	owner, known := ledger.OwnerNamed(words[0])
	var of int64
	var err error
	numbered := owner == ledger.Trader || owner == ledger.Cashbox
	if len(words) == 2 && numbered {
		of, err = strconv.ParseInt(words[1], 10, 64)
	}
	ok := known && err == nil && (numbered && len(words) == 2 && of > 0 || !numbered && len(words) == 1)
	f.Check(ok, name, "must be platform, external, or trader or cashbox and a number")
	if !ok {
		return nil
	}
	id := ledger.Available(owner, of).ID()
	return &id
}

func readCorrection(form url.Values, f fault.Fields) proposal.Payload {
	return proposal.Payload{
		From: readAccount(form, "from", f), To: readAccount(form, "to", f), Amount: readAmount(form, f),
		Reference: f.RequiredText("reference", form.Get("reference"), 255),
		Reason:    f.RequiredText("reason", form.Get("reason"), 500),
	}
}

func correctionFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	var found [2]*report.Holding
	for i, side := range []struct {
		name string
		id   int64
	}{{"from", *p.From}, {"to", *p.To}} {
		a := ledger.AccountOf(side.id)
		h, err := v.holding(a.Owner, a.OwnerID)
		if err != nil {
			return nil, err
		}
		if h == nil {
			return nil, fault.Fields{side.name: {v.shell.Say(say.WrongAccount)}}.Err()
		}
		found[i] = h
	}
	return []view.Fact{
		{Label: say.FromAccount, Value: v.ownerName(*found[0])},
		{Label: say.HasNow, Value: view.USDT(found[0].Available)},
		{Label: say.ToAccount, Value: v.ownerName(*found[1])},
		{Label: say.Amount, Value: p.Amount + " USDT"},
		{Label: say.MoneyReference, Value: p.Reference, Class: "mono"},
	}, nil
}
