package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
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

// An appeal from its opening to its end: the file, which is kept and never shown as a page, the webhooks, the money.
func TestAppeal(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	orderID, why := newOrder(), "the bank confirms"
	id := g.failed(t, object{"orderId": orderID, "callbackUri": s.URL})
	opened := g.appeal(t, g.first(), id, "x", `../чек №1 "копия".hta`, pdf).must(t, "", 201, "data.paymentId", id)
	file := fetched(t, "GET", g.BaseURL+"/api/operator/appeals/"+opened.text("data.id")+"/file", "",
		bearer(g.user(t, "operator").Token))
	testenv.Want(t, file.raw, pdf, "the file")
	for name, want := range map[string]string{
		"Content-Disposition": `attachment; filename*=utf-8''.._%D1%87%D0%B5%D0%BA%20%E2%84%961%20%22%D0%BA%D0%BE%D0%BF%D0%B8%D1%8F%22.hta.pdf`,
		"Content-Type":        "application/pdf", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
	} {
		testenv.Want(t, file.header.Get(name), want, "%s", name)
	}
	desk, appealID := g.operator(t), number(opened.text("data.id"))
	reviewed := called(t, desk.ReviewAppeal, &portalv1.ReviewAppealRequest{AppealId: appealID}).GetData()
	resolved := called(t, desk.ResolveAppeal,
		&portalv1.ResolveAppealRequest{AppealId: appealID, Outcome: "completed", Reason: &why}).GetData()
	if reviewed.GetStatus() != "in_review" || reviewed.GetPaymentStatus() != "appeal" ||
		resolved.GetStatus() != "completed" || resolved.GetPaymentStatus() != "completed" || resolved.GetOrderId() != orderID {
		t.Errorf("in review: %v; resolved: %v", reviewed, resolved)
	}
	var told []string
	for _, e := range s.await(t, orderID, 3) {
		told = append(told, e.text("meta.sequence")+" "+e.text("data.status"))
	}
	slices.Sort(told)
	testenv.Want(t, strings.Join(told, ", "), "1 FAILED, 2 APPEAL, 3 COMPLETED", "told")
	g.moved(t, id, "cashbox available 15.51791025", "platform available 0.45506272", "trader available -15.97297297",
		"trader reserved 0.00000000")
}
