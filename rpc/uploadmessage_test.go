package rpc

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"gateway.example/internal/edge"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// arrived is what a handler behind takeMessage gets of a body.
func arrived(t *testing.T, media string, body []byte) (*gatewayv1.CreateAppealRequest, *httptest.ResponseRecorder) {
	t.Helper()
	var got *gatewayv1.CreateAppealRequest
	handler := takeMessage(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		testenv.Check(t, err == nil && len(content) <= edge.MaxBody, "a rest of %d bytes, %v", len(content), err)
		m := &gatewayv1.CreateAppealRequest{}
		if decode(m.ProtoReflect(), media == mediaJSON, content) != nil {
			return
		}
		if file := UploadedFile(r.Context(), m.File); file != nil {
			m.File, err = io.ReadAll(file)
			testenv.Check(t, err == nil, "%v", err)
			if m.File == nil {
				m.File = []byte{}
			}
		}
		got = m
	}))
	r := httptest.NewRequest(http.MethodPost, "/gateway.v1.PaymentService/CreateAppeal", bytes.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return got, w
}

// files are contents of every length that base64 treats otherwise, and some
// that make both of its alphabets' last letters.
func files() [][]byte {
	all := [][]byte{nil, {}, bytes.Repeat([]byte{0xff, 0xfb, 0xef}, 50_000)}
	for size := 1; size < 12; size++ {
		all = append(all, bytes.Repeat([]byte{0xfb}, size))
	}
	return all
}

// The file of every upload is where it is looked for: elsewhere a large one
// would be refused.
func TestUploadsHaveTheirFile(t *testing.T) {
	t.Parallel()
	for procedure := range uploads {
		name := protoreflect.FullName(strings.ReplaceAll(procedure[1:], "/", "."))
		method := testenv.Must(protoregistry.GlobalFiles.FindDescriptorByName(name))(t).(protoreflect.MethodDescriptor)
		field := method.Input().Fields().ByName(fileField)
		testenv.Check(t, field != nil && field.Number() == fileNumber && field.Kind() == protoreflect.BytesKind, "%s: %v", name, field)
	}
}

// A message comes to its handler as it was sent, however it was written.
func TestTakeMessage(t *testing.T) {
	t.Parallel()
	reason, name := `"file":"x", {[\`, `"file"`
	for _, file := range files() {
		sent := &gatewayv1.CreateAppealRequest{PaymentId: 42, Reason: &reason, FileName: &name, File: file}
		asProto := testenv.Must(proto.Marshal(sent))(t)
		asJSON := testenv.Must(protojson.Marshal(sent))(t)
		spellings := map[string]string{"JSON": string(asJSON)}
		if file != nil {
			for form, coding := range map[string]*base64.Encoding{
				"unpadded": base64.RawStdEncoding, "of URLs": base64.URLEncoding, "of URLs, unpadded": base64.RawURLEncoding, "plain": base64.StdEncoding,
			} {
				text := strings.ReplaceAll(coding.EncodeToString(file), "/", `\/`)
				spellings[form] = fmt.Sprintf(`{"reason":%q, "file" : "%s", "paymentId":"42","fileName":%q}`, reason,
					text, name)
			}
		}
		for form, body := range spellings {
			got, w := arrived(t, mediaJSON, []byte(body))
			testenv.Check(t, proto.Equal(got, sent), "%s of %d bytes: %.100v, %s", form, len(file), got, w.Body)
		}
		got, w := arrived(t, mediaProto, asProto)
		testenv.Check(t, proto.Equal(got, sent), "binary of %d bytes: %.100v, %s", len(file), got, w.Body)
	}
	got, _ := arrived(t, mediaJSON, []byte(`{"\u0066ile":"eHk="}`))
	testenv.Check(t, string(got.GetFile()) == "xy", "spelled by escapes: %v", got)
}

// What is no such message is refused, or left to the decoder, which refuses it;
// the reader goes on to its end either way.
func TestTakeMessageRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", edge.MaxBody)
	for name, test := range map[string]struct{ media, body, field string }{
		"no base64":        {mediaJSON, `{"file":"eHk=!"}`, "file"},
		"half":             {mediaJSON, `{"file":"eHk=e"}`, "file"},
		"a letter":         {mediaJSON, `{"file":"e"}`, "file"},
		"lines":            {mediaJSON, "{\"file\":\"eH\nk=\"}", "file"},
		"an escape":        {mediaJSON, `{"file":"eH\u006b="}`, "file"},
		"a long reason":    {mediaJSON, `{"reason":"` + long + `","file":"eHk="}`, "body"},
		"a long proto":     {mediaProto, "\x12\x80\x80\x04" + long, "body"},
		"no end":           {mediaJSON, `{"file":"` + long, "body"},
		"a list":           {mediaJSON, `["file","` + long + `"]`, "body"},
		"another's member": {mediaJSON, `{"x":{"file":"` + long + `"}}`, "body"},
	} {
		got, w := arrived(t, test.media, []byte(test.body))
		testenv.Check(t, got == nil && strings.Contains(w.Body.String(), `"`+test.field+`":{"messages"`),
			"%s: %.100v, %s", name, got, w.Body)
	}
	for name, test := range map[string]struct{ media, body string }{
		"broken off": {mediaJSON, `{"file":"eHk="`}, "half a name": {mediaJSON, `{"fi`}, "empty": {mediaJSON, ""}, "a number": {mediaJSON, `{"file":12}`},
		"broken proto": {mediaProto, "\x22\x05x"}, "a group": {mediaProto, "\x23"}, "a cut number": {mediaProto, "\xff"},
	} {
		got, _ := arrived(t, test.media, []byte(test.body))
		testenv.Check(t, got == nil, "%s: %v", name, got)
	}
	_, w := arrived(t, mediaJSON,
		make([]byte, edge.MaxUpload+1))
	testenv.Check(t, strings.Contains(w.Body.String(), "body_too_large"), "too large: %s", w.Body)
}

func FuzzTakeMessage(f *testing.F) {
	for _, seed := range []string{`{"file":"eHk="}`, `{"a":[{"file":1}],"file":"\/\/"}`, "\x08\x01\x22\x02xy", "\x23\x22\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, media := range []string{mediaJSON, mediaProto} {
			direct := &gatewayv1.CreateAppealRequest{}
			readable := len(decode(direct.ProtoReflect(), media == mediaJSON, []byte(body))) == 0
			got, _ := arrived(t, media, []byte(body))
			testenv.Check(t, got == nil || !readable || len(got.GetFile()) == 0 || len(direct.GetFile()) != 0,
				"%s %q: made up a file", media, body)
		}
	})
}
