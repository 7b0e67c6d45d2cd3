package withdrawals

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/withdrawal"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

const listsPath = "/operator/hand-overs"

// decision is a decision that an operator may make about a withdrawal in some
// statuses. A page asks for confirmation.
type decision struct {
	step               string
	from               []withdrawal.Status
	label, title, text say.Phrase
	danger             bool
	// field is the field to fill in; it may be nil.
	field *view.Field
	said  string
	act   act
}

// why asks for the reason of a decision.
var why = &view.Field{Name: "reason", Label: say.ReasonWhy, Area: true, Max: 255}

var decisions = []decision{
	{
		step: "approve", from: []withdrawal.Status{withdrawal.Requested}, label: sayApprove, title: sayApproveTitle,
		text: sayApproveText, said: "withdrawal-approved",
		act: func(
			s *withdrawal.Service, ctx context.Context, who caller.Caller, id int64, _ string,
		) (withdrawal.Withdrawal, error) {
			return s.Approve(ctx, who, id)
		},
	},
	{
		step: "reject", from: []withdrawal.Status{withdrawal.Requested, withdrawal.Approved}, label: sayReject,
		title: sayRejectTitle, text: sayRejectText, danger: true, field: why, said: "withdrawal-rejected",
		act: (*withdrawal.Service).Reject,
	},
	{
		step: "hash", from: []withdrawal.Status{withdrawal.HandedOver}, label: sayReport, title: sayReportTitle,
		text: sayReportText, field: &view.Field{Name: "transactionHash", Label: sayHash, Max: 66}, said: "withdrawal-reported",
		act: (*withdrawal.Service).ReportHash,
	},
	{
		step: "complete", from: []withdrawal.Status{withdrawal.HandedOver}, label: sayComplete, title: sayCompleteTitle,
		text: sayCompleteText, field: why, said: "withdrawal-completed",
		act: reasoned((*withdrawal.Service).Complete),
	},
	{
		step: "fail", from: []withdrawal.Status{withdrawal.HandedOver}, label: sayFail, title: sayFailTitle,
		text: sayFailText, danger: true, field: why, said: "withdrawal-failed",
		act: reasoned((*withdrawal.Service).Fail),
	},
}

// act carries out a decision.
type act = func(s *withdrawal.Service, ctx context.Context, who caller.Caller, id int64, typed string) (withdrawal.Withdrawal, error)

// reasoned is a decision for which only a reason is given.
func reasoned(
	decide func(*withdrawal.Service, context.Context, caller.Caller, withdrawal.Decision) (withdrawal.Withdrawal, error),
) act {
	return func(
		s *withdrawal.Service, ctx context.Context, who caller.Caller, id int64, typed string,
	) (withdrawal.Withdrawal, error) {
		return decide(s, ctx, who, withdrawal.Decision{ID: id, Reason: typed})
	}
}

// operatorRoutes are the pages of operators.
var operatorRoutes = func() []route {
	one := portal.WithdrawalsPath + "/{id}"
	routes := []route{
		{Pattern: "GET " + portal.WithdrawalsPath, Needs: caller.OperatorRead, Handle: (*visit).queue},
		{Pattern: "GET " + one, Needs: caller.OperatorRead, Handle: (*visit).decidable},
		{Pattern: "GET " + listsPath, Needs: caller.OperatorRead, Handle: (*visit).lists},
		{Pattern: "POST " + listsPath, Needs: caller.OperatorMoney, Handle: portal.After((*visit).Form, (*visit).handOver)},
		{Pattern: "GET " + listsPath + "/{id}", Needs: caller.OperatorRead, Handle: (*visit).document},
	}
	for _, d := range decisions {
		ask := func(v *visit) error { return v.askDecision(d, "", nil) }
		do := func(v *visit) error { return v.decide(d) }
		routes = append(routes, route{Pattern: "GET " + one + "/" + d.step, Needs: caller.OperatorMoney, Handle: ask},
			route{Pattern: "POST " + one + "/" + d.step, Needs: caller.OperatorMoney, Handle: do})
	}
	return routes
}()

// queue lists the withdrawals of all owners, in every status or in one. An
// unknown status and a wrong cursor are not found.
func (v *visit) queue() error {
	query := v.R.URL.Query()
	page := withdrawal.Page{Status: optional.Of(query.Get(portal.AsksStatus))}
	page.Cursor = optional.Of(query.Get("cursor"))
	found, next, err := v.Withdrawals.List(v.Ctx(), v.Who, page)
	if fault.As(err) != nil && v.Wrong(err) != nil {
		return fault.ErrNotFound
	}
	if err != nil {
		return err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, found)
	if err != nil {
		return err
	}
	shown := List{
		Quiet: Act{listsPath, v.Say(sayLists)},
		Sheet: view.Sheet{Label: v.Say(say.Withdrawals), Empty: view.Empty{Title: sayNone, Text: sayQueueNone}, Columns: []view.Column{
			{Text: v.Say(say.Number)}, {Text: v.Say(say.Created)}, {Text: v.Say(sayOwner)},
			{Text: v.Say(say.Amount), Right: true, Sum: true}, {Text: v.Say(say.Network)}, {Text: v.Say(say.Status)},
		}},
	}
	shown.Picks = []view.Pick{{Text: v.Say(sayAll), Href: portal.WithdrawalsPath, Current: page.Status == nil}}
	for _, status := range withdrawal.Statuses {
		shown.Picks = append(shown.Picks, view.Pick{
			Text: v.Say(say.WithdrawalStatus(status)), Current: page.Status != nil && *page.Status == status,
			Href: view.Query(portal.WithdrawalsPath, portal.AsksStatus, status),
		})
	}
	for _, w := range found {
		shown.Sheet.Rows = append(shown.Sheet.Rows, v.queued(w, ownerOf(names, w)))
	}
	if next != nil {
		shown.Next = view.Query(portal.WithdrawalsPath, "cursor", *next, portal.AsksStatus, query.Get(portal.AsksStatus))
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.Withdrawals), ListPage, shown)
}

// queued is the row of a withdrawal.
func (v *visit) queued(w withdrawal.Withdrawal, owner string) []view.Cell {
	state := v.Shell.BadgeCell(badgeOf(w))
	if w.Mismatch != nil {
		state = view.Cell{Text: v.Say(sayStopped), Tone: "bad"}
	}
	return []view.Cell{
		{Text: view.Number(w.ID), Href: view.Link(portal.Numbered(portal.WithdrawalsPath, w.ID))}, {At: &w.CreatedAt},
		{Text: owner}, {Text: v.USDT(w.Amount)}, {Text: w.Network}, state,
	}
}

func ownerOf(names report.Names, w withdrawal.Withdrawal) string {
	if w.TraderID != 0 {
		return names.Traders[w.TraderID]
	}
	return names.Merchants[w.MerchantID]
}

// decidable shows an operator a withdrawal, with the decisions that its status
// allows, also if the second factor has to be given first. If the named
// transaction moved something else, that is on top of it.
func (v *visit) decidable() error {
	w, d, err := v.asked()
	if err != nil {
		return err
	}
	if w.Mismatch != nil {
		d.Alarm = v.Say(sayMismatch, *w.Mismatch)
	}
	if w.HandOverID != nil {
		d.Facts = append(d.Facts, view.Fact{
			Label: sayList, Value: "№ " + portal.IDText(*w.HandOverID), Href: view.Link(portal.Numbered(listsPath, *w.HandOverID)),
		})
	}
	for _, one := range decisions {
		if slices.Contains(one.from, w.Status) && v.Who.Proved().May(caller.OperatorMoney) {
			d.Acts = append(d.Acts, Act{view.Link(portal.Numbered(portal.WithdrawalsPath, w.ID) + "/" + one.step), v.Say(one.label)})
		}
	}
	if v.Shell.Sandbox && w.Status == withdrawal.HandedOver && w.Hash == nil {
		d.SandboxPay = view.Link("/sandbox/wallet/withdrawals/" + portal.IDText(w.ID))
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.WithdrawalTitle, w.ID), DetailPage, d)
}

// asked is the withdrawal in the address, with its owner.
func (v *visit) asked() (withdrawal.Withdrawal, Detail, error) {
	w, err := portal.Named(v.Visit, v.Withdrawals.Get)
	if err != nil {
		return w, Detail{}, err
	}
	d, err := v.detail(w)
	if err != nil {
		return w, d, err
	}
	names, err := report.NamesOf(v.Ctx(), v.Reports, v.Who, []withdrawal.Withdrawal{w})
	owner := view.Fact{Label: sayOwner, Value: ownerOf(names, w), Href: view.Link(portal.Numbered(portal.MerchantsPath, w.MerchantID))}
	if w.TraderID != 0 {
		owner.Href = view.Link(portal.Numbered(portal.TradersPath, w.TraderID))
	}
	d.Facts = append([]view.Fact{owner}, d.Facts...)
	return w, d, err
}

// askDecision asks for confirmation of a decision, with what was typed and its
// mistakes. The form says how the withdrawal stands. If its status does not
// allow the decision, its page says that it has changed.
func (v *visit) askDecision(d decision, typed string, wrong map[string]string) error {
	w, shown, err := v.asked()
	if err != nil {
		return err
	}
	to := portal.Numbered(portal.WithdrawalsPath, w.ID)
	if !slices.Contains(d.from, w.Status) {
		return v.Done(to, "changed")
	}
	q := view.Question{
		Title: d.title, Action: to + "/" + d.step, Yes: v.Say(d.label), Danger: d.danger, Back: view.Link(to),
		Texts:  []string{v.Say(d.text)},
		Facts:  append([]view.Fact{{Label: say.Amount, Value: shown.Amount, Class: "num"}}, shown.Facts...),
		Hidden: [][2]string{{"seen", portal.Seen(seen(w))}},
	}
	if d.field != nil {
		field := *d.field
		field.Value, field.Wrong = typed, wrong[field.Name]
		q.Fields = []view.Field{field}
	}
	return v.Question(q)
}

// seen is how a withdrawal stands, as the form of a decision says it. The
// transaction that pays it may be named, and be found to be wrong, while its
// status stays.
func seen(w withdrawal.Withdrawal) url.Values {
	return url.Values{"status": {string(w.Status)}, "hash": {optional.Value(w.Hash)}, "mismatch": {optional.Value(w.Mismatch)}}
}

// decide makes a decision, once. If the withdrawal stands otherwise than the
// form has shown, nothing is done, and its page says so.
func (v *visit) decide(d decision) error {
	id, form, err := v.Sent()
	if err != nil {
		return err
	}
	typed, to := "", portal.Numbered(portal.WithdrawalsPath, id)
	if d.field != nil {
		typed = form.Get(d.field.Name)
	}
	w, err := v.Withdrawals.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	err = v.OnceAsSeen(form, seen(w), to, func() (submission.Outcome, error) {
		_, err := d.act(v.Withdrawals, v.Ctx(), v.Who, id, typed)
		return submission.Outcome{LedTo: to, Said: d.said}, err
	})
	if wrong := v.Wrong(err); wrong != nil {
		return v.askDecision(d, typed, wrong)
	}
	return err
}

// lists lists the hand-overs of approved withdrawals. While some wait,
// operators who may move money can make the next one on the first page. The
// form names the newest hand-over, so that it makes none if there is a newer
// one.
func (v *visit) lists() error {
	var page withdrawal.HandOverPage
	page.Cursor = optional.Of(v.R.URL.Query().Get("cursor"))
	found, next, err := v.Withdrawals.HandOvers(v.Ctx(), v.Who, page)
	if err != nil {
		return err
	}
	waits, err := v.Withdrawals.ToHandOver(v.Ctx(), v.Who)
	if err != nil {
		return err
	}
	shown := List{
		Crumb: portal.WithdrawalsPath,
		Sheet: view.Sheet{
			Label: v.Say(sayLists), Empty: view.Empty{Title: sayListsNone, Text: sayListsText},
			Columns: portal.AtRight(v.Columns(false, say.Number, say.Created, say.Withdrawals, say.Amount), 2, 3),
		},
	}
	if waits > 0 && page.Cursor == nil && v.Who.Proved().May(caller.OperatorMoney) {
		shown.HandOver = Form{
			Action: listsPath, Token: submission.NewToken(), Past: "0", Submit: v.Say(sayHandOver),
			Text: v.Say(sayHandOverText, waits),
		}
		if len(found) > 0 {
			shown.HandOver.Past = portal.IDText(found[0].ID)
		}
	}
	for _, h := range found {
		shown.Sheet.Rows = append(shown.Sheet.Rows, []view.Cell{
			{Text: view.Number(h.ID), Href: view.Link(portal.Numbered(listsPath, h.ID))},
			{At: &h.CreatedAt, Note: v.ActorName(h.CreatedBy)}, {Text: strconv.Itoa(h.Count)}, {Text: v.USDT(h.Amount)},
		})
	}
	if next != nil {
		shown.Next = view.Query(listsPath, "cursor", *next)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(sayLists), ListPage, shown)
}

// handOver makes a list of the approved withdrawals, after the newest list that
// the page has shown.
func (v *visit) handOver(form url.Values) error {
	past := portal.IDOf(form, "past")
	return v.Once(form, func() (submission.Outcome, error) {
		_, err := v.Withdrawals.Export(v.Ctx(), v.Who, past)
		return submission.Outcome{LedTo: listsPath, Said: "withdrawals-listed"}, err
	})
}

// document sends the signed document of a list.
func (v *visit) document() error {
	list, err := portal.Named(v.Visit, v.Withdrawals.HandOver)
	if err != nil {
		return err
	}
	v.KeepFile("withdrawals-"+portal.IDText(list.ID)+".json", "application/json", []byte(list.Document))
	return nil
}
