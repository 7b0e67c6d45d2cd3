package portal

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The directory of the operators' console: lists of those who take part, a page for each, and the
// settings that operators change there.
var directoryEntries = []entry{
	{needs: caller.OperatorRead, href: merchantsPath, label: say.Merchants, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: cashboxesPath, label: say.Cashboxes, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: tradersPath, label: say.Traders, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: allRequisitesPath, label: say.Requisites, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: usersPath, label: say.Users, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: limitsPath, label: say.PlatformLimit, group: say.DirectoryGroup},
	{needs: caller.OperatorRead, href: banksPath, label: say.Banks, group: say.DirectoryGroup},
}

var directoryRoutes = slices.Concat(
	directoryMerchantRoutes, directoryCashboxRoutes, directoryTraderRoutes, directoryRequisiteRoutes,
	directoryUserRoutes, directoryLimitRoutes,
)

// looks is a page of the directory that every operator reads.
func looks(pattern string, handle func(*visit) error) route {
	return route{pattern: "GET " + pattern, kinds: operators, needs: caller.OperatorRead, handle: handle}
}

// changes are a page that leads to a change of the directory, and the change.
func changes(pattern string, needs caller.Capability, page, act func(*visit) error) []route {
	return []route{
		{pattern: "GET " + pattern, kinds: operators, needs: needs, handle: page},
		{pattern: "POST " + pattern, kinds: operators, needs: needs, handle: act},
	}
}

// settings are a page of settings that every operator reads, and the change of them.
func settings(pattern string, needs caller.Capability, page, act func(*visit) error) []route {
	return []route{
		looks(pattern, page),
		{pattern: "POST " + pattern, kinds: operators, needs: needs, handle: act},
	}
}

// The names of parameters of lists.
const (
	asksOn   = "on"
	asksKind = "kind"
)

// searched is what the address asks of a list of the directory.
func (v *visit) searched() directory.Search {
	given := v.r.URL.Query()
	search := directory.Search{
		Text: given.Get(asksSearch), Currency: given.Get(asksCurrency), Method: given.Get(asksMethod),
	}
	search.MerchantID, _ = strconv.ParseInt(given.Get(asksMerchant), 10, 64)
	search.TraderID, _ = strconv.ParseInt(given.Get(asksTrader), 10, 64)
	if after := given.Get(asksAfter); after != "" {
		search.Cursor = &after
	}
	switch given.Get(asksOn) {
	case "1":
		search.On = new(true)
	case "0":
		search.On = new(false)
	}
	return search
}

// showList shows a list of the directory, kept to what the address asks for by these parameters, too.
func (v *visit) showList(d view.Directory, cursor *string, err error, keep ...string) error {
	if wrong := v.wrong(err); wrong != nil {
		if wrong["cursor"] != "" {
			return fault.ErrNotFound
		}
		d.Wrong = slices.Sorted(maps.Values(wrong))[0]
	} else if err != nil {
		return err
	}
	given := v.r.URL.Query()
	d.Search = given.Get(asksSearch)
	kept := []string{}
	for _, name := range keep {
		if given.Get(name) != "" {
			d.Keep = append(d.Keep, [2]string{name, given.Get(name)})
			kept = append(kept, name, given.Get(name))
			d.Chips = append(d.Chips, view.Chip{
				Text: v.keptTo(name, given.Get(name)), Href: view.Query(d.Path, asksSearch, d.Search),
			})
		}
	}
	d.Picks = append(d.Picks, v.switchPicks(d.Path, append(kept, asksSearch, d.Search))...)
	on := given.Get(asksOn)
	if on != "" {
		d.Keep = append(d.Keep, [2]string{asksOn, on})
	}
	kept = append(kept, asksSearch, d.Search, asksOn, on)
	if cursor != nil {
		d.Pages.Older = view.Query(d.Path, append(kept, asksAfter, *cursor)...)
	}
	if given.Get(asksAfter) != "" {
		d.Pages.Newest = view.Query(d.Path, kept...)
	}
	d.None = say.NobodyYet
	if len(kept) > 0 && (d.Search != "" || on != "" || len(d.Keep) > 0) {
		d.None = say.NoneMatch
	}
	v.shell.Title = v.shell.Say(d.Title)
	status := http.StatusOK
	if d.Wrong != "" {
		status = http.StatusUnprocessableEntity
	}
	v.show(status, func(s view.Shell) site.Page { return view.DirectoryPage(s, d) })
	return nil
}

// keptTo says what a list is kept to by a parameter.
func (v *visit) keptTo(name, value string) string {
	switch name {
	case asksMerchant:
		return v.shell.Say(say.HistoryIs, v.shell.Say(say.MerchantNumber), value)
	case asksTrader:
		return v.shell.Say(say.HistoryIs, v.shell.Say(say.TraderNumber), value)
	case asksMethod:
		return v.methodName(value)
	case asksKind:
		return v.shell.Say(say.Kind(value))
	}
	return value
}

// switchPicks keep a list to what is switched on, or off.
func (v *visit) switchPicks(path string, kept []string) []view.Pick {
	var picks []view.Pick
	for _, one := range []struct {
		value string
		label say.Phrase
	}{{"", say.AllMethods}, {"1", say.OnlyOn}, {"0", say.OnlyOff}} {
		picks = append(picks, view.Pick{
			Text: v.shell.Say(one.label), Current: v.r.URL.Query().Get(asksOn) == one.value,
			Href: view.Query(path, append(slices.Clone(kept), asksOn, one.value)...),
		})
	}
	return picks
}

// makes is where a new one is made, for who may.
func (v *visit) makes(href view.Link, needs caller.Capability) view.Link {
	if !v.may(needs) {
		return ""
	}
	return href
}

// inputKind is how a setting is typed.
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
)

// input is a setting as forms have it. Its name is the one by which services tell what is wrong with
// it.
type input struct {
	// heading begins a part of the form.
	heading say.Phrase
	name    string
	label   say.Phrase
	kind    inputKind
	hint    say.Phrase
	note    string // a hint that is in the reader's language already
	max     int
	needed  bool
	options []view.Option
}

// field is a setting as a page shows it.
func (v *visit) field(in input, values url.Values, wrong string) view.Input {
	hint := in.note
	if hint == "" && !in.hint.Empty() {
		hint = v.shell.Say(in.hint)
	}
	value := values.Get(in.name)
	shown := view.Input{
		Field: view.Field{
			Heading: in.heading,
			Name:    in.name, Label: in.label, Value: value, Hint: hint, Wrong: wrong, Quiet: !in.needed, Max: in.max,
			More: templ.Attributes{"autocomplete": "off"},
		},
		Options: in.options, Tick: in.kind == asTick || in.kind == asSeveral, Several: values[in.name], On: value != "",
		Shown: v.shownValue(in, values),
	}
	if in.note != "" { // whoever cannot change it reads it, too
		shown.Shown += ". " + in.note
	}
	switch in.kind {
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

// shownValue is a setting for those who may not change it.
func (v *visit) shownValue(in input, values url.Values) string {
	value := values.Get(in.name)
	switch {
	case in.kind == asSeveral:
		value = strings.Join(values[in.name], ", ")
	case in.kind == asTick && value != "":
		return v.shell.Say(say.YesWord)
	case in.kind == asTick:
		return v.shell.Say(say.NoWord)
	}
	for _, option := range in.options {
		if option.Value == value && in.kind != asSeveral {
			return option.Text
		}
	}
	if value == "" {
		return v.shell.Say(say.NotSet)
	}
	return value
}

// subject is a page of the directory: one of those who take part, or something of theirs.
type subject struct {
	title string
	// path is where it is, and where its settings are posted to.
	path string
	// needs is what it takes to change the settings.
	needs  caller.Capability
	inputs []input
	// values are the settings as they are now, version names that state; both are empty for a new one.
	values  url.Values
	version string
	// log is the subject and key under which changes of it are kept; none for a new one.
	log  [2]string
	page view.Subject
}

// showSubject shows a page of the directory. Wrong is what is wrong with what was typed.
func (v *visit) showSubject(status int, s subject, wrong map[string]string) error {
	form := &s.page.Form
	if v.may(s.needs) {
		form.Action, form.Token, form.Version = s.path, submission.NewToken(), s.version
	}
	form.Title, form.Save = orPhrase(form.Title, say.Settings), orPhrase(form.Save, say.Save)
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
	v.shell.Title, v.shell.Mistakes = s.title, len(wrong) > 0
	v.show(status, func(shell view.Shell) site.Page { return view.SubjectPage(shell, s.page) })
	return nil
}

func orPhrase(p, otherwise say.Phrase) say.Phrase {
	if p.Empty() {
		return otherwise
	}
	return p
}

// typed is a form that was posted, as people type. What cannot be read is found.
type typed struct {
	url.Values
	found fault.Fields
}

// text is a field as it was typed, without the space around it.
func (t typed) text(name string) *string { return new(t.plain(name)) }

func (t typed) plain(name string) string { return strings.TrimSpace(t.Get(name)) }

// number is a field as services read numbers.
func (t typed) number(name string) *string { return new(typedAmount(t.Get(name))) }

// tick is a field that is on or off.
func (t typed) tick(name string) *bool { return new(t.Get(name) != "") }

const wholeNumber = "must be a whole number"

// whole is a whole number; an empty one is 0.
func (t typed) whole(name string) *int32 {
	n := t.id(name)
	if n > math.MaxInt32 {
		t.found.Add(name, wholeNumber)
		return new(int32)
	}
	return new(int32(n))
}

// id is the number of something; an empty one is 0.
func (t typed) id(name string) int64 {
	text := typedAmount(t.Get(name))
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		t.found.Add(name, wholeNumber)
		return 0
	}
	return n
}

// orNone is v, or nil for nothing.
func orNone[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

// keepSubject changes what a page shows, once, and leads to where act says. What is wrong is shown
// with what was typed. Where somebody else was faster nothing is changed, and the page says so.
func (v *visit) keepSubject(
	s subject, said string, act func(ctx context.Context, form typed) (ledTo string, err error),
) error {
	return v.keepSecret(s, said, func(ctx context.Context, form typed) (string, bool, error) {
		to, err := act(ctx, form)
		return to, false, err
	})
}

// keepSecret is keepSubject for what is shown in the answer to the first sending alone: there act
// reports that it reveals something, and the answer is left to its caller.
func (v *visit) keepSecret(
	s subject, said string, act func(ctx context.Context, form typed) (ledTo string, reveals bool, err error),
) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	found, reveals := fault.Decoded(v.ctx()), false
	ctx := fault.WithDecoded(v.ctx(), found)
	out, err := v.Submissions.Once(ctx, v.who.ID, form.Get("token"), func() (submission.Outcome, error) {
		to, secret, err := act(ctx, typed{form, found})
		reveals = secret
		return submission.Outcome{LedTo: to, Said: said}, err
	})
	if wrong := v.wrong(err); wrong != nil {
		s.values = form
		return v.showSubject(http.StatusUnprocessableEntity, s, short(wrong))
	}
	if f := fault.As(err); f != nil && f.Code == settingChanged {
		s.page.Notices = append(s.page.Notices, v.shell.Say(say.Changed))
		if typed := v.differing(s, form); typed != "" {
			s.page.Notices = append(s.page.Notices, v.shell.Say(say.YouTyped, typed))
		}
		return v.showSubject(http.StatusConflict, s, nil)
	}
	if err != nil || reveals {
		return err
	}
	return v.done(out.LedTo, out.Said)
}

// settingChanged is the code of what is refused because somebody else was faster.
const settingChanged = "setting_changed"

// short leaves out what stands before the names of limits.
func short(wrong map[string]string) map[string]string {
	plain := map[string]string{}
	for name, text := range wrong {
		plain[strings.TrimPrefix(name, "limits.")] = text
	}
	return plain
}

// differing names what was typed that is not as it stands.
func (v *visit) differing(s subject, form url.Values) string {
	var parts []string
	for _, in := range s.inputs {
		if in.kind == asSecret || slices.Equal(form[in.name], s.values[in.name]) ||
			form.Get(in.name) == s.values.Get(in.name) && in.kind != asSeveral {
			continue
		}
		parts = append(parts, v.shell.Say(in.label)+": "+v.shownValue(in, form))
	}
	return strings.Join(parts, "; ")
}

const historyPage = 10

// history adds how a subject's settings changed.
func (v *visit) history(s *subject) error {
	page := directory.ChangePage{Subject: &s.log[0], SubjectKey: &s.log[1]}
	if s.log[0] == "app_user" {
		page.Also = new("token")
	}
	page.Limit = new(int32(historyPage))
	if after := v.r.URL.Query().Get(asksAfter); after != "" && v.reads() {
		page.Cursor = &after
	}
	list, cursor, err := v.Settings.Changes(v.ctx(), v.who, page)
	if err != nil {
		return err
	}
	names, err := v.actors(list)
	if err != nil {
		return err
	}
	labels := map[string]say.Phrase{}
	for _, in := range s.inputs {
		labels[columnName(in.name)] = in.label
	}
	s.page.Past = true
	for _, c := range list {
		what := say.HistorySet
		switch {
		case c.Subject == "token":
			what = say.HistoryEnded
		case len(c.Before) == 0:
			what = say.HistoryMade
		}
		s.page.History = append(s.page.History, view.LogRow{
			At: c.At, Login: names[c.Actor], What: v.shell.Say(what), Notes: v.notes(c, labels),
		})
	}
	if cursor != nil {
		s.page.Older = view.Query(s.path, asksAfter, *cursor)
	}
	return nil
}

// actors are those who made changes, by the names that the log has of them.
func (v *visit) actors(list []directory.Change) (map[string]string, error) {
	actors := make([]string, 0, len(list))
	for _, c := range list {
		actors = append(actors, c.Actor)
	}
	logins, err := v.loginsOf(actors)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, actor := range actors {
		names[actor] = cmp.Or(logins[actor], actor)
	}
	return names, nil
}

// loginsOf are the logins of those actors who are users.
func (v *visit) loginsOf(actors []string) (map[string]string, error) {
	var ids []int64
	by := map[string]int64{}
	for _, actor := range actors {
		kind, number, _ := strings.Cut(actor, ":")
		isUser := slices.Contains(users, caller.Kind(kind)) // others are numbered on their own
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && isUser {
			ids, by[actor] = append(ids, id), id
		}
	}
	found, err := v.Sessions.Logins(v.ctx(), v.who, ids)
	if err != nil {
		return nil, err
	}
	logins := map[string]string{}
	for actor, id := range by {
		logins[actor] = found[id]
	}
	return logins, nil
}

// columnName is what the log of settings calls a field.
func columnName(field string) string {
	var name strings.Builder
	for _, r := range field {
		if unicode.IsUpper(r) {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToLower(r))
	}
	return name.String()
}

// notes say what a change changed.
func (v *visit) notes(c directory.Change, labels map[string]say.Phrase) []string {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(c.After, &is) != nil || len(c.Before) > 0 && json.Unmarshal(c.Before, &was) != nil {
		return nil
	}
	var notes []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		label := name
		if phrase, known := labels[name]; known {
			label = v.shell.Say(phrase)
		}
		old, now := v.logged(was[name]), v.logged(is[name])
		switch {
		case len(c.Before) == 0 && now != v.logged(nil) && name != "id" && name != "created_at":
			notes = append(notes, v.shell.Say(say.HistoryIs, label, now))
		case len(c.Before) > 0 && old != now:
			notes = append(notes, v.shell.Say(say.HistoryFrom, label, old, now))
		}
	}
	return notes
}

// logged is a value of the log as people read it.
func (v *visit) logged(raw json.RawMessage) string {
	var text string
	switch written := string(raw); {
	case json.Unmarshal(raw, &text) == nil && text != "":
		return text
	case written == "true":
		return v.shell.Say(say.YesWord)
	case written == "false":
		return v.shell.Say(say.NoWord)
	case written == "", written == "null", written == `""`, written == "[]", written == "{}":
		return v.shell.Say(say.HistoryEmpty)
	default:
		return zeros.ReplaceAllString(written, "$1")
	}
}

// zeros are those beyond the second decimal, which say nothing.
var zeros = regexp.MustCompile(`^(-?\d+\.\d\d\d*?)0+$`)

// named is an id of the address.
func (v *visit) named() (int64, error) { return v.paymentID() }

// openFact tells how many payments of somebody are open, and leads to them where they are listed.
func (v *visit) openFact(of directory.Whose, pairs ...string) (view.SubjectFact, error) {
	n, err := v.Settings.OpenPayments(v.ctx(), v.who, of)
	fact := view.SubjectFact{Label: say.OpenOf, Value: strconv.Itoa(n), Class: "num"}
	if n >= directory.OpenMost {
		fact.Value = v.shell.Say(say.OpenOrMore, n)
	}
	const list = "/operator/payments"
	if n > 0 {
		fact.Href = view.Query(list, append(pairs, asksStatus, "pending")...)
	}
	return fact, err
}

// reader is the visitor as those are noted who read what is sensitive.
func (v *visit) reader() caller.Caller {
	who := v.who
	who.RequestID, who.Address = edge.KeptRequestID(v.ctx()), edge.Address(v.ctx())
	return who
}

// numbered is the address of one of a list.
func numbered(path string, id int64) string { return path + "/" + strconv.FormatInt(id, 10) }

func idText(id int64) string { return strconv.FormatInt(id, 10) }

// onOff is how forms have a switch.
func onOff(on bool) string {
	if on {
		return "1"
	}
	return ""
}

// optionalText is a text, or "" for none.
func optionalText(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// filled are settings as a form has them.
func filled(pairs map[string]string) url.Values {
	values := url.Values{}
	for name, value := range pairs {
		values.Set(name, value)
	}
	return values
}

// chosen are options that are called what they are.
func chosen(values ...string) []view.Option {
	options := make([]view.Option, 0, len(values))
	for _, value := range values {
		options = append(options, view.Option{Value: value, Text: value})
	}
	return options
}
