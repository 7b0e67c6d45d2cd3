package payments

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/submission"
	"gateway.example/internal/work"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Transfers in another amount than was asked for. A payment's merchant or an
// operator decides about them. A trader or an operator attaches free transfers
// to a payment.
var caseRoutes = []route{
	{Pattern: "GET /merchant/payments/{id}/came", Needs: caller.MerchantAppeal, Handle: (*visit).casePage},
	{Pattern: "POST /merchant/payments/{id}/came", Needs: caller.MerchantAppeal, Handle: (*visit).decideCase},
	{Pattern: "GET /operator/payments/{id}/came", Needs: caller.OperatorCases, Handle: (*visit).casePage},
	{Pattern: "POST /operator/payments/{id}/came", Needs: caller.OperatorCases, Handle: (*visit).decideCase},
	{Pattern: "POST /trader/payments/{id}/attach", Needs: caller.TraderWork, Handle: (*visit).attach},
	{Pattern: "POST /operator/payments/{id}/attach", Needs: caller.OperatorCases, Handle: (*visit).attach},
}

// cameOf shows what arrived for a payment in another amount or in parts, and
// what may be done about it.
func (v *visit) cameOf(p payment.Payment) (Came, error) {
	id := portal.IDText(p.ID)
	came := Came{
		Asked: v.Amount(p.Amount, p.Currency), Open: p.Case(),
	}
	list, err := v.Payments.Arrivals(v.Ctx(), v.Who, id)
	if err != nil {
		return came, err
	}
	for _, a := range list {
		came.Items = append(came.Items, v.Arrival(a))
	}
	if p.ReceivedAmount.Valid {
		came.Came = v.Amount(p.ReceivedAmount.Decimal, p.Currency)
		if missing := p.Amount.Sub(p.ReceivedAmount.Decimal); missing.IsPositive() {
			came.Missing = v.Amount(missing, p.Currency)
		}
	}
	if came.Open {
		appeal, err := v.Payments.AppealOf(v.Ctx(), v.Who, p.ID)
		if err != nil {
			return came, err
		}
		if appeal == 0 {
			came.EndsAt = p.ExpiresAt
		}
		v.mayDecide(&came, p)
	}
	if came.Open && v.Who.Kind == caller.Operator {
		v.Shell.Live = true
		if came.Claim, err = v.Claim(v.Visit, work.OtherAmount, p.ID); err != nil {
			return came, err
		}
	}
	fitting, err := v.Payments.Fitting(v.Ctx(), v.Who, id)
	came.Fitting = v.Fitting(p, fitting)
	return came, err
}

// mayDecide offers the decisions that the user may make.
func (v *visit) mayDecide(came *Came, p payment.Payment) {
	for _, decision := range decisions {
		switch {
		case payment.MayDecide(v.Who.Proved(), decision) != nil, decision == payment.WaitForRest && came.Missing == "":
		case decision == payment.ReturnIt && len(catalogue.Payouts(p.Currency)) == 0:
			came.NoReturn = p.Currency
		default:
			came.Decisions = append(came.Decisions, CaseStep{
				Href: view.Query(v.PaymentPath(p.ID)+"/came", "decision", decision), Label: sayDecisions[decision].act,
			})
		}
	}
}

func (v *visit) casePage() error {
	decision := cmp.Or(v.R.URL.Query().Get("decision"), payment.TakeWhatCame)
	return v.askCase(http.StatusOK, url.Values{"token": {submission.NewToken()}, "decision": {decision}}, nil)
}

// askCase asks for confirmation of a decision, and for the recipient if the
// money is returned.
func (v *visit) askCase(status int, typed url.Values, wrong map[string]string) error {
	id, err := v.Numbered()
	if err != nil {
		return err
	}
	p, err := v.Payments.Get(v.Ctx(), v.Who, portal.IDText(id))
	if err != nil {
		return err
	}
	decision := typed.Get("decision")
	if !slices.Contains(decisions, decision) {
		return fault.ErrNotFound
	}
	if err := payment.MayDecide(v.Who, decision); err != nil && !v.Who.ViewAs { // a visitor who only looks may see the form
		return err
	}
	if !p.Case() {
		return v.Done(v.PaymentPath(id), "changed")
	}
	q := CaseQuestion{
		Path: v.PaymentPath(id), Token: typed.Get("token"), Decision: decision, Words: sayDecisions[decision], Wrong: wrong,
		Typed: typed, Came: v.Amount(p.ReceivedAmount.Decimal, p.Currency), Seen: money.Fiat(p.ReceivedAmount.Decimal),
	}
	if q.Facts, err = v.cameOf(p); err != nil {
		return err
	}
	if decision == payment.ReturnIt && q.Facts.NoReturn != "" {
		return fault.ErrNotFound
	}
	if others(q.Facts.Claim) {
		return v.Done(q.Path, "work-others")
	}
	if decision == payment.ReturnIt {
		for _, method := range catalogue.Payouts(p.Currency) {
			q.Methods = append(q.Methods, view.Option{Value: method.Name, Text: v.Say(say.Method(method.Name))})
		}
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.PaymentTitle, id), CasePage, q)
}

// decideCase decides about another amount that came, once. If the case is no
// longer as the form has shown it, it says so and changes nothing, and likewise
// if another operator works on the case or on the payment's appeal. A recipient
// is read only for a return.
func (v *visit) decideCase() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	d := payment.CaseDecision{
		PaymentID: id, Decision: form.Get("decision"), Reason: optional.Of(form.Get("reason")), Came: form.Get("came"),
	}
	if d.Decision == payment.ReturnIt {
		d.To = &payout.Recipient{
			Method: form.Get("method"), Address: form.Get("address"), Recipient: form.Get("recipient"),
			BankName: optional.Of(form.Get("bankName")),
		}
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		if busy, err := v.othersDecide(id); err != nil || busy {
			return submission.Outcome{LedTo: v.PaymentPath(id), Said: "work-others"}, err
		}
		_, err := v.Payments.DecideCase(v.Ctx(), v.Who, d)
		if f := fault.As(err); f != nil && (f.Code == payment.ErrNoCase.Code || f.Code == payment.ErrCameSince.Code) {
			return submission.Outcome{LedTo: v.PaymentPath(id), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: v.PaymentPath(id), Said: "case-decided"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.askCase(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

// othersDecide reports whether another operator has taken the case that the
// reader is about to decide.
func (v *visit) othersDecide(id int64) (bool, error) {
	if v.Who.Kind != caller.Operator {
		return false, nil
	}
	claim, err := v.Claim(v.Visit, work.OtherAmount, id)
	if err != nil || others(claim) {
		return others(claim), err
	}
	appeal, err := v.Payments.AppealOf(v.Ctx(), v.Who, id)
	if err != nil || appeal == 0 {
		return false, err
	}
	claim, err = v.Claim(v.Visit, work.Appeal, appeal)
	return others(claim), err
}

func others(claim *view.Claim) bool { return claim != nil && claim.Others }

// attach attaches a free transfer to this payment.
func (v *visit) attach() error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	arrival, err := strconv.ParseInt(form.Get("arrival"), 10, 64)
	if err != nil {
		return fault.ErrNotFound
	}
	return v.Once(form, func() (submission.Outcome, error) {
		if busy, err := v.othersDecide(id); err != nil || busy {
			return submission.Outcome{LedTo: v.PaymentPath(id), Said: "work-others"}, err
		}
		_, err := v.Payments.Attach(v.Ctx(), v.Who, arrival, id)
		if f := fault.As(err); f != nil && !errors.Is(err, foureyes.ErrSecondOperator) && (f.Kind == fault.Refused || f.Kind == fault.Conflict) {
			return submission.Outcome{LedTo: v.PaymentPath(id), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: v.PaymentPath(id), Said: "attached"}, err
	})
}
