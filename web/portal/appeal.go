package portal

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/submission"
	"gateway.example/web/portal/say"
	"gateway.example/web/portal/view"
	"gateway.example/web/site"
)

// A merchant's appeals of failed payments.
var appealRoutes = []route{
	{pattern: "GET /merchant/appeals", kinds: merchants, needs: caller.MerchantRead, handle: (*visit).appeals},
	{pattern: "GET /merchant/appeals/{id}", kinds: merchants, needs: caller.MerchantRead, handle: (*visit).appeal},
	{
		pattern: "GET /merchant/appeals/{id}/file",
		kinds:   merchants,
		needs:   caller.MerchantRead,
		handle:  (*visit).appealFile,
	},
	{
		pattern: "GET /merchant/payments/{id}/appeal", kinds: merchants, needs: caller.MerchantAppeal,
		handle: (*visit).appealPage,
	},
	{
		pattern: "POST /merchant/payments/{id}/appeal", kinds: merchants, needs: caller.MerchantAppeal,
		handle: (*visit).openAppeal,
	},
}

var appealList = list{
	path:     "/merchant/appeals",
	statuses: []string{"open", "in_review", "completed", "failed", "closed"},
	status:   say.AppealStatus,
	cashbox:  true,
	always:   true,
	none:     say.NoAppeals,
	noneText: say.NoAppealsText,
}

const (
	// merchantFiles is how many files to one merchant's appeals are taken at once.
	merchantFiles = 4
	// The fields beside the file may have formText bytes together.
	fileField = "file"
	formText  = 64 << 10
)

func (v *visit) appealPath(id int64) view.Link {
	return view.Link(v.path("/appeals/" + strconv.FormatInt(id, 10)))
}

func (v *visit) appeals() error {
	a := v.asks(appealList)
	if v.tidied(a) {
		return nil
	}
	var found []payment.AppealRecord
	var next *string
	if len(a.wrong) == 0 {
		var page payment.OwnAppeals
		page.Statuses, page.Cursor = a.filter.Status, given(a.filter.Cursor)
		page.CashboxID, page.Backward = a.cashboxID(), a.filter.Backward
		var err error
		found, next, err = v.Payments.ListOwnAppeals(v.ctx(), v.who, page)
		if a.wrong, err = v.flawed(err); err != nil {
			return err
		}
	}
	filters, err := v.filters(a)
	if err != nil {
		return err
	}
	shown := view.Appeals{Filters: filters, Empty: a.nothing()}
	var ids []int64
	for _, one := range found {
		ids = append(ids, one.ID)
		shown.Items = append(shown.Items, view.AppealRow{
			ID: one.ID, Href: v.appealPath(one.ID), CreatedAt: one.CreatedAt, Status: view.AppealBadge(one.Status),
			Amount:  v.shell.Amount(one.Payment.Amount, one.Payment.Currency),
			Payment: v.shell.Say(say.ShortPayment, one.Payment.ID), Order: one.Payment.OrderID, Reason: one.Reason,
		})
	}
	shown.Pages = around(a, next, ids)
	v.shell.Title = v.shell.Say(say.Appeals)
	v.show(a.statusOf(), func(s view.Shell) site.Page { return view.AppealsPage(s, shown) })
	return nil
}

func (v *visit) appeal() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	a, err := v.Payments.GetAppeal(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	shown := view.Appeal{
		Status: a.Status, Amount: v.shell.Amount(a.Payment.Amount, a.Payment.Currency), CreatedAt: a.CreatedAt,
		StatusAt: a.StatusAt, Reason: a.Reason, Order: a.Payment.OrderID,
		Payment: v.shell.Say(say.ShortPayment, a.Payment.ID), PaymentHref: view.Link(v.paymentPath(a.Payment.ID)),
		File: view.Receipt{
			Name: a.KeptName(), About: v.shell.Say(say.FileType(a.FileType)) + ", " + size(a.FileSize),
			SentAt: a.CreatedAt, Download: v.appealPath(id) + "/file",
		},
	}
	if a.Status == "completed" || a.Status == "failed" {
		shown.Decision = text(a.Payment.StatusReason)
	}
	v.shell.Title = v.shell.Say(say.AppealTitle, a.ID)
	v.show(http.StatusOK, func(s view.Shell) site.Page { return view.AppealPage(s, shown) })
	return nil
}

func (v *visit) appealFile() error {
	id, err := v.numbered()
	if err != nil {
		return err
	}
	file, err := v.Payments.ReadAppealFile(v.ctx(), v.who, id)
	if err != nil {
		return err
	}
	v.keepFile(file.Name, file.Type, file.Content)
	return nil
}

// mayBeAppealed says of a merchant's payment that it may be appealed, or where its appeal is.
func (v *visit) mayBeAppealed(shown *view.Payment, p payment.Payment) error {
	if v.who.Kind != caller.MerchantPortal && v.who.Kind != caller.Operator {
		return nil
	}
	id, err := v.Payments.AppealOf(v.ctx(), v.who, p.ID)
	switch {
	case err != nil:
		return err
	case id != 0:
		shown.Appealed = v.appealPath(id)
	case v.who.May(caller.MerchantAppeal) && p.TakesAppeal(v.Clock.Now()):
		shown.Appeal = view.Link(v.paymentPath(p.ID) + "/appeal")
	}
	return nil
}

func (v *visit) appealPage() error {
	p, err := v.assigned()
	if err != nil {
		return err
	}
	return v.askAppeal(http.StatusOK, p, url.Values{"token": {submission.NewToken()}}, nil)
}

// askAppeal asks why a payment is appealed, and for what shows it.
func (v *visit) askAppeal(status int, p payment.Payment, typed url.Values, wrong map[string]string) error {
	if !p.TakesAppeal(v.Clock.Now()) {
		return v.done(v.paymentPath(p.ID), "no-appeal")
	}
	files, err := v.Payments.ListReceipts(v.ctx(), v.who, p.ID)
	if err != nil {
		return err
	}
	shown := view.NewAppeal{
		Path: v.paymentPath(
			p.ID,
		),
		Token:   typed.Get("token"),
		Amount:  v.shell.Amount(p.Amount, p.Currency),
		Order:   p.OrderID,
		Reason:  typed.Get("reason"),
		Receipt: typed.Get("receipt"),
		Wrong:   wrong,
	}
	for _, file := range files {
		shown.Receipts = append(shown.Receipts, v.receiptShown(p.ID, file))
	}
	v.shell.Title = v.shell.Say(say.PaymentTitle, p.ID)
	v.show(status, func(s view.Shell) site.Page { return view.NewAppealPage(s, shown) })
	return nil
}

// openAppeal opens an appeal with a file, or with a receipt that the payer sent.
func (v *visit) openAppeal() error {
	p, err := v.assigned()
	if err != nil {
		return err
	}
	done, err := v.uploads.Take(v.w, v.r, v.who.MerchantID, v.who.ID)
	if err != nil {
		return err
	}
	defer done()
	sent, err := v.upload()
	defer sent.close()
	if err == nil {
		err = v.once(sent.form, func() (submission.Outcome, error) { return v.appealed(p, sent) })
	}
	if f := fault.As(err); f != nil && f.Kind == fault.TooLarge {
		err = fault.Fields{fileField: {"is larger than 10 MB"}}.Err()
	}
	wrong := v.wrong(err)
	if wrong == nil {
		return err
	}
	if sent.form.Get("token") == "" {
		sent.form.Set("token", submission.NewToken())
	}
	return v.askAppeal(http.StatusUnprocessableEntity, p, sent.form, wrong)
}

func (v *visit) appealed(p payment.Payment, sent upload) (submission.Outcome, error) {
	var opened payment.AppealRecord
	reason := given(sent.form.Get("reason"))
	number, err := strconv.ParseInt(sent.form.Get("receipt"), 10, 32)
	if err == nil && sent.file == nil {
		opened, err = v.Payments.AppealWithReceipt(v.ctx(), v.who, p.ID, int32(number), reason)
	} else {
		r := payment.AppealRequest{Reason: reason}
		if sent.file != nil {
			r.FileName, r.File = &sent.name, sent.file.Content()
		}
		opened, err = v.Payments.OpenAppeal(v.ctx(), v.who, p.ID, r)
	}
	f := fault.As(err)
	switch {
	case f == nil:
		return submission.Outcome{LedTo: string(v.appealPath(opened.ID)), Said: "appealed"}, err
	case f.Kind == fault.Refused || f.Kind == fault.Conflict:
		return submission.Outcome{LedTo: v.paymentPath(p.ID), Said: "no-appeal"}, nil
	}
	return submission.Outcome{}, err
}

// upload is a form that was sent with a file, or without.
type upload struct {
	form url.Values
	name string
	file *edge.TempFile
}

func (u upload) close() {
	if u.file != nil {
		u.file.Close()
	}
}

// upload reads a form and its file, the latter into a temporary file.
func (v *visit) upload() (upload, error) {
	u := upload{form: url.Values{}}
	parts, err := v.r.MultipartReader()
	if err != nil {
		return u, fault.Fields{fileField: {"is required"}}.Err()
	}
	flaws := fault.Fields{}
	for left := int64(formText); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return u, edge.UploadError(err)
		}
		if part.FormName() == fileField {
			if err := u.take(part); err != nil {
				return u, err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, left+1))
		if left -= int64(len(value) + len(part.FormName())); left < 0 || err != nil {
			return u, fault.Fields{fault.Body: {"could not be read"}}.Err()
		}
		flaws.Flaw(part.FormName(), fault.TextLinesFlaw(string(value)))
		u.form.Set(part.FormName(), strings.ReplaceAll(string(value), "\r\n", "\n"))
	}
	if flaws.Err() != nil {
		v.r = v.r.WithContext(fault.WithDecoded(v.ctx(), flaws))
	}
	return u, nil
}

// take keeps the file of a form. A field that nothing was chosen for has no name.
func (u *upload) take(part *multipart.Part) error {
	if part.FileName() == "" || u.file != nil {
		return nil
	}
	file, err := edge.NewTempFile(edge.BoundUpload(part))
	if err != nil {
		return edge.UploadError(err)
	}
	u.name, u.file = part.FileName(), file
	return nil
}
