package rest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

func (s *stub) CreateAppeal(
	ctx context.Context, req *gatewayv1.CreateAppealRequest,
) (*gatewayv1.CreateAppealResponse, error) {
	if file := edge.FileFrom(ctx); file != nil { // which the message itself is without
		req.File, _ = io.ReadAll(file)
	}
	return &gatewayv1.CreateAppealResponse{Message: "Appeal created"}, s.note(ctx, req)
}

func formRequest(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/payments/42/appeal", strings.NewReader(body))
	r.Header.Set("Content-Type", `multipart/form-data; boundary="a b"`)
	return r
}

func part(header, content string) string { return "--a b\r\n" + header + "\r\n\r\n" + content + "\r\n" }

const formEnd = "--a b--\r\n"

// What the parts say, byte by byte: names are not cut at slashes, contents not
// decoded.
func TestForm(t *testing.T) {
	t.Parallel()
	for sent, name := range map[string]string{
		`filename="a.pdf"`: "a.pdf", `filename=a.pdf`: "a.pdf", `filename="../b/a.pdf"`: "../b/a.pdf", `filename="C:\b\a.pdf"`: `C:\b\a.pdf`,
		`filename="a \"b\".pdf"`: `a "b".pdf`, `filename="чек.pdf"`: "чек.pdf", `filename="%22.pdf"`: "%22.pdf",
		`filename*=utf-8''%D1%87.pdf`: "ч.pdf", `FileName="a.pdf"`: "a.pdf", `filename=" a "`: " a ",
	} {
		s := &stub{}
		w := exchange(
			s,
			open,
			formRequest(part(`content-disposition: form-data; name="file"; `+sent, "\x00\xff\r\n--x\r\n")+
				part("Content-Disposition: form-data; name=reason\r\nContent-Transfer-Encoding: quoted-printable",
					"a=20b")+formEnd),
		)
		checkAnswer(t, sent, w, http.StatusCreated, `{"message":"Appeal created","data":null}`)
		reason := "a=20b"
		want := &gatewayv1.CreateAppealRequest{PaymentId: 42, Reason: &reason, FileName: &name, File: []byte("\x00\xff\r\n--x\r\n")}
		testenv.Check(t, proto.Equal(s.asked, want), "%s: asked %v; want %v", sent, s.asked, want)
	}
}

// A part that is wrong stays unset, so that nothing half right is signed or
// used.
func TestFormWithWrongParts(t *testing.T) {
	t.Parallel()
	good := part(`Content-Disposition: form-data; name="reason"`, "x") + part(
		`Content-Disposition: form-data; name="file"; filename="a"`, "y")
	for name, body := range map[string]string{
		"twice": good + good + good + formEnd, "cut short": good,
		"long text":   part(`Content-Disposition: form-data; name="reason"`, strings.Repeat("x", maxFormText+1)) + formEnd,
		"long header": part(`Content-Disposition: form-data; name="file"; filename="`+strings.Repeat("x", maxHeader)+`"`, "y") + formEnd,
	} {
		s := &stub{}
		w := exchange(s, open, formRequest(body))
		testenv.Check(t, w.Code == http.StatusUnprocessableEntity && proto.Equal(s.asked, &gatewayv1.CreateAppealRequest{PaymentId: 42}),
			"%s: %d %s, asked %v", name, w.Code, w.Body, s.asked)
	}
}

func TestFormTooLarge(t *testing.T) {
	t.Parallel()
	want := errorJSON("body_too_large", "The body must be at most 10485760 bytes.")
	checkAnswer(t, "a form, and more",
		exchange(&stub{}, open, formRequest(formEnd+strings.Repeat("x", edge.MaxUpload))),
		http.StatusRequestEntityTooLarge, want)
	checkAnswer(t, "one past", exchange(&stub{}, open, formRequest(strings.Repeat("x", edge.MaxUpload+1))),
		http.StatusRequestEntityTooLarge, want)
}

// A download's name is a name wherever it is kept, whatever the one who sent
// the file called it.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.pdf": "attachment; filename=a.pdf", "a b.pdf": `attachment; filename="a b.pdf"`, `a".pdf`: `attachment; filename="a\".pdf"`,
		"../../etc/passwd": "attachment; filename=.._.._etc_passwd", `C:\a.pdf`: "attachment; filename=\"C:_a.pdf\"",
		"a\r\nX-Evil: 1": "attachment; filename*=utf-8''a%0D%0AX-Evil%3A%201", "чек": "attachment; filename*=utf-8''%D1%87%D0%B5%D0%BA",
	} {
		w := httptest.NewRecorder()
		writeFile(w, http.StatusOK, name, "application/pdf", []byte("content"))
		got := w.Header().Get("Content-Disposition")
		testenv.Check(t, got == want && w.Header().Get("X-Content-Type-Options") == "nosniff" &&
			w.Header().Get("Content-Type") == "application/pdf" && w.Body.String() == "content",
			"%q: %s; want %s", name, got, want)
	}
}

// Whatever is sent, a form is read without a panic, and a field it sets came
// from a part of its own.
func FuzzForm(f *testing.F) {
	good := part(`Content-Disposition: form-data; name="reason"`, "x") + part(
		`Content-Disposition: form-data; name="file"; filename="a"`, "y")
	for _, seed := range []string{"", good + formEnd, good, good + good + formEnd, strings.ReplaceAll(good, "\r", "") + formEnd, "--a b--"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		msg := &gatewayv1.CreateAppealRequest{}
		read := testenv.Must(readForm(formRequest(string(body)), newSchema(msg.ProtoReflect().Descriptor()), msg.ProtoReflect()))(t)
		found := read.found
		if read.file != nil {
			msg.File = testenv.Must(io.ReadAll(read.file.Content()))(t)
			read.file.Close()
		}
		testenv.Check(t, (msg.File == nil) == (msg.FileName == nil) && (!found.Wrong("reason") || msg.Reason == nil) &&
			(!found.Wrong("file") || msg.File == nil) &&
			(!found.Wrong("body") || msg.Reason == nil && msg.File == nil), "read %v with %v", msg, found)
		testenv.Check(t, (msg.Reason == nil || strings.Contains(string(body), *msg.Reason)) &&
			(msg.File == nil || strings.Contains(string(body), string(msg.File))), "made up %v", msg)
	})
}
