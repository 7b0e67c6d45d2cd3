package settings

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Settings of a whole currency: its limits, and the banks that its payers use.
var directoryLimitRoutes = slices.Concat(
	[]route{looks(portal.LimitsPath, (*visit).limitList), looks(portal.BanksPath, (*visit).bankList)},
	settingsBy(portal.LimitsPath+"/{currency}", caller.OperatorDirectory, (*visit).limit, (*visit).changeLimit),
	settingsBy(portal.BanksPath+"/{currency}", caller.OperatorDirectory, (*visit).bank, (*visit).changeBank),
)

// limitList lists all currencies, also those for which no limits are set.
func (v *visit) limitList() error {
	set, err := v.Settings.PlatformLimits(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	d := Directory{Title: say.PlatformLimit, Columns: v.Columns(false, say.Currency, say.SmallestAmount, say.LargestAmount)}
	for _, currency := range catalogue.Currencies {
		none := view.Cell{Text: v.Say(say.Unlimited)}
		cells := []view.Cell{{Text: currency}, none, none}
		for _, one := range set {
			if one.Currency == currency {
				cells[1], cells[2] = number(v.Number(one.MinAmount)), number(v.Number(one.MaxAmount))
			}
		}
		d.row(portal.LimitsPath+"/"+currency, cells...)
	}
	return v.showDirectory(d)
}

// limit is the page of a currency's limits, for which changeLimit asks for a
// reason first. An unknown currency is not found.
func (v *visit) limit() (subject, error) {
	currency := v.R.PathValue("currency")
	if !slices.Contains(catalogue.Currencies, currency) {
		return subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.PlatformLimits(v.Ctx(), v.Who)
	s := subject{
		title: v.Say(sayMethodOf, v.Say(say.PlatformLimit), currency), path: portal.LimitsPath + "/" + currency,
		needs: caller.OperatorDirectory, version: directory.NotThere, log: [2]string{"platform_limit", currency},
		inputs: inputsOf(setting.Limit.Settings...),
	}
	s.page.Crumbs = []Crumb{{Text: v.Say(say.PlatformLimit), Href: portal.LimitsPath}}
	for _, one := range set {
		if one.Currency == currency {
			s.version, s.values = one.Version, valuesOf(setting.Limit, one)
		}
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		_, err := v.Settings.SetPlatformLimit(ctx, v.Who, v.limitTyped(form))
		return s.path, err
	}
	return s, err
}

// changeLimit asks for confirmation and a reason before anything changes.
func (v *visit) changeLimit() error {
	s, err := v.limit()
	if err != nil {
		return err
	}
	form, err := v.Form()
	if err != nil {
		return err
	}
	if form.Get("confirmed") == "" || strings.TrimSpace(form.Get("reason")) == "" {
		if wrong := v.Wrong(v.limitTyped(typed{form, nil}).Check(v.Ctx())); wrong != nil {
			return v.showSubject(http.StatusUnprocessableEntity, s.typedInto(form), wrong)
		}
		return v.askLimit(s, form)
	}
	return v.keepSubject(s)
}

func (v *visit) limitTyped(form typed) directory.NewPlatformLimit {
	n := directory.NewPlatformLimit{
		Currency: v.R.PathValue("currency"), Seen: form.Get("version"), Reason: form.Get("reason"),
	}
	form.fill(setting.Limit, &n)
	return n
}

// askLimit shows the present and the new limits, and asks why.
func (v *visit) askLimit(s subject, form url.Values) error {
	ask := view.MoneyForm{
		Action: s.path, Text: v.Say(sayLimitText), Submit: v.Say(sayChange), Back: view.Link(s.path),
		Hidden: [][2]string{{"token", form.Get("token")}, {"version", form.Get("version")}, {"confirmed", "1"}},
	}
	for _, in := range s.inputs {
		was := s.values.Get(in.name)
		if was == "" {
			was = v.Say(say.Unlimited)
		}
		ask.Hidden = append(ask.Hidden, [2]string{in.name, form.Get(in.name)})
		ask.Notes = append(ask.Notes, v.Say(sayLimitFrom, v.Say(in.label), was, form.Get(in.name)))
	}
	ask.Fields = []view.Field{v.reasonField()}
	return v.ShowForm(http.StatusOK, v.Say(sayLimitAsk, v.R.PathValue("currency")), ask, form, nil)
}

// asksBank names a bank of a currency; without it a new one is asked for.
const asksBank = "bank"

// bankList lists the banks of a currency. It shows the first one unless the
// address names another.
func (v *visit) bankList() error {
	currency := v.R.URL.Query().Get(portal.AsksCurrency)
	if currency == "" {
		currency = catalogue.Currencies[0]
	}
	if !slices.Contains(catalogue.Currencies, currency) {
		return fault.ErrNotFound
	}
	list, err := v.Settings.ListBanks(v.Ctx(), v.Who, currency)
	if err != nil {
		return err
	}
	d := Directory{
		Title: say.Banks, NewLabel: sayNewBank, New: v.Makes(view.Link(portal.BanksPath+"/"+currency), caller.OperatorDirectory),
		Columns: v.Columns(false, say.BankName, say.BankMethods, say.BankSource, say.Status), None: sayNobodyYet,
	}
	for _, one := range catalogue.Currencies {
		d.Picks = append(d.Picks, view.Pick{
			Text: one, Current: one == currency, Href: view.Query(portal.BanksPath, portal.AsksCurrency, one),
		})
	}
	for _, b := range list {
		d.row(string(view.Query(portal.BanksPath+"/"+currency, asksBank, b.Name)),
			view.Cell{Text: b.Name}, view.Cell{Text: strings.Join(b.Methods, ", ")},
			view.Cell{Text: b.Source, Class: "clip"}, v.Shell.BadgeCell(view.OnBadge(b.Enabled)))
	}
	return v.showDirectory(d)
}

// bank is the page of the bank in the address, or of a new one of its currency.
func (v *visit) bank() (subject, error) {
	currency, name := v.R.PathValue("currency"), v.R.URL.Query().Get(asksBank)
	if !slices.Contains(catalogue.Currencies, currency) {
		return subject{}, fault.ErrNotFound
	}
	s := v.newBank(currency)
	if name == "" {
		return s, nil
	}
	list, err := v.Settings.ListBanks(v.Ctx(), v.Who, currency)
	if err != nil {
		return s, err
	}
	at := slices.IndexFunc(list, func(b directory.Bank) bool { return b.Name == name })
	if at < 0 {
		return s, fault.ErrNotFound
	}
	b := list[at]
	s.title, s.version, s.log = b.Name, b.Version, [2]string{"bank", currency + "/" + b.Name}
	s.path = string(view.Query(s.path, asksBank, b.Name))
	s.inputs = slices.DeleteFunc(s.inputs, func(in input) bool { return in.name == "name" })
	s.values = url.Values{
		"enabled": {onOff(b.Enabled)}, "link": {b.Link}, "source": {b.Source}, "steps": {stepLines(b.Steps)},
		"methods": b.Methods,
	}
	s.page.State, s.page.Form.Save = view.OnBadge(b.Enabled), say.Save
	logo := say.NoWord
	if b.LogoHash != "" {
		logo = say.YesWord
	}
	s.page.Facts = []view.Fact{
		{Label: say.Currency, Value: currency}, {Label: sayBankHasLogo, Value: v.Say(logo)},
	}
	return s, nil
}

// newBank is the page that makes a bank of a currency. The page of a bank that
// exists begins with it. Methods without a requisite are not offered, because
// no bank takes part in them.
func (v *visit) newBank(currency string) subject {
	var methods []view.Option
	for _, method := range catalogue.Payments(currency) {
		if method.RequisiteType != "" {
			methods = append(methods, view.Option{Value: method.Name, Text: v.MethodName(method.Name)})
		}
	}
	s := subject{
		title: v.Say(sayMethodOf, v.Say(sayNewBank), currency), path: portal.BanksPath + "/" + currency,
		needs: caller.OperatorDirectory, version: directory.NotThere, values: url.Values{"enabled": {"1"}},
		inputs: []input{
			{name: "name", label: say.BankName, max: 60, needed: true},
			inputsOf(setting.Trader.Find("enabled"))[0],
			{name: "methods", label: say.BankMethods, kind: asSeveral, options: methods},
			{name: "link", label: say.BankLink, hint: sayBankLinkHint, max: 500},
			{name: "steps", label: say.BankSteps, hint: sayBankStepsHint, kind: asArea},
			{name: "source", label: say.BankSource, max: 500, needed: true},
			{name: "logo", label: sayBankLogo, kind: asFile},
		},
	}
	s.page.Crumbs = []Crumb{
		{Text: v.Say(say.Banks), Href: view.Query(portal.BanksPath, portal.AsksCurrency, currency)},
	}
	s.page.Form.Save, s.page.Form.File = sayMake, true
	s.page.Form.Back = view.Query(portal.BanksPath, portal.AsksCurrency, currency)
	return s
}

// stepLines formats steps for editing: a line for each language.
func stepLines(steps map[string]string) string {
	var lines []string
	for code, text := range steps {
		lines = append(lines, code+": "+text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// steps reads steps from a form, by language.
func (t typed) steps(name string) map[string]string {
	steps := map[string]string{}
	for line := range strings.Lines(t.Get(name)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		code, text, two := strings.Cut(line, ":")
		if !two {
			t.found.Add(name, "must be by language, such as en")
		}
		steps[strings.TrimSpace(code)] = strings.TrimSpace(text)
	}
	return steps
}

// bankForm is the maximum size of a bank's form, with its logo.
const bankForm = 128 << 10

// changeBank makes or changes a bank. The name is in the address and cannot be
// changed, unless the bank is new. Without a file the present logo stays.
func (v *visit) changeBank() error {
	s, err := v.bank()
	if err != nil {
		return err
	}
	logo, err := v.file("logo", bankForm)
	if err != nil {
		return err
	}
	s.keep = func(ctx context.Context, form typed) (string, error) {
		name := v.R.URL.Query().Get(asksBank)
		if name == "" {
			name = form.plain("name")
		}
		currency := v.R.PathValue("currency")
		_, err := v.Settings.SetBank(ctx, v.Who, directory.Bank{
			Currency: currency, Name: name, Methods: form.Values["methods"], Link: form.plain("link"),
			Steps: form.steps("steps"), Source: form.plain("source"), Enabled: *form.tick("enabled"), Logo: logo,
			Seen: form.Get("version"),
		})
		return string(s.page.Form.Back), err
	}
	return v.keepSubject(s)
}

// file reads a small file that was sent with a form; nil if there is none. It
// must be called before v.form.
func (v *visit) file(name string, most int64) ([]byte, error) {
	if !strings.HasPrefix(v.R.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, nil
	}
	v.R.Body = http.MaxBytesReader(v.W, v.R.Body, most)
	if err := v.R.ParseMultipartForm(most); err != nil {
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	file, _, err := v.R.FormFile(name)
	if err != nil { // no file was sent
		return nil, nil
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if len(content) == 0 {
		return nil, err
	}
	return content, err
}
