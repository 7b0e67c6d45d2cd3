package portal

import (
	"fmt"
	"net/http"
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
	{pattern: "GET /trader/payments", kinds: traders, needs: caller.TraderRead, handle: (*visit).payments},
	{pattern: "GET /trader/payments.csv", kinds: traders, needs: caller.TraderMoney, handle: (*visit).paymentsCSV},
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
	amounts:  true,
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

func (v *visit) payments() error {
	a := v.asks(paymentList)
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
	if v.who.May(caller.TraderMoney) && len(a.wrong) == 0 {
		filters.Export = string(listed(a.path+".csv", filters.Query))
	}
	shown := view.Payments{Filters: filters, Pages: pages(a, page)}
	for _, item := range page.Items {
		shown.Items = append(shown.Items, v.paymentRow(item))
	}
	if len(shown.Items) == 0 {
		shown.Empty, err = v.emptyList(
			a,
			say.NoPayments,
			say.NoPaymentsText,
			say.NoneLately,
			func(f report.Filter) (bool, error) {
				found, err := v.Reports.Payments(v.ctx(), v.who, f)
				return len(found.Items) > 0, err
			},
		)
	}
	if err != nil {
		return err
	}
	if shown.Empty.Title == say.NoPayments {
		shown.Empty.Href, shown.Empty.Label = "/trader/requisites", say.WhyNone
	}
	v.shell.Title = v.shell.Say(say.Payments)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.PaymentsPage(s, shown) })
	return nil
}

// emptyList is what a list says that shows nothing: whether nothing matches, or nothing is recent, or
// there is nothing at all.
func (v *visit) emptyList(
	a asked, none, noneText, lately say.Phrase, exists func(report.Filter) (bool, error),
) (view.Empty, error) {
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
			Title: lately,
			Text:  say.NoneLatelyText,
			Href:  a.lookLonger(v.shell.Now),
			Label: say.LookLonger,
		}, nil
	}
	return view.Empty{Title: none, Text: noneText}, nil
}

func (v *visit) paymentRow(item report.PaymentItem) view.PaymentRow {
	row := view.PaymentRow{
		ID: item.ID, Amount: v.shell.Amount(item.Amount, item.Currency), Method: item.Method,
		Requisite: requisiteOf(item.Payment), Card: item.CardLast4, Status: view.PaymentBadge(string(item.Status)),
		CreatedAt: item.CreatedAt,
	}
	if item.Sight.Amount != nil {
		row.USDT = view.Figure(*item.Sight.Amount)
	}
	return row
}

func (v *visit) paymentsCSV() error {
	a := v.asks(paymentList)
	if len(a.wrong) > 0 {
		return v.showPayments(a, report.Page[report.PaymentItem]{})
	}
	return v.sendCSV(a.fileName("payments", v.shell.Now), func(file *csvFile) error {
		return v.Reports.ExportPayments(v.ctx(), v.who, a.filter, file, v.shell.Zone)
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
	files, err := v.Payments.ListReceipts(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	shown := v.paymentShown(p)
	shown.Lines = v.timeline(lines)
	for _, file := range files {
		shown.Files = append(shown.Files, v.receiptShown(id, file))
	}
	v.shell.Title = v.shell.Say(say.PaymentTitle, id)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.PaymentPage(s, shown) })
	return nil
}

func (v *visit) paymentShown(p checkout.DeskPayment) view.Payment {
	shown := view.Payment{
		Job: v.job(p), UUID: p.UUID.String(), Status: string(p.Status), CreatedAt: p.CreatedAt, StatusAt: p.StatusAt,
	}
	if p.StatusReason != nil {
		shown.Reason = *p.StatusReason
	}
	sight := p.Seen(v.who)
	if sight.Amount != nil {
		shown.MerchantGets = view.USDT(*sight.Amount)
	}
	if sight.SpreadTrader != nil {
		shown.YouKeep = view.USDT(*sight.SpreadTrader)
	}
	return shown
}

func (v *visit) receiptShown(id int64, file payment.Receipt) view.Receipt {
	return view.Receipt{
		Number: file.Number, Name: file.Name, About: v.shell.Say(say.FileType(file.Type)) + ", " + size(file.Size),
		SentAt: file.CreatedAt, Download: view.Link(fmt.Sprintf("%s/receipts/%d", paymentPath(id), file.Number)),
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

// receipt sends a payer's file to be kept, never to be shown in these pages.
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
	h := v.w.Header()
	h.Set("Content-Type", file.Type)
	h.Set("Content-Disposition", attachment(file.Name))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = v.w.Write(content) //nolint:gosec // a file that the browser keeps and does not show
	return nil
}
