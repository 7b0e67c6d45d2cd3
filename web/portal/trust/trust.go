package trust

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// What operators need to trust the gateway: the log of what was done, the state
// of the ledger, and the alarms.
var trustRoutes = []route{
	{Pattern: "GET " + portal.AuditPath, Needs: caller.OperatorRead, Keeps: &auditList, Handle: portal.With(auditList, (*visit).auditLog)},
	{Pattern: "GET " + portal.AuditPath + ".csv", Needs: caller.OperatorRead, Handle: portal.With(auditList, (*visit).auditCSV)},
	{Pattern: "GET " + portal.ReconPath, Needs: caller.OperatorRead, Handle: (*visit).reconciliation},
	{Pattern: "GET " + portal.ReconPath + "/audits", Needs: caller.OperatorRead, Fragment: true, Handle: (*visit).auditsRegion},
	{Pattern: "GET " + portal.ReconPath + "/days/{day}", Needs: caller.OperatorRead, Handle: (*visit).sealedDay},
	{Pattern: "GET " + portal.AlarmsPath, Needs: caller.OperatorRead, Handle: (*visit).alarms},
}

// alarms shows which alarms fire.
func (v *visit) alarms() error {
	alarms, err := v.Alarms.List(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	columns := v.Columns(false, sayAlarmWhat, say.Status, sayAlarmTell, sayAlarmSince)
	shown := Alarms{
		Firing: view.Sheet{Label: v.Say(sayAlarmFires), Columns: columns, Empty: view.Empty{Title: sayAlarmsQuiet}},
		Quiet:  view.Sheet{Label: v.Say(sayAlarmOthers), Columns: columns},
	}
	for _, a := range alarms {
		text, sheet, badge := v.Say(sayAlarm(a.Name), a.Count), &shown.Firing, view.Badge{Text: sayAlarmFiring, Tone: "late"}
		if a.Severity == "page" {
			badge.Tone = "bad"
		}
		if !a.Firing { // there is nothing to count
			text, _, _ = strings.Cut(text, ":")
			sheet, badge = &shown.Quiet, view.Badge{Text: sayAlarmQuiet, Tone: "good"}
		}
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{
				Text: text, Href: v.Linked(a.Link),
				Note: v.Say(sayAlarmRunbook), NoteHref: view.Link(portal.ManualPart("runbooks", a.Runbook)),
			},
			v.Shell.BadgeCell(badge), {Text: v.Say(saySeverity(string(a.Severity)))}, v.since(a.Since, sayAlarmUnknown),
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.AlarmsTitle), AlarmsPage, shown)
}

// since is a cell with a time, or with a text if there is none.
func (v *visit) since(at *time.Time, none say.Phrase) view.Cell {
	if at == nil {
		return view.Cell{Note: v.Say(none)}
	}
	return view.Cell{At: at}
}

// took formats a duration for people.
func took(d time.Duration) string { return d.Round(time.Millisecond).String() }

// placed parses a time from a link, in microseconds since 1970; without one it
// is the given time.
func placed(text string, otherwise time.Time) time.Time {
	micro, err := strconv.ParseInt(text, 10, 64)
	if err != nil || micro < 0 || micro > otherwise.UnixMicro() {
		return otherwise
	}
	return time.UnixMicro(micro)
}
