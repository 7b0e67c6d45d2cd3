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

// What operators trust the gateway by: the log of what was done, whether the ledger holds, and what
// needs somebody now.
var trustRoutes = []route{
	{Pattern: "GET " + portal.AuditPath, Needs: caller.OperatorRead, Keeps: &auditList, Handle: portal.With(auditList, (*visit).auditLog)},
	{Pattern: "GET " + portal.AuditPath + ".csv", Needs: caller.OperatorRead, Handle: portal.With(auditList, (*visit).auditCSV)},
	{Pattern: "GET " + portal.ReconPath, Needs: caller.OperatorRead, Handle: (*visit).reconciliation},
	{Pattern: "GET " + portal.ReconPath + "/audits", Needs: caller.OperatorRead, Fragment: true, Handle: (*visit).auditsRegion},
	{Pattern: "GET " + portal.ReconPath + "/days/{day}", Needs: caller.OperatorRead, Handle: (*visit).sealedDay},
	{Pattern: "GET " + portal.AlarmsPath, Needs: caller.OperatorRead, Handle: (*visit).alarms},
}

// alarms shows what needs somebody now.
func (v *visit) alarms() error {
	alarms, err := v.Alarms.List(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	var shown Alarms
	for _, a := range alarms {
		row := AlarmRow{
			Text: v.Say(sayAlarm(a.Name), a.Count), Severity: v.Say(saySeverity(string(a.Severity))),
			Tone: "late", Since: a.Since, Href: v.Linked(a.Link),
			WhatToDo: view.Link(portal.ManualPart("runbooks", a.Runbook)),
		}
		if a.Severity == "page" {
			row.Tone = "bad"
		}
		if a.Firing {
			shown.Firing = append(shown.Firing, row)
		} else { // there is nothing to count
			row.Text, _, _ = strings.Cut(row.Text, ":")
			shown.Quiet = append(shown.Quiet, row)
		}
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.AlarmsTitle), AlarmsPage, shown)
}

// took is a duration as people read it.
func took(d time.Duration) string { return d.Round(time.Millisecond).String() }

// placed is a moment that a link of ours carries, in microseconds since 1970; now where there is none.
func placed(text string, otherwise time.Time) time.Time {
	micro, err := strconv.ParseInt(text, 10, 64)
	if err != nil || micro < 0 || micro > otherwise.UnixMicro() {
		return otherwise
	}
	return time.UnixMicro(micro)
}
