package portal

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// signInDays is for how long sign-ins are kept.
const signInDays = 400

var auditList = list{
	path:     auditPath,
	statuses: report.LogKinds(),
	status:   say.LogKind,
	search:   true,
	hint:     say.SearchAudit,
	log:      true,
	export:   caller.OperatorRead,
	days:     signInDays,
	kept:     say.AuditKept,
	none:     say.AuditNone, noneText: say.AuditNoText,
}

func logFilter(a asked) report.LogFilter {
	return report.LogFilter{
		Paging: a.filter.Paging, Kinds: a.filter.Status, User: a.filter.Search, Subject: a.query.Get(asksSubject),
		Key: a.query.Get(asksKey), From: a.filter.From, To: a.filter.To,
	}
}

// auditLog lists what was done.
func (v *visit) auditLog(l list) error {
	a := v.asks(l)
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showAuditLog(a, report.Page[report.LogItem]{})
	}
	page, err := v.Reports.Log(v.ctx(), v.who, logFilter(a))
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	return v.showAuditLog(a, page)
}

func (v *visit) showAuditLog(a asked, page report.Page[report.LogItem]) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	shown := view.AuditLog{Filters: filters, Pages: pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.auditRow(a, item))
	}
	switch {
	case len(a.wrong) > 0:
		shown.Empty = view.Empty{Text: say.NotShown}
	case a.filtered() || a.filter.Cursor != "":
		shown.Empty = view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
	default:
		shown.Empty = view.Empty{Title: a.none, Text: a.noneText}
	}
	v.shell.Title = v.shell.Say(say.AuditTitle)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.AuditLogPage(s, shown) })
	return nil
}

// auditTones are the stylesheet's for the kinds of lines.
var auditTones = map[string]string{report.LogFailed: "bad", report.LogViewAs: "late", report.LogSignIn: "good"}

func (v *visit) auditRow(a asked, item report.LogItem) view.AuditRow {
	row := view.AuditRow{
		At: item.At, Kind: view.Badge{Text: say.LogKind(item.Kind), Tone: auditTones[item.Kind]}, Who: item.Login,
		Fields: v.auditFields(item.Before, item.After),
	}
	if row.Who == "" {
		row.Who = item.Actor
	}
	if row.Who != "" {
		row.OfWho = a.with(asksSearch, row.Who)
	}
	if item.Door != "" {
		row.What = v.shell.Say(say.SignInOutcome(item.Outcome))
		from := strings.ToUpper(item.Door)
		if item.Address != "" {
			from += " · " + item.Address
		}
		row.Notes = []string{from, item.Agent}
		return row
	}
	about := v.auditSubject(item)
	row.What, row.OfWhat = about, view.Query(auditPath, asksSubject, item.Subject, asksKey, item.Key)
	switch item.Kind {
	case report.LogRead:
		row.What = v.shell.Say(say.ReadPart(item.What), about)
	case report.LogProposal, report.LogDecision:
		row.What = v.shell.Say(say.ActionOf(item.What)) + " · " + about
		row.OfWhat = view.Query(approvalsPath + "/" + strconv.FormatInt(item.ID, 10))
		row.Notes = v.auditWhy(item)
	}
	return row
}

// auditWhy are what was decided of a proposal and the words it was given.
func (v *visit) auditWhy(item report.LogItem) []string {
	var notes []string
	if item.Outcome != "" {
		notes = append(notes, v.shell.Say(say.StateOf(item.Outcome)))
	}
	if item.Reason != "" {
		notes = append(notes, item.Reason)
	}
	return notes
}

// auditSubject names what a line is about.
func (v *visit) auditSubject(item report.LogItem) string {
	name := item.Key
	if item.SubjectLogin != "" {
		name = item.SubjectLogin + " (№ " + item.Key + ")"
	} else if _, err := strconv.ParseInt(item.Key, 10, 64); err == nil {
		name = "№ " + item.Key
	}
	return v.shell.Say(say.AuditSubjectName(item.Subject)) + " " + name
}

// auditFields are the fields of a setting that have changed, or all of one that is new.
func (v *visit) auditFields(before, after []byte) []view.AuditField {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(after, &is) != nil || len(before) > 0 && json.Unmarshal(before, &was) != nil {
		return nil
	}
	var fields []view.AuditField
	names := slices.Collect(maps.Keys(is))
	for name := range was {
		if _, still := is[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !bytes.Equal(was[name], is[name]) {
			fields = append(fields, view.AuditField{Name: name, Was: plainJSON(was[name]), Is: plainJSON(is[name])})
		}
	}
	return fields
}

// plainJSON is a value without the quotes of a text; null is "".
func plainJSON(value json.RawMessage) string {
	var text *string
	if json.Unmarshal(value, &text) == nil {
		if text == nil {
			return ""
		}
		return *text
	}
	return string(value)
}

// auditCSV sends the lines that the address asks for as a file.
func (v *visit) auditCSV(l list) error {
	a := v.asks(l)
	if len(a.wrong) > 0 {
		return v.showAuditLog(a, report.Page[report.LogItem]{})
	}
	return v.sendCSV(a.fileName("audit", v.Clock.Now()), func(file *csvFile) error {
		return v.Exports.ExportLog(v.ctx(), v.who, logFilter(a), file, a.zone)
	})
}
