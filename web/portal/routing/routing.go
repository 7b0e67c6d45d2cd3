package routing

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Who gets which payment, and why.
var routingRoutes = []route{
	{Pattern: "GET " + portal.RoutingPath, Needs: caller.OperatorRead, Handle: (*visit).routing},
	{Pattern: "GET " + portal.RoutingPath + "/payment", Needs: caller.OperatorRead, Handle: (*visit).choiceAsked},
	{Pattern: "GET " + portal.RoutingPath + "/payments/{id}", Needs: caller.OperatorRead, Handle: portal.After((*visit).Numbered, (*visit).choiceOf)},
	{Pattern: "GET " + portal.RoutingPath + "/traders/{id}", Needs: caller.OperatorRead, Handle: portal.After((*visit).Numbered, (*visit).standing)},
}

// candidatesShown is how many more candidates each click shows.
const candidatesShown = 100

// routing shows which payments found no requisite, and answers which requisite
// a payment would get if the address asks that. No payment is made. A cashbox
// that does not exist is a mistake in the form.
func (v *visit) routing() error {
	typed := v.R.URL.Query()
	refused, err := v.Refusals.List(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Routing{Refusals: v.refusalSheet(refused)}
	var wrong map[string]string
	if typed.Get("amount") != "" || typed.Get("cashboxId") != "" {
		answer, err := v.askRouting(typed)
		if wrong = v.Wrong(err); wrong == nil && err != nil && fault.As(err) == nil {
			return err
		}
		switch f := fault.As(err); {
		case wrong != nil:
		case f != nil && f.Kind == fault.NotFound:
			wrong = map[string]string{"cashboxId": v.Say(say.WrongCashbox)}
		case f != nil:
			return err
		default:
			v.showAnswer(&shown, answer, typed)
		}
	}
	shown.Form = v.routingForm(typed, wrong)
	shown.Replay = portal.NumberField("payment", sayPaymentNo, typed, wrong)
	shown.Replay.Quiet = true
	v.Shell.Title = v.Say(say.RoutingTitle)
	v.Shell.Mistakes = wrong != nil
	status := http.StatusOK
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	return portal.Show(v.Visit, status, RoutingPage, shown)
}

// askRouting asks the service about a payment as it was typed. The cashbox may
// be typed by its name, which typed has as a number afterwards. The moment is
// in UTC; without one it is now.
func (v *visit) askRouting(typed url.Values) (payment.RoutingAnswer, error) {
	if err := v.Picked(typed, map[string]*portal.Pick{"cashboxId": portal.PickCashbox}); err != nil {
		return payment.RoutingAnswer{}, err
	}
	f := fault.Decoded(v.Ctx())
	question := payment.RoutingQuestion{
		Amount: money.Typed(typed.Get("amount")), Currency: typed.Get("currency"), Method: typed.Get("method"),
		CashboxID: portal.ReadID(typed, "cashboxId", f),
	}
	if at := strings.TrimSpace(typed.Get("at")); at != "" {
		moment, err := time.Parse("2006-01-02T15:04", at)
		f.Check(err == nil, "at", "%s", v.Say(say.WrongMoment))
		question.At = &moment
	}
	if err := f.Err(); err != nil {
		return payment.RoutingAnswer{}, err
	}
	return v.Payments.ExplainRouting(v.Ctx(), v.Who, question)
}

// routingForm asks for a payment, with what was typed and its mistakes. What
// was asked is in the address, so that an answer can be passed on.
func (v *visit) routingForm(typed url.Values, wrong map[string]string) view.MoneyForm {
	method := view.Choice{Name: "method", Label: say.MethodLabel, Value: typed.Get("method"), Wrong: wrong["method"]}
	for _, m := range catalogue.Methods {
		method.Options = append(method.Options, view.Option{Value: m.Name, Text: v.MethodName(m.Name)})
	}
	at := view.Field{
		Name:  "at",
		Label: sayRoutingAt,
		Type:  "datetime-local",
		Value: typed.Get("at"),
		Wrong: wrong["at"],
		Quiet: true,
		Max:   16,
	}
	amount := portal.AmountField(say.Amount, typed, wrong)
	cashbox := v.PickField(portal.PickCashbox, "cashboxId", say.Cashbox, typed, wrong)
	amount.Quiet, cashbox.Quiet = true, true
	return view.MoneyForm{
		Choices: []view.Choice{portal.CurrencyChoice(typed.Get("currency"), wrong["currency"]), method},
		Fields:  []view.Field{cashbox, amount, at},
	}
}

// showAnswer shows an answer with its first candidates. The link to more of
// them repeats the question, which is then answered anew.
func (v *visit) showAnswer(shown *Routing, answer payment.RoutingAnswer, typed url.Values) {
	most := candidatesShown
	if asked, err := strconv.Atoi(typed.Get("show")); err == nil {
		most = max(most, asked)
	}
	shown.Asked, shown.Outcome = true, v.outcome(answer)
	shown.Sheet = v.candidateSheet(answer, most)
	if len(answer.Candidates) > most {
		more := url.Values{}
		for _, name := range []string{"cashboxId", "method", "amount", "currency", "at"} {
			more.Set(name, typed.Get(name))
		}
		more.Set("show", strconv.Itoa(most+candidatesShown))
		shown.More = view.Link(portal.RoutingPath + "?" + more.Encode())
	}
}

// outcome says which requisite a payment would get, or why it is refused.
func (v *visit) outcome(answer payment.RoutingAnswer) string {
	if answer.Refusal != "" {
		return v.Say(sayOutcomeNone, answer.Refusal)
	}
	return v.Say(sayOutcomeGot, answer.RequisiteID)
}

// whyNobody says why there are no candidates. If a payment is refused earlier,
// no candidate was examined.
func whyNobody(answer payment.RoutingAnswer) view.Empty {
	switch {
	case answer.NoRate:
		return view.Empty{
			Title: sayCurrencyUnrated,
			Text:  sayCurrencyUnratedText,
			Href:  portal.RatesPath,
			Label: say.RatesTitle,
		}
	case answer.Refusal != noRequisite:
		return view.Empty{Title: sayRefusedBefore}
	}
	return view.Empty{Title: sayNoCandidates}
}

// noRequisite is the code of a payment that is refused because there is no
// requisite for it.
const noRequisite = "collect_requisites_not_available"

// candidateSheet lists candidates in the order in which they are tried.
func (v *visit) candidateSheet(answer payment.RoutingAnswer, most int) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(say.Outcome), Empty: whyNobody(answer),
		Columns: v.Columns(false, sayCandidate, sayOrderOf, say.Outcome, say.Weight, sayChosenLast),
	}
	for i, c := range answer.Candidates[:min(most, len(answer.Candidates))] {
		dropped := view.Cell{Text: v.RuleName(string(c.DroppedBy)), Tone: "off"}
		switch {
		case c.ID == answer.RequisiteID:
			dropped = view.Cell{Text: v.Say(sayWouldGet), Tone: "good"}
		case c.DroppedBy == routing.Free:
			dropped = view.Cell{Text: v.Say(sayWouldDo), Tone: "plain"}
		}
		used := view.Cell{Text: v.Say(say.Never)}
		if c.LastUsedAt.Unix() > 0 {
			used = view.Cell{At: &c.LastUsedAt}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{
				Text: portal.Titled("", c.ID), Href: view.Link(portal.Numbered(portal.RequisitesPath, c.ID)),
				Note:     strings.TrimSpace(v.Say(say.TraderOwner, c.TraderID, "")),
				NoteHref: view.Link(portal.Numbered(portal.TradersPath, c.TraderID)),
			},
			{Text: strconv.Itoa(i + 1)},
			dropped,
			{Text: strconv.Itoa(int(c.Weight))},
			used,
		})
	}
	return sheet
}

// refusalSheet counts, by hour, the payments that found no requisite. They were
// never made, so no payment is linked.
func (v *visit) refusalSheet(list []routing.RefusalHour) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayRefusalTitle), Empty: view.Empty{Title: sayRefusalNone},
		Columns: v.Columns(false, say.Hour, say.MerchantOne, say.MethodLabel, sayCause, sayRefusalCount),
	}
	sheet.Columns[4].Right = true
	for _, r := range list {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{At: &r.Hour},
			{
				Text: portal.Titled(r.Merchant, r.MerchantID),
				Href: view.Link(portal.Numbered(portal.MerchantsPath, r.MerchantID)),
			},
			{Text: v.MethodName(r.Method) + ", " + r.Currency},
			{Text: v.RuleName(r.Cause)},
			{Text: strconv.FormatInt(r.Refusals, 10)},
		})
	}
	return sheet
}

// choiceAsked redirects to the choice of the payment that was asked for.
func (v *visit) choiceAsked() error {
	id, err := strconv.ParseInt(strings.TrimSpace(v.R.URL.Query().Get("payment")), 10, 64)
	if err != nil || id <= 0 {
		return v.Done(portal.RoutingPath, "")
	}
	return v.Done(portal.ChoicePath(id), "")
}

// choiceOf shows how a payment got its requisite, and which one it would get
// now.
func (v *visit) choiceOf(id int64) error {
	r, err := v.Payments.ReplayRouting(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	amount, err := money.ParseFiat(r.Question.Amount)
	if err != nil {
		return err
	}
	shown := Replay{
		Payment: view.Link(v.PaymentPath(id)), PaymentLabel: v.Say(say.ShortPayment, id),
		Passed: v.passedSheet(r), Now: v.candidateSheet(r.Now, candidatesShown), Outcome: v.outcome(r.Now),
	}
	shown.Facts = []view.Fact{
		{
			Label: sayGotIt, Value: portal.Titled("", r.RequisiteID),
			Href: view.Link(portal.Numbered(portal.RequisitesPath, r.RequisiteID)),
		},
		{
			Label: say.PortalTrader, Value: portal.Titled("", r.TraderID),
			Href: view.Link(portal.Numbered(portal.TradersPath, r.TraderID)),
		},
		{
			Label: say.Cashbox, Value: portal.Titled("", r.Question.CashboxID),
			Href: view.Link(portal.Numbered(portal.CashboxesPath, r.Question.CashboxID)),
		},
		{Label: say.MethodLabel, Value: v.MethodName(r.Question.Method)},
		{Label: say.Amount, Value: v.Amount(amount, r.Question.Currency), Class: "num"},
	}
	if r.Pool != nil && r.Looked != nil {
		shown.Facts = append(shown.Facts, view.Fact{Label: sayOrderOf, Value: v.Say(say.LinePool, *r.Pool, *r.Looked)})
	}
	if r.Now.RequisiteID != 0 {
		shown.Same = v.Say(sayOtherChoice)
		if r.Now.RequisiteID == r.RequisiteID {
			shown.Same = v.Say(saySameChoice)
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayChoiceTitle, id), ChoicePage, shown)
}

// passedSheet lists the candidates that were passed over, next to the rule that
// drops each now.
func (v *visit) passedSheet(r payment.Replay) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayAsItWas), Empty: view.Empty{Title: sayNothingPast},
		Columns: v.Columns(false, sayCandidate, sayOrderOf, sayDroppedBy, sayAsItIs),
	}
	now := map[int64]string{}
	for _, c := range r.Now.Candidates {
		if now[c.ID] = v.Say(sayWouldDo); c.DroppedBy != routing.Free {
			now[c.ID] = v.RuleName(string(c.DroppedBy))
		}
	}
	for i, p := range r.Passed {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{
				Text: portal.Titled("", p.ID),
				Href: view.Link(portal.Numbered(portal.RequisitesPath, p.ID)),
			},
			{Text: strconv.Itoa(i + 1)},
			{Text: v.RuleName(string(p.Rule)), Tone: "off"},
			{Text: now[p.ID]},
		})
	}
	return sheet
}
