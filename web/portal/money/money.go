package money

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/proposal"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The actions by which operators move money by hand. Each has a form, a page
// that repeats the input to be confirmed, and the action itself.
var moneyRoutes = append([]route{
	{Pattern: "GET " + portal.MoneyPath, Needs: caller.OperatorMoney, Handle: (*visit).money},
}, deedRoutes(append(moneyDeeds, rateDeed)...)...)

// deed is an action by hand, which the operator confirms after seeing the input
// repeated.
type deed struct {
	path       string
	action     proposal.Action
	name, text say.Phrase
	needs      caller.Capability
	back       string
	// fields are those of the form, read makes the action's payload from
	// them, and facts repeats it for confirmation.
	fields func(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field)
	// picks are the fields that name a participant.
	picks map[string]*portal.Pick
	read  func(form url.Values, f fault.Fields) proposal.Payload
	facts func(v *visit, p proposal.Payload) ([]view.Fact, error)
}

var (
	ofTrader   = map[string]*portal.Pick{"traderId": portal.PickTrader}
	ofCashbox  = map[string]*portal.Pick{"cashboxId": portal.PickCashbox}
	moneyDeeds = []deed{
		{
			path: portal.MoneyPath + "/fund", action: proposal.FundTrader, name: say.FundTitle, text: sayFundText,
			needs: caller.OperatorMoney, back: portal.MoneyPath,
			fields: fundingFields, picks: ofTrader, read: readFunding, facts: fundingFacts,
		},
		{
			path: portal.MoneyPath + "/withdraw", action: proposal.WithdrawTrader, name: sayWithdrawTitle, text: sayWithdrawText,
			needs: caller.OperatorMoney, back: portal.MoneyPath,
			fields: fundingFields, picks: ofTrader, read: readFunding, facts: fundingFacts,
		},
		{
			path: portal.MoneyPath + "/insurance", action: proposal.SetInsurance, name: sayInsuranceTitle, text: sayInsuranceText,
			needs: caller.OperatorMoney, back: portal.MoneyPath,
			fields: insuranceFields, picks: ofCashbox, read: readInsurance, facts: insuranceFacts,
		},
		{
			path: portal.MoneyPath + "/correct", action: proposal.Correct, name: sayCorrectTitle, text: sayCorrectText,
			needs: caller.OperatorMoney, back: portal.MoneyPath,
			fields: correctionFields, read: readCorrection, facts: correctionFacts,
		},
	}
)

// deedRoutes are the routes of deeds.
func deedRoutes(deeds ...deed) []route {
	var routes []route
	for _, d := range deeds {
		form := func(v *visit) error { return v.deedForm(http.StatusOK, d, v.R.URL.Query(), nil) }
		sure := func(v *visit) error { return v.deedSure(d) }
		do := func(v *visit) error { return v.deedDo(d) }
		routes = append(routes,
			route{Pattern: "GET " + d.path, Needs: d.needs, Handle: form},
			route{Pattern: "GET " + d.path + "/confirm", Needs: d.needs, Handle: sure},
			route{Pattern: "POST " + d.path, Needs: d.needs, Handle: do})
	}
	return routes
}

// money lists what operators may do by hand, and says whether it takes a second
// operator.
func (v *visit) money() error {
	shown := Money{Alone: v.Say(sayFourEyesOff)}
	if v.Settings.FourEyes.On {
		shown.Alone = v.Say(sayFourEyesOn)
	}
	for _, d := range moneyDeeds {
		shown.Acts = append(shown.Acts, Act{
			Title: v.Say(d.name), Text: v.Say(d.text), Href: view.Link(d.path),
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.MoneyTitle), MoneyPage, shown)
}

// deedForm asks for the input of an action.
func (v *visit) deedForm(status int, d deed, typed url.Values, wrong map[string]string) error {
	shown := view.MoneyForm{
		Action: d.path + "/confirm", Get: true, Text: v.Say(d.text), Submit: v.Say(sayGoOnToConfirm),
		Back: view.Link(d.back),
	}
	shown.Choices, shown.Fields = d.fields(v, typed, wrong)
	shown.Fields = append(shown.Fields, view.Field{
		Name: "reason", Label: say.ReasonWhy, Hint: v.Say(sayWhyHint), Area: true, Max: 500,
		Optional: d.action != proposal.Correct,
	})
	alone := ""
	if err := v.warnAlone(&alone); err != nil {
		return err
	}
	if alone != "" {
		shown.Notes = append(shown.Notes, alone)
	}
	return v.ShowForm(status, v.Say(d.name), shown, typed, wrong)
}

// deedSure repeats the input and asks for confirmation.
func (v *visit) deedSure(d deed) error {
	typed := v.R.URL.Query()
	if err := errors.Join(v.Picked(typed, d.picks), v.accountsPicked(typed)); err != nil {
		return err
	}
	f := fault.Decoded(v.Ctx())
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
	if wrong := v.Wrong(err); wrong != nil {
		return v.deedForm(http.StatusUnprocessableEntity, d, typed, wrong)
	}
	if err != nil {
		return err
	}
	facts = append(facts, view.Fact{Label: say.ReasonWhy, Value: typed.Get("reason")})
	q := view.Question{
		Title: saySureTitle, Facts: facts, Action: d.path, Yes: v.Say(saySureYes),
		Back: view.Query(d.path, flat(typed)...), Texts: []string{v.Say(d.text)},
	}
	switch {
	case !v.Settings.FourEyes.On:
	case d.action == proposal.SetInsurance, d.action == proposal.SetRate: // small ones need no second operator
		q.Texts = append(q.Texts, v.Say(sayFourEyesSome))
	default:
		q.Texts = append(q.Texts, v.Say(sayFourEyesOn))
		q.Yes = v.Say(saySurePropose)
	}
	q.Hidden = pairsOf(typed)
	return v.Question(q)
}

// pairsOf are the parameters that a form sends on, in the order of their names.
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

// deedDo executes an action once, or proposes it.
func (v *visit) deedDo(d deed) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		f := fault.Fields{}
		p := d.read(form, f)
		if err := f.Err(); err != nil {
			return submission.Outcome{}, err
		}
		done, err := v.Proposals.Do(v.Ctx(), v.Who, d.action, p, form.Get("reason"))
		if err != nil {
			return submission.Outcome{}, err
		}
		if done.Proposal != nil {
			return submission.Outcome{LedTo: portal.ApprovalPath(done.Proposal.ID), Said: "proposed"}, nil
		}
		return submission.Outcome{LedTo: d.back, Said: "money-done"}, nil
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.deedForm(http.StatusUnprocessableEntity, d, form, wrong)
	}
	return err
}

func (v *visit) referenceField() view.Field {
	return view.Field{
		Name: "reference", Label: sayMoneyReference,
		Hint: v.Say(sayReferenceHint), More: map[string]any{"autocomplete": "off", "spellcheck": "false"},
	}
}

func fundingFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	return nil, []view.Field{
		v.PickField(portal.PickTrader, "traderId", say.PortalTrader, typed, wrong),
		portal.AmountField(say.AmountUSDT, typed, wrong),
		v.referenceField(),
	}
}

// readAmount parses an amount of USDT that a person typed.
func readAmount(form url.Values, f fault.Fields) string {
	amount := money.Typed(form.Get("amount"))
	fault.Read(f, "amount", amount, money.ParseUSDT)
	return amount
}

func readFunding(form url.Values, f fault.Fields) proposal.Payload {
	return proposal.Payload{
		TraderID: portal.ReadID(form, "traderId", f), Amount: readAmount(form, f),
		Reference: f.RequiredText("reference", form.Get("reference"), 255),
	}
}

// held reads what an account's owner has. If there is no such account, the
// field is wrong.
func (v *visit) held(field string, a ledger.Account, flaw say.Phrase) (*books.Holding, error) {
	h, err := v.Holding(a.Owner, a.OwnerID)
	if err == nil && h == nil {
		err = fault.Fields{field: {v.Say(flaw)}}.Err()
	}
	return h, err
}

// fundingFacts repeats the input, with what the trader has now. A trader who
// does not exist is a mistake in the form.
func fundingFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	h, err := v.held("traderId", ledger.Available(ledger.Trader, p.TraderID), sayWrongTrader)
	if err != nil {
		return nil, err
	}
	return []view.Fact{
		{Label: sayCounterparty, Value: v.OwnerName(*h)},
		{Label: say.Amount, Value: p.Amount + " USDT"},
		{Label: sayHasNow, Value: v.USDT(h.Available)},
		{Label: sayMoneyReference, Value: p.Reference, Class: "mono"},
	}, nil
}

func insuranceFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	return nil, []view.Field{
		v.PickField(portal.PickCashbox, "cashboxId", say.Cashbox, typed, wrong),
		portal.AmountField(sayInsuranceAmount, typed, wrong),
	}
}

func readInsurance(form url.Values, f fault.Fields) proposal.Payload {
	return proposal.Payload{CashboxID: portal.ReadID(form, "cashboxId", f), Amount: readAmount(form, f)}
}

// insuranceFacts repeats the input, with what the cashbox has and what is
// insured now. The input is the new amount and not a difference.
func insuranceFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	h, err := v.held("cashboxId", ledger.Available(ledger.Cashbox, p.CashboxID), say.WrongCashbox)
	if err != nil {
		return nil, err
	}
	return []view.Fact{
		{Label: sayCounterparty, Value: v.OwnerName(*h)},
		{Label: sayInsuranceAmount, Value: p.Amount + " USDT"},
		{Label: sayHasNow, Value: v.USDT(h.Available)},
		{Label: sayInsuredNow, Value: v.USDT(h.Reserved)},
	}, nil
}

// correctionFields asks for the two accounts of a correction. An account is
// typed as its kind of owner with a name or number, so that it works without
// scripts; the fields offer some.
func correctionFields(v *visit, typed url.Values, wrong map[string]string) ([]view.Choice, []view.Field) {
	offered := []string{ledger.Platform.String(), ledger.External.String()}
	for _, owner := range accountOwners {
		offered = append(offered, v.Offered(owner.pick, owner.word+" ")...)
	}
	account := func(name string, label say.Phrase) view.Field {
		return view.Field{
			Name: name, Label: label, Value: v.accountCalled(typed.Get(name)), Wrong: wrong[name], Suggest: offered,
			Hint: v.Say(sayAccountHint), More: map[string]any{"autocomplete": "off", "spellcheck": "false"},
		}
	}
	return nil, []view.Field{
		account("from", sayFromAccount), account("to", sayToAccount), portal.AmountField(say.AmountUSDT, typed, wrong),
		v.referenceField(),
	}
}

// accountOwners are the kinds of owners of which there are many, with the word
// before the name.
var accountOwners = []struct {
	word string
	pick *portal.Pick
}{{ledger.Trader.String(), portal.PickTrader}, {ledger.Cashbox.String(), portal.PickCashbox}}

// accountsPicked replaces names of account owners by their numbers, as in
// "trader 3".
func (v *visit) accountsPicked(typed url.Values) error {
	for _, name := range []string{"from", "to"} {
		word, whose, _ := strings.Cut(strings.TrimSpace(typed.Get(name)), " ")
		for _, owner := range accountOwners {
			if !strings.EqualFold(word, owner.word) {
				continue
			}
			one := url.Values{name: {whose}}
			if err := v.Picked(one, map[string]*portal.Pick{name: owner.pick}); err != nil {
				return err
			}
			typed.Set(name, strings.TrimSpace(owner.word+" "+one.Get(name)))
		}
	}
	return nil
}

// accountCalled is an account such as "trader 3" together with its owner's
// name.
func (v *visit) accountCalled(text string) string {
	for _, owner := range accountOwners {
		if id, found := strings.CutPrefix(text, owner.word+" "); found {
			return owner.word + " " + v.Called(owner.pick, id)
		}
	}
	return text
}

// readAccount parses an owner of an account, such as "trader 3".
func readAccount(form url.Values, name string, f fault.Fields) *int64 {
	words := strings.Fields(strings.ToLower(form.Get(name)))
	if f.Wrong(name) || !f.Required(name, strings.Join(words, " ")) {
		return nil
	}
	owner, known := ledger.OwnerNamed(words[0])
	var of int64
	var err error
	Numbered := owner == ledger.Trader || owner == ledger.Cashbox
	if len(words) == 2 && Numbered {
		of, err = strconv.ParseInt(words[1], 10, 64)
	}
	ok := known && err == nil && (Numbered && len(words) == 2 && of > 0 || !Numbered && len(words) == 1)
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

// correctionFacts repeats the input, with what the giving account has now. It
// is called only for input in which both accounts could be read.
func correctionFacts(v *visit, p proposal.Payload) ([]view.Fact, error) {
	from, err := v.held("from", ledger.AccountOf(*p.From), sayWrongAccount)
	if err != nil {
		return nil, err
	}
	to, err := v.held("to", ledger.AccountOf(*p.To), sayWrongAccount)
	if err != nil {
		return nil, err
	}
	return []view.Fact{
		{Label: sayFromAccount, Value: v.OwnerName(*from)},
		{Label: sayHasNow, Value: v.USDT(from.Available)},
		{Label: sayToAccount, Value: v.OwnerName(*to)},
		{Label: say.Amount, Value: p.Amount + " USDT"},
		{Label: sayMoneyReference, Value: p.Reference, Class: "mono"},
	}, nil
}
