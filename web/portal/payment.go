package portal

import (
	"fmt"
	"strconv"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A trader's payments, open and ended.
var paymentRoutes = []route{
	{
		pattern: "GET /trader/payments",
		kinds:   traders,
		needs:   caller.TraderRead,
		handle:  with(paymentList, (*visit).payments),
	},
	{
		pattern: "GET /trader/payments.csv",
		kinds:   traders,
		needs:   caller.TraderMoney,
		handle:  with(paymentList, (*visit).paymentsCSV),
	},
	{pattern: "GET /trader/payments/{id}", kinds: traders, needs: caller.TraderRead, handle: (*visit).payment},
	{
		pattern: "GET /trader/payments/{id}/receipts/{n}",
		kinds:   traders,
		needs:   caller.TraderRead,
		handle:  (*visit).receipt,
	},
}

var paymentList = list{
	path:     "/trader/payments",
	statuses: []string{"pending", "completed", "failed", "cancelled", "appeal"},
	status:   say.PaymentStatus,
	methods:  methodNames(func(m catalogue.Method) bool { return len(m.Currencies) > 0 }),
	search:   true,
	hint:     say.SearchOwn,
	amounts:  true,
	export:   caller.TraderMoney,

	about: say.Requisite, sum: say.MerchantUSDT,
	none: say.NoPayments, noneText: say.NoPaymentsText, lately: say.NoneLately,
	start: "/trader/requisites", startLabel: say.WhyNone,
}

func methodNames(keep func(catalogue.Method) bool) []string {
	var names []string
	for _, method := range catalogue.Methods {
		if keep(method) {
			names = append(names, method.Name)
		}
	}
	return names
}

func (v *visit) payments(l list) error {
	a := v.asks(l)
	if v.tidied(a) {
		return nil
	}
	if len(a.wrong) > 0 {
		return v.showPayments(a, report.Page[report.PaymentItem]{})
	}
	page, err := v.Reports.Payments(v.ctx(), v.who, a.filter)
	if a.wrong, err = v.flawed(err); err != nil {
		return err
	}
	return v.showPayments(a, page)
}

func (v *visit) showPayments(a asked, page report.Page[report.PaymentItem]) error {
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	shown := view.Payments{Filters: filters, Pages: pages(a, page), About: a.about, Sum: a.sum}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.paymentRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.emptyList(a, func(f report.Filter) (bool, error) {
			found, err := v.Reports.Payments(v.ctx(), v.who, f)
			return len(found.Items) > 0, err
		})
	}
	if err != nil {
		return err
	}
	v.shell.Title = v.shell.Say(say.Payments)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.PaymentsPage(s, shown) })
	return nil
}

// emptyList is what a list says that shows nothing: whether nothing matches, or nothing is recent, or
// there is nothing at all.
func (v *visit) emptyList(a asked, exists func(report.Filter) (bool, error)) (view.Empty, error) {
	switch {
	case len(a.wrong) > 0:
		return view.Empty{Text: say.NotShown}, nil
	case a.filter.Cursor != "":
		return view.Empty{Title: say.NoneMatch}, nil
	case a.filtered():
		empty := view.Empty{Title: say.NoneMatch, Text: say.NoneMatchText}
		if a.filter.From.IsZero() && a.filter.To.IsZero() {
			empty.Href, empty.Label = a.lookLonger(v.shell.Now), say.LookLonger
		}
		return empty, nil
	}
	older, err := exists(report.Filter{From: time.Unix(0, 0), Paging: report.Paging{Limit: 1}})
	if err != nil {
		return view.Empty{}, err
	}
	if older {
		return view.Empty{
			Title: a.lately,
			Text:  say.NoneLatelyText,
			Href:  a.lookLonger(v.shell.Now),
			Label: say.LookLonger,
		}, nil
	}
	return view.Empty{Title: a.none, Text: a.noneText, Href: a.start, Label: a.startLabel}, nil
}

func (v *visit) paymentRow(item report.PaymentItem) view.PaymentRow {
	row := view.PaymentRow{
		ID:        item.ID,
		Href:      view.Link(v.paymentPath(item.ID)),
		Amount:    v.shell.Amount(item.Amount, item.Currency),
		Method:    item.Method,
		Card:      item.CardLast4,
		Status:    view.PaymentBadge(string(item.Status)),
		CreatedAt: item.CreatedAt,
	}
	if v.who.Kind == caller.Trader {
		to := v.requisiteOf(item.Payment)
		row.About, row.Beside = to.Value, to.Bank
	} else {
		row.About, row.Beside = item.OrderID, text(item.PayerUserID)
	}
	if v.who.Kind == caller.Operator {
		row.Whose = v.whose(item.MerchantID, unlessNone(item.TraderID))
	}
	if item.Sight.Amount != nil {
		row.USDT = view.Figure(*item.Sight.Amount)
	}
	return row
}

// text is what a part says that may be missing.
func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func (v *visit) paymentsCSV(l list) error {
	a := v.asks(l)
	if len(a.wrong) > 0 {
		return v.showPayments(a, report.Page[report.PaymentItem]{})
	}
	return v.sendCSV(a.fileName("payments", v.shell.Now), func(file *csvFile) error {
		return v.Exports.ExportPayments(v.ctx(), v.who, a.filter, file, v.shell.Zone)
	})
}

func (v *visit) payment() error {
	id, err := v.paymentID()
	if err != nil {
		return err
	}
	name := strconv.FormatInt(id, 10)
	p, err := v.Checkouts.Payment(v.ctx(), v.who, name)
	if err != nil {
		return err
	}
	lines, err := v.Reports.Timeline(v.ctx(), v.who, name)
	if err != nil {
		return err
	}
	if err := v.meet(actorsOf(lines)); err != nil {
		return err
	}
	files, err := v.Payments.ListReceipts(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	then := v.moment(v.paymentPath(id), p.CreatedAt)
	shown := v.paymentShown(p)
	v.proofOf(&shown, p.Payment)
	if then.past() {
		shown = v.paymentThen(shown, then, lines)
	} else if err := v.mayBeAppealed(&shown, p.Payment); err != nil {
		return err
	}
	if shown.Facts, err = v.paymentFacts(p, then, lines); err != nil {
		return err
	}
	shown.Then, shown.Lines = then.shown(), v.timeline(then.cut(lines))
	for _, file := range files {
		if !then.past() || !file.CreatedAt.After(then.at) {
			shown.Files = append(shown.Files, v.receiptShown(id, file))
		}
	}
	if v.who.Kind == caller.Operator {
		answer, err := v.Payments.ExplainRate(v.ctx(), v.who, id)
		if err != nil {
			return err
		}
		shown.Rate = v.rateSteps(answer, p.Currency)
	}
	if v.who.Kind == caller.MerchantPortal {
		shown.File, shown.Print = view.Link(v.paymentPath(id)+"/timeline.json"), view.Link(v.paymentPath(id)+"/print")
		shown.Curl = v.curl("/api/v1/payments/" + name)
	}
	v.shell.Title = v.shell.Say(say.PaymentTitle, id)
	v.show(then.status(), func(s view.Shell) site.Page { return view.PaymentPage(s, shown) })
	return nil
}

func (v *visit) paymentShown(p checkout.DeskPayment) view.Payment {
	shown := view.Payment{
		Job: v.job(p), List: view.Link(v.path("/payments")), UUID: p.UUID.String(), Status: string(p.Status),
		CreatedAt: p.CreatedAt, StatusAt: p.StatusAt,
	}
	if p.StatusReason != nil {
		shown.Reason = *p.StatusReason
	}
	if v.who.Kind == caller.Operator && p.RequisiteID != nil {
		shown.RequisiteName = titled("", *p.RequisiteID)
		shown.RequisitePage = view.Link(numbered(allRequisitesPath, *p.RequisiteID))
		shown.Choice = view.Link(choicePath(p.ID))
	}
	return shown
}

// paymentThen is a payment as it stood at a moment, with nothing to be done about it.
func (v *visit) paymentThen(shown view.Payment, then moment, lines []report.Line) view.Payment {
	shown.Steps, shown.Phase = nil, say.Phrase{}
	if last := then.last(lines); last != nil {
		shown.Status, shown.StatusAt, shown.Reason = last.To, last.At, last.Reason
	}
	if shown.ClaimedAt != nil && shown.ClaimedAt.After(then.at) {
		shown.ClaimedAt = nil
	}
	return shown
}

// paymentFacts are what the reader's own side knows of a payment.
func (v *visit) paymentFacts(p checkout.DeskPayment, then moment, lines []report.Line) ([]view.Fact, error) {
	sight := p.Seen(v.who)
	if then.settledLater(lines) {
		sight = payment.Sight{}
	}
	var facts []view.Fact
	gets := say.MerchantGets
	if v.who.Kind == caller.Operator {
		owners, err := v.ownersOf(p.CashboxID, unlessNone(p.TraderID))
		if err != nil {
			return nil, err
		}
		facts = append(facts, owners...)
		facts = append(facts, view.Fact{Label: say.Order, Value: p.OrderID},
			view.Fact{Label: say.Payer, Value: text(p.PayerUserID)},
			view.Fact{Label: say.Description, Value: text(p.Description)})
	}
	if v.who.Kind == caller.MerchantPortal {
		boxes, err := v.cashboxes(asked{list: list{cashbox: true}})
		if err != nil {
			return nil, err
		}
		facts = append(facts, view.Fact{Label: say.Order, Value: p.OrderID},
			view.Fact{Label: say.Cashbox, Value: boxes.name(strconv.FormatInt(p.CashboxID, 10))},
			view.Fact{Label: say.Payer, Value: text(p.PayerUserID)},
			view.Fact{Label: say.Description, Value: text(p.Description)})
		gets = say.YouGet
	}
	if sight.Amount == nil {
		return append(facts, view.Fact{Label: gets, Value: v.shell.Say(say.NoRateYet), Class: "quiet"}), nil
	}
	facts = append(facts, view.Fact{Label: gets, Value: view.USDT(*sight.Amount), Class: "num"})
	if v.who.Kind == caller.Operator && sight.SpreadTrader != nil {
		facts = append(facts, view.Fact{Label: say.TraderKeeps, Value: view.USDT(*sight.SpreadTrader), Class: "num"})
	}
	if v.who.Kind == caller.Trader {
		facts = append(facts, view.Fact{Label: say.YouKeep, Value: view.USDT(*sight.SpreadTrader), Class: "num"})
	}
	return facts, nil
}

func (v *visit) receiptShown(id int64, file payment.Receipt) view.Receipt {
	return view.Receipt{
		Number: file.Number, Name: file.Name, About: v.shell.Say(say.FileType(file.Type)) + ", " + size(file.Size),
		SentAt: file.CreatedAt, Download: view.Link(fmt.Sprintf("%s/receipts/%d", v.paymentPath(id), file.Number)),
	}
}

// size is a number of bytes as people read it.
func size(bytes int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case bytes >= mega:
		return strconv.FormatInt((bytes+mega/2)/mega, 10) + "\u00a0MB"
	case bytes >= kilo:
		return strconv.FormatInt((bytes+kilo/2)/kilo, 10) + "\u00a0kB"
	}
	return strconv.FormatInt(bytes, 10) + "\u00a0B"
}

// receipt sends a payer's file.
func (v *visit) receipt() error {
	id, err := v.paymentID()
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(v.r.PathValue("n"), 10, 32)
	if err != nil {
		return fault.ErrNotFound
	}
	file, content, err := v.Payments.ReadReceipt(v.ctx(), v.who, id, int32(number))
	if err != nil {
		return err
	}
	v.keepFile(file.Name, file.Type, content)
	return nil
}

// keepFile sends a stranger's file to be kept, never to be shown in these pages.
func (v *visit) keepFile(name, media string, content []byte) {
	h := v.w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", attachment(name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.w.Write(content) //nolint:gosec // a file that the browser keeps and does not show
}
