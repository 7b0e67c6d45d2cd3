package pay

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/web/pay/view"
	"gateway.example/web/site"
	"gateway.example/web/words"
)

const (
	belowReceipt = "/receipt"
	// fileField is the name of the form's file field, and shownField has
	// how many receipts there were when the form was shown. All fields but
	// the file may have nextTo bytes together.
	fileField, shownField = "file", "received"
	nextTo                = 64 << 10
	// merchantFiles is how many uploads for payments of one merchant run
	// at once.
	merchantFiles = 16
)

// receipts describes the form for the bank's receipt, or returns nil when
// receipts are not taken now.
func (p *Pay) receipts(v visit, s view.Shell) (*view.Proof, error) {
	if !v.payment.TakesReceipts(v.now) {
		return nil, nil //nolint:nilnil // nothing is offered
	}
	count, err := p.Payments.CountReceipts(v.r.Context(), v.payment)
	if err != nil {
		return nil, err
	}
	proof := &view.Proof{Most: edge.MaxUpload, Count: strconv.Itoa(count), Open: count < payment.MaxReceipts, Mistake: s.Say(words.ProofWrong)}
	if s.Watch != nil {
		s.Watch.Choosing = proof.Open
	}
	if count > 0 {
		proof.Received = s.Say(words.ProofCount, count)
	}
	if v.wrong()[wrongFile] {
		proof.Error = proof.Mistake
	}
	return proof, nil
}

// takeReceipt stores a receipt. If the file is wrong, the form's page says
// why.
func (p *Pay) takeReceipt(v visit) {
	done, err := p.uploads.Take(v.w, v.r, v.payment.MerchantID, v.payment.ID)
	if err != nil {
		p.broken(v.w, v.r, err)
		return
	}
	defer done()
	page := p.dress(v, "/r/")
	sent, err := receiptOf(v)
	if err == nil {
		defer sent.file.Close()
		err = p.Payments.AddReceiptAfter(v.r.Context(), v.payment.UUID, sent.shown, sent.name, sent.file.Content())
	}
	refusal := fault.As(err)
	switch {
	case err == nil, refusal != nil && refusal.Kind == fault.Refused:
		back(v.w, page) // which says what is received, and whether more is taken
	case refusal != nil && (refusal.Kind == fault.Invalid || refusal.Kind == fault.TooLarge):
		p.again(v, page, "", nil, wrongFile)
	default:
		p.broken(v.w, v.r, err)
	}
}

var errNoFile = fault.Fields{fileField: {"is required"}}.Err()

// sentReceipt is the form of a receipt. shown is how many receipts the payment
// had when the form was shown.
type sentReceipt struct {
	shown int
	name  string
	file  *edge.TempFile
}

// receiptOf copies the form's file into a temporary file.
func receiptOf(v visit) (sent sentReceipt, err error) {
	sent.shown = payment.MaxReceipts
	form, err := v.r.MultipartReader()
	if err != nil {
		return sent, errNoFile
	}
	for left := int64(nextTo); ; {
		part, err := form.NextPart()
		if err != nil {
			return sent, errNoFile // the form is over, or broken off
		}
		if part.FormName() == fileField {
			sent.name = part.FileName()
			sent.file, err = store(part)
			return sent, err
		}
		var value strings.Builder
		n, err := io.CopyN(&value, part, left)
		if left -= n; left <= 0 || !errors.Is(err, io.EOF) {
			return sent, errNoFile
		}
		if shown, err := strconv.Atoi(value.String()); part.FormName() == shownField && err == nil {
			sent.shown = shown
		}
	}
}

func store(part *multipart.Part) (*edge.TempFile, error) {
	file, err := edge.NewTempFile(edge.BoundUpload(part))
	if err != nil {
		return nil, edge.UploadError(err)
	}
	return file, nil
}

// showReceipt shows a paid payment's receipt, to be printed or saved.
func (p *Pay) showReceipt(v visit) {
	page := p.page(v)
	p.proveReceipt(v, page.Shell, page.Bill, "")
}

// proveReceipt shows the receipt of a paid payment, with its card. For other
// payments it redirects to the payment's page.
func (p *Pay) proveReceipt(v visit, s view.Shell, b view.Bill, card string) {
	if v.payment.Status != payment.Completed {
		back(v.w, s)
		return
	}
	s.Watch, s.Below = nil, belowReceipt
	site.Show(v.w, v.r, http.StatusOK, view.Receipt(s, b, receipt(s.Words, v.payment, card)))
}

// withReceipts adds the receipt form to the page of an ended payment. After an
// error it has answered the request and returns false.
func (p *Pay) withReceipts(v visit, page view.Shell, end *view.Outcome) bool {
	var err error
	if end.Proof, err = p.receipts(v, page); err != nil {
		p.broken(v.w, v.r, err)
		return false
	}
	if end.Proof == nil && end.Late {
		end.ProofOver = page.Say(words.ProofOver)
	}
	return true
}
