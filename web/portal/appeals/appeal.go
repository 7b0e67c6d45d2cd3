package appeals

import (
	"net/http"
	"net/url"
	"strconv"

	"gateway.example/web/portal"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
)

// A merchant's appeals of failed payments.
var appealRoutes = []route{
	{Pattern: "GET /merchant/appeals", Needs: caller.MerchantRead, Keeps: &appealList, Handle: (*visit).appeals},
	{Pattern: "GET /merchant/appeals/{id}", Needs: caller.MerchantRead, Handle: (*visit).appeal},
	{Pattern: "GET /merchant/appeals/{id}/file", Needs: caller.MerchantRead, Handle: (*visit).appealFile},
	{Pattern: "GET /merchant/payments/{id}/appeal", Needs: caller.MerchantAppeal, Handle: (*visit).appealPage},
	{Pattern: "POST /merchant/payments/{id}/appeal", Needs: caller.MerchantAppeal, Handle: (*visit).openAppeal},
	{Pattern: "GET /operator/appeals/{id}/file", Needs: caller.OperatorRead, Handle: (*visit).appealFile},
	{Pattern: "GET /operator/appeals/{id}/file/shown", Needs: caller.OperatorRead, Handle: (*visit).appealPicture},
}

var appealList = portal.List{
	Path:     portal.OwnAppealsPath,
	Statuses: portal.AppealStatuses,
	Status:   say.AppealStatus,
	Cashbox:  true,
	Always:   true,
	None:     say.NoAppeals,
	NoneText: sayNoAppealsText,
}

// merchantFiles is how many files for one merchant's appeals are received at
// the same time.
const merchantFiles = 4

func (v *visit) appeals() error {
	return portal.ShowList(v.Visit, appealList, func(a portal.Asked) (found report.Page[payment.AppealRecord], err error) {
		var page payment.OwnAppeals
		page.Statuses, page.Cursor = a.Filter.Status, optional.Of(a.Filter.Cursor)
		page.CashboxID, page.Backward = a.CashboxID(), a.Filter.Backward
		found.Items, found.Next, err = v.Payments.ListOwnAppeals(v.Ctx(), v.Who, page)
		return found, err
	}, v.showAppeals)
}

// showAppeals shows a page of the merchant's appeals. If the address has
// mistakes, nothing was read, and the table says that and not that there are
// none.
func (v *visit) showAppeals(a portal.Asked, found report.Page[payment.AppealRecord]) error {
	filters, err := v.Filters(a)
	if err != nil {
		return err
	}
	sheet := view.Sheet{Label: v.Say(say.Appeals), Empty: a.Nothing(), Columns: []view.Column{
		{Text: v.Say(say.Number)}, {Text: v.Say(say.Opened)}, {Text: v.Say(say.Amount), Right: true, Sum: true},
		{Text: v.Say(say.About)}, {Text: v.Say(say.Reason)}, {Text: v.Say(say.Status)},
	}}
	var ids []int64
	for _, one := range found.Items {
		ids = append(ids, one.ID)
		sheet.Rows = append(sheet.Rows, []view.Cell{
			{Text: portal.IDText(one.ID), Href: v.AppealPath(one.ID)}, {At: &one.CreatedAt},
			{Text: v.Amount(one.Payment.Amount, one.Payment.Currency)},
			{Text: v.Say(say.ShortPayment, one.Payment.ID), Beside: one.Payment.OrderID}, {Text: one.Reason},
			v.Shell.BadgeCell(view.AppealBadge(one.Status)),
		})
	}
	return portal.ShowPage(v.Visit, a.StatusOf(), v.Say(say.Appeals), view.ListPage, view.List{
		Filters: filters, Sheet: sheet, Pages: portal.Around(a, found.Next, ids),
	})
}

// appeal shows an appeal to users of its merchant, with the reason for the
// decision once it was accepted or refused. What operators and traders write to
// each other about it is not shown to them.
func (v *visit) appeal() error {
	a, err := portal.Named(v.Visit, v.Payments.GetAppeal)
	if err != nil {
		return err
	}
	shown := Appeal{
		Status: a.Status, Amount: v.Amount(a.Payment.Amount, a.Payment.Currency), StatusAt: a.StatusAt, Reason: a.Reason,
		Facts: []view.Fact{
			{Label: say.About, Value: v.Say(say.ShortPayment, a.Payment.ID), Href: view.Link(v.PaymentPath(a.Payment.ID))},
			{Label: say.Order, Value: a.Payment.OrderID}, {Label: say.Opened, At: &a.CreatedAt},
		},
		File: view.Receipt{
			Name: a.KeptName(), About: v.Say(say.FileType(a.FileType)) + ", " + portal.Size(a.FileSize),
			SentAt: a.CreatedAt, Download: v.AppealPath(a.ID) + "/file",
		},
	}
	if a.Status == "completed" || a.Status == "failed" {
		shown.Decision = optional.Value(a.Payment.StatusReason)
	}
	return portal.ShowPage(v.Visit, http.StatusOK, v.Say(say.AppealTitle, a.ID), AppealPage, shown)
}

func (v *visit) appealFile() error {
	file, err := portal.Named(v.Visit, v.Payments.ReadAppealFile)
	if err != nil {
		return err
	}
	v.KeepFile(file.Name, file.Type, file.Content)
	return nil
}

// appealPicture sends an appeal's file to be shown in its page, if it is a
// picture.
func (v *visit) appealPicture() error {
	file, err := portal.Named(v.Visit, v.Payments.ReadAppealFile)
	if err != nil {
		return err
	}
	return v.ShowPicture(file.Type, file.Content)
}

// appealable reads the payment in the address.
func (v *visit) appealable() (payment.Payment, error) {
	id, err := v.Numbered()
	if err != nil {
		return payment.Payment{}, err
	}
	return v.Payments.Get(v.Ctx(), v.Who, portal.IDText(id))
}

func (v *visit) appealPage() error {
	p, err := v.appealable()
	if err != nil {
		return err
	}
	return v.askAppeal(http.StatusOK, p, url.Values{"token": {submission.NewToken()}}, nil)
}

// askAppeal shows the form that asks why a payment is appealed, and for a file
// as evidence.
func (v *visit) askAppeal(status int, p payment.Payment, typed url.Values, wrong map[string]string) error {
	if !p.TakesAppeal(v.Clock.Now()) {
		return v.Done(v.PaymentPath(p.ID), "no-appeal")
	}
	files, err := v.Payments.ListReceipts(v.Ctx(), v.Who, p.ID)
	if err != nil {
		return err
	}
	shown := NewAppeal{
		Path:    v.PaymentPath(p.ID),
		Token:   typed.Get("token"),
		Amount:  v.Amount(p.Amount, p.Currency),
		Order:   p.OrderID,
		Reason:  typed.Get("reason"),
		Receipt: typed.Get("receipt"),
		Wrong:   wrong,
	}
	for _, file := range files {
		shown.Receipts = append(shown.Receipts, v.ReceiptShown(p.ID, file))
	}
	return portal.ShowPage(v.Visit, status, v.Say(say.PaymentTitle, p.ID), NewAppealPage, shown)
}

// openAppeal opens an appeal with a file, or with a receipt that the payer
// sent.
func (v *visit) openAppeal() error {
	p, err := v.appealable()
	if err != nil {
		return err
	}
	sent, err := v.TakeUpload(v.uploads, v.Who.MerchantID, portal.LargerThanAny)
	if err == nil {
		err = v.Once(sent.Form, func() (submission.Outcome, error) { return v.appealed(p, sent) })
	}
	wrong := v.Wrong(err)
	if wrong == nil {
		return err
	}
	if sent.Form.Get("token") == "" {
		sent.Form.Set("token", submission.NewToken())
	}
	return v.askAppeal(http.StatusUnprocessableEntity, p, sent.Form, wrong)
}

// appealed opens the appeal, with a sent file or else with the chosen receipt
// of the payer. A payment that cannot be appealed any more, or was appealed
// already, is no mistake in the form: its page says so.
func (v *visit) appealed(p payment.Payment, sent portal.Upload) (submission.Outcome, error) {
	var opened payment.AppealRecord
	reason := optional.Of(sent.Form.Get("reason"))
	number, err := strconv.ParseInt(sent.Form.Get("receipt"), 10, 32)
	if err == nil && sent.File == nil {
		opened, err = v.Payments.AppealWithReceipt(v.Ctx(), v.Who, p.ID, int32(number), reason)
	} else {
		r := payment.AppealRequest{Reason: reason}
		if sent.File != nil {
			r.FileName, r.File = &sent.Name, sent.File.Content()
		}
		opened, err = v.Payments.OpenAppeal(v.Ctx(), v.Who, p.ID, r)
	}
	f := fault.As(err)
	switch {
	case f == nil:
		return submission.Outcome{LedTo: string(v.AppealPath(opened.ID)), Said: "appealed"}, err
	case f.Kind == fault.Refused || f.Kind == fault.Conflict:
		return submission.Outcome{LedTo: v.PaymentPath(p.ID), Said: "no-appeal"}, nil
	}
	return submission.Outcome{}, err
}
