package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway/internal/sandbox"
	gatewayv1 "gateway/rpc/gen/gateway/v1"
	portalv1 "gateway/rpc/gen/portal/v1"
	"gateway/rpc/sign"
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
	if got := g.callback(t, id, `{"status":"failed"}`); got.status != 200 {
		t.Fatal(got)
	}
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
	opened := g.appeal(t, g.first(), id, reason, name, pdf)
	if opened.status != 201 || opened.text("data.paymentId") != id {
		t.Fatal(opened)
	}
	g.golden(t, "appeal", opened, orderID)
	if again := g.appeal(t, g.first(), id, reason, name, pdf); again.status != 409 || again.text("code") != "appeal_already_exists" {
		t.Errorf("again: %s", again)
	}
	read := send(t, "GET", g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
	if read.text("data.status") != "failed" {
		t.Errorf("the payment is %s", read.text("data.status"))
	}
	g.checkDownload(t, opened.text("data.id"), `attachment; filename*=utf-8''.._%D1%87%D0%B5%D0%BA%20%E2%84%961%20%22%D0%BA%D0%BE%D0%BF%D0%B8%D1%8F%22.pdf`)

	desk, appealID := g.operator(t), number(opened.text("data.id"))
	reviewed, err := desk.ReviewAppeal(t.Context(), connect.NewRequest(&portalv1.ReviewAppealRequest{AppealId: appealID}))
	noError(t, err)
	if d := reviewed.Msg.GetData(); d.GetStatus() != "in_review" || d.GetPaymentStatus() != "appeal" || d.GetFileType() != "application/pdf" {
		t.Errorf("in review: %v", d)
	}
	why := "the bank confirms"
	resolved, err := desk.ResolveAppeal(t.Context(), connect.NewRequest(&portalv1.ResolveAppealRequest{AppealId: appealID, Outcome: "completed", Reason: &why}))
	noError(t, err)
	if d := resolved.Msg.GetData(); d.GetStatus() != "completed" || d.GetPaymentStatus() != "completed" || d.GetOrderId() != orderID || d.GetAmount() != "1500.00" {
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
	g.moved(t, id, "cashbox available 15.51791025", "platform available 0.45506272", "trader available -15.97297297", "trader reserved 0.00000000")
}

// checkDownload wants the file handed over to be kept: never shown as a page.
func (g *instance) checkDownload(t *testing.T, appealID, disposition string) {
	t.Helper()
	address := g.BaseURL + "/api/operator/appeals/" + appealID + "/file"
	got, err := trySend("GET", address, "", bearer(g.user(t, "operator").Token))
	noError(t, err)
	if got.status != 200 || got.raw != pdf {
		t.Errorf("download: %s", got)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/pdf", "Content-Disposition": disposition, "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store", "Content-Length": "9",
	} {
		if have := got.header.Get(name); have != want {
			t.Errorf("%s: %s; want %s", name, have, want)
		}
	}
	for name, test := range map[string]struct {
		address, token string
		status         int
		code           string
	}{
		"nobody":  {address, "", 401, "unauthenticated"},
		"trader":  {address, g.user(t, "trader-1").Token, 403, "token_kind_not_allowed"},
		"portal":  {address, g.user(t, "merchant").Token, 403, "token_kind_not_allowed"},
		"unknown": {g.BaseURL + "/api/operator/appeals/999999/file", g.user(t, "operator").Token, 404, "not_found"},
		"no id":   {g.BaseURL + "/api/operator/appeals/x/file", g.user(t, "operator").Token, 404, "not_found"},
	} {
		if got := send(t, "GET", test.address, "", bearer(test.token)); got.status != test.status || got.text("code") != test.code {
			t.Errorf("%s: %s", name, got)
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

// badForm is a body, what it is signed as, and the fields it must be refused for.
type badForm struct {
	body, reason, fileName string
	size                   int
	fields                 []string
}

// badForms are refused with 422 for exactly these fields.
func badForms() map[string]badForm {
	all := map[string]badForm{}
	// Whole forms, signed as they are.
	whole := func(name, reason, fileName, content string, fields ...string) {
		all[name] = badForm{form(reasonPart(reason), filePart(fileName, content)), reason, fileName, len(content), fields}
	}
	whole("empty reason", "", "a.pdf", pdf, "reason")
	whole("blank reason", " \r\n\t", "a.pdf", pdf, "reason")
	whole("long reason", strings.Repeat("ж", 2001), "a.pdf", pdf, "reason")
	whole("huge reason", strings.Repeat("x", 5<<20), "a.pdf", pdf, "reason")
	whole("no name", "x", "", pdf, "file")
	whole("long name", "x", strings.Repeat("ж", 256), pdf, "file")
	whole("huge name", "x", strings.Repeat("x", 1<<20), pdf, "file")
	whole("empty file", "x", "a.pdf", "", "file")
	whole("text", "x", "a.pdf", "Dear bank,", "file")
	whole("a page", "x", "a.pdf", "<!doctype html><script>alert(1)</script>", "file")
	whole("a program", "x", "a.png", "\x7fELF\x02\x01\x01\x00", "file")
	whole("all wrong", "", "", "x", "file", "reason")

	// Forms without the three parts that could be signed.
	reason, file := reasonPart("x"), filePart("a.pdf", pdf)
	for name, test := range map[string]struct {
		parts  [][2]string
		fields []string
	}{
		"no parts":             {nil, []string{"file", "reason"}},
		"no reason":            {[][2]string{file}, []string{"reason"}},
		"no file":              {[][2]string{reason}, []string{"file"}},
		"reason twice":         {[][2]string{reason, reason, file}, []string{"reason"}},
		"reason thrice":        {[][2]string{reason, reason, file, reason}, []string{"reason"}},
		"two files":            {[][2]string{reason, file, filePart("b.pdf", pdf)}, []string{"file"}},
		"both twice":           {[][2]string{reason, file, file, reason}, []string{"file", "reason"}},
		"reason of no text":    {[][2]string{reasonPart("a\xff"), file}, []string{"reason"}},
		"NUL in the reason":    {[][2]string{reasonPart("a\x00b"), file}, []string{"reason"}},
		"surrogate in it":      {[][2]string{reasonPart("\xed\xa0\x80"), file}, []string{"reason"}},
		"file as text":         {[][2]string{reason, {`name="file"`, pdf}}, []string{"file"}},
		"name of no text":      {[][2]string{reason, filePart("a\xff.pdf", pdf)}, []string{"file"}},
		"NUL in the name":      {[][2]string{reason, {`name="file"; filename*=utf-8''a%00b.pdf`, pdf}}, []string{"file"}},
		"names in other case":  {[][2]string{{`name="Reason"`, "x"}, {`name="FILE"; filename="a.pdf"`, pdf}}, []string{"file", "reason"}},
		"parts without a name": {[][2]string{{`filename="a.pdf"`, pdf}, {"x", "y"}}, []string{"file", "reason"}},
		"the name as a part":   {[][2]string{reason, {`name="fileName"`, "a.pdf"}, {`name="file"`, pdf}}, []string{"file"}},
	} {
		all[name] = badForm{form(test.parts...), "x", "a.pdf", len(pdf), test.fields}
	}
	twoLines := form(reason, [2]string{`name="file"; filename*=utf-8''a%0Ab.pdf`, pdf})
	all["name of two lines"] = badForm{twoLines, "x", "a\nb.pdf", len(pdf), []string{"file"}}

	// Bodies without a part, and broken ones.
	valid := form(reason, file)
	for name, body := range map[string]string{
		"nothing": "", "JSON": `{"reason":"x"}`, "another boundary": strings.ReplaceAll(valid, "--b", "--c"),
		"bytes": strings.Repeat("\x00\xff", 1000), "one line": "--b",
	} {
		all[name] = badForm{body, "x", "a.pdf", len(pdf), []string{"file", "reason"}}
	}
	for name, body := range map[string]string{
		"no end": strings.TrimSuffix(valid, "--b--\r\n"), "cut in the file": valid[:len(valid)-12], "no header": "--b\r\nx\r\n--b--\r\n",
		"many parts": form(slices.Repeat([][2]string{{`name="x"`, ""}}, 5000)...),
	} {
		all[name] = badForm{body, "x", "a.pdf", len(pdf), []string{"body"}}
	}
	return all
}

// Every bad appeal is a 4xx that names what is wrong, and changes nothing.
func TestBadAppeals(t *testing.T) {
	t.Parallel()
	g := newSandbox(t, t.TempDir(), newDatabase(t))
	box, id := g.first(), g.failed(t, nil)
	rows := func() string {
		return g.texts(t, `select (select count(*) from appeal) || ' ' || (select count(*) from appeal_chunk) || ' ' ||
			(select count(*) from webhook_event) || ' ' || (select string_agg(status, ',' order by id) from payment)`)[0]
	}
	before := rows()
	for name, b := range badForms() {
		checkInvalid(t, name, send(t, "POST", g.appealURL(id), b.body, appealHeaders(box, b.reason, b.fileName, b.size)), b.fields)
	}
	t.Run("signatures", func(t *testing.T) { badAppealSignatures(t, g, id) })
	t.Run("callers", func(t *testing.T) { badAppealCallers(t, g, id) })
	t.Run("Connect", func(t *testing.T) { badAppealsByConnect(t, g, number(id)) })
	t.Run("too large", func(t *testing.T) { tooLargeAppeals(t, g, id) })
	if after := rows(); after != before {
		t.Errorf("before: %s; after: %s", before, after)
	}
	// The window is one of the test clock's time.
	g.advance(t, 24*time.Hour+time.Second)
	if got := g.appeal(t, box, id, "x", "a.pdf", pdf); got.status != 422 || got.text("code") != "appeal_window_closed" {
		t.Errorf("a day later: %s", got)
	}
}

// badAppealSignatures sign other lines than those that are sent.
func badAppealSignatures(t *testing.T, g *instance, id string) {
	box, body := g.first(), form(reasonPart("x"), filePart("a.pdf", pdf))
	for name, text := range map[string]string{
		"reason": "appeal-v1\ny\na.pdf\n9", "name": "appeal-v1\nx\nb.pdf\n9", "size": "appeal-v1\nx\na.pdf\n10", "order": "appeal-v1\na.pdf\nx\n9",
		"LF at the end": "appeal-v1\nx\na.pdf\n9\n", "CRLF": "appeal-v1\r\nx\r\na.pdf\r\n9", "version": "appeal-v2\nx\na.pdf\n9",
		"three lines": "x\na.pdf\n9", "the body": body, "nothing": "", "padded size": "appeal-v1\nx\na.pdf\n09",
	} {
		headers := with(appealHeaders(box, "x", "a.pdf", len(pdf)), "Signature", sign.Signature(box.Secret, []byte(text)))
		if got := send(t, "POST", g.appealURL(id), body, headers); got.status != 403 || got.text("code") != "invalid_signature" {
			t.Errorf("%s: %s", name, got)
		}
	}
	other := g.box(t, "sandbox-second-rub")
	headers := with(appealHeaders(box, "x", "a.pdf", len(pdf)), "Signature", appealHeaders(other, "x", "a.pdf", len(pdf))["Signature"])
	if got := send(t, "POST", g.appealURL(id), body, headers); got.status != 403 || got.text("code") != "invalid_signature" {
		t.Errorf("another's secret: %s", got)
	}
}

// badAppealCallers are refused before anything is said of the form, which is none.
func badAppealCallers(t *testing.T, g *instance, id string) {
	box := g.first()
	good := appealHeaders(box, "", "", 0)
	legacy := func(keyID string) header {
		for _, key := range g.LegacyKeys {
			if key.KeyID == keyID {
				return appealHeaders(sandbox.Cashbox{KeyID: key.KeyID, Secret: key.Secret}, "", "", 0)
			}
		}
		t.Fatalf("no key %s", keyID)
		return nil
	}
	g.exec(t, "update api_key set scopes = '{deposits,payouts}' where key_id = 'sandbox-try'")
	for name, test := range map[string]struct {
		id      string
		headers header
		status  int
		code    string
	}{
		"nobody":           {id, nil, 401, "signature_required"},
		"a token":          {id, bearer(g.user(t, "operator").Token), 401, "signature_required"},
		"no signature":     {id, with(good, "Signature", ""), 401, "signature_required"},
		"no key id":        {id, with(good, "X-Merchant-Key-Id", ""), 403, "merchant_key_id_required"},
		"no secret":        {id, with(good, "X-Merchant-Secret", ""), 403, "merchant_secret_required"},
		"unknown key":      {id, with(good, "X-Merchant-Key-Id", "nobody"), 403, "invalid_signature"},
		"wrong secret":     {id, with(good, "X-Merchant-Secret", "wrong"), 403, "invalid_signature"},
		"no merchant":      {id, legacy("sandbox-without-merchant"), 403, "merchant_binding_required"},
		"no scope":         {id, appealHeaders(g.box(t, "sandbox-try"), "", "", 0), 403, "merchant_scope_required"},
		"another merchant": {id, legacy("sandbox-legacy"), 403, "cashbox_access_denied"},
		"unknown payment":  {"999999", good, 404, "not_found"},
		"no id":            {"abc", good, 404, "not_found"},
		"another's uuid":   {"01890a5d-ac96-774b-bcce-b302099a8057", good, 404, "not_found"},
		"zero":             {"0", good, 404, "not_found"},
		"JSON":             {id, with(good, "Content-Type", "application/json"), 415, "unsupported_media_type"},
		"URL-encoded":      {id, with(good, "Content-Type", "application/x-www-form-urlencoded"), 415, "unsupported_media_type"},
		"another type":     {id, with(good, "Content-Type", "multipart/mixed; boundary=b"), 415, "unsupported_media_type"},
		"no boundary":      {id, with(good, "Content-Type", "multipart/form-data"), 422, "validation_failed"},
		"compressed":       {id, with(good, "Content-Encoding", "gzip"), 415, "unsupported_media_type"},
	} {
		if got := send(t, "POST", g.appealURL(test.id), "--b--\r\n", test.headers); got.status != test.status || got.text("code") != test.code {
			t.Errorf("%s: %s; want %d %s", name, got, test.status, test.code)
		}
	}
	for _, enabled := range []bool{false, true} {
		g.exec(t, "update merchant set api_enabled = $1 where id = 1", enabled)
		// Every replica knows within a second.
		noError(t, waitFor(patience, func() error {
			got := send(t, "POST", g.appealURL(id), "--b--\r\n", good)
			if off := got.status == 403 && got.text("code") == "merchant_api_disabled"; off == enabled {
				return fmt.Errorf("API enabled %t: %s", enabled, got)
			}
			return nil
		}))
	}
}

// signedAppeal is an appeal over Connect, signed as another would be.
func signedAppeal(box sandbox.Cashbox, m *gatewayv1.CreateAppealRequest) *connect.Request[gatewayv1.CreateAppealRequest] {
	request := connect.NewRequest(m)
	request.Header().Set("Signature", sign.AppealSignature(box.Secret, m.GetReason(), m.GetFileName(), int64(len(m.GetFile()))))
	return request
}

func badAppealsByConnect(t *testing.T, g *instance, id int64) {
	box := g.first()
	reason, name, long, nul := "x", "a.pdf", strings.Repeat("ж", 2001), "a\x00b"
	for codec, options := range codecs {
		merchant := g.merchantClient(box, options...)
		for label, test := range map[string]struct {
			ask    *gatewayv1.CreateAppealRequest
			code   connect.Code
			why    string
			fields []string
		}{
			"nothing":   {&gatewayv1.CreateAppealRequest{PaymentId: id}, connect.CodeInvalidArgument, "validation_failed", []string{"file", "reason"}},
			"no name":   {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, File: []byte(pdf)}, connect.CodeInvalidArgument, "validation_failed", []string{"file"}},
			"long":      {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &long, FileName: &name, File: []byte("x")}, connect.CodeInvalidArgument, "validation_failed", []string{"file", "reason"}},
			"NUL":       {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &nul, FileName: &name, File: []byte(pdf)}, connect.CodeInvalidArgument, "validation_failed", []string{"reason"}},
			"unknown":   {&gatewayv1.CreateAppealRequest{PaymentId: 1 << 40, Reason: &reason, FileName: &name, File: []byte(pdf)}, connect.CodeNotFound, "not_found", nil},
			"too large": {&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: make([]byte, uploadLimit)}, connect.CodeResourceExhausted, "body_too_large", nil},
		} {
			_, err := merchant.CreateAppeal(t.Context(), signedAppeal(box, test.ask))
			if code, why, fields := connectFault(t, err); code != test.code || why != test.why || !slices.Equal(fields, test.fields) {
				t.Errorf("%s, %s: %s %s %v", codec, label, code, why, fields)
			}
		}
		// Without a signature of its own the client signs the body, which is not what an appeal's covers.
		_, err := merchant.CreateAppeal(t.Context(), connect.NewRequest(
			&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: []byte(pdf)}))
		if code, why, _ := connectFault(t, err); code != connect.CodePermissionDenied || why != "invalid_signature" {
			t.Errorf("%s, signed by its bytes: %s %s", codec, code, why)
		}
	}
}

// tooLargeAppeals come from a client that sends all before it reads: it gets its answer, not a reset.
func tooLargeAppeals(t *testing.T, g *instance, id string) {
	good := appealHeaders(g.first(), "x", "a.pdf", len(pdf))
	for name, test := range map[string]struct {
		size    int
		headers header
		status  string
		code    string
	}{
		"one byte over":       {uploadLimit + 1, good, "413", "body_too_large"},
		"three times as much": {3 * uploadLimit, good, "413", "body_too_large"},
		"by a stranger":       {3 * uploadLimit, with(good, "X-Merchant-Secret", "wrong"), "403", "invalid_signature"},
		"unsigned":            {3 * uploadLimit, with(good, "Signature", ""), "401", "signature_required"},
	} {
		got, err := writeAll(g.appealURL(id), test.headers, test.size, test.size)
		if err != nil || !strings.HasPrefix(got, "HTTP/1.1 "+test.status) || !strings.Contains(got, `"`+test.code+`"`) {
			t.Errorf("%s: %.300s, %v", name, got, err)
		}
	}
	// Key and secret are checked before the body is read: the answer does not wait for a body that never comes.
	got, err := writeAll(g.appealURL(id), with(good, "X-Merchant-Secret", "wrong"), uploadLimit, 0)
	if err != nil || !strings.HasPrefix(got, "HTTP/1.1 403") {
		t.Errorf("no body: %.300s, %v", got, err)
	}
}

// writeAll writes a request of a length, as much of its body as is sent, and only then reads what is answered.
func writeAll(address string, headers header, length, sent int) (string, error) {
	target, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	connection, err := net.Dial("tcp", target.Host)
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	w := bufio.NewWriter(connection)
	_, _ = fmt.Fprintf(w, "POST %s HTTP/1.1\r\nHost: gateway\r\nContent-Length: %d\r\n", target.Path, length)
	for name, value := range headers {
		if value != "" {
			_, _ = fmt.Fprintf(w, "%s: %s\r\n", name, value)
		}
	}
	_, _ = w.WriteString("\r\n")
	_, err = io.CopyN(w, zeros{}, int64(sent))
	if err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	if err := w.Flush(); err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprintf("HTTP/1.1 %s %s", response.Status, body), err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// What is at the limits is taken: the largest body, the longest texts, names like paths, parts nobody knows.
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
	body := form([2]string{`name="note"`, "y"}, filePart("a.pdf", pdf), [2]string{`name="other"; filename="o.exe"`, "MZ"}, reasonPart("x"))
	if got := send(t, "POST", g.appealURL(g.failed(t, nil)), body, appealHeaders(box, "x", "a.pdf", len(pdf))); got.status != 201 {
		t.Errorf("among others: %s", got)
	}
	for codec, options := range codecs {
		reason, name := "x", "a.pdf"
		id := number(g.failed(t, nil))
		made, err := g.merchantClient(box, options...).CreateAppeal(t.Context(), signedAppeal(box,
			&gatewayv1.CreateAppealRequest{PaymentId: id, Reason: &reason, FileName: &name, File: []byte(pdf)}))
		noError(t, err)
		if d := made.Msg.GetData(); d.GetPaymentId() != id || d.GetStatus() != "open" || d.GetFileSize() != 9 || made.Msg.GetMessage() != "Appeal created" {
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
	if got := send(t, "POST", g.appealURL(g.failed(t, nil)), form(reasonPart("x"), filePart("receipt.pdf", pdf)), headers); got.status != 201 {
		t.Error(got)
	}
	if _, _, err := command(t, "", map[string]string{"GATEWAY_MERCHANT_SECRET": "s"}, "sign", "-key-id", "k", "-appeal-file", file+"x"); err == nil {
		t.Error("signed a file that is not there")
	}
}
