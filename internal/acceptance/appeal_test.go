package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/sign"
)

const (
	uploadLimit = 10 << 20
	formType    = "multipart/form-data; boundary=b"
	pdf         = "%PDF-1.7\n"
)

// form is a multipart body of parts, each a header and a content as they are to be sent.
func form(parts ...[2]string) string {
	var body strings.Builder
	for _, part := range parts {
		body.WriteString("--b\r\nContent-Disposition: form-data; " + part[0] + "\r\n\r\n" + part[1] + "\r\n")
	}
	return body.String() + "--b--\r\n"
}

func reasonPart(text string) [2]string { return [2]string{`name="reason"`, text} }

// filePart names its file as browsers do: a quote is escaped.
func filePart(name, content string) [2]string {
	return [2]string{`name="file"; filename="` + strings.ReplaceAll(name, `"`, `\"`) + `"`, content}
}

// appealHeaders sign an appeal's four lines.
func appealHeaders(box sandbox.Cashbox, reason, fileName string, size int) header {
	return header{
		"Content-Type": formType, "X-Merchant-Key-Id": box.KeyID, "X-Merchant-Secret": box.Secret,
		"Signature": sign.Signature(box.Secret, fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", reason, fileName, size)),
	}
}

func (g *instance) appealURL(id string) string { return g.BaseURL + payments + "/" + id + "/appeal" }

func (g *instance) appeal(t testing.TB, box sandbox.Cashbox, id, reason, fileName, content string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.appealURL(id), form(reasonPart(reason), filePart(fileName, content)),
		appealHeaders(box, reason, fileName, len(content)))
}

// failed makes a failed payment.
func (g *instance) failed(t testing.TB, more object) string {
	t.Helper()
	id := g.create(t, g.first(), more).text("data.id")
	g.callback(t, id, `{"status":"failed"}`).must(t, "", 200)
	return id
}

// An appeal from its opening to its end: the answers, the file, the webhooks, the money.
func TestAppeal(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	orderID := newOrder()
	id := g.failed(t, object{"orderId": orderID, "callbackUri": s.URL})
	const reason, name = "Оплачено в 12:00\nсм. чек", `../чек №1 "копия".pdf`
	opened := g.appeal(t, g.first(), id, reason, name, pdf).must(t, "", 201, "data.paymentId", id)
	g.golden(t, "appeal", opened, orderID)
	g.appeal(t, g.first(), id, reason, name, pdf).want(t, "again", 409, "code", "appeal_already_exists")
	read := send(t, "GET", g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
	if read.text("data.status") != "failed" {
		t.Errorf("the payment is %s", read.text("data.status"))
	}
	g.checkDownload(t, opened.text("data.id"),
		`attachment; filename*=utf-8''.._%D1%87%D0%B5%D0%BA%20%E2%84%961%20%22%D0%BA%D0%BE%D0%BF%D0%B8%D1%8F%22.pdf`)

	desk, appealID := g.operator(t), number(opened.text("data.id"))
	reviewed := called(t, desk.ReviewAppeal, &portalv1.ReviewAppealRequest{AppealId: appealID})
	if d := reviewed.GetData(); d.GetStatus() != "in_review" || d.GetPaymentStatus() != "appeal" ||
		d.GetFileType() != "application/pdf" {
		t.Errorf("in review: %v", d)
	}
	why := "the bank confirms"
	resolved := called(t, desk.ResolveAppeal,
		&portalv1.ResolveAppealRequest{AppealId: appealID, Outcome: "completed", Reason: &why})
	if d := resolved.GetData(); d.GetStatus() != "completed" || d.GetPaymentStatus() != "completed" ||
		d.GetOrderId() != orderID ||
		d.GetAmount() != "1500.00" {
		t.Errorf("resolved: %v", d)
	}
	var told []string
	for _, e := range s.await(t, orderID, 3) {
		told = append(told, fmt.Sprint(e.Meta.Sequence, " ", e.Data.Status))
	}
	slices.Sort(told)
	if !slices.Equal(told, []string{"1 FAILED", "2 APPEAL", "3 COMPLETED"}) {
		t.Errorf("told %v", told)
	}
	g.moved(t, id, "cashbox available 15.51791025", "platform available 0.45506272", "trader available -15.97297297",
		"trader reserved 0.00000000")
}

// checkDownload wants the file handed over to be kept: never shown as a page.
func (g *instance) checkDownload(t *testing.T, appealID, disposition string) {
	t.Helper()
	address := g.BaseURL + "/api/operator/appeals/" + appealID + "/file"
	got := fetched(t, "GET", address, "", bearer(g.user(t, "operator").Token))
	if got.status != 200 || got.raw != pdf {
		t.Errorf("download: %s", got)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/pdf", "Content-Disposition": disposition, "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Content-Length": "9",
	} {
		testenv.Want(t, got.header.Get(name), want, "%s", name)
	}
}

// What is handed to an operator is named by what it is, whatever its sender called it, and is no
// page of ours.
func TestAppealFileIsNamedByItsType(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const page = pdf + "<script>alert(document.cookie)</script>"
	opened := g.appeal(t, g.first(), g.failed(t, nil), "x", "proof:fdp.hta", page).must(t, "", 201)
	got := fetched(t, "GET", g.BaseURL+"/api/operator/appeals/"+opened.text("data.id")+"/file", "",
		bearer(g.user(t, "operator").Token))
	if got.raw != page || got.header.Get("Content-Disposition") != "attachment; filename=proof_fdp.hta.pdf" ||
		got.header.Get("Content-Type") != "application/pdf" || got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", got.header)
	}
	file := called(t, g.operator(t).GetAppealFile,
		&portalv1.GetAppealFileRequest{AppealId: number(opened.text("data.id"))})
	if file.GetFileName() != "proof_fdp.hta.pdf" || file.GetFileType() != "application/pdf" {
		t.Errorf("Connect: %s, %s", file.GetFileName(), file.GetFileType())
	}
	list := called(t, g.operator(t).ListAppeals, &portalv1.ListAppealsRequest{})
	for _, a := range list.GetData() {
		if strings.Contains(a.GetFileName(), "\u202e") {
			t.Errorf("listed as %q", a.GetFileName())
		}
	}
}

// Of twenty posts at once one opens the appeal.
func TestAppealsAtOnce(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	id := g.failed(t, nil)
	answers := make([]answer, 20)
	var posts sync.WaitGroup
	for i := range answers {
		posts.Go(func() { answers[i] = g.appeal(t, g.first(), id, "x", "a.pdf", pdf+strings.Repeat("x", 400<<10)) })
	}
	posts.Wait()
	opened := 0
	for _, got := range answers {
		switch {
		case got.status == 201:
			opened++
		case got.status != 409 || got.text("code") != "appeal_already_exists":
			t.Error(got)
		}
	}
	if opened != 1 || g.count(t, "select count(*) from appeal where payment_id = $1::text::bigint", id) != 1 {
		t.Errorf("%d opened", opened)
	}
}

// What is at the limits is taken: the largest body, the longest texts, names like paths, parts
// nobody knows.
func TestAppealsAtTheLimits(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	room := uploadLimit - len(form(reasonPart("x"), filePart("a.pdf", "")))
	large := pdf + strings.Repeat("\x00", room-len(pdf))
	for name, test := range map[string]struct{ reason, fileName, content string }{
		"the largest body": {"x", "a.pdf", large},
		"the longest text": {strings.Repeat("ж", 2000), strings.Repeat("ж", 255), pdf},
		"like a path":      {"x", "../../../../etc/passwd", pdf},
		"one of Windows":   {"x", `C:\temp\a.pdf`, pdf},
		"lines":            {"a\r\nb\n\nc", "a b;c=d&e.pdf", pdf},
	} {
		got := g.appeal(t, box, g.failed(t, nil), test.reason, test.fileName, test.content)
		if got.status != 201 || got.at("data.reason") != test.reason || got.at("data.fileName") != test.fileName {
			t.Errorf("%s: %.300s", name, got)
		}
	}
	// In any order, among others.
	body := form([2]string{`name="note"`, "y"}, filePart("a.pdf", pdf),
		[2]string{`name="other"; filename="o.exe"`, "MZ"}, reasonPart("x"))
	send(t, "POST", g.appealURL(g.failed(t, nil)), body,
		appealHeaders(box, "x", "a.pdf", len(pdf))).want(t, "among others", 201)
	for codec, options := range codecs {
		reason, name := "x", "a.pdf"
		id := number(g.failed(t, nil))
		made, err := g.merchantClient(box, options...).CreateAppeal(t.Context(), signedAppeal(box,
			&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: []byte(pdf)}))
		noError(t, err)
		if d := made.Msg.GetData(); d.GetPaymentId() != id || d.GetStatus() != "open" || d.GetFileSize() != 9 ||
			made.Msg.GetMessage() != "Appeal created" {
			t.Errorf("%s: %v", codec, made.Msg)
		}
	}
}

// What sign prints for an appeal lets it in.
func TestSignAppeal(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	file := filepath.Join(t.TempDir(), "receipt.pdf")
	noError(t, os.WriteFile(file, []byte(pdf), 0o600))
	out, _, err := command(t, "", map[string]string{"GATEWAY_MERCHANT_SECRET": g.first().Secret},
		"sign", "-key-id", g.first().KeyID, "-appeal-reason", "x", "-appeal-file", file)
	noError(t, err)
	headers := header{"Content-Type": formType}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		headers[name] = value
	}
	send(t, "POST", g.appealURL(g.failed(t, nil)), form(reasonPart("x"), filePart("receipt.pdf", pdf)),
		headers).want(t, "", 201)
}
