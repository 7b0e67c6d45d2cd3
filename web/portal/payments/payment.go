package payments

import (
	"slices"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/timeline"
	"gateway.example/web/portal"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// Payments, open and ended, as traders, merchants and operators see them.
var paymentRoutes = slices.Concat(
	routesOf(paymentList, caller.TraderRead), routesOf(ownPaymentList, caller.MerchantRead),
	routesOf(casePaymentList, caller.OperatorRead),
)

// routesOf are the routes of a list of payments, and of each payment.
func routesOf(l *list[report.PaymentItem], reads caller.Capability) []route {
	return append(l.routes(reads),
		route{Pattern: "GET " + l.Path + "/{id}", Needs: reads, Handle: (*visit).payment},
		route{Pattern: "GET " + l.Path + "/{id}/receipts/{n}", Needs: reads, Handle: (*visit).receipt})
}

// paymentLists is what the lists of payments have in common.
var paymentLists = list[report.PaymentItem]{
	title: say.Payments, rowOf: (*visit).paymentRow, read: (*report.Service).Payments, export: (*report.Service).ExportPayments,
	file: "payments",
}

var paymentList = paymentLists.with(portal.List{
	Path: "/trader/payments", Statuses: []string{"pending", "completed", "failed", "cancelled", "appeal"},
	Status: say.PaymentStatus, Methods: portal.MethodNames(func(m catalogue.Method) bool { return len(m.Currencies) > 0 }),
	Search: true, Hint: saySearchOwn, Amounts: true, Sorted: true, Export: caller.TraderMoney,
	None: sayNoPayments, NoneText: sayNoPaymentsText, Lately: sayNoneLately,
	Start: "/trader/requisites", StartLabel: say.WhyNone,
}, columnsOf[report.PaymentItem](say.Created, say.Requisite, sayYouKeepUSDT))

// paymentRow shows a trader the requisite and what they keep, and others the
// order, the payer and what the merchant gets. A sum is shown of completed
// payments only, because of others nobody gets anything.
func (v *visit) paymentRow(item report.PaymentItem) row {
	r := row{
		id: item.ID, href: view.Link(v.PaymentPath(item.ID)), amount: v.Amount(item.Amount, item.Currency),
		method: v.Say(say.Method(item.Method)), status: v.Shell.BadgeCell(view.PaymentBadge(string(item.Status))),
		created: item.CreatedAt, since: item.StatusAt, uuid: item.UUID.String(),
	}
	if item.CardLast4 != "" {
		r.figures = []string{"•••• " + item.CardLast4}
	}
	got := item.Sums.Amount
	if v.Who.Kind == caller.Trader {
		to := v.RequisiteOf(item.Payment)
		r.figures, r.beside, got = append(r.figures, to.Value), to.Bank, item.Sums.SpreadTrader
	} else {
		r.figures, r.beside = append(r.figures, item.OrderID), optional.Value(item.PayerUserID)
		r.payer = v.PayerPath(item.MerchantID, item.PayerUserID)
	}
	if item.Status == payment.Completed && got != nil {
		r.usdt = v.Shell.Figure(*got)
	}
	return r
}

// payment shows a payment as it is, or as it was at the end of the minute that
// the address asks for, without what came later and with nothing to do. How the
// sum was calculated is for operators; the signed file, the print and the
// command for the API are for users of the merchant.
func (v *visit) payment() error {
	id, err := v.Numbered()
	if err != nil {
		return err
	}
	name := portal.IDText(id)
	p, err := v.Checkouts.Payment(v.Ctx(), v.Who, name)
	if err != nil {
		return err
	}
	lines, err := v.Timelines.Payment(v.Ctx(), v.Who, name)
	if err != nil {
		return err
	}
	if err := v.Meet(portal.ActorsOf(lines)); err != nil {
		return err
	}
	files, err := v.Payments.ListReceipts(v.Ctx(), v.Who, id)
	if err != nil {
		return err
	}
	then := v.Moment(v.PaymentPath(id), p.CreatedAt)
	shown := v.paymentShown(p)
	v.proofOf(&shown, p.Payment)
	if then.Past() {
		shown = v.paymentThen(shown, then, lines)
	} else if err := v.mayBeAppealed(&shown, p.Payment); err != nil {
		return err
	}
	if !then.Past() {
		if shown.Came, err = v.cameOf(p.Payment); err != nil {
			return err
		}
	}
	if shown.Facts, err = v.paymentFacts(p, then, lines); err != nil {
		return err
	}
	shown.Then, shown.Lines = then.Shown(), v.Timeline(then.Cut(lines))
	for _, file := range files {
		if !then.Past() || !file.CreatedAt.After(then.At) {
			shown.Files = append(shown.Files, v.ReceiptShown(id, file))
		}
	}
	if v.Who.Kind == caller.Operator {
		answer, err := v.Sums.Payment(v.Ctx(), v.Who, id)
		if err != nil {
			return err
		}
		shown.Rate = v.RateSteps(answer, p.Currency)
	}
	if v.Who.Kind == caller.MerchantPortal {
		shown.File, shown.Print = view.Link(v.PaymentPath(id)+"/timeline.json"), view.Link(v.PaymentPath(id)+"/print")
		shown.Curl = v.Curl("/api/v1/payments/" + name)
	}
	return portal.ShowPage(v.Visit, then.Status(), v.Say(say.PaymentTitle, id), PaymentPage, shown)
}

// paymentShown is what the page of a payment shows to every reader, without its
// facts and history. Links to block the payer are for users who may; links to
// the requisite and to why it was chosen are for operators.
func (v *visit) paymentShown(p checkout.DeskPayment) Payment {
	shown := Payment{
		Job: v.Job(p), List: view.Link(v.Path("/payments")), Noted: v.Noted(p.Metadata, "/payments"), UUID: p.UUID.String(), Status: string(p.Status),
		CreatedAt: p.CreatedAt, StatusAt: p.StatusAt, Reason: optional.Value(p.StatusReason),
	}
	if v.May(caller.OperatorBlock) || v.May(caller.MerchantBlock) {
		shown.Block = view.Query(v.Path("/blocks/new"), "paymentId", portal.IDText(p.ID))
	}
	if v.Who.Kind == caller.Operator && p.RequisiteID != nil {
		shown.RequisiteName = portal.Titled("", *p.RequisiteID)
		shown.RequisitePage = view.Link(portal.Numbered(portal.RequisitesPath, *p.RequisiteID))
		shown.Choice = view.Link(portal.ChoicePath(p.ID))
	}
	return shown
}

// paymentThen is a payment as it was at a moment, without anything to do about
// it.
func (v *visit) paymentThen(shown Payment, then portal.Moment, lines []timeline.Line) Payment {
	shown.Steps, shown.Phase = nil, say.Phrase{}
	if last := then.Last(lines); last != nil {
		shown.Status, shown.StatusAt, shown.Reason = last.To, last.At, last.Reason
	}
	if shown.ClaimedAt != nil && shown.ClaimedAt.After(then.At) {
		shown.ClaimedAt = nil
	}
	return shown
}

// paymentFacts are the facts about a payment for the reader's kind of user.
func (v *visit) paymentFacts(p checkout.DeskPayment, then portal.Moment, lines []timeline.Line) ([]view.Fact, error) {
	facts, err := v.orderFacts(p)
	if err != nil {
		return nil, err
	}
	if came := p.ReceivedAmount; came.Valid && !then.Past() {
		facts = append(facts, view.Fact{Label: sayCame, Value: v.Amount(came.Decimal, p.Currency), Class: "num"})
	}
	sight := p.SumsFor(v.Who)
	if then.SettledLater(lines) {
		sight = payment.Sums{}
	}
	return append(facts, v.shareFacts(p, sight)...), nil
}

// orderFacts are the facts that the merchant gave, for users who may know whose
// payment it is.
func (v *visit) orderFacts(p checkout.DeskPayment) ([]view.Fact, error) {
	said := []view.Fact{
		{Label: sayPayer, Value: optional.Value(p.PayerUserID), Href: v.PayerPath(p.MerchantID, p.PayerUserID)},
		{Label: sayDescription, Value: optional.Value(p.Description)},
	}
	order := view.Fact{Label: say.Order, Value: p.OrderID}
	switch v.Who.Kind {
	case caller.Operator:
		facts, err := v.OwnersOf(v.Settings, p.CashboxID, optional.Of(p.TraderID))
		if err != nil {
			return nil, err
		}
		return slices.Concat(facts, []view.Fact{order}, said, v.link(p)), nil
	case caller.MerchantPortal:
		boxes, err := v.Cashboxes(portal.Asked{List: portal.List{Cashbox: true}})
		if err != nil {
			return nil, err
		}
		box := view.Fact{Label: say.Cashbox, Value: boxes.Name(portal.IDText(p.CashboxID))}
		return slices.Concat([]view.Fact{order, box}, said, v.link(p)), nil
	default:
		return nil, nil
	}
}

// shareFacts say what the reader gets for a payment, or why that is not known;
// they may be empty.
func (v *visit) shareFacts(p checkout.DeskPayment, sight payment.Sums) []view.Fact {
	gets := say.MerchantGets
	if v.Who.Kind == caller.MerchantPortal {
		gets = sayYouGet
	}
	quiet := func(why say.Phrase) []view.Fact {
		return []view.Fact{{Label: gets, Value: v.Say(why), Class: "quiet"}}
	}
	switch {
	case sight.Amount == nil:
		return quiet(sayNoRateYet)
	case p.Case():
		return quiet(sayNotDecided)
	case p.Ended() && p.Status != payment.Completed:
		return quiet(sayNothingGot)
	}
	facts := []view.Fact{{Label: gets, Value: v.USDT(*sight.Amount), Class: "num"}}
	keeps := sayTraderKeeps
	if v.Who.Kind == caller.Trader {
		keeps = sayYouKeep
	}
	if sight.SpreadTrader != nil {
		facts = append(facts, view.Fact{Label: keeps, Value: v.USDT(*sight.SpreadTrader), Class: "num"})
	}
	return facts
}

// link is the payment link by which a payment was made, for an operator or the
// merchant.
func (v *visit) link(p checkout.DeskPayment) []view.Fact {
	id := paylink.OfOrder(p.OrderID)
	if id == 0 {
		return nil
	}
	l, err := v.PayLinks.Get(v.Ctx(), v.Who, id)
	if err != nil || l.MerchantID != p.MerchantID {
		return nil
	}
	return []view.Fact{{Label: sayLink, Value: l.Title, Href: view.Link(portal.Numbered(v.Path("/links"), l.ID))}}
}

// receipt sends a file of the payer.
func (v *visit) receipt() error {
	id, err := v.Numbered()
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(v.R.PathValue("n"), 10, 32)
	if err != nil {
		return fault.ErrNotFound
	}
	file, content, err := v.Payments.ReadReceipt(v.Ctx(), v.Who, id, int32(number))
	if err != nil {
		return err
	}
	v.KeepFile(file.Name, file.Type, content)
	return nil
}

var casePaymentList = paymentLists.with(portal.List{
	Path: portal.PaymentsPath, Statuses: paymentList.Statuses, Status: say.PaymentStatus,
	Methods: paymentList.Methods, Currencies: catalogue.Currencies, Search: true, Hint: saySearchAllHint,
	Amounts: true, Owners: true, Sorted: true, Export: caller.OperatorRead,
	None: sayNoPayments, NoneText: sayNoPaymentsAtAll, Lately: sayNoneLately,
}, columnsOf[report.PaymentItem](say.Created, say.Order, sayMerchantUSDT))

var ownPaymentList = paymentLists.with(portal.List{
	Path: portal.OwnPaymentsPath, Statuses: paymentList.Statuses, Status: say.PaymentStatus,
	Methods: paymentList.Methods, Currencies: catalogue.Currencies, Search: true, Hint: saySearchOrders,
	Amounts: true, Sorted: true, Cashbox: true, Metadata: true, Export: caller.MerchantMoney,
	None: sayNoPayments, NoneText: sayNoOwnPaymentsText, Lately: sayNoneLately,
}, columnsOf[report.PaymentItem](say.Created, say.Order, sayYouGetUSDT))

// mayBeAppealed links to the appeal of a payment, or to where its merchant may
// appeal it.
func (v *visit) mayBeAppealed(shown *Payment, p payment.Payment) error {
	id, err := v.Payments.AppealOf(v.Ctx(), v.Who, p.ID)
	switch {
	case err != nil:
		return err
	case id != 0:
		shown.Appealed = v.AppealPath(id)
	case v.Who.May(caller.MerchantAppeal) && p.TakesAppeal(v.Clock.Now()):
		shown.Appeal = view.Link(v.PaymentPath(p.ID) + "/appeal")
	}
	return nil
}
