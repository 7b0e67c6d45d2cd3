package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gateway.example/internal/auditlog"
	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// signInDays is how long sign-ins are kept.
const signInDays = 400

var auditList = portal.List{
	Path:     portal.AuditPath,
	Statuses: auditlog.Kinds(),
	Status:   sayLogKind,
	Search:   true,
	Hint:     saySearchAudit,
	Log:      true,
	Export:   caller.OperatorRead,
	Days:     signInDays,
	Kept:     sayAuditKept,
	None:     sayAuditNone, NoneText: sayAuditNoText,
}

func logFilter(a portal.Asked) auditlog.Filter {
	return auditlog.Filter{
		Paging:  a.Filter.Paging,
		Kinds:   a.Filter.Status,
		User:    a.Filter.Search,
		Subject: a.Query.Get(portal.AsksSubject),
		Key:     a.Query.Get(portal.AsksKey),
		From:    a.Filter.From,
		To:      a.Filter.To,
	}
}

// auditLog lists what was done.
func (v *visit) auditLog(l portal.List) error {
	return portal.ShowList(v.Visit, l, func(a portal.Asked) (report.Page[auditlog.Item], error) {
		return v.AuditLog.List(v.Ctx(), v.Who, logFilter(a))
	}, v.showAuditLog)
}

// showAuditLog shows a page of the log, and why there are no lines: the address
// has mistakes, nothing matches, or nothing was done.
func (v *visit) showAuditLog(a portal.Asked, page report.Page[auditlog.Item]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	shown := AuditLog{Filters: filters, Pages: portal.Pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.auditRow(a, item))
	}
	switch {
	case len(a.Wrong) > 0:
		shown.Empty = view.Empty{Text: say.NotShown}
	case a.Filtered() || a.Filter.Cursor != "":
		shown.Empty = view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
	default:
		shown.Empty = view.Empty{Title: a.None, Text: a.NoneText}
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.AuditTitle), AuditLogPage, shown)
}

// auditTones are CSS classes for the kinds of lines.
var auditTones = map[string]string{auditlog.Failed: "bad", auditlog.ViewAs: "late", auditlog.SignIn: "good"}

// auditRow puts a line into words, by its kind. A sign-in says from where, and
// a proposal or decision links to the proposals. Every other line links to all
// lines about the same subject, and the user of each to all that they did.
func (v *visit) auditRow(a portal.Asked, item auditlog.Item) AuditRow {
	row := AuditRow{
		At: item.At, Kind: view.Badge{Text: sayLogKind(item.Kind), Tone: auditTones[item.Kind]}, Who: item.Login,
		Fields: v.auditFields(item.Before, item.After),
	}
	if row.Who == "" {
		row.Who = item.Actor
	}
	if row.Who != "" {
		row.OfWho = a.With(portal.AsksSearch, row.Who)
	}
	if item.Door != "" {
		row.What = v.Say(saySignInOutcome(item.Outcome))
		from := strings.ToUpper(item.Door)
		if item.Address != "" {
			from += " · " + item.Address
		}
		row.Notes = []string{from, item.Agent}
		return row
	}
	about := v.auditSubject(item)
	row.What, row.OfWhat = about, view.Query(portal.AuditPath, portal.AsksSubject, item.Subject, portal.AsksKey, item.Key)
	switch item.Kind {
	case auditlog.Setting:
		if item.Reason != "" {
			row.Notes = []string{item.Reason}
		}
	case auditlog.Read:
		row.What = v.Say(sayReadPart(item.What), about)
	case auditlog.Proposal, auditlog.Decision:
		row.What = v.Say(say.ActionOf(item.What)) + " · " + about
		row.OfWhat = view.Query(portal.ApprovalsPath + "/" + strconv.FormatInt(item.ID, 10))
		row.Notes = v.auditWhy(item)
	}
	return row
}

// auditWhy has the decision about a proposal, and the reason that was given.
func (v *visit) auditWhy(item auditlog.Item) []string {
	var notes []string
	if item.Outcome != "" {
		notes = append(notes, v.Say(say.StateOf(item.Outcome)))
	}
	if item.Reason != "" {
		notes = append(notes, item.Reason)
	}
	return notes
}

// auditSubject is the name of a line's subject.
func (v *visit) auditSubject(item auditlog.Item) string {
	name := item.Key
	if item.SubjectLogin != "" {
		name = item.SubjectLogin + " (№ " + item.Key + ")"
	} else if _, err := strconv.ParseInt(item.Key, 10, 64); err == nil {
		name = "№ " + item.Key
	}
	return v.Say(say.AuditSubjectName(item.Subject)) + " " + name
}

// auditFields are the fields of a setting that have changed; for a new setting
// all of them.
func (v *visit) auditFields(before, after []byte) []AuditField {
	var was, is map[string]json.RawMessage
	if json.Unmarshal(after, &is) != nil || len(before) > 0 && json.Unmarshal(before, &was) != nil {
		return nil
	}
	var fields []AuditField
	names := slices.Collect(maps.Keys(is))
	for name := range was {
		if _, still := is[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !bytes.Equal(was[name], is[name]) {
			fields = append(fields, AuditField{Name: name, Was: plainJSON(was[name]), Is: plainJSON(is[name])})
		}
	}
	return fields
}

// plainJSON is a JSON value without the quotation marks of a text; null is "".
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

// auditCSV sends the lines of the filter in the address as a file.
func (v *visit) auditCSV(l portal.List) error {
	a := v.Asks(l)
	if len(a.Wrong) > 0 {
		return v.showAuditLog(a, report.Page[auditlog.Item]{})
	}
	return v.SendCSV(a.FileName("audit", v.Clock.Now()), func(file *portal.CSVFile) error {
		return v.AuditLogExports.Export(v.Ctx(), v.Who, logFilter(a), file, a.Zone)
	})
}
