package messages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const messagesPath = "/trader/messages"

// rulesPlace is the anchor of the rules, which are at the end of the page.
const rulesPlace = "#rules"

var messageRoutes = []route{
	{Pattern: "GET " + messagesPath, Needs: caller.TraderRead, Handle: (*visit).messages},
	{Pattern: "POST " + messagesPath + "/{id}/confirm", Needs: caller.TraderWork, Handle: (*visit).assign},
	{Pattern: "POST " + messagesPath + "/{id}/dismiss", Needs: caller.TraderWork, Handle: (*visit).dismiss},
	{Pattern: "GET " + messagesPath + "/{id}/keep", Needs: caller.TraderWork, Handle: (*visit).askKeep},
	{Pattern: "POST " + messagesPath + "/{id}/keep", Needs: caller.TraderWork, Handle: (*visit).keep},
	{Pattern: "GET " + messagesPath + "/{id}/object", Needs: caller.TraderWork, Handle: (*visit).askObjection},
	{Pattern: "POST " + messagesPath + "/{id}/object", Needs: caller.TraderWork, Handle: portal.After((*visit).Form, (*visit).object)},
}

// asksWaiting is the cursor in the list of what waits; the requisites below it
// have another list.
const asksWaiting = "waiting"

// messages shows the messages that wait, the newest messages, the phones, and
// the rules.
func (v *visit) messages() error {
	asked := bankmessage.Page{Waiting: true}
	if after := v.R.URL.Query().Get(asksWaiting); after != "" {
		asked.Cursor = &after
	}
	waiting, next, err := v.Messages.List(v.Ctx(), v.Who, asked)
	if err != nil {
		return err
	}
	newest, _, err := v.Messages.List(v.Ctx(), v.Who, bankmessage.Page{})
	if err != nil {
		return err
	}
	phones, err := v.Messages.ListDevices(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	rules, err := v.Messages.Rules(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	silent, err := v.Messages.Silent(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Page{MayWork: v.Who.May(caller.TraderWork), MaySet: v.Who.May(caller.TraderRequisites)}
	if next != nil {
		shown.More.Older = view.Link(messagesPath + "?" + url.Values{asksWaiting: {*next}}.Encode())
	}
	if asked.Cursor != nil {
		shown.More.Newest = messagesPath
	}
	for _, phone := range silent {
		shown.Silent = append(shown.Silent, phone.Name)
	}
	for _, m := range waiting {
		shown.Waiting = append(shown.Waiting, v.message(m))
	}
	for _, m := range newest {
		if m.State != bankmessage.Waiting {
			shown.Newest = append(shown.Newest, v.message(m))
		}
	}
	shown.Phones = v.phones(phones, shown.MaySet)
	if shown.Rules, err = v.rules(rules, phones); err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.MessagesOfBanks), MessagesPage, shown)
}

// message is a message of a bank, with what can still be done about it. Its
// text is empty after it was purged, and for an operator who looks as the
// trader.
func (v *visit) message(m bankmessage.Message) Message {
	shown := Message{
		ID: m.ID, At: m.ReceivedAt, Sender: m.Sender, Bank: bankmessage.NameOf(m.Bank), Why: v.why(m),
		State: say.Named(states, string(m.State)), Tone: tones[m.State], MayObject: m.MayObject(v.Shell.Now),
		MayKeep: m.MayKeep(), Text: optional.Value(m.Text),
	}
	if m.Amount != nil {
		shown.Amount = v.Amount(*m.Amount, m.Currency)
	}
	if m.PaymentID != nil {
		shown.Payment, shown.Href = *m.PaymentID, view.Link(v.PaymentPath(*m.PaymentID))
	}
	return shown
}

// why says why a message waits. For an objection these are its text and the
// operator's decision.
func (v *visit) why(m bankmessage.Message) string {
	if phrase, known := whys[m.Why]; known && m.State != bankmessage.Objected {
		return v.Say(phrase)
	}
	if m.Outcome == "" {
		return m.Why
	}
	return m.Why + " " + v.Say(outcomes[m.Outcome]) + " " + m.Resolution
}

// assign confirms a payment by a message.
func (v *visit) assign() error {
	return v.decide("message-confirmed", func(id, paymentID int64) error {
		return v.Messages.Assign(v.Ctx(), v.Who, id, paymentID)
	})
}

func (v *visit) dismiss() error {
	return v.decide("message-dismissed", func(id, _ int64) error { return v.Messages.Dismiss(v.Ctx(), v.Who, id) })
}

// decide carries out a person's decision about a message, once. If somebody has
// decided meanwhile, nothing changes.
func (v *visit) decide(word string, do func(id, paymentID int64) error) error {
	id, err := v.named()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	return v.Once(form, func() (submission.Outcome, error) {
		err := do(id, portal.IDOf(form, "payment"))
		if f := fault.As(err); f != nil && (f.Kind == fault.Refused || f.Kind == fault.Conflict) {
			return submission.Outcome{LedTo: v.from(), Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: v.from(), Said: word}, err
	})
}

// from is the page on which the decision was made: the desk, or the page of
// messages.
func (v *visit) from() string {
	if path, _, _ := strings.Cut(v.Back(), "?"); path == "/trader" {
		return path
	}
	return messagesPath
}

// named is the id of a message of the trader.
func (v *visit) named() (int64, error) {
	id, err := v.Numbered()
	if err == nil {
		_, err = v.Messages.Get(v.Ctx(), v.Who, id)
	}
	return id, err
}

func (v *visit) askObjection() error {
	id, err := v.named()
	if err != nil {
		return err
	}
	return v.showObjection(http.StatusOK, id, nil, nil)
}

func (v *visit) showObjection(status int, id int64, typed url.Values, wrong map[string]string) error {
	asked := view.MoneyForm{
		Action: portal.Numbered(messagesPath, id) + "/object", Text: v.Say(sayObjectText), Submit: v.Say(sayObjectYes),
		Back: messagesPath, Hidden: [][2]string{{"token", submission.NewToken()}},
		Fields: []view.Field{{Name: "reason", Label: say.Reason, Area: true, Max: 500}},
	}
	return v.ShowForm(status, v.Say(sayObject), asked, typed, wrong)
}

// object objects to what a message confirmed, once. If that is no longer
// possible, it leads back and says so. From then on messages confirm nothing
// for the requisite.
func (v *visit) object(form url.Values) error {
	id, err := v.named()
	if err != nil {
		return err
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		err := v.Messages.Object(v.Ctx(), v.Who, id, form.Get("reason"))
		if f := fault.As(err); f != nil && f.Kind == fault.Refused {
			return submission.Outcome{LedTo: messagesPath, Said: "changed"}, nil
		}
		return submission.Outcome{LedTo: messagesPath, Said: "message-objected"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showObjection(http.StatusUnprocessableEntity, id, form, wrong)
	}
	return err
}

// phones lists the trader's phones, revoked ones too, and when each was heard
// last. Users who may set rules can revoke one, which is not asked about again.
func (v *visit) phones(list []bankmessage.Device, maySet bool) view.Sheet {
	sheet := view.Sheet{
		Label:   v.Say(sayPhones),
		Columns: v.Columns(false, sayPhone, sayHeard, say.Status),
	}
	for _, d := range list {
		heard, state := view.Cell{At: d.HeardAt}, view.Cell{Text: v.Say(sayConnected), Tone: "good"}
		if d.HeardAt == nil {
			heard.Text = v.Say(sayUnheard)
		}
		if d.RevokedAt != nil {
			state = view.Cell{Text: v.Say(sayRevoked), Tone: "off"}
		} else if maySet {
			state.Drawn = revoke(v.Shell, view.Link(portal.Numbered(messagesPath+"/phones", d.ID)+"/revoke"))
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{{Text: d.Name}, heard, state})
	}
	return sheet
}

// rules are the rules of a page of requisites: the requisites that have one, if
// there are any, or those that were searched for.
func (v *visit) rules(rules []bankmessage.Rule, phones []bankmessage.Device) (Rules, error) {
	shown := Rules{Search: v.R.URL.Query().Get("q"), Pages: view.Pages{Sorted: true}, Sheet: view.Sheet{
		Label: v.Say(sayRules), Empty: view.Empty{Title: sayRulesNone},
		Columns: portal.AtRight(v.Columns(false, say.Requisite, sayMode, say.Bank, sayMost, sayHowRight), 3),
	}}
	query := directory.OwnQuery{Search: shown.Search}
	if shown.Search == "" {
		for _, r := range rules {
			query.IDs = append(query.IDs, r.RequisiteID)
		}
		shown.Others = len(rules) > 0
	}
	if after := v.R.URL.Query().Get("after"); after != "" {
		query.Cursor, shown.Pages.Newest = &after, view.Query(messagesPath, "q", shown.Search)+rulesPlace
	}
	own, next, err := v.Settings.OwnPage(v.Ctx(), v.Who, query)
	if err != nil {
		return shown, err
	}
	if next != nil {
		shown.Pages.Older = view.Query(messagesPath, "q", shown.Search, "after", *next) + rulesPlace
	}
	for _, r := range own {
		if r.Masked == "" { // for card payments there are no messages of banks
			continue
		}
		name := view.Cell{Text: v.Say(say.Method(r.Method)) + " " + r.Masked}
		if v.Who.May(caller.TraderRequisites) {
			name.Href = view.Link(portal.Numbered("/trader/requisites", r.ID) + "/messages")
		}
		cells := []view.Cell{{Text: v.Say(modes["off"]), Tone: "off"}, {}, {}, {}}
		if i := slices.IndexFunc(rules, func(set bankmessage.Rule) bool { return set.RequisiteID == r.ID }); i >= 0 {
			cells = v.rule(rules[i], phones, r.Currency)
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, append([]view.Cell{name}, cells...))
	}
	return shown, nil
}

// rule is the row of a rule, after the requisite's name. A rule that was
// stopped can be started again by users who may. How often messages were right
// is left out while nothing has been compared.
func (v *visit) rule(r bankmessage.Rule, phones []bankmessage.Device, currency string) []view.Cell {
	mode := view.Cell{Text: v.Say(say.Named(modes, string(r.Mode))), Tone: modeTones[r.Mode]}
	if r.StoppedBy != nil {
		again := templ.SafeURL("")
		if v.Who.May(caller.TraderRequisites) {
			again = view.Link(portal.Numbered("/trader/requisites", r.RequisiteID) + "/messages/resume")
		}
		mode.Drawn = stopped(v.Shell, again)
	}
	bank, right := view.Cell{Text: bankmessage.NameOf(r.Bank)}, view.Cell{}
	if i := slices.IndexFunc(phones, func(d bankmessage.Device) bool { return d.ID == r.DeviceID }); i >= 0 {
		bank.Note = phones[i].Name
	}
	if of := r.Tally.Precision(); of != nil {
		right.Text = v.Say(sayRight, *of, r.Tally.Right, r.Tally.Right+r.Tally.Wrong)
	}
	if r.Tally.Completed > 0 {
		right.Note = v.Say(sayTold, r.Tally.Told, r.Tally.Completed)
	}
	return []view.Cell{mode, bank, {Text: v.Amount(r.Most, currency)}, right}
}
