package developers

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/internal/webhook"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// room is the area in which dead events are counted and sent again: a
// merchant's own events, or those of all merchants, whose list can be filtered
// by merchant.
type room struct {
	portal.List
	title say.Phrase
	// up links to the page above its page, and back to the page above that
	// of a replay.
	up, back           view.Link
	upLabel, backLabel say.Phrase
	// replays is the path under which replays are.
	replays string
	// resends is the capability that sending again requires.
	resends caller.Capability
}

var (
	ownDead = room{
		List: portal.List{Path: "/merchant/developers/resend"}, title: sayResendDead,
		up: portal.EventsPath, upLabel: say.EventsTitle, back: portal.EventsPath, backLabel: say.EventsTitle,
		replays: "/merchant/developers/resend", resends: caller.MerchantResend,
	}
	allDead = room{
		List: portal.List{Path: portal.DeadPath, Owners: true}, title: say.DeadTitle,
		up: "/operator", upLabel: say.WorkTitle, back: portal.DeadPath, backLabel: say.DeadTitle,
		replays: "/operator/events/replays", resends: caller.OperatorCases,
	}
)

// caseEventRoutes are for operators only: dead events of any merchant, and
// sending them again.
var caseEventRoutes = []route{
	{Pattern: "GET " + portal.FailingPath, Needs: caller.OperatorRead, Handle: (*visit).failing},
	{Pattern: "GET /operator/events/dead", Needs: caller.OperatorRead, Handle: portal.With(allDead, (*visit).dead)},
	{Pattern: "GET /operator/events/dead/confirm", Needs: caller.OperatorCases, Handle: portal.With(allDead, (*visit).deadPage)},
	{Pattern: "POST /operator/events/dead", Needs: caller.OperatorCases, Handle: portal.With(allDead, (*visit).resendDead)},
	{Pattern: "GET /operator/events/replays/{replay}", Needs: caller.OperatorRead, Handle: portal.With(allDead, (*visit).replay)},
	{Pattern: "GET /operator/events/replays/{replay}/progress", Needs: caller.OperatorRead, Fragment: true, Handle: portal.With(allDead, (*visit).replayRegion)},
	{Pattern: "POST /operator/events/replays/{replay}/stop", Needs: caller.OperatorCases, Handle: portal.With(allDead, (*visit).stopReplay)},
}

func (r room) replayPath(id int64) string { return portal.Numbered(r.replays, id) }

// dead counts dead events by address.
func (v *visit) dead(r room) error {
	a := v.Asks(r.List)
	if r.Owners && v.Tidied(a) {
		return nil
	}
	f := view.Filters{From: a.Query.Get(portal.AsksFrom), To: a.Query.Get(portal.AsksTo), Wrong: a.Wrong}
	shown := Dead{
		Path: a.Path, Up: r.up, UpLabel: r.upLabel,
		From: f.Day(portal.AsksFrom, sayCreatedFrom, f.From), To: f.Day(portal.AsksTo, sayCreatedTo, f.To),
	}
	if r.Owners {
		merchant := v.PickField(portal.PickMerchant, portal.AsksMerchant, say.PortalMerchant, a.Query, a.Wrong)
		merchant.Quiet = true
		shown.Merchant = &merchant
	}
	if len(a.Wrong) == 0 {
		found, err := v.deadAddresses(a)
		if err != nil {
			return err
		}
		for _, address := range found {
			shown.Items = append(shown.Items, v.deadRow(r, a, address))
		}
	}
	if err := v.running(&shown, r.replayPath); err != nil {
		return err
	}
	v.Shell.Title, v.Shell.Mistakes = v.Say(r.title), len(a.Wrong) > 0
	return portal.Show(v.Visit, a.StatusOf(), DeadPage, shown)
}

// deadAddresses are the addresses with dead events that the filter selects. For
// a merchant's own list they have no merchant's name.
func (v *visit) deadAddresses(a portal.Asked) ([]report.DeadAddress, error) {
	if a.Owners {
		return v.Reports.DeadAddresses(v.Ctx(), v.Who, a.Filter.MerchantID, a.Filter.From, a.Filter.To)
	}
	var list []report.DeadAddress
	found, err := v.Reports.DeadEndpoints(v.Ctx(), v.Who, a.Filter.From, a.Filter.To)
	for _, endpoint := range found {
		list = append(list, report.DeadAddress{DeadEndpoint: endpoint})
	}
	return list, err
}

// deadRow shows an address with how many dead events it has. The link to send
// them again keeps the filter. On the list of all merchants it is only for
// operators who may; a merchant's own list is shown to nobody else.
func (v *visit) deadRow(r room, a portal.Asked, address report.DeadAddress) DeadRow {
	row, merchant := DeadRow{URL: address.URL, Events: v.deadCount(address.Events)}, ""
	if r.Owners {
		row.Owner = v.Say(say.ShortMerchant, address.MerchantID) + ", " + address.Merchant
		merchant = portal.IDText(address.MerchantID)
	}
	if !r.Owners || v.May(r.resends) {
		row.Href = view.Query(a.Path+"/confirm", portal.AsksMerchant, merchant, "url", address.URL,
			portal.AsksFrom, a.Query.Get(portal.AsksFrom), portal.AsksTo, a.Query.Get(portal.AsksTo))
	}
	return row
}

// deadCount formats a number of dead events, which are counted up to a limit.
func (v *visit) deadCount(n int) string {
	if n >= report.DeadMost {
		return v.Say(sayDeadMore, n)
	}
	return strconv.Itoa(n)
}

// deadPage says how many events would be sent again, and to which address.
func (v *visit) deadPage(r room) error {
	a, address := v.Asks(r.List), v.R.URL.Query().Get("url")
	if len(a.Wrong) > 0 {
		return fault.ErrNotFound
	}
	if r.Owners && a.Filter.MerchantID == 0 {
		return v.Done(r.Path, "")
	}
	found, err := v.deadAddresses(a)
	if err != nil {
		return err
	}
	for _, one := range found {
		if one.URL == address {
			return v.askDead(a, one)
		}
	}
	return v.Done(a.Href(a.Query), "")
}

// askDead asks whether to send the dead events of an address again. The form
// has the filter and not the events, so that events that die before it is sent
// are sent again as well.
func (v *visit) askDead(a portal.Asked, address report.DeadAddress) error {
	number := v.deadCount(address.Events)
	q := view.Question{
		Title: sayDeadConfirm, Texts: []string{v.Say(sayResendText), v.Say(sayDeadConfirmed)},
		Action: a.Path, Yes: v.Say(sayDeadYes, number), Back: view.Link(a.Href(a.Query)),
		Hidden: [][2]string{{"url", address.URL}},
	}
	if a.Owners {
		q.Hidden = append(q.Hidden, [2]string{portal.AsksMerchant, a.Query.Get(portal.AsksMerchant)})
		q.Facts = []view.Fact{{Label: say.PortalMerchant, Value: address.Merchant}}
	}
	for _, name := range []string{portal.AsksFrom, portal.AsksTo} {
		q.Hidden = append(q.Hidden, [2]string{name, a.Query.Get(name)})
	}
	q.Facts = append(q.Facts, view.Fact{Label: saySentTo, Value: address.URL, Class: "mono"}, view.Fact{Label: sayDeadEvents, Value: number})
	if !a.Owners && !a.Filter.From.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: sayCreatedFrom, Value: v.Shell.Day(a.Filter.From)})
	}
	if !a.Owners && !a.Filter.To.IsZero() {
		q.Facts = append(q.Facts, view.Fact{Label: sayCreatedTo, Value: v.Shell.Day(a.LastDay())})
	}
	return v.Question(q)
}

// resendDead sends all dead events of an address again, by the filter that the
// page showed.
func (v *visit) resendDead(r room) error {
	form, err := v.Form()
	if err != nil {
		return err
	}
	query := url.Values{}
	for _, name := range []string{portal.AsksMerchant, portal.AsksFrom, portal.AsksTo} {
		query[name] = form[name]
	}
	v.R.URL.RawQuery = query.Encode()
	a, address := v.Asks(r.List), form.Get("url")
	if len(a.Wrong) > 0 || address == "" || r.Owners && a.Filter.MerchantID == 0 {
		return v.Done(r.Path, "")
	}
	err = v.Once(form, func() (submission.Outcome, error) {
		progress, err := v.Events.Replay(v.Ctx(), v.Who, webhook.Replay{
			MerchantID: optional.Of(a.Filter.MerchantID), URL: &address,
			From: optional.Of(a.Filter.From), Until: optional.Of(a.Filter.To),
		})
		if err != nil {
			return submission.Outcome{}, err
		}
		return submission.Outcome{LedTo: r.replayPath(*progress.ID), Said: "replay-begun"}, nil
	})
	if v.Wrong(err) != nil {
		return v.Done(r.Path, "")
	}
	return err
}

// replayID is the id of the replay in the address.
func (v *visit) replayID() (int64, error) {
	id, err := strconv.ParseInt(v.R.PathValue("replay"), 10, 64)
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

func (v *visit) replay(r room) error { return v.showReplay(r, ReplayPage) }

func (v *visit) replayRegion(r room) error { return v.showReplay(r, ReplayRegion) }

// showReplay shows the progress of a replay, as a page or as the part of it
// that refreshes itself.
func (v *visit) showReplay(r room, page func(view.Shell, Replay) templ.Component) error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	progress, err := v.Events.ReplayProgress(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	shown := Replay{
		Path: r.replayPath(id), Runs: !progress.Done, MayStop: v.May(r.resends), Up: r.back, UpLabel: r.backLabel,
		State: view.Badge{Text: sayReplayRuns},
	}
	shown.Progress = view.Progress{Label: v.Say(sayReplaySent), Done: progress.Replayed, Runs: shown.Runs}
	if progress.Left >= 0 {
		shown.Progress.Of = progress.Replayed + progress.Left
	}
	switch {
	case progress.Stopped:
		shown.State = view.Badge{Text: sayReplayStopped, Tone: "late"}
	case progress.Done:
		shown.State = view.Badge{Text: sayReplayDone, Tone: "good"}
	}
	v.Shell.Title, v.Shell.Live = v.Say(sayReplayTitle), shown.Runs
	return portal.Show(v.Visit, http.StatusOK, page, shown)
}

// stopReplay stops a replay. Stopping it again changes nothing.
func (v *visit) stopReplay(r room) error {
	id, err := v.replayID()
	if err != nil {
		return err
	}
	if _, err := v.Events.StopReplay(v.Ctx(), v.Who, id); err != nil {
		return err
	}
	return v.Done(r.replayPath(id), "replay-stopped")
}
