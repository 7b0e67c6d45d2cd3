package settings

import (
	"net/http"
	"net/url"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Suspending somebody has serious effects, so it is no box among other
// settings. A page of its own first says what the effects are and takes a
// reason for the log. It is also where the suspension is lifted.

// suspension is a participant that can be suspended.
type suspension struct {
	name, path, version string
	on                  bool
	of                  directory.Whose
	// off and again say what the effects of suspending and of lifting that
	// are.
	off, again say.Phrase
	// turn switches them on or off.
	turn func(on bool, reason, seen string) error
}

// switchStep links to where somebody is suspended, or where that is lifted.
func (v *visit) switchStep(path string, on bool) []SubjectStep {
	if !v.May(caller.OperatorDirectory) {
		return nil
	}
	if on {
		return []SubjectStep{{Label: saySuspend, Href: view.Link(path + "/switch"), Danger: true}}
	}
	return []SubjectStep{{Label: sayResume, Href: view.Link(path + "/switch")}}
}

// merchantSwitch suspends a merchant, whose programs are refused then. Like
// every switch it changes nothing if the merchant has changed since the form
// was shown.
func (v *visit) merchantSwitch() (suspension, error) {
	m, err := portal.Named(v.Visit, v.Settings.Merchant)
	return suspension{
		name: m.Name, path: portal.Numbered(portal.MerchantsPath, m.ID), version: m.Version, on: m.APIEnabled,
		of: directory.Whose{MerchantID: m.ID}, off: saySuspendMerchant, again: sayResumeMerchant,
		turn: func(on bool, reason, seen string) error {
			_, err := v.Settings.UpdateMerchant(v.Ctx(), v.Who,
				directory.MerchantUpdate{ID: m.ID, APIEnabled: &on, Reason: reason, Seen: seen})
			return err
		},
	}, err
}

// traderSwitch suspends a trader. The trader's own break is another switch,
// which stays as it is.
func (v *visit) traderSwitch() (suspension, error) {
	t, err := portal.Named(v.Visit, v.Settings.Trader)
	return suspension{
		name: t.Name, path: portal.Numbered(portal.TradersPath, t.ID), version: t.Version, on: t.Enabled,
		of: directory.Whose{TraderID: t.ID}, off: saySuspendTrader, again: sayResumeTrader,
		turn: func(on bool, reason, seen string) error {
			_, err := v.Settings.UpdateTrader(v.Ctx(), v.Who,
				directory.TraderUpdate{ID: t.ID, Enabled: &on, Reason: reason, Seen: seen})
			return err
		},
	}, err
}

// boxSwitch suspends a cashbox, which collects no payments then. Its payouts go
// on.
func (v *visit) boxSwitch() (suspension, error) {
	c, err := portal.Named(v.Visit, v.Settings.Cashbox)
	return suspension{
		name: c.Name, path: portal.Numbered(portal.CashboxesPath, c.ID), version: c.Version, on: c.CollectEnabled,
		of: directory.Whose{MerchantID: c.MerchantID, CashboxID: c.ID}, off: saySuspendBox, again: sayResumeBox,
		turn: func(on bool, reason, seen string) error {
			_, err := v.Settings.UpdateCashbox(v.Ctx(), v.Who,
				directory.CashboxUpdate{ID: c.ID, CollectEnabled: &on, Reason: reason, Seen: seen})
			return err
		},
	}, err
}

// requisiteSwitch is the operators' switch of a requisite. While it is off the
// trader cannot switch the requisite on; otherwise the trader's own switch
// stays as it is.
func (v *visit) requisiteSwitch() (suspension, error) {
	r, err := portal.Named(v.Visit, v.Settings.Requisite)
	return suspension{
		name: v.requisiteName(r), path: portal.Numbered(portal.RequisitesPath, r.ID), version: r.Version, on: r.Enabled,
		of: directory.Whose{TraderID: r.TraderID, RequisiteID: r.ID}, off: saySuspendRequisite, again: sayResumeRequisite,
		turn: func(on bool, reason, seen string) error {
			_, err := v.Settings.UpdateRequisite(v.Ctx(), v.Who,
				directory.RequisiteUpdate{ID: r.ID, Enabled: &on, Reason: reason, Seen: seen})
			return err
		},
	}, err
}

// switches are the routes that suspend somebody, or lift that.
func switches(path string, of func(*visit) (suspension, error)) []route {
	return changes(path+"/{id}/switch", caller.OperatorDirectory,
		func(v *visit) error { return v.askSwitch(of(v)) }, func(v *visit) error { return v.doSwitch(of(v)) })
}

func (v *visit) askSwitch(s suspension, err error) error {
	if err != nil {
		return err
	}
	return v.showSwitch(http.StatusOK, s, nil, nil)
}

// showSwitch says what the effects are, and asks for a reason.
func (v *visit) showSwitch(status int, s suspension, typed url.Values, wrong map[string]string) error {
	form := view.MoneyForm{
		Action: s.path + "/switch", Text: v.Say(s.again), Submit: v.Say(sayResume), Back: view.Link(s.path),
		Hidden: [][2]string{{"token", submission.NewToken()}, {"version", s.version}, {"on", onOff(!s.on)}},
		Fields: []view.Field{v.reasonField()},
	}
	title := sayResumeOf
	if s.on {
		title, form.Text, form.Submit, form.Danger = saySuspendOf, v.Say(s.off), v.Say(saySuspend), true
		var err error
		if form.Notes, err = v.effects(s); err != nil {
			return err
		}
	}
	return v.ShowForm(status, v.Say(title, s.name), form, typed, wrong)
}

// maxReason is how long a reason may be.
const maxReason = 500

// reasonField asks for the reason.
func (v *visit) reasonField() view.Field {
	return view.Field{Name: "reason", Label: say.ReasonWhy, Area: true, Max: maxReason, Hint: v.Say(sayReasonKept)}
}

// effects count what somebody has open.
func (v *visit) effects(s suspension) ([]string, error) {
	payments, err := v.Settings.OpenPayments(v.Ctx(), v.Who, s.of)
	if err != nil {
		return nil, err
	}
	notes := []string{v.Say(sayOpenStay, v.openOf(payments))}
	if s.of.CashboxID != 0 || s.of.RequisiteID != 0 { // payouts continue whatever happens to a cashbox or requisite
		return notes, nil
	}
	payouts, err := v.Settings.OpenPayouts(v.Ctx(), v.Who, s.of)
	return append(notes, v.Say(sayPayoutsStay, v.openOf(payouts))), err
}

// openOf formats a number that is counted up to a limit.
func (v *visit) openOf(n int) string {
	if n >= directory.OpenMost {
		return v.Say(sayOpenOrMore, n)
	}
	return strconv.Itoa(n)
}

// doSwitch does what was asked for, only once even if its form is sent
// repeatedly, and redirects back.
func (v *visit) doSwitch(s suspension, err error) error {
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	on, said := form.Get("on") != "", "suspended"
	if on {
		said = "resumed"
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		found := fault.Decoded(v.Ctx())
		if reason := found.RequiredText("reason", form.Get("reason"), maxReason); found.Err() == nil {
			return submission.Outcome{LedTo: s.path, Said: said}, s.turn(on, reason, form.Get("version"))
		}
		return submission.Outcome{}, found.Err()
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showSwitch(http.StatusUnprocessableEntity, s, form, wrong)
	}
	return err
}
