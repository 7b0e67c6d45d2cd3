package links

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/paylink"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const linksPath = "/merchant/links"

var linkRoutes = []route{
	{Pattern: "GET " + linksPath, Needs: caller.MerchantRead, Keeps: &ownList, Handle: portal.With(ownList, (*visit).list)},
	{Pattern: "GET " + portal.LinksPath, Needs: caller.OperatorRead, Keeps: &everyList, Handle: portal.With(everyList, (*visit).list)},
	{Pattern: "GET " + linksPath + "/new", Needs: caller.MerchantSell, Handle: (*visit).ask},
	{Pattern: "POST " + linksPath, Needs: caller.MerchantSell, Handle: portal.After((*visit).Form, (*visit).create)},
	{Pattern: "GET " + linksPath + "/{id}", Needs: caller.MerchantRead, Handle: portal.After((*visit).Numbered, (*visit).link)},
	{Pattern: "GET " + portal.LinksPath + "/{id}", Needs: caller.OperatorRead, Handle: portal.After((*visit).Numbered, (*visit).link)},
	{Pattern: "POST " + linksPath + "/{id}/picture", Needs: caller.MerchantSell, Handle: portal.After((*visit).Numbered, (*visit).changePicture)},
	{Pattern: "GET " + portal.LinksPath + "/{id}/picture", Needs: caller.OperatorDirectory, Handle: (*visit).askPicture},
	{Pattern: "POST " + portal.LinksPath + "/{id}/picture", Needs: caller.OperatorDirectory, Handle: portal.After((*visit).Form, (*visit).removePicture)},
	{Pattern: "POST " + linksPath + "/{id}/close", Needs: caller.MerchantSell, Handle: portal.After((*visit).Numbered, (*visit).close)},
}

// ownList is the list of a merchant's links, and everyList that of all
// merchants' links.
var (
	ownList = portal.List{
		Path: linksPath, Statuses: paylink.States, Status: stateName, Search: true, Hint: sayHint, Always: true,
		None: sayNone, NoneText: sayNoneText,
	}
	everyList = portal.List{
		Path: portal.LinksPath, Statuses: paylink.States, Status: stateName, Search: true, Hint: sayHint, Always: true,
		Merchants: true, None: sayNone, NoneText: sayNoneAtAll,
	}
)

func (v *visit) list(of portal.List) error {
	return portal.ShowList(v.Visit, of, func(a portal.Asked) (found report.Page[paylink.Link], err error) {
		page := paylink.Page{States: a.Filter.Status, MerchantID: a.Filter.MerchantID, Search: a.Filter.Search}
		page.Cursor = optional.Of(a.Filter.Cursor)
		found.Items, found.Next, err = v.PayLinks.List(v.Ctx(), v.Who, page)
		return found, err
	}, v.showList)
}

// showList shows a page of links, to merchants their own and to operators all.
// The link to make one is for users who may sell.
func (v *visit) showList(a portal.Asked, found report.Page[paylink.Link]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	if v.Who.May(caller.MerchantSell) {
		filters.Act, filters.ActLabel = linksPath+"/new", sayNew
	}
	sheet, err := v.sheet(a, found.Items)
	if err != nil {
		return err
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.LinksTitle), view.ListPage, view.List{
		Filters: filters, Sheet: sheet, Pages: a.Older(found.Next),
	})
}

// sheet is a table of links.
func (v *visit) sheet(a portal.Asked, links []paylink.Link) (view.Sheet, error) {
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, links)
	if err != nil {
		return view.Sheet{}, err
	}
	sheet := view.Sheet{Label: v.Say(say.LinksTitle), Empty: a.Nothing(), Columns: []view.Column{
		{Text: v.Say(sayFor)}, {Text: v.Say(sayAmount), Right: true}, {Text: v.Say(sayPaid), Right: true},
		{Text: v.Say(sayCame), Right: true}, {Text: v.Say(say.Created)}, {Text: v.Say(say.Status)},
	}}
	if a.Merchants {
		sheet.Columns = slices.Insert(sheet.Columns, 1, view.Column{Text: v.Say(say.PortalMerchant)})
	}
	for _, l := range links {
		row := []view.Cell{
			{Text: l.Title, Href: view.Link(v.linkPath(l.ID))}, {Text: v.asked(l)}, v.paid(l), {Text: v.Amount(l.Came, l.Currency)},
			{At: &l.CreatedAt}, v.Shell.BadgeCell(badge(l.State)),
		}
		if a.Merchants {
			row = slices.Insert(row, 1, view.Cell{Text: portal.Whose(names, l)})
		}
		sheet.Rows = append(sheet.Rows, row)
	}
	return sheet, nil
}

// linkPath is the page of a link for the reader.
func (v *visit) linkPath(id int64) string { return portal.Numbered(v.Path("/links"), id) }

func badge(state paylink.State) view.Badge {
	tone := "off"
	if state == paylink.Taking {
		tone = "good"
	}
	return view.Badge{Text: stateName(string(state)), Tone: tone}
}

// stateName is the name of a link's state. What is no state has the name of a
// link that takes payments.
func stateName(name string) say.Phrase {
	switch paylink.State(name) {
	case paylink.Closed:
		return sayClosed
	case paylink.Over:
		return sayOver
	case paylink.UsedUp:
		return sayUsedUp
	case paylink.Taking:
	}
	return sayOpen
}

// asked is the amount that a link asks for.
func (v *visit) asked(l paylink.Link) string {
	if l.Amount.Valid {
		return v.Amount(l.Amount.Decimal, l.Currency)
	}
	return v.Say(sayAnyAmount)
}

func (v *visit) paid(l paylink.Link) view.Cell {
	cell := view.Cell{Text: v.Say(sayOf, l.Completed, min(l.Payments, paylink.Counted))}
	if l.More {
		cell.Note = v.Say(sayNewestOf, paylink.Counted)
	}
	return cell
}

func (v *visit) link(id int64) error { return v.showLink(http.StatusOK, id, "") }

// showLink shows a link, with the mistake in the picture that was sent.
func (v *visit) showLink(status int, id int64, wrong string) error {
	l, err := v.PayLinks.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	payments, err := v.PayLinks.Payments(v.Ctx(), v.Who, l)
	if err != nil {
		return err
	}
	shown := Detail{
		List: view.Link(v.Path("/links")), Address: l.URL(v.PayURL, v.Tokens), Amount: v.asked(l), Status: badge(l.State),
		Description: optional.Value(l.Description), Facts: v.facts(l),
	}
	if v.Who.Kind == caller.Operator {
		err = v.overseen(&shown, l)
	} else {
		err = v.owned(&shown, l, wrong)
	}
	if err != nil {
		return err
	}
	shown.Facts = append(shown.Facts, view.Fact{Label: say.Created, At: &l.CreatedAt}, view.Fact{Label: sayClosed, At: l.ClosedAt})
	shown.Payments = view.Sheet{Label: v.Say(sayPayments), Columns: []view.Column{
		{Text: v.Say(say.Number)}, {Text: v.Say(say.Created)}, {Text: v.Say(say.Amount), Right: true},
		{Text: v.Say(say.MethodLabel)}, {Text: v.Say(say.Status)},
	}}
	for _, p := range payments {
		shown.Payments.Rows = append(shown.Payments.Rows, []view.Cell{
			{Text: view.Number(p.ID), Href: view.Link(v.PaymentPath(p.ID))}, {At: &p.CreatedAt},
			{Text: v.Amount(p.Amount, p.Currency)}, {Text: v.MethodName(p.Method)},
			v.Shell.BadgeCell(view.PaymentBadge(p.Status)),
		})
	}
	return portal.ShowPage(v.Visit, status, l.Title, DetailPage, shown)
}

// owned adds what a user of the merchant may do with a link.
func (v *visit) owned(shown *Detail, l paylink.Link, wrong string) error {
	code, err := site.QR(shown.Address)
	if err != nil {
		return err
	}
	shown.QR = string(code)
	if (l.State == paylink.Taking || l.State == paylink.UsedUp) && v.Who.May(caller.MerchantSell) {
		shown.Close = view.Link(v.linkPath(l.ID) + "/close")
		shown.Picture = v.pictureForm(l, wrong)
	}
	return nil
}

// overseen adds the link's owner, and what an operator may do with it.
func (v *visit) overseen(shown *Detail, l paylink.Link) error {
	owners, err := v.OwnersOf(v.Settings, l.CashboxID, nil)
	if err != nil {
		return err
	}
	shown.Facts = append(owners, shown.Facts...)
	if l.PictureHash == nil {
		return nil
	}
	shown.Facts = append(shown.Facts, view.Fact{
		Label: sayPicture, Value: v.Say(sayPictureOpen), Href: templ.SafeURL(l.PictureURL(v.PayURL, v.Tokens)),
	})
	if v.May(caller.OperatorDirectory) {
		shown.Remove = view.Link(v.linkPath(l.ID) + "/picture")
	}
	return nil
}

// facts are what was set for a link and what has come by it. What was not set
// is left out, except for the callback, which says then that events are in the
// feed. The last day is in the reader's zone.
func (v *visit) facts(l paylink.Link) []view.Fact {
	paid := v.paid(l)
	facts := []view.Fact{
		{Label: sayPaid, Value: paid.Text}, {Label: sayCame, Value: v.Amount(l.Came, l.Currency)},
	}
	if l.MinAmount.Valid {
		facts = append(facts, view.Fact{Label: sayLeast, Value: v.Amount(l.MinAmount.Decimal, l.Currency)})
	}
	if l.MaxAmount.Valid {
		facts = append(facts, view.Fact{Label: sayMost, Value: v.Amount(l.MaxAmount.Decimal, l.Currency)})
	}
	if l.MaxPayments != nil {
		facts = append(facts, view.Fact{Label: sayTimes, Value: strconv.Itoa(int(*l.MaxPayments))})
	}
	if l.EndsAt != nil {
		facts = append(facts, view.Fact{Label: sayUntil, Value: l.EndsAt.Add(-time.Nanosecond).In(v.Shell.Zone).Format(time.DateOnly)})
	}
	for _, name := range l.Methods {
		facts = append(facts, view.Fact{Label: sayMethods, Value: v.MethodName(name)})
	}
	if l.ReturnURL != nil {
		facts = append(facts, view.Fact{Label: sayReturn, Value: *l.ReturnURL})
	}
	callback := l.CallbackURI
	if callback == "" {
		callback = v.Say(sayFeed)
	}
	return append(facts, view.Fact{Label: sayCallback, Value: callback})
}

func (v *visit) ask() error {
	return v.showForm(http.StatusOK, url.Values{"token": {submission.NewToken()}}, nil)
}

// showForm asks for a new link. Methods are offered for the currencies of all
// cashboxes of the merchant, because the form is shown before one is chosen;
// the service refuses those that the cashbox cannot have.
func (v *visit) showForm(status int, typed url.Values, wrong map[string]string) error {
	boxes, err := v.Settings.OwnCashboxes(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	form := view.MoneyForm{
		Action: linksPath, Text: v.Say(sayNoneText), Submit: v.Say(sayMake), Back: linksPath,
		Hidden: [][2]string{{"token", typed.Get("token")}},
	}
	if len(boxes) == 0 {
		form.Notes = []string{v.Say(sayNoBoxes)}
	}
	box := view.Choice{Name: "cashbox", Label: say.Cashbox, Value: typed.Get("cashbox")}
	form.Ticks = view.Ticks{Name: "method", Label: sayMethods, Hint: v.Say(sayAll), Wrong: wrong["methods"]}
	for _, b := range boxes {
		box.Options = append(box.Options, view.Option{Value: view.Number(b.ID), Text: b.Name + ", " + b.Currency})
	}
	for _, m := range catalogue.Methods {
		if slices.ContainsFunc(boxes, func(b directory.OwnCashbox) bool { return slices.Contains(m.Currencies, b.Currency) }) {
			form.Ticks.List = append(form.Ticks.List, view.Tick{
				Value: m.Name, Text: v.MethodName(m.Name), On: slices.Contains(typed["method"], m.Name),
			})
		}
	}
	form.Choices = []view.Choice{box}
	form.Fields, form.Folded = v.fields(typed, wrong)
	form.Heading = v.Say(sayFurther)
	return portal.ShowPage(v.Visit, status, v.Say(sayNew), view.MoneyFormPage, form)
}

// fields are the fields of the form, and those that few links need.
func (v *visit) fields(typed url.Values, wrong map[string]string) (fields, folded []view.Field) {
	digits := templ.Attributes{"inputmode": "decimal", "autocomplete": "off"}
	field := func(name, wrongName string, label, hint say.Phrase, most int, more templ.Attributes) view.Field {
		f := view.Field{
			Name: name, Label: label, Value: typed.Get(name), Wrong: wrong[wrongName], Optional: true, Max: most, More: more,
		}
		if !hint.Empty() {
			f.Hint = v.Say(hint)
		}
		return f
	}
	title := field("title", "title", sayFor, sayForHint, 120, nil)
	title.Optional = false
	about := field("description", "description", sayMore, say.Phrase{}, 1000, nil)
	about.Area = true
	until := field("ends", "endsAt", sayUntil, say.Phrase{}, 0, nil)
	until.Type = "date"
	fields = []view.Field{title, about, field("amount", "amount", sayAmount, sayOpenHint, 24, digits)}
	return fields, []view.Field{
		field("least", "minAmount", sayLeast, sayLeastHint, 24, digits),
		field("most", "maxAmount", sayMost, say.Phrase{}, 24, digits),
		field("times", "maxPayments", sayTimes, sayTimesAny, 7, templ.Attributes{"inputmode": "numeric"}),
		until,
		field("back", "returnUrl", sayReturn, say.Phrase{}, 2048, templ.Attributes{"inputmode": "url"}),
		field("callback", "callbackUri", sayCallback, sayCallHint, 2048, templ.Attributes{"inputmode": "url"}),
	}
}

// create makes a link, once, and leads to its page. A number or a day that
// cannot be read is reported at once, without what else the service would find.
func (v *visit) create(form url.Values) error {
	var err error
	draft := paylink.Draft{
		Title: form.Get("title"), Description: form.Get("description"), Amount: money.Typed(form.Get("amount")),
		Least: money.Typed(form.Get("least")), Most: money.Typed(form.Get("most")),
		ReturnURL: form.Get("back"), Callback: form.Get("callback"), Methods: form["method"],
	}
	flaws := map[string]string{}
	if draft.CashboxID, err = strconv.ParseInt(form.Get("cashbox"), 10, 64); err != nil {
		draft.CashboxID = 0 // no cashbox has this number
	}
	if text := form.Get("times"); text != "" {
		if draft.MaxPayments, err = strconv.ParseInt(text, 10, 64); err != nil {
			flaws["maxPayments"] = v.Say(sayNumber)
		}
	}
	if draft.EndsAt, err = v.LastDay(form.Get("ends")); err != nil {
		flaws["endsAt"] = v.Say(sayWrongDay)
	}
	if len(flaws) > 0 {
		return v.showForm(http.StatusUnprocessableEntity, form, flaws)
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		made, err := v.PayLinks.Create(v.Ctx(), v.Who, draft)
		return submission.Outcome{LedTo: portal.Numbered(linksPath, made.ID), Said: "link-made"}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showForm(http.StatusUnprocessableEntity, form, wrong)
	}
	return err
}

func (v *visit) close(id int64) error {
	if _, err := v.PayLinks.Close(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	return v.Done(portal.Numbered(linksPath, id), "link-closed")
}
