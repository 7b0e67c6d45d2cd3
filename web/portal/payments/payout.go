package payments

import (
	"slices"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/internal/report"
	"gateway.example/internal/timeline"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Payouts, as traders, merchants and operators see them.
var payoutRoutes = slices.Concat(
	payoutList.routes(caller.TraderRead), ownPayoutList.routes(caller.MerchantRead), casePayoutList.routes(caller.OperatorRead),
	payoutStepRoutes(),
	[]route{
		{Pattern: "GET /trader/payouts/{id}", Needs: caller.TraderRead, Handle: (*visit).payout},
		{Pattern: "POST /trader/payouts/{id}/take", Needs: caller.TraderWork, Handle: (*visit).take},
		{Pattern: "GET /merchant/payouts/{id}", Needs: caller.MerchantRead, Handle: (*visit).payout},
		{Pattern: "GET /operator/payouts/{id}", Needs: caller.OperatorRead, Handle: (*visit).payout},
	},
)

// payoutLists is what the lists of payouts have in common.
var payoutLists = list[report.PayoutItem]{
	title: say.Payouts, rowOf: (*visit).payoutRow, read: (*report.Service).Payouts, export: (*report.Service).ExportPayouts,
	file: "payouts", more: besidePayouts,
}

// payoutList has the statuses that a payout can have once a trader took it.
var payoutList = payoutLists.with(portal.List{
	Path: "/trader/payouts", Statuses: []string{"processing", "completed", "failed"}, Status: say.PayoutStatus,
	Methods: portal.MethodNames(func(m catalogue.Method) bool { return len(m.Payouts) > 0 }),
	Search:  true, Hint: saySearchOwn, Export: caller.TraderMoney,
	None: sayNoPayouts, NoneText: sayNoPayoutsText, Lately: sayNoneTaken,
	Start: "/trader#waiting", StartLabel: say.Desk,
}, columnsOf[report.PayoutItem](sayCreatedPayout, say.Recipient, sayRewardUSDT))

// besidePayouts links to what else there is of payouts: files of merchants, and
// what waits for traders.
func besidePayouts(v *visit, shown *view.List) {
	if v.Who.May(caller.MerchantPayouts) {
		shown.Filters.Act, shown.Filters.ActLabel = "/merchant/payout-files", sayByFile
	}
	if v.Who.Kind == caller.Trader && len(shown.Sheet.Rows) > 0 {
		shown.Below = deskLink(v.Say(sayWaitingOnDesk))
	}
}

// payoutRow shows a trader the bank and the reward, and whoever sees the
// merchant's order the order id and what is frozen.
func (v *visit) payoutRow(item report.PayoutItem) row {
	r := row{
		id: item.ID, href: view.Link(v.PayoutPath(item.UUID.String())), amount: v.Amount(item.Amount, item.Currency),
		method: v.Say(say.Method(item.Method)), status: v.Shell.BadgeCell(view.PayoutBadge(string(item.Status))),
		created: item.CreatedAt, since: item.StatusAt, uuid: item.UUID.String(),
		figures: []string{item.AddressMask}, recipient: item.Recipient, beside: optional.Value(item.Bank()),
	}
	if item.RewardUSDT != nil {
		r.usdt = v.Shell.Figure(*item.RewardUSDT)
	}
	if v.Who.SeesOrder() {
		r.beside, r.usdt = item.OrderID, v.Shell.Figure(item.FrozenUSDT)
	}
	return r
}

// payout shows a merchant's own payout, one that the trader took, or one that
// the trader may take. The history of the last is not shown.
func (v *visit) payout() error {
	id := v.PayoutID()
	shown, err := v.findPayout(id)
	if err != nil {
		return err
	}
	then := v.Moment(v.PayoutPath(id), shown.CreatedAt)
	if v.Who.Kind != caller.Trader || shown.Status != string(payout.Waiting) {
		lines, err := v.Timelines.Payout(v.Ctx(), v.Who, id)
		if err != nil {
			return err
		}
		if err := v.Meet(portal.ActorsOf(lines)); err != nil {
			return err
		}
		if then.Past() {
			shown = payoutThen(shown, then, lines)
		} else if shown, err = v.withProof(shown, id); err != nil {
			return err
		}
		shown.Then, shown.Lines = then.Shown(), v.PayoutTimeline(then.Cut(lines))
	}
	return portal.ShowPage(v.Visit, then.Status(), v.Say(say.PayoutTitle, shown.Number), PayoutPage, shown)
}

// payoutThen is a payout as it was at a moment, without anything to do about
// it.
func payoutThen(shown Payout, then portal.Moment, lines []timeline.Line) Payout {
	shown.MayWork, shown.Cancel, shown.Note, shown.Proof = false, "", say.Phrase{}, ""
	shown.Acts, shown.Claim = nil, nil
	if last := then.Last(lines); last != nil {
		shown.Status, shown.StatusAt, shown.Reason = last.To, last.At, last.Reason
	}
	if shown.TakenAt != nil && shown.TakenAt.After(then.At) {
		shown.TakenAt = nil
	}
	return shown
}

// findPayout finds a payout for any kind of visitor.
func (v *visit) findPayout(id string) (Payout, error) {
	if v.Who.Kind == caller.MerchantPortal {
		found, err := v.Payouts.Get(v.Ctx(), v.Who, id)
		if err != nil {
			return Payout{}, err
		}
		return v.ownPayout(found)
	}
	if v.Who.Kind == caller.Operator {
		return v.casePayout(id)
	}
	offer, err := v.Payouts.GetOffer(v.Ctx(), v.Who, id)
	if err != nil {
		return Payout{}, err
	}
	return v.payoutShown(offer), nil
}

// payoutShown is a payout as its trader sees it, with what to do next. Pages of
// merchants and operators begin with it, and replace the note and the facts. A
// return of a payment's money names the payment in place of a reward.
func (v *visit) payoutShown(o payout.Offer) Payout {
	shown := Payout{
		Offer:     v.Offer(o),
		List:      view.Link(v.Path("/payouts")),
		Noted:     v.Noted(o.Metadata, "/payouts"),
		Number:    o.ID,
		CreatedAt: o.CreatedAt,
		TakenAt:   o.TakenAt,
		StatusAt:  o.StatusAt,
		Proof:     optional.Value(o.ProofReference),
		Reason:    optional.Value(o.StatusReason),
	}
	switch o.Status {
	case payout.Processing:
		shown.Note = sayPayNow
	case payout.Waiting:
		shown.Note = sayWholeLater
	case payout.Completed, payout.Failed, payout.Cancelled, payout.Expired:
	}
	shown.Facts = []view.Fact{{Label: say.Reward, Value: shown.Reward, Class: "num"}}
	if o.ReturnOf != nil {
		shown.Facts = []view.Fact{{
			Label: say.About, Value: v.Say(say.ShortPayment, *o.ReturnOf), Href: view.Link(v.PaymentPath(*o.ReturnOf)),
		}}
	}
	return shown
}

// ownPayout is a payout as its merchant sees it.
func (v *visit) ownPayout(p payout.Payout) (Payout, error) {
	boxes, err := v.Cashboxes(portal.Asked{List: portal.List{Cashbox: true}})
	if err != nil {
		return Payout{}, err
	}
	shown := v.payoutShown(payout.Offer{Payout: p, Address: p.AddressMask, Recipient: p.Recipient})
	shown.Note, shown.Curl = say.Phrase{}, v.Curl("/api/v1/payins/"+p.UUID.String())
	if p.Status == payout.Waiting && v.Who.May(caller.MerchantPayouts) {
		shown.Cancel = view.Link(shown.Path + "/cancel")
	}
	shown.Facts = []view.Fact{
		{Label: say.Order, Value: p.OrderID},
		{Label: say.Cashbox, Value: boxes.Name(portal.IDText(p.CashboxID))},
		{Label: sayUser, Value: optional.Value(p.UserID)},
		{Label: sayYouPay, Value: v.USDT(p.FrozenUSDT), Class: "num"},
	}
	if p.Status == payout.Completed {
		shown.Facts = append(shown.Facts, view.Fact{
			Label: say.LedgerProof, Value: v.Say(say.LedgerProofFile),
			Href: view.Link(v.PayoutPath(p.UUID.String()) + "/proof.json"),
		})
	}
	return shown, nil
}

// take takes a payout. A second click finds that the trader already has it.
func (v *visit) take() error {
	id := v.PayoutID()
	_, err := v.Payouts.Take(v.Ctx(), v.Who, id)
	if err == nil {
		return v.Done(v.PayoutPath(id), "taken")
	}
	f := fault.As(err)
	if f != nil && f.Kind == fault.TooManyRequests {
		return v.Done("/trader", "take-limit")
	}
	if f == nil || f.Kind != fault.Refused {
		return err
	}
	if offer, err := v.Payouts.GetOffer(v.Ctx(), v.Who, id); err == nil && offer.Status == payout.Processing {
		return v.Done(v.PayoutPath(id), "taken")
	}
	if f.Code == payout.ErrTakeLimit.Code {
		return v.Done("/trader", "take-limit")
	}
	return v.Done("/trader", "gone")
}

var casePayoutList = payoutLists.with(portal.List{
	Path: portal.PayoutsPath, Statuses: ownPayoutList.Statuses, Status: say.PayoutStatus,
	Methods: payoutList.Methods, Currencies: catalogue.Currencies, Search: true, Hint: saySearchAllHint,
	Amounts: true, Owners: true, Overdue: true, Export: caller.OperatorRead,
	None: sayNoOwnPayouts, NoneText: sayNoPaymentsAtAll, Lately: sayNoneTaken,
}, columnsOf[report.PayoutItem](sayCreatedPayout, say.Recipient, sayFrozenUSDT))

// casePayout is a payout as operators see it.
func (v *visit) casePayout(id string) (Payout, error) {
	p, err := v.Payouts.Get(v.Ctx(), v.Who, id)
	if err != nil {
		return Payout{}, err
	}
	owners, err := v.OwnersOf(v.Settings, p.CashboxID, p.TraderID)
	if err != nil {
		return Payout{}, err
	}
	shown := v.payoutShown(payout.Offer{Payout: p, Address: p.AddressMask, Recipient: p.Recipient})
	shown.Note = say.Phrase{}
	shown.Facts = append(owners,
		view.Fact{Label: say.Order, Value: p.OrderID}, view.Fact{Label: sayUser, Value: optional.Value(p.UserID)},
		view.Fact{Label: sayFrozenFact, Value: v.USDT(p.FrozenUSDT), Class: "num"})
	shown.Acts, shown.Claim, err = v.OnPayout(v.Visit, p)
	return shown, err
}

var ownPayoutList = payoutLists.with(portal.List{
	Path: portal.OwnPayoutsPath, Status: say.PayoutStatus, Methods: payoutList.Methods, Overdue: true,
	Statuses: []string{"waiting", "processing", "completed", "failed", "cancelled", "expired"},
	Search:   true, Hint: saySearchPayouts, Amounts: true, Cashbox: true, Metadata: true, Export: caller.MerchantMoney,
	None: sayNoOwnPayouts, NoneText: sayNoOwnPayoutsText, Lately: sayNoneTaken,
}, columnsOf[report.PayoutItem](sayCreatedPayout, say.Recipient, sayYouPayUSDT))
