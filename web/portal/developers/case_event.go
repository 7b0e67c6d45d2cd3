package developers

import (
	"net/url"
	"strconv"

	"gateway.example/web/portal"

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
	{
		Pattern: "GET /operator/events/dead",
		Kinds:   portal.Operators,
		Needs:   caller.OperatorRead,
		Handle:  (*visit).caseDead,
	},
	{
		Pattern: "GET " + portal.FailingPath,
		Kinds:   portal.Operators,
		Needs:   caller.OperatorRead,
		Handle:  (*visit).failing,
	},
	{
		Pattern: "GET /operator/events/dead/confirm", Kinds: portal.Operators, Needs: caller.OperatorCases,
		Handle: (*visit).caseDeadPage,
	},
	{
		Pattern: "POST /operator/events/dead", Kinds: portal.Operators, Needs: caller.OperatorCases,
		Handle: (*visit).caseResend,
	},
	{
		Pattern: "GET /operator/events/replays/{replay}", Kinds: portal.Operators, Needs: caller.OperatorRead,
		Handle: (*visit).caseReplay,
	},
	{
		Pattern: "GET /operator/events/replays/{replay}/progress", Kinds: portal.Operators, Needs: caller.OperatorRead,
		Fragment: true, Handle: (*visit).caseReplayRegion,
	},
	{
		Pattern: "POST /operator/events/replays/{replay}/stop", Kinds: portal.Operators, Needs: caller.OperatorCases,
		Handle: (*visit).caseStopReplay,
	},
}

// caseDeadList may be kept to days and a merchant.
var caseDeadList = portal.List{Path: portal.DeadPath, Owners: true}

func (v *visit) caseDead() error {
	a := v.Asks(caseDeadList)
	f := view.Filters{From: a.Query.Get(portal.AsksFrom), To: a.Query.Get(portal.AsksTo), Wrong: a.Wrong}
	if v.Tidied(a) {
		return nil
	}
	merchant := v.PickField(portal.PickMerchant, portal.AsksMerchant, say.PortalMerchant, a.Query, a.Wrong)
	merchant.Quiet = true
	shown := Dead{
		Path: a.Path, Up: "/operator", UpLabel: say.WorkTitle, Merchant: &merchant,
		From: f.Day(portal.AsksFrom, sayCreatedFrom, f.From), To: f.Day(portal.AsksTo, sayCreatedTo, f.To),
	}
	if len(a.Wrong) == 0 {
		found, err := v.Reports.DeadAddresses(v.Ctx(), v.Who, a.Filter.MerchantID, a.Filter.From, a.Filter.To)
		if err != nil {
			return err
		}
		for _, address := range found {
			shown.Items = append(shown.Items, v.deadAddress(a, address))
		}
	}
	if err := v.running(&shown, caseReplayPath); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Mistakes = v.Shell.Say(say.DeadTitle), len(a.Wrong) > 0
	v.Show(a.StatusOf(), func(s view.Shell) site.Page { return DeadPage(s, shown) })
	return nil
}

func (v *visit) deadAddress(a portal.Asked, address report.DeadAddress) DeadRow {
	row := DeadRow{
		URL: address.URL, Events: v.deadCount(address.Events),
		Owner: v.Shell.Say(say.ShortMerchant, address.MerchantID) + ", " + address.Merchant,
	}
	if v.May(caller.OperatorCases) {
		row.Href = view.Query(
			portal.DeadPath+"/confirm",
			portal.AsksMerchant,
			strconv.FormatInt(address.MerchantID, 10),
			"url",
			address.URL,
			portal.AsksFrom,
			a.Query.Get(portal.AsksFrom),
			portal.AsksTo,
			a.Query.Get(portal.AsksTo),
		)
	}
	return row
}

// caseDeadPage says how many events would be sent again, and where to.
func (v *visit) caseDeadPage() error {
	a, address := v.Asks(caseDeadList), v.R.URL.Query().Get("url")
	if len(a.Wrong) > 0 {
		return fault.ErrNotFound
	}
	if a.Filter.MerchantID == 0 {
		return v.Done(portal.DeadPath, "")
	}
	found, err := v.Reports.DeadAddresses(v.Ctx(), v.Who, a.Filter.MerchantID, a.Filter.From, a.Filter.To)
	if err != nil {
		return err
	}
	for _, one := range found {
		if one.URL == address {
			return v.askCaseDead(a, one)
		}
	}
	return v.Done(a.Href(a.Query), "")
}

func (v *visit) askCaseDead(a portal.Asked, address report.DeadAddress) error {
	number := v.deadCount(address.Events)
	return v.Question(view.Question{
		Title: sayDeadConfirm, Texts: []string{v.Shell.Say(sayResendText), v.Shell.Say(sayDeadConfirmed)},
		Action: portal.DeadPath, Yes: v.Shell.Say(sayDeadYes, number), Back: view.Link(a.Href(a.Query)),
		Hidden: [][2]string{
			{"url", address.URL},
			{portal.AsksMerchant, a.Query.Get(portal.AsksMerchant)},
			{portal.AsksFrom, a.Query.Get(portal.AsksFrom)},
			{portal.AsksTo, a.Query.Get(portal.AsksTo)},
		},
		Facts: []view.Fact{
			{Label: say.PortalMerchant, Value: address.Merchant},
			{Label: saySentTo, Value: address.URL, Class: "mono"},
			{Label: sayDeadEvents, Value: number},
		},
	})
}

// caseResend sends all dead events of a merchant's address again, by the filter that the page has
// shown.
func (v *visit) caseResend() error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, name := range []string{portal.AsksMerchant, portal.AsksFrom, portal.AsksTo} {
		query[name] = form[name]
	}
	v.R.URL.RawQuery = query.Encode()
	a, address := v.Asks(caseDeadList), form.Get("url")
	if len(a.Wrong) > 0 || address == "" || a.Filter.MerchantID == 0 {
		return v.Done(portal.DeadPath, "")
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		progress, err := v.Events.Replay(v.Ctx(), v.Who, webhook.Replay{
			MerchantID: &a.Filter.MerchantID, URL: &address,
			From: unlessZero(a.Filter.From), Until: unlessZero(a.Filter.To),
		})
		if err != nil {
			return submission.Outcome{}, err
		}
		return submission.Outcome{LedTo: caseReplayPath(*progress.ID), Said: "replay-begun"}, nil
	})
	if v.Wrong(err) != nil {
		return v.Done(portal.DeadPath, "")
	}
	return err
}

func caseReplayPath(id int64) string { return "/operator/events/replays/" + strconv.FormatInt(id, 10) }

func (v *visit) caseReplay() error {
	return v.showReplay(ReplayPage, caseReplayPath, Replay{
		MayStop: v.May(caller.OperatorCases), Up: portal.DeadPath, UpLabel: say.DeadTitle,
	})
}

func (v *visit) caseReplayRegion() error {
	return v.showReplay(ReplayRegion, caseReplayPath, Replay{
		MayStop: v.May(caller.OperatorCases), Up: portal.DeadPath, UpLabel: say.DeadTitle,
	})
}

func (v *visit) caseStopReplay() error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	if _, err := v.Events.StopReplay(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	return v.Done(caseReplayPath(id), "replay-stopped")
}
