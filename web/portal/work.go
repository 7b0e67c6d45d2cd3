package portal

import (
	"net/http"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// What operators begin with: what waits for them.
var workRoutes = []route{
	{pattern: "GET /operator", kinds: operators, needs: caller.OperatorRead, handle: (*visit).work},
	{
		pattern: "GET /operator/work", kinds: operators, needs: caller.OperatorRead, fragment: true,
		handle: (*visit).workRegion,
	},
}

var workEntries = []entry{
	{needs: caller.OperatorRead, href: "/operator", label: say.WorkTitle, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: casePaymentList.path, label: say.Payments, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: casePayoutList.path, label: say.Payouts, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: caseDepositList.path, label: say.Deposits, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: caseAppealList.path, label: say.Appeals, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: overduePath, label: say.OverdueTitle, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: conflictsPath, label: say.ConflictsTitle, group: say.WorkGroup},
	{needs: caller.OperatorRead, href: deadPath, label: say.DeadTitle, group: say.WorkGroup},
}

func (v *visit) work() error {
	shown, err := v.workShown()
	if err != nil {
		return err
	}
	if shown.First, err = v.firstSteps(); err != nil {
		return err
	}
	v.shell.Title, v.shell.Live = v.shell.Say(say.WorkTitle), true
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.WorkPage(s, shown) })
	return nil
}

func (v *visit) workRegion() error {
	shown, err := v.workShown()
	if err != nil {
		return err
	}
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.WorkRegion(s, shown) })
	return nil
}

// workFirst is how many items of a queue the first page shows.
const workFirst = 5

func (v *visit) workShown() (view.Work, error) {
	queues, err := v.Work.Queues(v.ctx(), v.who)
	if err != nil {
		return view.Work{}, err
	}
	var shown view.Work
	for _, queue := range queues {
		one := view.WorkQueue{
			Title: say.WorkQueue(string(queue.Kind)), Count: strconv.Itoa(len(queue.Items)), All: workLists[queue.Kind],
		}
		if queue.More {
			one.Count += "+"
		}
		for _, item := range queue.Items[:min(workFirst, len(queue.Items))] {
			one.Items = append(one.Items, v.workItem(queue.Kind, item))
		}
		shown.Queues = append(shown.Queues, one)
	}
	return shown, nil
}

// workLists are where the whole of a queue is listed.
var workLists = map[work.Kind]view.Link{
	work.Conflict:   conflictsPath,
	work.Overdue:    overduePath,
	work.Appeal:     view.Link(caseAppealList.path),
	work.Deposit:    view.Link(caseDepositList.path + "?status=pending"),
	work.DeadEvents: deadPath,
}

func (v *visit) workItem(kind work.Kind, item work.Item) view.WorkItem {
	shown := view.WorkItem{About: item.Name, Since: item.Since, Taken: v.taken(item.Claim)}
	shown.Name, shown.Href = v.workName(kind, item)
	if item.Amount != nil {
		shown.Amount = view.USDT(*item.Amount)
		if item.Currency != "USDT" {
			shown.Amount = v.shell.Amount(*item.Amount, item.Currency)
		}
	}
	if item.Since != nil {
		shown.Age = v.age(*item.Since)
	}
	return shown
}

// workName is what something is called, and where it is.
func (v *visit) workName(kind work.Kind, item work.Item) (string, view.Link) {
	id := strconv.FormatInt(item.SubjectID, 10)
	switch kind {
	case work.Conflict:
		return v.shell.Say(say.ShortConflict, item.SubjectID), view.Link(conflictsPath + "/" + id)
	case work.Overdue:
		return v.shell.Say(say.PayoutTitle, item.SubjectID), view.Link(v.payoutPath(item.UUID.String()))
	case work.Appeal:
		return v.shell.Say(say.AppealTitle, item.SubjectID), v.appealPath(item.SubjectID)
	case work.Deposit:
		return v.shell.Say(say.ShortDeposit, item.SubjectID), view.Link(v.depositPath(item.SubjectID))
	case work.DeadEvents:
		count := strconv.Itoa(min(item.Count, work.Most))
		if item.Count > work.Most {
			count += "+"
		}
		return v.shell.Say(say.ShortMerchant, item.SubjectID) + ", " + v.shell.Say(say.DeadCount, count),
			view.Query(deadPath, asksMerchant, id)
	case work.Feed:
		return v.shell.Say(say.ShortFeed, item.SubjectID), view.Link(feedPath(item.SubjectID))
	case work.Short, work.Idle:
		return v.shell.Say(say.ShortTrader, item.SubjectID), view.Link(numbered(tradersPath, item.SubjectID))
	case work.Overdrawn:
		return item.Name, statementOf(ledger.AccountOf(item.SubjectID))
	}
	return item.Name, ""
}

// taken is who works on something; "" is nobody whose claim still holds.
func (v *visit) taken(claim *work.Claim) string {
	if claim == nil || claim.Stale {
		return ""
	}
	return claim.Login + ", " + v.shell.Clock(claim.Since)
}

// age is how long ago something was.
func (v *visit) age(since time.Time) string {
	seconds := max(0, int(v.shell.Now.Sub(since)/time.Second))
	switch {
	case seconds < 60:
		return v.shell.Say(say.Seconds, seconds)
	case seconds < 3600:
		return v.shell.Say(say.MinutesSeconds, seconds/60, seconds%60)
	}
	return v.shell.Say(say.HoursMinutes, seconds/3600, seconds/60%60)
}

// claimShown is who works on something, for a page about it.
func (v *visit) claimShown(kind work.Kind, id int64, path string) (*view.Claim, error) {
	claim, err := v.Work.Taken(v.ctx(), v.who, kind, id)
	if err != nil {
		return nil, err
	}
	shown := &view.Claim{Path: path, Text: v.shell.Say(say.ClaimNobody), May: work.MayTake(v.who, kind)}
	switch {
	case claim == nil:
	case claim.Mine:
		shown.Mine, shown.Text = true, v.shell.Say(say.ClaimYou, v.shell.Clock(claim.Since))
	case claim.Stale:
		shown.Text = v.shell.Say(say.ClaimStale, claim.Login, v.shell.Clock(claim.Since))
	default:
		shown.Others, shown.Text = true, v.shell.Say(say.ClaimOther, claim.Login, v.shell.Clock(claim.Since))
	}
	return shown, nil
}
