package portal

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	limitsPath = "/operator/limits"
	banksPath  = "/operator/banks"
)

// What holds for a whole currency: its limits, and the banks that payers of it use.
var directoryLimitRoutes = slices.Concat(
	[]route{looks(limitsPath, (*visit).limitList), looks(banksPath, (*visit).bankList)},
	settings(limitsPath+"/{currency}", caller.OperatorDirectory, (*visit).limitPage, (*visit).changeLimit),
	settings(banksPath+"/{currency}", caller.OperatorDirectory, (*visit).bankPage, (*visit).changeBank),
)

func (v *visit) limitList() error {
	set, err := v.Settings.PlatformLimits(v.ctx(), v.who)
	if err != nil {
		return err
	}
	d := view.Directory{Columns: []say.Phrase{say.Currency, say.SmallestAmount, say.LargestAmount}}
	for _, currency := range catalogue.Currencies {
		none := view.SubjectCell{Text: v.shell.Say(say.Unlimited)}
		cells := []view.SubjectCell{{Text: currency}, none, none}
		for _, one := range set {
			if one.Currency == currency {
				cells[1] = view.SubjectCell{Text: v.shell.Number(one.MinAmount), Class: "num"}
				cells[2] = view.SubjectCell{Text: v.shell.Number(one.MaxAmount), Class: "num"}
			}
		}
		d.Rows = append(d.Rows, view.DirectoryRow{Href: view.Link(limitsPath + "/" + currency), Cells: cells})
	}
	v.shell.Title = v.shell.Say(say.PlatformLimit)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.DirectoryPage(s, d) })
	return nil
}

func (v *visit) limitAsked() (subject, error) {
	currency := v.r.PathValue("currency")
	if !slices.Contains(catalogue.Currencies, currency) {
		return subject{}, fault.ErrNotFound
	}
	set, err := v.Settings.PlatformLimits(v.ctx(), v.who)
	s := subject{
		title: v.shell.Say(say.MethodOf, v.shell.Say(say.PlatformLimit), currency), path: limitsPath + "/" + currency,
		needs: caller.OperatorDirectory, version: directory.NotThere, log: [2]string{"platform_limit", currency},
		inputs: []input{
			{name: "minAmount", label: say.SmallestAmount, kind: asNumber, max: 24, needed: true},
			{name: "maxAmount", label: say.LargestAmount, kind: asNumber, max: 24, needed: true},
		},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.PlatformLimit), Href: limitsPath}}
	for _, one := range set {
		if one.Currency == currency {
			s.version = one.Version
			s.values = filled(map[string]string{
				"minAmount": money.Fiat(one.MinAmount), "maxAmount": money.Fiat(one.MaxAmount),
			})
		}
	}
	return s, err
}

func (v *visit) limitPage() error {
	s, err := v.limitAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

func (v *visit) changeLimit() error {
	s, err := v.limitAsked()
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		_, err := v.Settings.SetPlatformLimit(ctx, v.who, directory.NewPlatformLimit{
			Currency: v.r.PathValue("currency"), MinAmount: *form.number("minAmount"),
			MaxAmount: *form.number("maxAmount"), Seen: form.Get("version"),
		})
		return s.path, err
	})
}

// asksBank names a bank of a currency; without it a new one is asked for.
const asksBank = "bank"

// bankList lists the banks of a currency, the first of which is shown unless the address names one.
func (v *visit) bankList() error {
	currency := v.r.URL.Query().Get(asksCurrency)
	if currency == "" {
		currency = catalogue.Currencies[0]
	}
	if !slices.Contains(catalogue.Currencies, currency) {
		return fault.ErrNotFound
	}
	list, err := v.Settings.ListBanks(v.ctx(), v.who, currency)
	if err != nil {
		return err
	}
	d := view.Directory{
		NewLabel: say.NewBank, New: v.makes(view.Link(banksPath+"/"+currency), caller.OperatorDirectory),
		Columns: []say.Phrase{say.BankName, say.BankMethods, say.BankSource, say.Status}, None: say.NobodyYet,
	}
	for _, one := range catalogue.Currencies {
		d.Picks = append(d.Picks, view.Pick{
			Text: one, Current: one == currency, Href: view.Query(banksPath, asksCurrency, one),
		})
	}
	for _, b := range list {
		d.Rows = append(d.Rows, view.DirectoryRow{
			Href: view.Query(banksPath+"/"+currency, asksBank, b.Name),
			Cells: []view.SubjectCell{
				{Text: b.Name}, {Text: strings.Join(b.Methods, ", ")}, {Text: b.Source, Class: "clip"},
				{Badge: view.OnBadge(b.Enabled)},
			},
		})
	}
	v.shell.Title = v.shell.Say(say.Banks)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.DirectoryPage(s, d) })
	return nil
}

// bankAsked is the bank that the address names, or a new one of its currency.
func (v *visit) bankAsked() (subject, error) {
	currency, name := v.r.PathValue("currency"), v.r.URL.Query().Get(asksBank)
	if !slices.Contains(catalogue.Currencies, currency) {
		return subject{}, fault.ErrNotFound
	}
	s := v.newBank(currency)
	if name == "" {
		return s, nil
	}
	list, err := v.Settings.ListBanks(v.ctx(), v.who, currency)
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
	s.values = filled(map[string]string{
		"enabled": onOff(b.Enabled), "link": b.Link, "source": b.Source, "steps": stepLines(b.Steps),
	})
	s.values["methods"] = b.Methods
	s.page.State, s.page.Form.Save = view.OnBadge(b.Enabled), say.Save
	logo := say.NoWord
	if b.LogoHash != "" {
		logo = say.YesWord
	}
	s.page.Facts = []view.SubjectFact{
		{Label: say.Currency, Value: currency}, {Label: say.BankHasLogo, Value: v.shell.Say(logo)},
	}
	return s, nil
}

func (v *visit) newBank(currency string) subject {
	var methods []view.Option
	for _, method := range catalogue.Payments(currency) {
		if method.RequisiteType != "" {
			methods = append(methods, view.Option{Value: method.Name, Text: v.methodName(method.Name)})
		}
	}
	s := subject{
		title: v.shell.Say(say.MethodOf, v.shell.Say(say.NewBank), currency), path: banksPath + "/" + currency,
		needs: caller.OperatorDirectory, version: directory.NotThere, values: url.Values{"enabled": {"1"}},
		inputs: []input{
			{name: "name", label: say.BankName, max: 60, needed: true},
			switchInput,
			{name: "methods", label: say.BankMethods, kind: asSeveral, options: methods},
			{name: "link", label: say.BankLink, hint: say.BankLinkHint, max: 500},
			{name: "steps", label: say.BankSteps, hint: say.BankStepsHint, kind: asArea},
			{name: "source", label: say.BankSource, max: 500, needed: true},
			{name: "logo", label: say.BankLogo, kind: asFile},
		},
	}
	s.page.Crumbs = []view.Crumb{{Text: v.shell.Say(say.Banks), Href: view.Query(banksPath, asksCurrency, currency)}}
	s.page.Form.Save, s.page.Form.File = say.Make, true
	s.page.Form.Back = view.Query(banksPath, asksCurrency, currency)
	return s
}

// stepLines are steps as people edit them: a line for each language.
func stepLines(steps map[string]string) string {
	var lines []string
	for code, text := range steps {
		lines = append(lines, code+": "+text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// steps are the lines of a form by their language.
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

func (v *visit) bankPage() error {
	s, err := v.bankAsked()
	if err != nil {
		return err
	}
	return v.showSubject(http.StatusOK, s, nil)
}

// bankForm is more than a bank's form has, its logo included.
const bankForm = 128 << 10

func (v *visit) changeBank() error {
	s, err := v.bankAsked()
	if err != nil {
		return err
	}
	logo, err := v.file("logo", bankForm)
	if err != nil {
		return err
	}
	return v.keepSubject(s, "setting-saved", func(ctx context.Context, form typed) (string, error) {
		name := v.r.URL.Query().Get(asksBank)
		if name == "" {
			name = form.plain("name")
		}
		currency := v.r.PathValue("currency")
		_, err := v.Settings.SetBank(ctx, v.who, directory.Bank{
			Currency: currency, Name: name, Methods: form.Values["methods"], Link: form.plain("link"),
			Steps: form.steps("steps"), Source: form.plain("source"), Enabled: *form.tick("enabled"), Logo: logo,
			Seen: form.Get("version"),
		})
		return string(view.Query(banksPath, asksCurrency, currency)), err
	})
}

// file reads a small file that a form was sent with, and nil for none. It goes before v.form.
func (v *visit) file(name string, most int64) ([]byte, error) {
	if !strings.HasPrefix(v.r.Header.Get("Content-Type"), "multipart/form-data") {
		return nil, nil
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, most)
	if err := v.r.ParseMultipartForm(most); err != nil { //nolint:gosec // its body is bounded
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	file, _, err := v.r.FormFile(name)
	if err != nil { // there is none
		return nil, nil
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if len(content) == 0 {
		return nil, err
	}
	return content, err
}
