package portal

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

const (
	auditPath  = "/operator/audit"
	reconPath  = "/operator/reconciliation"
	alarmsPath = "/operator/alarms"
)

// What operators trust the gateway by: the log of what was done, whether the ledger holds, and what
// needs somebody now.
var trustRoutes = []route{
	{
		pattern: "GET " + auditPath, kinds: operators, needs: caller.OperatorRead,
		handle: with(auditList, (*visit).auditLog),
	},
	{
		pattern: "GET " + auditPath + ".csv", kinds: operators, needs: caller.OperatorRead,
		handle: with(auditList, (*visit).auditCSV),
	},
	{pattern: "GET " + reconPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).reconciliation},
	{
		pattern: "GET " + reconPath + "/days/{day}", kinds: operators, needs: caller.OperatorRead,
		handle: (*visit).sealedDay,
	},
	{pattern: "GET " + alarmsPath, kinds: operators, needs: caller.OperatorRead, handle: (*visit).alarms},
}

var trustEntries = []entry{
	{needs: caller.OperatorRead, href: alarmsPath, label: say.AlarmsTitle, group: say.TrustGroup},
	{needs: caller.OperatorRead, href: reconPath, label: say.ReconTitle, group: say.TrustGroup},
	{needs: caller.OperatorRead, href: auditPath, label: say.AuditTitle, group: say.TrustGroup},
	{needs: caller.OperatorRead, href: manualPath, label: say.ManualTitle, group: say.TrustGroup},
}

// linked is an address, or "" where there is no such page in this program.
func (v *visit) linked(href string) view.Link {
	r, err := http.NewRequestWithContext(v.ctx(), http.MethodGet, href, nil)
	if err != nil || href == "" {
		return ""
	}
	if _, pattern := v.addresses.Handler(r); pattern == "" || pattern == "/" {
		return ""
	}
	return view.Link(href)
}

// alarms shows what needs somebody now.
func (v *visit) alarms() error {
	alarms, err := v.Alarms.List(v.ctx(), v.who)
	if err != nil {
		return err
	}
	var shown view.Alarms
	for _, a := range alarms {
		row := view.AlarmRow{
			Text: v.shell.Say(say.Alarm(a.Name), a.Count), Severity: v.shell.Say(say.Severity(string(a.Severity))),
			Tone: "late", Since: a.Since, Href: v.linked(a.Link), Runbook: a.Runbook,
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
	v.shell.Title = v.shell.Say(say.AlarmsTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.AlarmsPage(s, shown) })
	return nil
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
