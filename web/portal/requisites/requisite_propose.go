package requisites

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// decidedFor is how long the page of requisites shows the decision about a
// proposed one.
const decidedFor = 7 * 24 * time.Hour

// proposed are the requisites that the trader proposed and that wait, or were
// decided within decidedFor.
func (v *visit) proposed() ([]Proposed, error) {
	list, err := v.Proposals.Requisites(v.Ctx(), v.Who)
	if err != nil {
		return nil, err
	}
	var shown []Proposed
	for _, p := range list {
		n, read := p.Params.(directory.NewRequisite)
		ended := p.ExpiresAt
		if p.DecidedAt != nil {
			ended = *p.DecidedAt
		}
		if !read || v.Shell.Now.Sub(ended) > decidedFor {
			continue
		}
		one := Proposed{
			Name: n.Value, Pool: v.Say(say.Method(n.Method)) + ", " + n.Currency, At: p.CreatedAt, Reason: p.DecisionReason,
		}
		one.State, one.Tone = sayProposalWaits, "late"
		switch p.State {
		case proposal.Open:
		case proposal.Approved:
			one.State, one.Tone = sayProposalApproved, "good"
		case proposal.Refused:
			one.State, one.Tone = sayProposalRefused, "bad"
		case proposal.Expired:
			one.State, one.Tone = sayProposalExpired, "off"
		}
		shown = append(shown, one)
	}
	return shown, nil
}

func (v *visit) proposePage() error { return v.askProposed(http.StatusOK, url.Values{}, nil) }

// askProposed asks for a requisite to propose to operators, with what was typed
// and its mistakes. The form has no token, because the same proposal sent twice
// is one.
func (v *visit) askProposed(status int, form url.Values, wrong map[string]string) error {
	asked := view.MoneyForm{
		Action: requisitesPath + "/new", Text: v.Say(sayProposeText), Submit: v.Say(sayProposeYes), Back: requisitesPath,
		Choices: []view.Choice{{Name: "method", Label: say.MethodLabel, Options: v.poolOptions()}},
		Fields: []view.Field{
			{
				Name: "value", Label: say.RequisiteText, Max: 100,
				More: templ.Attributes{"autocomplete": "off", "spellcheck": "false"},
			},
			{Name: "holder", Label: say.Holder, Max: 100, Optional: true, More: templ.Attributes{"autocomplete": "off"}},
			{Name: "bank", Label: say.Bank, Max: 100, Optional: true, More: templ.Attributes{"autocomplete": "off"}},
		},
	}
	return v.ShowForm(status, v.Say(sayPropose), asked, form, wrong)
}

// poolOptions are the methods whose requisites have a value.
func (v *visit) poolOptions() []view.Option {
	var options []view.Option
	for _, currency := range catalogue.Currencies {
		for _, method := range catalogue.Payments(currency) {
			if method.RequisiteType != "" {
				text := v.Say(say.Method(method.Name)) + ", " + currency
				options = append(options, view.Option{Value: currency + "/" + method.Name, Text: text})
			}
		}
	}
	return options
}

// propose proposes a requisite to operators. Sending the same twice makes one
// proposal.
func (v *visit) propose(form url.Values) error {
	currency, method, _ := strings.Cut(form.Get("method"), "/")
	// People copy numbers together with spaces and other separators.
	value := strings.NewReplacer(" ", "", "\u00a0", "", "-", "", "(", "", ")", "").Replace(form.Get("value"))
	_, err := v.Proposals.ProposeRequisite(v.Ctx(), v.Who, directory.NewRequisite{
		Currency: currency, Method: method, Value: value,
		Holder: optional.Of(strings.TrimSpace(form.Get("holder"))), Bank: optional.Of(strings.TrimSpace(form.Get("bank"))),
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.askProposed(http.StatusUnprocessableEntity, form, wrong)
	}
	if err != nil {
		return err
	}
	return v.Done(requisitesPath, "requisite-proposed")
}
