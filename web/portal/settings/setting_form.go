package settings

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"gateway.example/web/portal"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/setting"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A page of settings is declared as data, and shown, checked and kept here:
//
//  1. A function reads what there is and returns a subject: its title and path, the capability that
//     changing it takes, its inputs, their values as they are, and the version that was read. Inputs
//     and values follow from what internal/setting declares. The name of an input is the one by
//     which the service names it in errors.
//  2. The subject's keep hands what was typed to the service, read by typed.fill, text, number, whole or
//     tick, and returns where that leads.
//  3. A route declares the function: settings for what there is, makes for something new. Whoever lacks the
//     capability reads the values, and has no form. Wrong fields, a second sending and a change by somebody
//     else meanwhile are dealt with here.
//
// The merchant's page is the shortest whole one: see merchant.go. How settings
// changed in the past, at the foot of such a page, is in setting_history.go.

// inputKind is the kind of input for a setting.
type inputKind int

const (
	asText inputKind = iota
	asNumber
	asWhole
	asTick
	asArea
	asSecret
	asClock
	asFile
	asSeveral
	asPick
)

// input is an input of a form for a setting. Services use its name to report
// what is wrong with it.
type input struct {
	// heading begins a section of the form.
	heading say.Phrase
	name    string
	label   say.Phrase
	kind    inputKind
	hint    say.Phrase
	note    string // a hint that is already in the reader's language
	max     int
	needed  bool
	options []view.Option
	// choices are the options that the setting declares.
	choices []setting.Option
	// pick is the kind of participant that it names.
	pick *portal.Pick
}

var kindsOfSettings = map[setting.Kind]inputKind{
	setting.Percent: asNumber, setting.Earning: asNumber, setting.Amount: asNumber, setting.Whole: asWhole, setting.ID: asPick,
	setting.Switch: asTick, setting.Lines: asArea, setting.Clock: asClock, setting.Choice: asText,
}

// picks are the settings whose value is the number of a participant.
var picks = map[string]*portal.Pick{"traderCashboxId": portal.PickTrader}

// inputsOf makes inputs of declared settings.
func inputsOf(list ...setting.Setting) []input {
	inputs := make([]input, 0, len(list))
	for _, one := range list {
		inputs = append(inputs, input{
			name: one.Name, kind: kindsOfSettings[one.Kind], needed: one.Needed, max: one.Digits(),
			pick: picks[one.Name], heading: say.Of(one.Heading), label: say.Of(one.Label), hint: say.Of(one.Hint),
			choices: one.Options,
		})
	}
	return inputs
}

// valuesOf are the form values of an object's settings.
func valuesOf(of setting.Subject, object any) url.Values {
	values := url.Values{}
	for _, one := range of.Settings {
		field := one.In(reflect.ValueOf(object))
		if !field.IsValid() {
			continue
		}
		if field.Kind() == reflect.Pointer && !field.IsNil() {
			field = field.Elem()
		}
		values.Set(one.Name, valueText(one.Kind, field.Interface()))
	}
	return values
}

// valueText is a setting as its form has it; what is not set is empty. The kind
// says whether a decimal is an amount or a percentage.
func valueText(kind setting.Kind, value any) string {
	switch value := value.(type) {
	case bool:
		return onOff(value)
	case string:
		return value
	case []string:
		return strings.Join(value, "\n")
	case int32:
		return portal.Counted(&value)
	case decimal.Decimal:
		return valueText(kind, decimal.NewNullDecimal(value))
	case decimal.NullDecimal:
		if kind == setting.Amount {
			return amountText(value)
		}
		return percentText(value)
	}
	return "" // a nil pointer
}

// field is an input as a page shows it.
func (v *visit) field(in input, values url.Values, wrong string) Input {
	hint := in.note
	if hint == "" && !in.hint.Empty() {
		hint = v.Say(in.hint)
	}
	for _, choice := range in.choices {
		in.options = append(in.options, view.Option{Value: choice.Value, Text: v.Say(say.Of(choice.Label))})
	}
	value := values.Get(in.name)
	shown := Input{
		Field: view.Field{
			Heading: in.heading,
			Name:    in.name, Label: in.label, Value: value, Hint: hint, Wrong: wrong, Quiet: !in.needed, Max: in.max,
			More: templ.Attributes{"autocomplete": "off"},
		},
		Options: in.options, Tick: in.kind == asTick || in.kind == asSeveral, Several: values[in.name], On: value != "",
		Shown: v.shownValue(in, values),
	}
	if in.note != "" { // users who cannot change it read this, too
		shown.Shown += ". " + in.note
	}
	switch in.kind {
	case asPick:
		asked := v.PickField(in.pick, in.name, in.label, values, nil)
		shown.Value, shown.Suggest, shown.Max, shown.More = asked.Value, asked.Suggest, asked.Max, asked.More
		if hint == "" {
			shown.Hint = v.Say(say.PickHint)
		}
	case asNumber:
		shown.More["inputmode"] = "decimal"
	case asWhole:
		shown.More["inputmode"] = "numeric"
	case asArea:
		shown.Area, shown.Max = true, max(in.max, 5000)
	case asSecret:
		shown.Type, shown.Value, shown.Shown = "password", "", "••••"
		shown.More["autocomplete"] = "new-password"
	case asClock:
		shown.Type = "time"
	case asFile:
		shown.Type, shown.Value = "file", ""
	case asText, asTick, asSeveral:
	}
	return shown
}

// shownValue is the value of a setting for users who may not change it.
func (v *visit) shownValue(in input, values url.Values) string {
	value := values.Get(in.name)
	switch {
	case in.kind == asSeveral:
		value = strings.Join(values[in.name], ", ")
	case in.kind == asPick && value != "":
		return v.Called(in.pick, value)
	case in.kind == asTick && value != "":
		return v.Say(say.YesWord)
	case in.kind == asTick:
		return v.Say(say.NoWord)
	}
	for _, option := range in.options {
		if option.Value == value && in.kind != asSeveral {
			return option.Text
		}
	}
	if value == "" {
		return v.Say(say.NotSet)
	}
	return value
}

// subject is a page of the directory, about a participant or something that
// belongs to one.
type subject struct {
	title string
	// path is its address, to which its settings are posted as well.
	path string
	// needs is the capability that changing the settings requires.
	needs  caller.Capability
	inputs []input
	// values are the present settings, and version identifies that state;
	// both are empty for something new.
	values  url.Values
	version string
	// log is the subject and key of its changes in the log of settings;
	// empty for something new.
	log  [2]string
	page Subject
	// more adds what the page shows besides while it is only read; nil if
	// there is nothing.
	more func(s *subject) error
	// keep passes the typed values to the service, and returns the address
	// to which to redirect.
	keep func(ctx context.Context, form typed) (ledTo string, err error)
	// said names the message on that page; "" says that it was saved.
	said string
}

// shows is the handler that shows a page of settings.
func shows(of func(*visit) (subject, error)) func(*visit) error {
	return func(v *visit) error {
		s, err := of(v)
		if err == nil && s.more != nil {
			err = s.more(&s)
		}
		if err != nil {
			return err
		}
		return v.showSubject(http.StatusOK, s, nil)
	}
}

// keeps is the handler of the form on a page of settings.
func keeps(of func(*visit) (subject, error)) func(*visit) error {
	return func(v *visit) error {
		s, err := of(v)
		if err != nil {
			return err
		}
		return v.keepSubject(s)
	}
}

// newOne begins the page on which an item of a list is made.
func (v *visit) newOne(list view.Link, listed, title say.Phrase, needs caller.Capability, inputs ...input) subject {
	s := subject{
		title: v.Say(title), path: string(list) + "/new", needs: needs, inputs: inputs, said: "setting-made",
	}
	s.page.Crumbs = []Crumb{{Text: v.Say(listed), Href: list}}
	s.page.Form.Save, s.page.Form.Back = sayMake, list
	return s
}

// oneOf begins the page of an item of a list, which the log of settings has by
// its number.
func oneOf(list string, of setting.Subject, id int64, title, version string) subject {
	return subject{
		title: title, path: portal.Numbered(list, id), needs: of.Needs, version: version,
		log: [2]string{of.Name, portal.IDText(id)},
	}
}

// showSubject shows a page of the directory. wrong has the mistakes in what was
// typed.
func (v *visit) showSubject(status int, s subject, wrong map[string]string) error {
	form := &s.page.Form
	if v.May(s.needs) {
		form.Action, form.Token, form.Version = s.path, submission.NewToken(), s.version
	}
	form.Title, form.Save = cmp.Or(form.Title, saySettings), cmp.Or(form.Save, say.Save)
	for _, in := range s.inputs {
		form.Inputs = append(form.Inputs, v.field(in, s.values, wrong[in.name]))
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if !slices.ContainsFunc(s.inputs, func(in input) bool { return in.name == name }) {
			s.page.Notices = append(s.page.Notices, name+": "+wrong[name])
		}
	}
	if s.log[0] != "" {
		if err := v.history(&s); err != nil {
			return err
		}
	}
	v.Shell.Title, v.Shell.Mistakes = s.title, len(wrong) > 0
	v.Show(status, func(shell view.Shell) site.Page { return SubjectPage(shell, s.page) })
	return nil
}

// picks are the inputs that name a participant.
func (s subject) picks() map[string]*portal.Pick {
	named := map[string]*portal.Pick{}
	for _, in := range s.inputs {
		if in.kind == asPick {
			named[in.name] = in.pick
		}
	}
	return named
}

// keepSubject changes the settings of a page, once, and redirects. Mistakes are
// shown together with what was typed. If somebody else has changed the settings
// meanwhile, nothing is changed, and the page says so.
func (v *visit) keepSubject(s subject) error {
	form, err := v.Form()
	if err == nil {
		err = v.Picked(form, s.picks())
	}
	if err != nil {
		return err
	}
	found := fault.Decoded(v.Ctx())
	ctx := fault.WithDecoded(v.Ctx(), found)
	out, err := v.Submissions.Once(ctx, v.Who.ID, form.Get("token"), func() (submission.Outcome, error) {
		to, err := s.keep(ctx, typed{form, found})
		return submission.Outcome{LedTo: to, Said: cmp.Or(s.said, "setting-saved")}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.showSubject(http.StatusUnprocessableEntity, s.typedInto(form), portal.ShortLimits(wrong))
	}
	if f := fault.As(err); f != nil && f.Code == settingChanged {
		s.page.Notices = append(s.page.Notices, v.Say(sayChanged))
		if typed := v.differing(s, form); typed != "" {
			s.page.Notices = append(s.page.Notices, v.Say(sayYouTyped, typed))
		}
		return v.showSubject(http.StatusConflict, s, nil)
	}
	if err != nil {
		return err
	}
	if v.reveal != nil {
		return v.reveal()
	}
	return v.Done(out.LedTo, out.Said)
}

// typedInto is the page with what was typed. Its form is still about the state
// that the user has seen: by now somebody else may have changed the settings.
func (s subject) typedInto(form url.Values) subject {
	s.values, s.version = form, form.Get("version")
	return s
}

// settingChanged is the code of the error that somebody else has changed a
// setting meanwhile.
const settingChanged = "setting_changed"

// differing names the typed values that differ from the present settings.
func (v *visit) differing(s subject, form url.Values) string {
	var parts []string
	for _, in := range s.inputs {
		if in.kind == asSecret || slices.Equal(form[in.name], s.values[in.name]) ||
			form.Get(in.name) == s.values.Get(in.name) && in.kind != asSeveral {
			continue
		}
		parts = append(parts, v.Say(in.label)+": "+v.shownValue(in, form))
	}
	return strings.Join(parts, "; ")
}

// onOff is a switch as a form value.
func onOff(on bool) string {
	if on {
		return "1"
	}
	return ""
}
