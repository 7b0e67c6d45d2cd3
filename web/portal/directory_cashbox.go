package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const cashboxesPath = "/operator/cashboxes"

var directoryCashboxRoutes = slices.Concat(
	[]route{looks(cashboxesPath, (*visit).boxList)},
	changes(cashboxesPath+"/new", caller.OperatorDirectory, (*visit).boxNew, (*visit).makeBox),
	settings(cashboxesPath+"/{id}", caller.OperatorDirectory, (*visit).boxPage, (*visit).changeBox),
	[]route{},
	settings(
		cashboxesPath+"/{id}/methods/{method}",
		caller.OperatorDirectory,
		(*visit).boxMethod,
		(*visit).setBoxMethod,
	),
	settings(
		cashboxesPath+"/{id}/payouts/{method}",
		caller.OperatorDirectory,
		(*visit).boxPayout,
		(*visit).setBoxPayout,
	),
)

func (v *visit) boxList() error {
	list, cursor, err := v.Settings.Cashboxes(v.ctx(), v.who, v.searched())
	d := v.boxTable(list)
	d.Title, d.Path, d.Hint = say.Cashboxes, cashboxesPath, say.FindByName
	d.Owner, d.OwnerLabel, d.OwnerText = merchantsPath, say.Merchants, say.BoxOfMerchant
	return v.showList(d, cursor, err, asksMerchant, asksTrader, asksCurrency)
}

func (v *visit) boxTable(list []directory.Cashbox) view.Directory {
	d := view.Directory{
		Title:    say.Cashboxes,
		NewLabel: say.NewCashbox,
		None:     say.NobodyYet,
		New: v.makes(
			view.Query(cashboxesPath+"/new", asksMerchant, v.r.URL.Query().Get(asksMerchant)),
			caller.OperatorDirectory,
		),
		Columns: []say.Phrase{say.NameLabel, say.Number, say.MerchantLabel, say.Currency, say.Status},
	}
	for _, c := range list {
		d.Rows = append(
			d.Rows,
			view.DirectoryRow{Href: view.Link(numbered(cashboxesPath, c.ID)), Cells: []view.SubjectCell{
				{Text: c.Name}, {Text: idText(c.ID), Class: "num"}, {Text: c.MerchantName}, {Text: c.Currency},
				{Badge: view.OnBadge(c.CollectEnabled)},
			}},
		)
	}
	return d
}

// listedWithin is how many of a list are shown on another page.
const listedWithin = 10

// boxesOf are the first cashboxes of somebody.
func (v *visit) boxesOf(search directory.Search, by string) (view.Directory, error) {
	search.Limit = new(int32(listedWithin))
	list, more, err := v.Settings.Cashboxes(v.ctx(), v.who, search)
	d := v.boxTable(list)
	id := v.r.PathValue("id")
	if by == asksMerchant {
		d.New = v.makes(view.Query(cashboxesPath+"/new", by, id), caller.OperatorDirectory)
	} else {
		d.New = ""
	}
	if more != nil {
		d.All = view.Query(cashboxesPath, by, id)
	}
	return d, err
}

var bridgeInput = input{name: "traderCashboxId", label: say.BridgedTo, kind: asWhole, max: 19}

func (v *visit) newBox() subject {
	s := subject{
		title: v.shell.Say(say.NewCashbox), path: cashboxesPath + "/new", needs: caller.OperatorDirectory,
		inputs: []input{
			{name: "merchantId", label: say.MerchantNumber, kind: asWhole, max: 19, needed: true},
			nameInput,
			{name: "currency", label: say.Currency, options: chosen(catalogue.Currencies...)},
			bridgeInput,
		},
		values: url.Values{"merchantId": {v.r.URL.Query().Get(asksMerchant)}},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Cashboxes), Href: cashboxesPath}}
	s.page.Form.Save, s.page.Form.Back = say.Make, cashboxesPath
	return s
}

func (v *visit) boxNew() error { return v.showSubject(http.StatusOK, v.newBox(), nil) }

// makeBox makes a cashbox, once, and shows its secret in the answer.
func (v *visit) makeBox() error {
	secret, path := "", ""
	err := v.keepSecret(v.newBox(), "secret-before", func(ctx context.Context, form typed) (string, bool, error) {
		c, made, err := v.Settings.CreateCashbox(ctx, v.who, directory.NewCashbox{
			MerchantID: form.id("merchantId"), Name: form.plain("name"), Currency: form.plain("currency"),
			TraderID: form.id("traderCashboxId"),
		})
		secret, path = made, cashboxesPath+"/"+c.SubjectKey
		return path, err == nil, err
	})
	if err != nil || secret == "" {
		return err
	}
	return v.reveal(say.CashboxMade, view.Shown{
		Text: v.shell.Say(say.CashboxMadeText), Label: say.WebhookSecret, Secret: secret, Next: view.Link(path),
	})
}

// boxAsked is the cashbox that the address names.
func (v *visit) boxAsked() (directory.Cashbox, error) {
	id, err := v.named()
	if err != nil {
		return directory.Cashbox{}, err
	}
	return v.Settings.Cashbox(v.ctx(), v.who, id)
}

func (v *visit) boxSubject(c directory.Cashbox) (subject, error) {
	bridge := ""
	if c.TraderID != nil {
		bridge = idText(*c.TraderID)
	}
	s := subject{
		title: c.Name, path: numbered(cashboxesPath, c.ID), needs: caller.OperatorDirectory, version: c.Version,
		log: [2]string{"cashbox", idText(c.ID)},
		inputs: []input{
			nameInput,
			{name: "collectEnabled", label: say.Collects, kind: asTick},
			bridgeInput,
			{name: "pageColor", label: say.PageColor, hint: say.PageColorHint, max: 7},
			{name: "frameOrigin", label: say.FrameOrigin, hint: say.FrameOriginHint},
			{name: "returnHosts", label: say.ReturnHosts, hint: say.ReturnHostsHint, kind: asArea},
			{name: "returnAutomatic", label: say.ReturnAutomatic, kind: asTick},
			{name: "payerEvents", label: say.PayerEvents, kind: asTick},
		},
		values: filled(map[string]string{
			"name": c.Name,
			"collectEnabled": onOff(
				c.CollectEnabled,
			),
			"traderCashboxId": bridge,
			"pageColor":       optionalText(c.PageColor),
			"frameOrigin":     optionalText(c.FrameOrigin),
			"returnHosts":     strings.Join(c.ReturnHosts, "\n"),
			"returnAutomatic": onOff(c.ReturnAutomatic),
			"payerEvents":     onOff(c.PayerEvents),
		}),
	}
	s.page.State = view.OnBadge(c.CollectEnabled)
	s.page.Crumbs = []view.Crumb{
		{Text: v.shell.Say(say.Merchants), Href: merchantsPath},
		{Text: c.MerchantName, Href: view.Link(numbered(merchantsPath, c.MerchantID))},
	}
	has, err := v.balanceFacts(ledger.Cashbox, c.ID)
	if err != nil {
		return s, err
	}
	open, err := v.openFact(directory.Whose{MerchantID: c.MerchantID, CashboxID: c.ID}, asksCashbox, idText(c.ID))
	s.page.Facts = append([]view.SubjectFact{
		{Label: say.Number, Value: idText(c.ID), Class: "num"},
		{Label: say.MerchantLabel, Value: c.MerchantName, Href: view.Link(numbered(merchantsPath, c.MerchantID))},
		{Label: say.Currency, Value: c.Currency}, {Label: say.MadeOn, At: &c.CreatedAt}, open,
	}, has...)
	s.page.Facts = append(s.page.Facts,
		view.SubjectFact{Label: say.InsuredUSDT, Value: view.Figure(c.InsuranceUSDT), Class: "num"})
	s.page.Links = []view.SubjectStep{
		{Label: say.StatementTitle, Href: statementOf(ledger.Available(ledger.Cashbox, c.ID))},
	}
	return s, err
}

// balanceFacts are what a trader or a cashbox has.
func (v *visit) balanceFacts(owner ledger.Owner, id int64) ([]view.SubjectFact, error) {
	has, err := v.Settings.Balance(v.ctx(), v.who, owner, id)
	return []view.SubjectFact{
		{Label: say.HasAvailable, Value: view.Figure(has.Available), Class: "num"},
		{Label: say.HasReserved, Value: view.Figure(has.Reserved), Class: "num"},
	}, err
}

func (v *visit) boxPage() error {
	c, err := v.boxAsked()
	if err != nil {
		return err
	}
	s, err := v.boxSubject(c)
	if err != nil {
		return err
	}
	if s.page.Lists, err = v.boxMethods(c); err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

// boxMethods are the methods that a cashbox may have, with how each is set.
func (v *visit) boxMethods(c directory.Cashbox) ([]view.Directory, error) {
	set, err := v.Settings.Methods(v.ctx(), v.who, c.ID)
	if err != nil {
		return nil, err
	}
	payouts, err := v.Settings.PayoutMethods(v.ctx(), v.who, c.ID)
	if err != nil {
		return nil, err
	}
	columns := []say.Phrase{say.MethodLabel, say.MarginPercent, say.Status}
	list := []view.Directory{{Title: say.PaymentMethods, Columns: columns, None: say.NobodyYet}}
	for _, method := range catalogue.Payments(c.Currency) {
		cells := []view.SubjectCell{
			{Text: v.methodName(method.Name)},
			{},
			{Badge: view.Badge{Text: say.NotSetYet, Tone: "off"}},
		}
		for _, one := range set {
			if one.Name == method.Name {
				cells[1] = view.SubjectCell{Text: percentText(one.MarginPercent), Class: "num"}
				cells[2] = view.SubjectCell{Badge: view.OnBadge(one.Enabled)}
			}
		}
		list[0].Rows = append(list[0].Rows, view.DirectoryRow{
			Href: view.Link(numbered(cashboxesPath, c.ID) + "/methods/" + method.Name), Cells: cells,
		})
	}
	list = append(list, view.Directory{Title: say.PayoutMethods, Columns: columns, None: say.NobodyYet})
	for _, method := range catalogue.Payouts(c.Currency) {
		cells := []view.SubjectCell{
			{Text: v.methodName(method.Name)},
			{},
			{Badge: view.Badge{Text: say.NotSetYet, Tone: "off"}},
		}
		for _, one := range payouts {
			if one.Name == method.Name {
				cells[1] = view.SubjectCell{Text: one.MarkupPercent.String(), Class: "num"}
				cells[2] = view.SubjectCell{Badge: view.OnBadge(one.Enabled)}
			}
		}
		list[1].Rows = append(list[1].Rows, view.DirectoryRow{
			Href: view.Link(numbered(cashboxesPath, c.ID) + "/payouts/" + method.Name), Cells: cells,
		})
	}
	return list, nil
}

func (v *visit) changeBox() error {
	c, err := v.boxAsked()
	if err != nil {
		return err
	}
	s, err := v.boxSubject(c)
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		hosts := strings.Fields(strings.ReplaceAll(form.Get("returnHosts"), ",", " "))
		_, err := v.Settings.UpdateCashbox(ctx, v.who, directory.CashboxUpdate{
			ID:              c.ID,
			Name:            form.text("name"),
			CollectEnabled:  form.tick("collectEnabled"),
			TraderID:        new(form.id("traderCashboxId")),
			PageColor:       form.text("pageColor"),
			FrameOrigin:     form.text("frameOrigin"),
			ReturnHosts:     &hosts,
			ReturnAutomatic: form.tick("returnAutomatic"),
			PayerEvents:     form.tick("payerEvents"),
			Seen:            form.Get("version"),
		})
		return s.path, err
	})
}

// amountText is an amount as forms have it; none is "".
func amountText(amount decimal.NullDecimal) string {
	if !amount.Valid {
		return ""
	}
	return money.Fiat(amount.Decimal)
}

// ofBox begins a page of something that belongs to a cashbox.
func (v *visit) ofBox(c directory.Cashbox, kind, method, subjectName string) subject {
	s := subject{
		title: v.methodName(method), path: numbered(cashboxesPath, c.ID) + "/" + kind + "/" + method,
		needs: caller.OperatorDirectory, log: [2]string{subjectName, idText(c.ID) + "/" + method},
	}
	s.page.Crumbs = []view.Crumb{
		{Text: c.MerchantName, Href: view.Link(numbered(merchantsPath, c.MerchantID))},
		{Text: c.Name, Href: view.Link(numbered(cashboxesPath, c.ID))},
	}
	s.page.State = view.Badge{Text: say.NotSetYet, Tone: "off"}
	s.page.Form.Back = view.Link(numbered(cashboxesPath, c.ID))
	return s
}

// switchInput switches something on.
var switchInput = input{name: "enabled", label: say.TakesPart, kind: asTick}

func (v *visit) boxMethodAsked() (directory.Cashbox, subject, error) {
	c, err := v.boxAsked()
	if err != nil {
		return c, subject{}, err
	}
	method, known := catalogue.Find(catalogue.Payments(c.Currency), v.r.PathValue("method"))
	if !known {
		return c, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.Methods(v.ctx(), v.who, c.ID)
	if err != nil {
		return c, subject{}, err
	}
	s := v.ofBox(c, "methods", method.Name, "cashbox_method")
	s.inputs = []input{
		switchInput,
		{name: "marginPercent", label: say.MarginPercent, hint: say.RatePercentHint, kind: asNumber, max: 12},
		{name: "minAmount", label: say.SmallestAmount, kind: asNumber, max: 24},
		{name: "maxAmount", label: say.LargestAmount, kind: asNumber, max: 24},
		{name: "validitySeconds", label: say.ValiditySeconds, kind: asWhole, max: 10, needed: true},
		{name: "claimSeconds", label: say.ClaimSeconds, kind: asWhole, max: 10, needed: true},
		{name: "cards", label: say.CardsLabel, kind: asWhole, max: 3, needed: true},
	}
	seconds := int32(method.Validity.Seconds())
	s.version = directory.NotThere
	s.values = filled(map[string]string{
		"enabled": "1", "validitySeconds": counted(&seconds), "claimSeconds": "900", "cards": "3",
	})
	for _, m := range set {
		if m.Name != method.Name {
			continue
		}
		s.page.State, s.version = view.OnBadge(m.Enabled), m.Version
		s.values = filled(map[string]string{
			"enabled": onOff(m.Enabled), "marginPercent": percentText(m.MarginPercent),
			"minAmount": amountText(m.MinAmount), "maxAmount": amountText(m.MaxAmount),
			"validitySeconds": counted(&m.ValiditySeconds), "claimSeconds": counted(&m.ClaimSeconds),
			"cards": counted(&m.Cards),
		})
	}
	return c, s, nil
}

func (v *visit) boxMethod() error {
	_, s, err := v.boxMethodAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setBoxMethod() error {
	c, s, err := v.boxMethodAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		_, err := v.Settings.SetMethod(ctx, v.who, directory.CashboxMethod{
			CashboxID: c.ID, Name: v.r.PathValue("method"), Enabled: *form.tick("enabled"),
			MarginPercent: *form.number("marginPercent"), ValiditySeconds: *form.whole("validitySeconds"),
			MinAmount: *form.number("minAmount"), MaxAmount: *form.number("maxAmount"),
			ClaimSeconds: form.whole("claimSeconds"), Cards: form.whole("cards"), Seen: form.Get("version"),
		})
		return s.path, err
	})
}

func (v *visit) boxPayoutAsked() (directory.Cashbox, subject, error) {
	c, err := v.boxAsked()
	if err != nil {
		return c, subject{}, err
	}
	method, known := catalogue.Find(catalogue.Payouts(c.Currency), v.r.PathValue("method"))
	if !known {
		return c, subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.PayoutMethods(v.ctx(), v.who, c.ID)
	if err != nil {
		return c, subject{}, err
	}
	s := v.ofBox(c, "payouts", method.Name, "cashbox_payout_method")
	s.inputs = []input{
		switchInput,
		{name: "markupPercent", label: say.MarkupPercent, kind: asNumber, max: 12, needed: true},
		{name: "validitySeconds", label: say.PayoutSeconds, kind: asWhole, max: 10, needed: true},
		{name: "minAmount", label: say.SmallestAmount, kind: asNumber, max: 24},
		{name: "maxAmount", label: say.LargestAmount, kind: asNumber, max: 24},
	}
	seconds := int32(catalogue.PayoutValidity.Seconds())
	s.version, s.values = directory.NotThere, filled(
		map[string]string{"enabled": "1", "validitySeconds": counted(&seconds)},
	)
	for _, m := range set {
		if m.Name == method.Name {
			s.page.State, s.version = view.OnBadge(m.Enabled), m.Version
			s.values = filled(map[string]string{
				"enabled": onOff(m.Enabled), "markupPercent": m.MarkupPercent.String(),
				"validitySeconds": counted(&m.ValiditySeconds),
				"minAmount":       amountText(m.MinAmount), "maxAmount": amountText(m.MaxAmount),
			})
		}
	}
	return c, s, nil
}

func (v *visit) boxPayout() error {
	_, s, err := v.boxPayoutAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) setBoxPayout() error {
	c, s, err := v.boxPayoutAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		_, err := v.Settings.SetPayoutMethod(ctx, v.who, directory.CashboxPayoutMethod{
			CashboxID: c.ID, Name: v.r.PathValue("method"), Enabled: *form.tick("enabled"),
			MarkupPercent: *form.number("markupPercent"), ValiditySeconds: *form.whole("validitySeconds"),
			MinAmount: *form.number("minAmount"), MaxAmount: *form.number("maxAmount"), Seen: form.Get("version"),
		})
		return s.path, err
	})
}
