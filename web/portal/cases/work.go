package cases

import (
	"net/http"
	"strconv"
	"time"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/work"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// The first page of operators, with what waits for them.
var workRoutes = []route{
	{Pattern: "GET /operator", Needs: caller.OperatorRead, Handle: (*visit).work},
	{Pattern: "GET /operator/work", Needs: caller.OperatorRead, Fragment: true, Handle: (*visit).workRegion},
}

// work shows operators what waits. Before the platform's first payment it shows
// the steps to that one, and afterwards figures, which are left out if the
// database is too busy.
func (v *visit) work() error {
	shown, err := v.workShown()
	if err != nil {
		return err
	}
	if shown.First, err = v.firstSteps(); err != nil {
		return err
	}
	if len(shown.First) == 0 {
		// What waits has to be shown even if its figures take too long.
		if shown.Home, err = portal.IfSoon(v.home()); err != nil {
			return err
		}
	}
	v.Shell.Title, v.Shell.Live = v.Say(say.WorkTitle), true
	return portal.Show(v.Visit, http.StatusOK, WorkPage, shown)
}

func (v *visit) workRegion() error {
	shown, err := v.workShown()
	if err != nil {
		return err
	}
	return portal.Show(v.Visit, http.StatusOK, WorkRegion, shown)
}

// workFirst is how many items of a queue the first page shows.
const workFirst = 5

// workShown has the number and the oldest items of each queue, and a plus if
// there are more than were counted. The page and the part of it that is read
// again both show this.
func (v *visit) workShown() (Work, error) {
	queues, err := v.Work.Queues(v.Ctx(), v.Who)
	if err != nil {
		return Work{}, err
	}
	var shown Work
	for _, queue := range queues {
		one := WorkQueue{
			Title: sayWorkQueue(string(queue.Kind)), Count: strconv.Itoa(len(queue.Items)), All: workLists[queue.Kind],
		}
		if queue.More {
			one.Count += "+"
		}
		if len(queue.Items) > 0 && queue.Items[0].Since != nil {
			one.Oldest = v.age(*queue.Items[0].Since)
		}
		for _, item := range queue.Items[:min(workFirst, len(queue.Items))] {
			one.Items = append(one.Items, v.workItem(queue.Kind, item))
		}
		shown.Queues = append(shown.Queues, one)
	}
	return shown, nil
}

// workLists are the complete lists of queues.
var workLists = map[work.Kind]view.Link{
	work.Conflict:    portal.ConflictsPath,
	work.Overdue:     portal.OverduePath,
	work.OtherAmount: portal.CasesPath,
	work.Objection:   portal.ObjectionsPath,
	work.Appeal:      view.Link(caseAppealList.Path),
	work.Deposit:     view.Link(caseDepositList.Path + "?status=pending"),
	work.Withdrawal:  portal.WithdrawalsPath,
	work.DeadEvents:  portal.DeadPath,
}

// workItem names an item and says how long it has waited and who works on it.
// An amount is shown in the item's own currency and never converted.
func (v *visit) workItem(kind work.Kind, item work.Item) WorkItem {
	shown := WorkItem{About: item.Name, Since: item.Since, Taken: v.taken(item.Claim)}
	shown.Name, shown.Href = v.workName(kind, item)
	if item.Amount != nil {
		shown.Amount = v.USDT(*item.Amount)
		if item.Currency != "USDT" {
			shown.Amount = v.Amount(*item.Amount, item.Currency)
		}
	}
	if item.Since != nil {
		shown.Age = v.age(*item.Since)
	}
	return shown
}

// workPages are the phrases by which items are named with their number, and the
// addresses of their pages.
var workPages = map[work.Kind]struct {
	name say.Phrase
	list string
}{
	work.Conflict: {sayShortConflict, portal.ConflictsPath}, work.Overdue: {say.PayoutTitle, ""},
	work.OtherAmount: {say.PaymentTitle, portal.PaymentsPath}, work.Objection: {sayObjectionTitle, portal.ObjectionsPath},
	work.Appeal: {say.AppealTitle, portal.AppealsPath}, work.AppealAnswer: {say.AppealTitle, portal.AppealsPath},
	work.Deposit: {say.ShortDeposit, portal.DepositsPath}, work.Withdrawal: {say.WithdrawalTitle, portal.WithdrawalsPath},
	work.Feed: {sayShortFeed, portal.FeedsPath}, work.Short: {say.ShortTrader, portal.TradersPath},
	work.Idle: {say.ShortTrader, portal.TradersPath}, work.DeadEvents: {say.ShortMerchant, ""},
}

// workName is the name of an item, and its page.
func (v *visit) workName(kind work.Kind, item work.Item) (string, view.Link) {
	page, known := workPages[kind]
	if !known {
		if kind == work.Overdrawn {
			return item.Name, portal.StatementOf(ledger.AccountOf(item.SubjectID))
		}
		return item.Name, ""
	}
	name, href := v.Say(page.name, item.SubjectID), view.Link(portal.Numbered(page.list, item.SubjectID))
	switch kind {
	case work.Overdue:
		href = view.Link(v.PayoutPath(item.UUID.String()))
	case work.Objection:
		name += ", " + v.Say(say.ShortPayment, item.PaymentID)
	case work.AppealAnswer:
		name += ", " + v.Say(say.ThreadUnread, item.Count)
	case work.DeadEvents:
		count := strconv.Itoa(min(item.Count, work.Most))
		if item.Count > work.Most {
			count += "+"
		}
		name += ", " + v.Say(sayDeadCount, count)
		href = view.Query(portal.DeadPath, portal.AsksMerchant, portal.IDText(item.SubjectID))
	default: // the table has everything
	}
	return name, href
}

// taken is who works on an item; "" if there is no valid claim.
func (v *visit) taken(claim *work.Claim) string {
	if claim == nil || claim.Stale {
		return ""
	}
	return claim.Login + ", " + v.Shell.Clock(claim.Since)
}

// age is how long ago a time is.
func (v *visit) age(since time.Time) string { return v.Lasting(v.Shell.Now.Sub(since)) }

// claimShown shows on a page who works on its subject.
func (v *visit) claimShown(kind work.Kind, id int64, path string) (*view.Claim, error) {
	claim, err := v.Work.Taken(v.Ctx(), v.Who, kind, id)
	if err != nil {
		return nil, err
	}
	shown := &view.Claim{Path: path, Text: v.Say(sayClaimNobody), May: work.MayTake(v.Who, kind)}
	switch {
	case claim == nil:
	case claim.Mine:
		shown.Mine, shown.Text = true, v.Say(sayClaimYou, v.Shell.Clock(claim.Since))
	case claim.Stale:
		shown.Text = v.Say(sayClaimStale, claim.Login, v.Shell.Clock(claim.Since))
	default:
		shown.Others, shown.Text = true, v.Say(sayClaimOther, claim.Login, v.Shell.Clock(claim.Since))
	}
	return shown, nil
}
