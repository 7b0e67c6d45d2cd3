package portal

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/seal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The names of the places in the lists of the page.
const (
	asksAudits = "audits"
	asksDays   = "days"
)

// daysShown is how many sealed days the page has.
const daysShown = 14

// reconciliation shows whether the ledger holds.
func (v *visit) reconciliation() error {
	state, err := v.Audits.State(v.ctx(), v.who)
	if err != nil {
		return err
	}
	shown := view.Reconciliation{
		State: overall(state), Recent: v.standing(say.ReconRecent, state.Recent),
		Full: v.standing(say.ReconFull, state.Full),
	}
	for _, i := range state.Invariants {
		shown.Invariants = append(shown.Invariants, view.InvariantRow{
			Name: v.shell.Say(
				say.Invariant(i.Name),
			),
			FullAt:   i.FullAt,
			RecentAt: i.RecentAt,
			OnlyFull: i.RecentAt == nil &&
				state.Recent.Last != nil,
			Violations: v.mismatches(i.Violations),
		})
	}
	for _, past := range state.Broken {
		broken := view.BrokenAudit{PastAudit: pastAudit(past), Full: past.Scope == audit.Complete.Scope}
		for _, found := range past.Found {
			broken.Found = append(broken.Found, v.mismatch(found.Detail))
		}
		shown.Broken = append(shown.Broken, broken)
	}
	if err := v.pastAudits(&shown); err != nil {
		return err
	}
	if err := v.sealedDays(&shown); err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.ReconTitle)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.ReconciliationPage(s, shown) })
	return nil
}

// overall is what the invariants come to.
func overall(state audit.State) view.Badge {
	for _, i := range state.Invariants {
		if len(i.Violations) > 0 {
			return view.Badge{Text: say.ReconBroken, Tone: "bad"}
		}
	}
	if state.Full.Last == nil {
		return view.Badge{Text: say.ReconUnknown, Tone: "late"}
	}
	return view.Badge{Text: say.ReconHolds, Tone: "good"}
}

func (v *visit) standing(title say.Phrase, st audit.Standing) view.Audit {
	shown := view.Audit{Title: title, Running: st.Running}
	if st.Rule != "" && st.Running != nil {
		shown.Rule = v.shell.Say(say.Invariant(st.Rule))
	}
	if st.Last != nil {
		last := pastAudit(*st.Last)
		shown.Last = &last
	}
	return shown
}

func pastAudit(p audit.Past) view.PastAudit {
	return view.PastAudit{
		BeganAt: p.BeganAt, Took: took(p.Took()), Rows: strconv.FormatInt(p.RowsRead, 10), Violations: p.Violations,
	}
}

// mismatchSubject is what a mismatch begins with, as the audit writes it.
var mismatchSubject = regexp.MustCompile(`^(payment|payout|deposit|cashbox|trader|account|transfer|page of) ([0-9-]+)`)

// subjectPages are the pages about what a mismatch is about. The page of a sealed day is here.
var subjectPages = map[string]string{
	"payment": "/operator/payments/", "payout": "/operator/payouts/", "deposit": "/operator/deposits/",
	"cashbox": "/operator/cashboxes/", "trader": "/operator/traders/", "page of": reconPath + "/days/",
}

func (v *visit) mismatches(list []string) []view.Mismatch {
	var shown []view.Mismatch
	for _, detail := range list {
		shown = append(shown, v.mismatch(detail))
	}
	return shown
}

// mismatch divides what the audit found into its subject, with the page about it, and the rest.
func (v *visit) mismatch(detail string) view.Mismatch {
	at := mismatchSubject.FindStringSubmatch(detail)
	if at == nil {
		return view.Mismatch{Text: detail}
	}
	m := view.Mismatch{Subject: at[0], Text: strings.TrimLeft(detail[len(at[0]):], ":, ")}
	if path := subjectPages[at[1]]; path != "" {
		m.Href = v.linked(path + at[2])
	}
	if id, err := strconv.ParseInt(at[2], 10, 64); err == nil && at[1] == "account" {
		m.Href = statementOf(ledger.AccountOf(id))
	}
	return m
}

func (v *visit) pastAudits(shown *view.Reconciliation) error {
	before := placed(v.r.URL.Query().Get(asksAudits), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	list, more, err := v.Audits.History(v.ctx(), v.who, audit.Complete.Scope, before)
	if err != nil {
		return err
	}
	for _, past := range list {
		shown.History = append(shown.History, pastAudit(past))
	}
	if more {
		last := strconv.FormatInt(list[len(list)-1].BeganAt.UnixMicro(), 10)
		shown.Older = view.Query(reconPath, asksAudits, last)
	}
	return nil
}

func (v *visit) sealedDays(shown *view.Reconciliation) error {
	limit := int32(daysShown)
	p := seal.Paging{Limit: &limit}
	if cursor := v.r.URL.Query().Get(asksDays); cursor != "" {
		p.Cursor = &cursor
	}
	days, next, err := v.Proofs.Days(v.ctx(), v.who, p)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return fault.ErrNotFound
	}
	if err != nil {
		return err
	}
	for _, d := range days {
		shown.Days = append(shown.Days, sealedDayRow(d))
	}
	if next != nil {
		shown.OlderDays = view.Query(reconPath, asksDays, *next)
	}
	return nil
}

func sealedDayRow(d seal.SealedDay) view.SealedDayRow {
	return view.SealedDayRow{
		Day: d.Day, Href: view.Link(reconPath + "/days/" + d.Day), Transfers: d.Transfers, SealedAt: d.At,
		State: view.SealBadge(string(d.State)), AuditedAt: d.AuditedAt,
	}
}

// sealedDay shows the page of a day.
func (v *visit) sealedDay() error {
	day, err := time.Parse(time.DateOnly, v.r.PathValue("day"))
	if err != nil || day.Year() > 9998 {
		return fault.ErrNotFound
	}
	limit, after := int32(1), day.AddDate(0, 0, 1).Format(time.DateOnly)
	days, _, err := v.Proofs.Days(v.ctx(), v.who, seal.Paging{Limit: &limit, Cursor: &after})
	if err != nil {
		return err
	}
	if len(days) == 0 || days[0].Day != v.r.PathValue("day") {
		return fault.ErrNotFound
	}
	d := days[0]
	shown := view.SealedDay{
		SealedDayRow: sealedDayRow(d), Root: d.Root.String(), Hash: d.Hash.String(), Previous: d.Previous.String(),
		Kid: d.Kid, Signature: base64.StdEncoding.EncodeToString(d.Signature), Violations: d.Violations,
	}
	for _, sum := range d.Sums.Kinds {
		shown.Kinds = append(shown.Kinds, view.KindSum{
			Kind: sum.Kind, Transfers: sum.Transfers, Amount: view.Figure(sum.Amount),
		})
	}
	for _, sum := range d.Sums.Balances {
		shown.Balances = append(shown.Balances, view.BalanceSum{
			Owner: sum.Owner, Account: sum.Account, Amount: view.Figure(sum.Amount),
		})
	}
	v.shell.Title = v.shell.Say(say.ReconDayTitle, d.Day)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.SealedDayPage(s, shown) })
	return nil
}
