package trust

import (
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/audit"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/seal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// The parameters with the positions in the page's two lists.
const (
	asksAudits = "audits"
	asksDays   = "days"
)

// daysShown is how many sealed days the page shows.
const daysShown = 14

// reconciliation shows whether the ledger's invariants hold.
func (v *visit) reconciliation() error {
	state, err := v.Audits.State(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := Reconciliation{
		State: overall(state), Recent: v.standing(sayReconRecent, state.Recent),
		Full: v.standing(sayReconFull, state.Full),
	}
	shown.Invariants = view.Sheet{
		Label: v.Say(sayReconInvariants), Columns: v.Columns(false, sayReconInvariant, say.Status, sayReconNew, sayReconWhole),
	}
	for _, i := range state.Invariants {
		badge, notNew := provedBadge(len(i.Violations) == 0), sayReconNever
		if len(i.Violations) == 0 && i.FullAt == nil {
			badge = view.Badge{Text: sayReconNotYet, Tone: "off"}
		}
		if state.Recent.Last != nil {
			notNew = sayReconOnlyFull
		}
		shown.Invariants.Rows = append(shown.Invariants.Rows, []view.Cell{
			{Text: v.Say(sayInvariant(i.Name)), Drawn: mismatches(v.mismatches(i.Violations))},
			v.Shell.BadgeCell(badge), v.since(i.RecentAt, notNew), v.since(i.FullAt, sayReconNever),
		})
	}
	for _, past := range state.Broken {
		shown.Broken = append(shown.Broken, v.brokenAudit(past))
	}
	if err := v.pastAudits(&shown); err != nil {
		return err
	}
	if err := v.sealedDays(&shown); err != nil {
		return err
	}
	if err := v.onChain(&shown); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Live = v.Say(say.ReconTitle), runs(shown.Recent, shown.Full).Runs
	return portal.Show(v.Visit, http.StatusOK, ReconciliationPage, shown)
}

func (v *visit) brokenAudit(past audit.Past) BrokenAudit {
	broken := BrokenAudit{PastAudit: pastAudit(past), Full: past.Scope == audit.Complete.Scope}
	for _, found := range past.Found {
		broken.Found = append(broken.Found, v.mismatch(found.Detail))
	}
	return broken
}

// onChain compares the networks with the ledger. If that takes too long, it is
// left out.
func (v *visit) onChain(shown *Reconciliation) error {
	found, err := v.Books.OnChain(v.Ctx(), v.Who)
	if errors.Is(err, fault.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	shown.Chain = []view.Fact{
		{Label: sayReconOnNetworks, Value: v.USDT(found.Seen), Class: "num"},
		{Label: sayReconInLedger, Value: v.USDT(found.Booked), Class: "num"},
		{Label: sayReconDifference, Value: v.USDT(found.Difference()), Class: "num"},
	}
	shown.Networks = view.Sheet{
		Label: v.Say(say.Network), Columns: v.Columns(true, say.Network, sayReconCame, sayReconWent, sayReconThere),
	}
	for _, n := range found.Networks {
		shown.Networks.Rows = append(shown.Networks.Rows, []view.Cell{
			{Text: n.Network}, {Text: v.USDT(n.Came)}, {Text: v.USDT(n.Went)}, {Text: v.USDT(n.Came.Sub(n.Went))},
		})
	}
	return nil
}

// auditsRegion is the part of the page with the state of the audits, which
// refreshes itself.
func (v *visit) auditsRegion() error {
	state, err := v.Audits.State(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	recent, full := v.standing(sayReconRecent, state.Recent), v.standing(sayReconFull, state.Full)
	v.Show(http.StatusOK, func(s view.Shell) site.Page { return AuditsRegion(s, recent, full) })
	return nil
}

// overall is the result of all invariants together.
func overall(state audit.State) view.Badge {
	for _, i := range state.Invariants {
		if len(i.Violations) > 0 {
			return view.Badge{Text: sayReconBroken, Tone: "bad"}
		}
	}
	if state.Full.Last == nil {
		return view.Badge{Text: sayReconUnknown, Tone: "late"}
	}
	return view.Badge{Text: sayReconHolds, Tone: "good"}
}

// standing shows how far an audit is and what the last one found. The rule that
// is being checked is named only while an audit runs.
func (v *visit) standing(title say.Phrase, st audit.Standing) Audit {
	shown := Audit{Title: title, Running: st.Running}
	shown.Progress = view.Progress{Label: v.Say(sayReconRules), Done: st.Done, Of: st.Of, Runs: st.Running != nil}
	if st.Rule != "" && st.Running != nil {
		shown.Rule = v.Say(sayInvariant(st.Rule))
	}
	if st.Last != nil {
		last := pastAudit(*st.Last)
		shown.Last = &last
	}
	return shown
}

func pastAudit(p audit.Past) PastAudit {
	return PastAudit{
		BeganAt: p.BeganAt, Took: took(p.Took()), Rows: strconv.FormatInt(p.RowsRead, 10), Violations: p.Violations,
	}
}

// mismatchSubject matches the subject at the beginning of a mismatch, as the
// audit writes it.
var mismatchSubject = regexp.MustCompile(`^(payment|payout|deposit|cashbox|trader|account|transfer|page of) ([0-9-]+)`)

// subjectPages are the addresses of the pages of subjects.
var subjectPages = map[string]string{
	"payment": "/operator/payments/", "payout": "/operator/payouts/", "deposit": "/operator/deposits/",
	"cashbox": "/operator/cashboxes/", "trader": "/operator/traders/", "page of": portal.ReconPath + "/days/",
}

func (v *visit) mismatches(list []string) []Mismatch {
	var shown []Mismatch
	for _, detail := range list {
		shown = append(shown, v.mismatch(detail))
	}
	return shown
}

// mismatch splits an audit's finding into its subject, with a link to the page
// about it, and the rest.
func (v *visit) mismatch(detail string) Mismatch {
	at := mismatchSubject.FindStringSubmatch(detail)
	if at == nil {
		return Mismatch{Text: detail}
	}
	m := Mismatch{Subject: at[0], Text: strings.TrimLeft(detail[len(at[0]):], ":, ")}
	if path := subjectPages[at[1]]; path != "" {
		m.Href = v.Linked(path + at[2])
	}
	if id, err := strconv.ParseInt(at[2], 10, 64); err == nil && at[1] == "account" {
		m.Href = portal.StatementOf(ledger.AccountOf(id))
	}
	return m
}

// pastAudits adds the complete audits that have ended, the newest first. A time
// in the address that cannot be read counts as none.
func (v *visit) pastAudits(shown *Reconciliation) error {
	before := placed(v.R.URL.Query().Get(asksAudits), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	list, more, err := v.Audits.History(v.Ctx(), v.Who, audit.Complete.Scope, before)
	if err != nil {
		return err
	}
	shown.History = view.Sheet{
		Label: v.Say(sayReconHistory),
		Columns: portal.AtRight(
			v.Columns(false, sayReconBegan, say.Status, sayReconTook, sayReconRows, sayReconViolations), 2, 3, 4),
	}
	for _, past := range list {
		row := pastAudit(past)
		shown.History.Rows = append(shown.History.Rows, []view.Cell{
			{Drawn: view.Exactly(v.Shell, row.BeganAt)}, v.Shell.BadgeCell(provedBadge(row.Violations == 0)),
			{Text: row.Took}, {Text: row.Rows}, {Text: view.Number(row.Violations)},
		})
	}
	if more {
		last := strconv.FormatInt(list[len(list)-1].BeganAt.UnixMicro(), 10)
		shown.Older = view.Query(portal.ReconPath, asksAudits, last)
	}
	return nil
}

// sealedDays adds the sealed days, the newest first. A wrong cursor is not
// found.
func (v *visit) sealedDays(shown *Reconciliation) error {
	limit := int32(daysShown)
	p := seal.Paging{Limit: &limit}
	if cursor := v.R.URL.Query().Get(asksDays); cursor != "" {
		p.Cursor = &cursor
	}
	days, next, err := v.Proofs.Days(v.Ctx(), v.Who, p)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return fault.ErrNotFound
	}
	if err != nil {
		return err
	}
	shown.Days = view.Sheet{
		Label: v.Say(sayReconDays),
		Columns: portal.AtRight(
			v.Columns(false, sayReconDay, sayReconSignature, sayReconTransfers, sayReconSealedAt, sayReconAudited), 2),
	}
	for _, d := range days {
		shown.Days.Rows = append(shown.Days.Rows, []view.Cell{
			{Text: d.Day, Href: view.Link(portal.ReconPath + "/days/" + d.Day)}, v.Shell.BadgeCell(SealBadge(d.State)),
			{Text: view.Number(d.Transfers)}, {At: &d.At}, v.since(d.AuditedAt, sayReconNotYet),
		})
	}
	if next != nil {
		shown.OlderDays = view.Query(portal.ReconPath, asksDays, *next)
	}
	return nil
}

// sealedDay shows the page of a day.
func (v *visit) sealedDay() error {
	day, err := time.Parse(time.DateOnly, v.R.PathValue("day"))
	if err != nil || day.Year() > 9998 {
		return fault.ErrNotFound
	}
	limit, after := int32(1), day.AddDate(0, 0, 1).Format(time.DateOnly)
	days, _, err := v.Proofs.Days(v.Ctx(), v.Who, seal.Paging{Limit: &limit, Cursor: &after})
	if err != nil {
		return err
	}
	if len(days) == 0 || days[0].Day != v.R.PathValue("day") {
		return fault.ErrNotFound
	}
	d := days[0]
	const class = "mono break"
	shown := SealedDay{
		SealedDay: d,
		Hashes: []view.Fact{
			{Label: sayReconRoot, Value: d.Root.String(), Class: class}, {Label: sayReconHash, Value: d.Hash.String(), Class: class},
			{Label: sayReconPrevious, Value: d.Previous.String(), Class: class}, {Label: sayReconKid, Value: d.Kid, Class: class},
			{Label: sayReconSignature, Value: base64.StdEncoding.EncodeToString(d.Signature), Class: class},
		},
		Kinds: view.Sheet{
			Label: v.Say(sayReconKinds), Columns: v.Columns(true, sayReconKind, sayReconTransfers, sayReconAmount),
		},
		Balances: view.Sheet{
			Label:   v.Say(sayReconBalances),
			Columns: portal.AtRight(v.Columns(false, sayReconOwner, sayReconAccount, sayReconAmount), 2),
		},
	}
	for _, sum := range d.Sums.Kinds {
		shown.Kinds.Rows = append(shown.Kinds.Rows, []view.Cell{
			{Text: sum.Kind}, {Text: view.Number(sum.Transfers)}, {Text: v.Shell.Figure(sum.Amount)},
		})
	}
	for _, sum := range d.Sums.Balances {
		shown.Balances.Rows = append(shown.Balances.Rows, []view.Cell{
			{Text: sum.Owner}, {Text: sum.Account}, {Text: v.Shell.Figure(sum.Amount)},
		})
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayReconDayTitle, d.Day), SealedDayPage, shown)
}
