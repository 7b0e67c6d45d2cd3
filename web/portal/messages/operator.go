package messages

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var operatorRoutes = []route{
	{Pattern: "GET " + portal.MessagesPath, Needs: caller.OperatorReveal, Handle: (*visit).unknown},
	{Pattern: "GET " + portal.MessagesPath + "/{id}/keep", Needs: caller.OperatorCases, Handle: (*visit).askKeep},
	{Pattern: "POST " + portal.MessagesPath + "/{id}/keep", Needs: caller.OperatorCases, Handle: (*visit).keep},
	{Pattern: "POST " + portal.MessagesPath, Needs: caller.OperatorReveal, Handle: portal.After((*visit).Form, (*visit).try)},
}

// asksLike names the message whose text is the beginning of a pattern.
const asksLike = "like"

// unknown shows operators the messages that no pattern knows, and the
// objections of traders.
func (v *visit) unknown() error { return v.showUnknown(http.StatusOK, url.Values{}, nil, nil) }

// try shows what a pattern reads in the newest unknown messages. Nothing is
// stored.
func (v *visit) try(form url.Values) error {
	n := bankmessage.NewPattern{
		Currency: form.Get("currency"), Kind: bankmessage.Kind(form.Get("says")), Expr: strings.TrimSpace(form.Get("pattern")),
	}
	tried, err := v.Messages.TryPattern(v.Ctx(), v.Who, n)
	if wrong := v.Wrong(err); wrong != nil {
		return v.showUnknown(http.StatusUnprocessableEntity, form, nil, wrong)
	}
	if err != nil {
		return err
	}
	return v.showUnknown(http.StatusOK, form, v.tried(n, tried), nil)
}

// tried shows what a pattern reads in messages, and its line for the files: a
// pattern is used only once a person has put it there.
func (v *visit) tried(n bankmessage.NewPattern, tried bankmessage.Try) *Tried {
	shown := &Tried{
		Knows: v.Say(sayKnows, tried.Known, tried.Of), Cut: tried.Cut, Line: string(n.Kind) + " " + n.Expr,
		Sheet: view.Sheet{
			Label: v.Say(sayWhatItReads), Empty: view.Empty{Title: sayKnowsNone},
			Columns: portal.AtRight(v.Columns(false, saySender, sayText, say.Amount, sayBalance, sayAccount), 2, 3),
		},
	}
	for _, m := range tried.Messages {
		row := []view.Cell{{Text: m.Sender, Note: v.When(m.ReceivedAt)}, {Text: *m.Text}, {}, {}, {Text: m.Account}}
		if m.Amount != nil {
			row[2].Text = v.Amount(*m.Amount, n.Currency)
		}
		if m.Balance != nil {
			row[3].Text = v.Amount(*m.Balance, n.Currency)
		}
		shown.Sheet.Rows = append(shown.Sheet.Rows, row)
	}
	return shown
}

// showUnknown shows operators what no pattern knows and what traders object to,
// with a pattern that was tried. What was typed comes first; otherwise the
// pattern begins as the text of the message that the address names. That the
// texts are read is recorded by the service.
func (v *visit) showUnknown(status int, typed url.Values, tried *Tried, wrong map[string]string) error {
	unknown, err := v.Messages.Unknown(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	objected, _, err := v.Messages.Objected(v.Ctx(), v.Who, bankmessage.Page{})
	if err != nil {
		return err
	}
	shown := UnknownPage{
		Of: v.Say(sayUnknownOf, unknown.Of), Tried: tried, Groups: v.groups(unknown.List), Objected: v.objected(objected),
	}
	begun := typed.Get("pattern")
	if like, err := strconv.ParseInt(v.R.URL.Query().Get(asksLike), 10, 64); err == nil && !typed.Has("pattern") {
		begun = likeOne(unknown.List, like)
	}
	var currencies, kinds []view.Option
	for _, currency := range bankmessage.Currencies() {
		currencies = append(currencies, view.Option{Value: currency, Text: currency})
	}
	for _, kind := range bankmessage.Kinds {
		kinds = append(kinds, view.Option{Value: string(kind), Text: v.Say(kindNames[kind])})
	}
	shown.Choices = []view.Choice{
		{Name: "says", Label: saySays, Value: typed.Get("says"), Options: kinds, Wrong: wrong["says"]},
		{
			Name: "currency", Label: say.Currency, Value: cmp.Or(typed.Get("currency"), "RUB"), Options: currencies,
			Wrong: wrong["currency"],
		},
	}
	shown.Pattern = view.Field{
		Name: "pattern", Label: sayPattern, Hint: v.Say(sayPatternHint), Area: true, Value: begun, Wrong: wrong["pattern"],
		Max: 1000, More: templ.Attributes{"class": "mono", "spellcheck": "false", "autocomplete": "off"},
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.MessagesOfBanks), UnknownMessagesPage, shown)
}

// likeOne is the text of one of the shown messages as an expression, from which
// a pattern can be made.
func likeOne(groups []bankmessage.Group, id int64) string {
	for _, g := range groups {
		if g.Newest.ID == id {
			return regexp.QuoteMeta(strings.Join(strings.Fields(*g.Newest.Text), " "))
		}
	}
	return ""
}

// groups lists messages that no pattern knows, those that look alike as one
// with their number. From each a pattern can be begun, and operators who decide
// cases can store its money.
func (v *visit) groups(list []bankmessage.Group) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayGroups), Empty: view.Empty{Title: sayGroupsNone},
		Columns: []view.Column{
			{Text: v.Say(saySender)}, {Text: v.Say(sayText)}, {Text: v.Say(sayHowMany), Right: true},
			{Text: v.Say(sayWhatToDo), Whole: true, Bare: true},
		},
	}
	for _, g := range list {
		begin := view.Cell{
			Text: v.Say(sayBegin), Href: view.Query(portal.MessagesPath, asksLike, portal.IDText(g.Newest.ID)) + "#try",
		}
		if v.May(caller.OperatorCases) && g.Newest.MayKeep() {
			begin.Note, begin.NoteHref = v.Say(sayKeep), view.Link(portal.Numbered(portal.MessagesPath, g.Newest.ID)+"/keep")
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: g.Newest.Sender, Note: v.When(g.Newest.ReceivedAt)}, {Text: *g.Newest.Text}, {Text: strconv.Itoa(g.Count)},
			begin,
		})
	}
	return sheet
}

// objected lists the messages to which traders objected. A text that was purged
// is said to be gone.
func (v *visit) objected(list []bankmessage.Message) view.Sheet {
	sheet := view.Sheet{
		Label: v.Say(sayObjected), Empty: view.Empty{Title: sayObjectedNone},
		Columns: v.Columns(false, say.SlotLabel, sayPayment, say.Reason, sayText, say.PortalTrader),
	}
	for _, m := range list {
		text, payment := v.Say(sayTextGone), view.Cell{}
		if m.Text != nil {
			text = *m.Text
		}
		if m.PaymentID != nil {
			payment = view.Cell{Text: "№ " + portal.IDText(*m.PaymentID), Href: view.Link(v.PaymentPath(*m.PaymentID))}
		}
		if m.Amount != nil {
			payment.Note = v.Amount(*m.Amount, m.Currency)
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: v.When(*m.DecidedAt), Href: view.Link(portal.Numbered(portal.ObjectionsPath, m.ID))}, payment, {Text: m.Why}, {Text: text, Note: m.Sender},
			{Text: "№ " + portal.IDText(m.TraderID), Href: view.Link(portal.Numbered(portal.TradersPath, m.TraderID))},
		})
	}
	return sheet
}
