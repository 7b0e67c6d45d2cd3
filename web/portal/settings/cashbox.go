package settings

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/web/portal"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

var directoryCashboxRoutes = slices.Concat(
	[]route{looks(portal.CashboxesPath, (*visit).boxList)},
	makes(portal.CashboxesPath, caller.OperatorDirectory, (*visit).newBox),
	settings(portal.CashboxesPath+"/{id}", caller.OperatorDirectory, (*visit).box),
	switches(portal.CashboxesPath, (*visit).boxSwitch),
	changes(portal.CashboxesPath+"/{id}/logo", caller.OperatorDirectory, (*visit).askLogo, (*visit).removeLogo),
	settings(portal.CashboxesPath+"/{id}/methods/{method}", caller.OperatorDirectory, (*visit).boxMethod),
	settings(portal.CashboxesPath+"/{id}/payouts/{method}", caller.OperatorDirectory, (*visit).boxPayout),
)

func (v *visit) boxList() error {
	list, cursor, err := v.Settings.Cashboxes(v.Ctx(), v.Who, v.searched())
	d := v.boxTable(list)
	d.Title, d.Path, d.Hint = say.Cashboxes, portal.CashboxesPath, sayFindByName
	d.Owner, d.OwnerLabel, d.OwnerText = portal.MerchantsPath, say.Merchants, sayBoxOfMerchant
	return v.showList(d, cursor, err, portal.AsksMerchant, portal.AsksTrader, portal.AsksCurrency)
}

// boxTable is a table of cashboxes, for their own list and for the page of an
// owner. A new one is offered to users who may make it, for the merchant by
// whom the list is filtered.
func (v *visit) boxTable(list []directory.Cashbox) Directory {
	d := Directory{
		Title: say.Cashboxes, NewLabel: sayNewCashbox, None: sayNobodyYet,
		New: v.Makes(
			view.Query(portal.CashboxesPath+"/new", portal.AsksMerchant, v.R.URL.Query().Get(portal.AsksMerchant)),
			caller.OperatorDirectory,
		),
		Columns: v.Columns(false, say.NameLabel, say.Number, sayMerchantLabel, say.Currency, say.Status),
	}
	for _, c := range list {
		d.row(portal.Numbered(portal.CashboxesPath, c.ID), view.Cell{Text: c.Name}, number(portal.IDText(c.ID)),
			view.Cell{Text: c.MerchantName}, view.Cell{Text: c.Currency}, v.Shell.BadgeCell(view.OnBadge(c.CollectEnabled)))
	}
	return d
}

// listedWithin is how many items of a list are shown on another page.
const listedWithin = 10

// boxesOf lists the first cashboxes of an owner.
func (v *visit) boxesOf(search directory.Search, by string) (Directory, error) {
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Settings.Cashboxes(v.Ctx(), v.Who, search)
	d := v.boxTable(list)
	id := v.R.PathValue("id")
	d.New = ""
	if by == portal.AsksMerchant {
		d.New = v.Makes(view.Query(portal.CashboxesPath+"/new", by, id), caller.OperatorDirectory)
	}
	if more != nil {
		d.All = view.Query(portal.CashboxesPath, by, id)
	}
	return d, err
}

// newBox is the page that makes a cashbox and shows its secret in the answer.
func (v *visit) newBox() subject {
	own := inputsOf(setting.Cashbox.Only("name", "traderCashboxId")...)
	s := v.newOne(portal.CashboxesPath, say.Cashboxes, sayNewCashbox, caller.OperatorDirectory,
		input{name: "merchantId", label: say.PortalMerchant, kind: asPick, pick: portal.PickMerchant, needed: true}, own[0],
		input{name: "currency", label: say.Currency, options: chosen(catalogue.Currencies...)}, own[1])
	s.values, s.said = url.Values{"merchantId": {v.R.URL.Query().Get(portal.AsksMerchant)}}, "secret-before"
	s.keep = func(ctx context.Context, form typed) (string, error) {
		c, secret, err := v.Settings.CreateCashbox(ctx, v.Who, directory.NewCashbox{
			MerchantID: form.id("merchantId"), Name: form.plain("name"), Currency: form.plain("currency"),
			TraderID: form.id("traderCashboxId"),
		})
		path := portal.Numbered(portal.CashboxesPath, c.Now.ID)
		if err == nil {
			v.reveal = func() error {
				return v.Reveal(sayCashboxMade, view.Shown{
					Text: v.Say(sayCashboxMadeText), Label: sayWebhookSecret, Secret: secret, Next: view.Link(path),
				})
			}
		}
		return path, err
	}
	return s
}

// boxForm has the settings on the page of a cashbox. A cashbox is suspended on
// a page of its own.
var boxForm = setting.Cashbox.Without("collectEnabled")

// box is the page of a cashbox. Its methods and the steps to a first payment
// are read only to show the page, and not when its form is sent.
func (v *visit) box() (subject, error) {
	c, err := portal.Named(v.Visit, v.Settings.Cashbox)
	if err != nil {
		return subject{}, err
	}
	s := oneOf(portal.CashboxesPath, setting.Cashbox, c.ID, c.Name, c.Version)
	s.inputs, s.values = inputsOf(boxForm.Settings...), valuesOf(setting.Cashbox, c)
	if c.TraderID != nil {
		s.values.Set("traderCashboxId", portal.IDText(*c.TraderID))
	}
	if err := v.boxPage(&s, c); err != nil {
		return s, err
	}
	s.more = func(s *subject) (err error) {
		if s.page.Lists, err = v.boxMethods(c); err != nil {
			return err
		}
		s.page.First, err = v.merchantSteps(c.MerchantID)
		return err
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		u := directory.CashboxUpdate{ID: c.ID, TraderID: new(form.id("traderCashboxId")), Seen: form.Get("version")}
		form.fill(boxForm, &u)
		_, err := v.Settings.UpdateCashbox(ctx, v.Who, u)
		return s.path, err
	}
	return s, nil
}

// boxPage adds to a cashbox's page what it shows besides the settings.
func (v *visit) boxPage(s *subject, c directory.Cashbox) error {
	merchant := view.Link(portal.Numbered(portal.MerchantsPath, c.MerchantID))
	s.page.State = view.OnBadge(c.CollectEnabled)
	s.page.Crumbs = []Crumb{
		{Text: v.Say(say.Merchants), Href: portal.MerchantsPath}, {Text: c.MerchantName, Href: merchant},
	}
	has, err := v.balanceFacts(ledger.Cashbox, c.ID)
	if err != nil {
		return err
	}
	open, err := v.openFact(directory.Whose{MerchantID: c.MerchantID, CashboxID: c.ID}, portal.AsksCashbox, portal.IDText(c.ID))
	s.page.Facts = append([]view.Fact{
		numberFact(c.ID), {Label: sayMerchantLabel, Value: c.MerchantName, Href: merchant},
		{Label: say.Currency, Value: c.Currency}, {Label: sayMadeOn, At: &c.CreatedAt}, open,
	}, has...)
	s.page.Facts = append(s.page.Facts,
		view.Fact{Label: sayInsuredUSDT, Value: v.Shell.Sum(c.InsuranceUSDT), Class: "num"})
	s.page.Links = append([]SubjectStep{
		{Label: say.StatementTitle, Href: portal.StatementOf(ledger.Available(ledger.Cashbox, c.ID))},
	}, v.switchStep(s.path, c.CollectEnabled)...)
	if c.LogoHash != nil && v.May(caller.OperatorDirectory) {
		s.page.Links = append(s.page.Links, SubjectStep{Label: sayRemoveLogo, Href: view.Link(s.path + "/logo")})
	}
	return err
}

// balanceFacts show what a trader or a cashbox has.
func (v *visit) balanceFacts(owner ledger.Owner, id int64) ([]view.Fact, error) {
	has, err := v.Settings.Balance(v.Ctx(), v.Who, owner, id)
	return []view.Fact{
		{Label: sayHasAvailable, Value: v.Shell.Sum(has.Available), Class: "num"},
		{Label: sayHasReserved, Value: v.Shell.Sum(has.Reserved), Class: "num"},
	}, err
}

// boxMethods lists the methods that a cashbox may have, with their settings.
func (v *visit) boxMethods(c directory.Cashbox) ([]Directory, error) {
	set, err := v.Settings.Methods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return nil, err
	}
	payouts, err := v.Settings.PayoutMethods(v.Ctx(), v.Who, c.ID)
	if err != nil {
		return nil, err
	}
	margins, markups := map[string][]view.Cell{}, map[string][]view.Cell{}
	for _, one := range set {
		margins[one.Name] = []view.Cell{number(percentText(one.MarginPercent)), v.Shell.BadgeCell(view.OnBadge(one.Enabled))}
	}
	for _, one := range payouts {
		markups[one.Name] = []view.Cell{number(one.MarkupPercent.String()), v.Shell.BadgeCell(view.OnBadge(one.Enabled))}
	}
	path := portal.Numbered(portal.CashboxesPath, c.ID)
	return []Directory{
		v.methodTable(sayPaymentMethods, path+"/methods/", catalogue.Payments(c.Currency), margins),
		v.methodTable(sayPayoutMethods, path+"/payouts/", catalogue.Payouts(c.Currency), markups),
	}, nil
}

// methodTable lists methods, which are at a path below the given one. set has
// the cells for those that have settings.
func (v *visit) methodTable(title say.Phrase, path string, methods []catalogue.Method, set map[string][]view.Cell) Directory {
	d := Directory{
		Title: title, Columns: v.Columns(false, say.MethodLabel, say.MarginPercent, say.Status), None: sayNobodyYet,
	}
	for _, method := range methods {
		cells := set[method.Name]
		if cells == nil {
			cells = []view.Cell{{}, v.Shell.BadgeCell(notSetYet)}
		}
		d.row(path+method.Name, append([]view.Cell{{Text: v.MethodName(method.Name)}}, cells...)...)
	}
	return d
}

// amountText is an amount as a form value; "" if there is none.
func amountText(amount decimal.NullDecimal) string {
	if !amount.Valid {
		return ""
	}
	return money.Fiat(amount.Decimal)
}

// ofBox begins the page of a method that a cashbox may have and that has no
// settings yet.
func (v *visit) ofBox(
	of setting.Subject, kind string, methods func(currency string) []catalogue.Method,
) (c directory.Cashbox, method catalogue.Method, s subject, err error) {
	if c, err = portal.Named(v.Visit, v.Settings.Cashbox); err != nil {
		return c, method, s, err
	}
	method, known := catalogue.Find(methods(c.Currency), v.R.PathValue("method"))
	if !known {
		return c, method, s, fault.ErrNotFound
	}
	box := view.Link(portal.Numbered(portal.CashboxesPath, c.ID))
	s = subject{
		title: v.MethodName(method.Name), path: string(box) + kind + method.Name, needs: of.Needs,
		log:    [2]string{of.Name, portal.IDText(c.ID) + "/" + method.Name},
		inputs: inputsOf(of.Settings...), version: directory.NotThere,
	}
	s.page.Crumbs = []Crumb{
		{Text: c.MerchantName, Href: view.Link(portal.Numbered(portal.MerchantsPath, c.MerchantID))},
		{Text: c.Name, Href: box},
	}
	s.page.State, s.page.Form.Back = notSetYet, box
	return c, method, s, nil
}

// boxMethod is the page of a method of payment of a cashbox. A method without
// settings has usual values in its form, which hold only once they are saved.
func (v *visit) boxMethod() (subject, error) {
	c, method, s, err := v.ofBox(setting.Method, "/methods/", catalogue.Payments)
	if err != nil {
		return s, err
	}
	set, err := v.Settings.Methods(v.Ctx(), v.Who, c.ID)
	s.values = url.Values{
		"enabled": {"1"}, "validitySeconds": {strconv.Itoa(int(method.Validity.Seconds()))}, "claimSeconds": {"900"},
		"cards": {"3"}, "amountPolicy": {"exact"}, "differenceTo": {"trader"}, "lateSeconds": {"86400"},
	}
	for _, m := range set {
		if m.Name == method.Name {
			s.page.State, s.version, s.values = view.OnBadge(m.Enabled), m.Version, valuesOf(setting.Method, m)
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		m := directory.CashboxMethod{CashboxID: c.ID, Name: method.Name, Seen: form.Get("version")}
		form.fill(setting.Method, &m)
		_, err := v.Settings.SetMethod(ctx, v.Who, m)
		return s.path, err
	}
	return s, err
}

// boxPayout is the page of a method by which a cashbox pays out. A method
// without settings has usual values in its form, which hold only once they are
// saved.
func (v *visit) boxPayout() (subject, error) {
	c, method, s, err := v.ofBox(setting.PayoutMethod, "/payouts/", catalogue.Payouts)
	if err != nil {
		return s, err
	}
	set, err := v.Settings.PayoutMethods(v.Ctx(), v.Who, c.ID)
	s.values = url.Values{
		"enabled": {"1"}, "validitySeconds": {strconv.Itoa(int(catalogue.PayoutValidity.Seconds()))},
	}
	for _, m := range set {
		if m.Name == method.Name {
			s.page.State, s.version, s.values = view.OnBadge(m.Enabled), m.Version, valuesOf(setting.PayoutMethod, m)
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		m := directory.CashboxPayoutMethod{CashboxID: c.ID, Name: method.Name, Seen: form.Get("version")}
		form.fill(setting.PayoutMethod, &m)
		_, err := v.Settings.SetPayoutMethod(ctx, v.Who, m)
		return s.path, err
	}
	return s, err
}

// chosen are options whose texts are their values.
func chosen(values ...string) []view.Option {
	options := make([]view.Option, 0, len(values))
	for _, value := range values {
		options = append(options, view.Option{Value: value, Text: value})
	}
	return options
}
