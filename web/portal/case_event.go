package portal

import (
	"net/url"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// Events of any merchant that were given up, and how they are sent again.
var caseEventRoutes = []route{
	{pattern: "GET /operator/events/dead", kinds: operators, needs: caller.OperatorRead, handle: (*visit).caseDead},
	{
		pattern: "GET /operator/events/dead/confirm", kinds: operators, needs: caller.OperatorCases,
		handle: (*visit).caseDeadPage,
	},
	{
		pattern: "POST /operator/events/dead", kinds: operators, needs: caller.OperatorCases,
		handle: (*visit).caseResend,
	},
	{
		pattern: "GET /operator/events/replays/{replay}", kinds: operators, needs: caller.OperatorRead,
		handle: (*visit).caseReplay,
	},
	{
		pattern: "POST /operator/events/replays/{replay}/stop", kinds: operators, needs: caller.OperatorCases,
		handle: (*visit).caseStopReplay,
	},
}

const deadPath = "/operator/events/dead"

// caseDeadList may be kept to days and a merchant.
var caseDeadList = list{path: deadPath, owners: true}

func (v *visit) caseDead() error {
	a := v.asks(caseDeadList)
	f := view.Filters{From: a.query.Get(asksFrom), To: a.query.Get(asksTo), Wrong: a.wrong}
	merchant := f.Text(asksMerchant, say.MerchantID, a.query)
	shown := view.Dead{
		Path: a.path, Up: "/operator", UpLabel: say.WorkTitle, Merchant: &merchant,
		From: f.Day(asksFrom, say.CreatedFrom, f.From), To: f.Day(asksTo, say.CreatedTo, f.To),
	}
	if len(a.wrong) == 0 {
		found, err := v.Reports.DeadAddresses(v.ctx(), v.who, a.filter.MerchantID, a.filter.From, a.filter.To)
		if err != nil {
			return err
		}
		for _, address := range found {
			shown.Items = append(shown.Items, v.deadAddress(a, address))
		}
	}
	v.shell.Title, v.shell.Mistakes = v.shell.Say(say.DeadTitle), len(a.wrong) > 0
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.DeadPage(s, shown) })
	return nil
}

func (v *visit) deadAddress(a asked, address report.DeadAddress) view.DeadRow {
	row := view.DeadRow{
		URL: address.URL, Events: v.deadCount(address.Events),
		Owner: v.shell.Say(say.ShortMerchant, address.MerchantID) + ", " + address.Merchant,
	}
	if v.may(caller.OperatorCases) {
		row.Href = view.Query(deadPath+"/confirm", asksMerchant, strconv.FormatInt(address.MerchantID, 10), "url",
			address.URL, asksFrom, a.query.Get(asksFrom), asksTo, a.query.Get(asksTo))
	}
	return row
}

// caseDeadPage says how many events would be sent again, and where to.
func (v *visit) caseDeadPage() error {
	a, address := v.asks(caseDeadList), v.r.URL.Query().Get("url")
	if len(a.wrong) > 0 {
		return fault.ErrNotFound
	}
	if a.filter.MerchantID == 0 {
		return v.done(deadPath, "")
	}
	found, err := v.Reports.DeadAddresses(v.ctx(), v.who, a.filter.MerchantID, a.filter.From, a.filter.To)
	if err != nil {
		return err
	}
	for _, one := range found {
		if one.URL == address {
			return v.askCaseDead(a, one)
		}
	}
	return v.done(a.href(a.query), "")
}

func (v *visit) askCaseDead(a asked, address report.DeadAddress) error {
	number := v.deadCount(address.Events)
	return v.question(view.Question{
		Title: say.DeadConfirm, Texts: []string{v.shell.Say(say.ResendText), v.shell.Say(say.DeadConfirmed)},
		Action: deadPath, Yes: v.shell.Say(say.DeadYes, number), Back: view.Link(a.href(a.query)),
		Hidden: [][2]string{
			{"url", address.URL},
			{asksMerchant, a.query.Get(asksMerchant)},
			{asksFrom, a.query.Get(asksFrom)},
			{asksTo, a.query.Get(asksTo)},
		},
		Facts: []view.Fact{
			{Label: say.PortalMerchant, Value: address.Merchant},
			{Label: say.SentTo, Value: address.URL, Class: "mono"},
			{Label: say.DeadEvents, Value: number},
		},
	})
}

// caseResend sends all dead events of a merchant's address again, by the filter that the page has
// shown.
func (v *visit) caseResend() error {
	form, err := v.form()
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, name := range []string{asksMerchant, asksFrom, asksTo} {
		query[name] = form[name]
	}
	v.r.URL.RawQuery = query.Encode()
	a, address := v.asks(caseDeadList), form.Get("url")
	if len(a.wrong) > 0 || address == "" || a.filter.MerchantID == 0 {
		return v.done(deadPath, "")
	}
	err = v.once(form, func() (submission.Outcome, error) {
		progress, err := v.Events.Replay(v.ctx(), v.who, webhook.Replay{
			MerchantID: &a.filter.MerchantID, URL: &address,
			From: unlessZero(a.filter.From), Until: unlessZero(a.filter.To),
		})
		if err != nil {
			return submission.Outcome{}, err
		}
		return submission.Outcome{LedTo: caseReplayPath(*progress.ID), Said: "replay-begun"}, nil
	})
	if v.wrong(err) != nil {
		return v.done(deadPath, "")
	}
	return err
}

func caseReplayPath(id int64) string { return "/operator/events/replays/" + strconv.FormatInt(id, 10) }

func (v *visit) caseReplay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	progress, err := v.Events.ReplayProgress(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	return v.showReplay(view.Replay{
		Path: caseReplayPath(id), Sent: strconv.FormatInt(progress.Replayed, 10), Runs: !progress.Done,
		MayStop: v.may(caller.OperatorCases), Up: deadPath, UpLabel: say.DeadTitle,
	}, progress)
}

func (v *visit) caseStopReplay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	if _, err := v.Events.StopReplay(v.ctx(), v.who, id); err != nil {
		return err
	}
	return v.done(caseReplayPath(id), "replay-stopped")
}
