package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const routingPath = "/operator/routing"

// Who gets which payment, and why.
var routingRoutes = []route{
	{pattern: "GET " + routingPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).routing},
	{
		pattern: "GET " + routingPath + "/payment",
		kinds:   operators,
		needs:   caller.OperatorRead,
		handle:  (*visit).choiceAsked,
	},
	{
		pattern: "GET " + routingPath + "/payments/{id}", kinds: operators, needs: caller.OperatorRead,
		handle: (*visit).choiceOf,
	},
}

func choicePath(id int64) string { return routingPath + "/payments/" + strconv.FormatInt(id, 10) }

// candidatesShown is how many candidates a page shows more of each time.
const candidatesShown = 100

func (v *visit) routing() error {
	typed := v.r.URL.Query()
	refused, err := v.Payments.Refusals(v.ctx(), v.who)
	if err != nil {
		return err
	}
	shown := view.Routing{Refusals: v.refusalSheet(refused)}
	var wrong map[string]string
	if typed.Get("amount") != "" || typed.Get("cashboxId") != "" {
		answer, err := v.askRouting(typed)
		if wrong = v.wrong(err); wrong == nil && err != nil && fault.As(err) == nil {
			return err
		}
		switch f := fault.As(err); {
		case wrong != nil:
		case f != nil && f.Kind == fault.NotFound:
			wrong = map[string]string{"cashboxId": v.shell.Say(say.WrongCashbox)}
		case f != nil:
			return err
		default:
			v.showAnswer(&shown, answer, typed)
		}
	}
	shown.Form = v.routingForm(typed, wrong)
	shown.Replay = numberField("payment", say.PaymentNo, typed, wrong)
	shown.Replay.Quiet = true
	v.shell.Title = v.shell.Say(say.RoutingTitle)
	v.shell.Mistakes = wrong != nil
	status := http.StatusOK
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	v.show(status, func(s view.Shell) site.Page { return view.RoutingPage(s, shown) })
	return nil
}

func (v *visit) askRouting(typed url.Values) (payment.RoutingAnswer, error) {
	f := fault.Fields{}
	question := payment.RoutingQuestion{
		Amount: plainAmount(typed.Get("amount")), Currency: typed.Get("currency"), Method: typed.Get("method"),
		CashboxID: readID(typed, "cashboxId", f),
	}
	if at := strings.TrimSpace(typed.Get("at")); at != "" {
		moment, err := time.Parse("2006-01-02T15:04", at)
		f.Check(err == nil, "at", "%s", v.shell.Say(say.WrongMoment))
		question.At = &moment
	}
	if err := f.Err(); err != nil {
		return payment.RoutingAnswer{}, err
	}
	return v.Payments.ExplainRouting(v.ctx(), v.who, question)
}

func (v *visit) routingForm(typed url.Values, wrong map[string]string) view.MoneyForm {
	method := view.Choice{Name: "method", Label: say.MethodLabel, Value: typed.Get("method"), Wrong: wrong["method"]}
	for _, m := range catalogue.Methods {
		method.Options = append(method.Options, view.Option{Value: m.Name, Text: v.methodName(m.Name)})
	}
	at := view.Field{
		Name:  "at",
		Label: say.RoutingAt,
		Type:  "datetime-local",
		Value: typed.Get("at"),
		Wrong: wrong["at"],
		Quiet: true,
		Max:   16,
	}
	amount := amountField(say.Amount, typed, wrong)
	cashbox := numberField("cashboxId", say.CashboxNumber, typed, wrong)
	amount.Quiet, cashbox.Quiet = true, true
	return view.MoneyForm{
		Choices: []view.Choice{currencyChoice(typed.Get("currency"), wrong["currency"]), method},
		Fields:  []view.Field{cashbox, amount, at},
	}
}

func (v *visit) showAnswer(shown *view.Routing, answer payment.RoutingAnswer, typed url.Values) {
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
		shown.More = view.Link(routingPath + "?" + more.Encode())
	}
}

// outcome says what becomes of a payment.
func (v *visit) outcome(answer payment.RoutingAnswer) string {
	if answer.Refusal != "" {
		return v.shell.Say(say.OutcomeNone, answer.Refusal)
	}
	return v.shell.Say(say.OutcomeGot, answer.RequisiteID)
}

// ruleName names a rule that drops a candidate.
func (v *visit) ruleName(rule string) string {
	if phrase := say.RoutingRule(rule); !phrase.Empty() {
		return v.shell.Say(phrase)
	}
	return rule
}

// numbersOf lists numbers.
func numbersOf(ids []int64) string {
	var list []string
	for _, id := range ids {
		list = append(list, strconv.FormatInt(id, 10))
	}
	return strings.Join(list, ", ")
}

// whyNobody says why there are no candidates. Where a payment is refused before, nobody has looked at them.
func whyNobody(answer payment.RoutingAnswer) view.Empty {
	switch {
	case answer.NoRate:
		return view.Empty{
			Title: say.CurrencyUnrated,
			Text:  say.CurrencyUnratedText,
			Href:  ratesPath,
			Label: say.RatesTitle,
		}
	case answer.Refusal != noRequisite:
		return view.Empty{Title: say.RefusedBefore}
	}
	return view.Empty{Title: say.NoCandidates}
}

// noRequisite is the code of what is refused because nobody takes it.
const noRequisite = "collect_requisites_not_available"

// candidateSheet lists candidates in the order in which they are tried.
func (v *visit) candidateSheet(answer payment.RoutingAnswer, most int) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.Outcome), Empty: whyNobody(answer),
		Columns: v.columns(false, say.Candidate, say.OrderOf, say.Outcome, say.Weight, say.ChosenLast),
	}
	for i, c := range answer.Candidates[:min(most, len(answer.Candidates))] {
		dropped := view.Cell{Text: v.ruleName(string(c.DroppedBy)), Tone: "off"}
		switch {
		case c.ID == answer.RequisiteID:
			dropped = view.Cell{Text: v.shell.Say(say.WouldGet), Tone: "good"}
		case c.DroppedBy == routing.Free:
			dropped = view.Cell{Text: v.shell.Say(say.WouldDo), Tone: "plain"}
		}
		used := view.Cell{Text: v.shell.Say(say.Never)}
		if c.LastUsedAt.Unix() > 0 {
			used = view.Cell{At: &c.LastUsedAt}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{
				Text: titled("", c.ID), Href: view.Link(numbered(allRequisitesPath, c.ID)),
				Note:     strings.TrimSpace(v.shell.Say(say.TraderOwner, c.TraderID, "")),
				NoteHref: view.Link(numbered(tradersPath, c.TraderID)),
			},
			{Text: strconv.Itoa(i + 1)},
			dropped,
			{Text: strconv.Itoa(int(c.Weight))},
			used,
		})
	}
	return sheet
}

func (v *visit) refusalSheet(list []payment.RefusalHour) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.RefusalTitle), Empty: view.Empty{Title: say.RefusalNone},
		Columns: v.columns(false, say.Hour, say.MerchantOne, say.MethodLabel, say.Cause, say.RefusalCount),
	}
	sheet.Columns[4].Right = true
	for _, r := range list {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{At: &r.Hour},
			{Text: titled(r.Merchant, r.MerchantID), Href: view.Link(numbered(merchantsPath, r.MerchantID))},
			{Text: v.methodName(r.Method) + ", " + r.Currency}, {Text: v.ruleName(r.Cause)},
			{Text: strconv.FormatInt(r.Refusals, 10)},
		})
	}
	return sheet
}

// choiceAsked leads to the choice of the payment that was asked for.
func (v *visit) choiceAsked() error {
	id, err := strconv.ParseInt(strings.TrimSpace(v.r.URL.Query().Get("payment")), 10, 64)
	if err != nil || id <= 0 {
		return v.done(routingPath, "")
	}
	return v.done(choicePath(id), "")
}

// choiceOf shows how a payment got its requisite, and who would get it now.
func (v *visit) choiceOf() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	r, err := v.Payments.ReplayRouting(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	amount, err := money.ParseFiat(r.Question.Amount)
	if err != nil {
		return err
	}
	shown := view.RoutingReplay{
		Payment: view.Link(v.paymentPath(id)), PaymentLabel: v.shell.Say(say.ShortPayment, id),
		Passed: v.passedSheet(r), Now: v.candidateSheet(r.Now, candidatesShown), Outcome: v.outcome(r.Now),
	}
	shown.Facts = []view.Fact{
		{
			Label: say.GotIt, Value: titled("", r.RequisiteID),
			Href: view.Link(numbered(allRequisitesPath, r.RequisiteID)),
		},
		{
			Label: say.PortalTrader, Value: titled("", r.TraderID),
			Href: view.Link(numbered(tradersPath, r.TraderID)),
		},
		{
			Label: say.Cashbox, Value: titled("", r.Question.CashboxID),
			Href: view.Link(numbered(cashboxesPath, r.Question.CashboxID)),
		},
		{Label: say.MethodLabel, Value: v.methodName(r.Question.Method)},
		{Label: say.Amount, Value: v.shell.Amount(amount, r.Question.Currency), Class: "num"},
	}
	if r.Pool != nil && r.Looked != nil {
		shown.Facts = append(
			shown.Facts,
			view.Fact{Label: say.OrderOf, Value: v.shell.Say(say.LinePool, *r.Pool, *r.Looked)},
		)
	}
	if r.Now.RequisiteID != 0 {
		shown.Same = v.shell.Say(say.OtherChoice)
		if r.Now.RequisiteID == r.RequisiteID {
			shown.Same = v.shell.Say(say.SameChoice)
		}
	}
	v.shell.Title = v.shell.Say(say.ChoiceTitle, id)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ChoicePage(s, shown) })
	return nil
}

// passedSheet lists what a choice passed by, beside what drops it now.
func (v *visit) passedSheet(r payment.Replay) view.Sheet {
	sheet := view.Sheet{
		Label: v.shell.Say(say.AsItWas), Empty: view.Empty{Title: say.NothingPast},
		Columns: v.columns(false, say.Candidate, say.OrderOf, say.DroppedBy, say.AsItIs),
	}
	now := map[int64]string{}
	for _, c := range r.Now.Candidates {
		if now[c.ID] = v.shell.Say(say.WouldDo); c.DroppedBy != routing.Free {
			now[c.ID] = v.ruleName(string(c.DroppedBy))
		}
	}
	for i, p := range r.Passed {
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: titled("", p.ID), Href: view.Link(numbered(allRequisitesPath, p.ID))}, {Text: strconv.Itoa(i + 1)},
			{Text: v.ruleName(string(p.Rule)), Tone: "off"}, {Text: now[p.ID]},
		})
	}
	return sheet
}
