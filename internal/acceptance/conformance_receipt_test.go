package acceptance

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// receipts: a payer who has paid sends three, and those who look for the transfer read them.
func receipts(t *testing.T, w *instance) {
	made := newPayment.with()(t, w)
	id := made.text("data.id")
	attach := func(content string) {
		t.Helper()
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreateFormFile("file", "receipt.pdf")
		noError(t, err)
		_, err = part.Write([]byte(content))
		noError(t, errors.Join(err, form.Close()))
		got := fetched(t, http.MethodPost, made.text("data.paymentPageUrl")+"/receipt", body.String(), header{
			"Content-Type": form.FormDataContentType(), "Sec-Fetch-Site": "same-origin",
		})
		if got.status != http.StatusSeeOther {
			t.Errorf("the page answers %d", got.status)
		}
	}
	services := map[string]portalv1connect.ReceiptServiceClient{}
	for name, token := range map[string]string{
		"trader": w.traderOf(t, id).Token, "merchant": w.user(t, "merchant").Token, "operator": w.user(t, "operator").Token,
		"payer": w.user(t, "payer").Token,
	} {
		services[name] = portalv1connect.NewReceiptServiceClient(withToken(token), w.BaseURL)
	}
	wantReceipts := func(want int) {
		t.Helper()
		for _, name := range []string{"trader", "merchant", "operator"} {
			list, err := services[name].ListReceipts(t.Context(),
				connect.NewRequest(&portalv1.ListReceiptsRequest{PaymentId: number(id)}))
			if noError(t, err); len(list.Msg.GetData()) != want {
				t.Fatalf("the %s lists %d receipts, want %d", name, len(list.Msg.GetData()), want)
			}
			for n := range want {
				found := called(t, services[name].GetReceipt, &portalv1.GetReceiptRequest{
					PaymentId: number(id), Number: int32(n + 1),
				})
				if found.GetReceipt().GetFileType() != "application/pdf" || string(found.GetContent()) != receiptPDF {
					t.Errorf("the %s reads %v", name, found)
				}
			}
		}
	}
	attach(receiptPDF) // before the claim
	wantReceipts(0)
	w.claims(t, made)
	attach("no file")
	attach(receiptPDF)
	wantReceipts(1)
	w.callback(t, id, `{"status":"failed"}`)
	for range 3 {
		attach(receiptPDF)
	}
	wantReceipts(3)
	_, err := services["payer"].ListReceipts(t.Context(),
		connect.NewRequest(&portalv1.ListReceiptsRequest{PaymentId: number(id)}))
	if _, code, _ := connectFault(t, err); code != "token_kind_not_allowed" {
		t.Errorf("a payer lists receipts: %s", code)
	}
	reason := "The payer has paid."
	appeal := &portalv1.AppealWithReceiptRequest{PaymentId: number(id), Number: 2, Reason: &reason}
	opened := called(t, services["merchant"].AppealWithReceipt, appeal)
	file, err := w.operator(t).GetAppealFile(t.Context(), connect.NewRequest(&portalv1.GetAppealFileRequest{
		AppealId: opened.GetData().GetId(),
	}))
	if noError(t, err); string(file.Msg.GetContent()) != receiptPDF || opened.GetData().GetStatus() != "open" {
		t.Errorf("opened %v with %q", opened, file.Msg.GetContent())
	}
}

// receiptPDF is a file by its first bytes.
const receiptPDF = "%PDF-1.7\nreceipt"

// banks: what an operator sets is on the page of the next payment, filled in.
func banks(t *testing.T, w *instance) {
	set := func(enabled bool, link string) error {
		_, err := w.operator(t).SetBank(t.Context(), connect.NewRequest(&portalv1.SetBankRequest{Bank: &portalv1.Bank{
			Currency: "RUB", Name: "Walk Bank", Methods: []string{"sbp"}, Link: link,
			Source: "https://bank.example/docs", Enabled: enabled,
		}}))
		return err
	}
	noError(t, set(true, "walk-bank://pay?phone={phone}&sum={amount}"))
	script := set(true, "javascript:{amount}")
	wantFault(t, "a script as a link", script, connect.CodeInvalidArgument, "validation_failed", "link")
	made := newPayment.with()(t, w)
	link := "walk-bank://pay?phone=" + strings.TrimPrefix(made.text("data.requisite.value"), "+") +
		"&sum=" + made.text("data.amount")
	shown := func() string {
		return w.page(t, made.text("data.paymentPageUrl")).Find("[data-bank='Walk Bank'] a").AttrOr("href", "")
	}
	testenv.Want(t, shown(), link, "the page leads to")
	noError(t, set(false, "walk-bank://pay?phone={phone}&sum={amount}"))
	if got := shown(); got != "" {
		t.Error("a bank that is switched off is offered")
	}
}
