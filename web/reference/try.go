package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/internal/signature"
)

// Sandbox has the keys with which calls are tried. Its secrets are never
// shown.
type Sandbox struct {
	// Keys are the keys of the sandbox's cashboxes, and Secret is the
	// application's.
	Keys   []Key
	Secret string
}

// Key is a key of a merchant in the sandbox.
type Key struct{ ID, Secret, About string }

// Form is the form to try a call.
type Form struct {
	// Keys are the keys to choose from; none if the call is not signed by
	// one.
	Keys   []Key
	KeyID  string
	Values map[string]string
	Body   string
}

// Result is a tried call: what was sent, what was signed, and the answer.
type Result struct {
	Request, Signed, Answer string
	Status                  int
	// IsSigned says that something was signed, if only the empty text.
	IsSigned bool
}

// form returns the initial form of a call; nil if it cannot be tried.
func (s *reference) form(call *Call) *Form {
	if s.Sandbox == nil || call.Proof == proofToken {
		return nil
	}
	form := &Form{Values: maps.Clone(call.examples), Body: call.Example}
	if call.Proof.byKey() {
		form.Keys = s.Sandbox.Keys
	}
	if call.Media == formMedia {
		form.Values["reason"] = "Paid at 12:00, see the receipt"
	}
	return form
}

// maxTried limits the size of a form with its body and other fields.
const maxTried = 12 << 20

// try makes the typed call in the sandbox's own API, and shows what was sent
// and the answer. It needs no script. A call that cannot be tried is not
// found.
func (s *reference) try(w http.ResponseWriter, r *http.Request) {
	call := s.calls[r.PathValue("name")]
	var form *Form
	if call != nil {
		form = s.form(call)
	}
	if form == nil {
		s.notFound(w, r)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxTried)
	//nolint:gosec // the body is bounded by the line before
	if err := r.ParseMultipartForm(maxTried); err != nil {
		s.show(w, r, http.StatusUnprocessableEntity, "The form could not be read", messagePage("Open the page and send it again."))
		return
	}
	for name := range call.places {
		form.Values[name] = r.PostFormValue("parameter." + name)
	}
	form.KeyID = r.PostFormValue("key")
	made, err := s.make(r, call, form)
	if err != nil {
		s.show(w, r, http.StatusUnprocessableEntity, "The call could not be made", messagePage(err.Error()))
		return
	}
	s.show(w, r, http.StatusOK, call.Summary, callPage(s.document.base(), call, form, made))
}

// sent is the request of a tried call.
type sent struct {
	path, media string
	body        []byte
	// signed is the signed content.
	signed []byte
	// shown is the body without secrets.
	shown string
}

// make signs and makes a call, and returns everything about it but secrets.
func (s *reference) make(r *http.Request, call *Call, form *Form) (*Result, error) {
	out, err := compose(r, call, form)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(r.Context(), call.Method, out.path, bytes.NewReader(out.body))
	if err != nil {
		return nil, fmt.Errorf("the address cannot be made: %w", err)
	}
	request.RemoteAddr, request.Host, request.RequestURI = r.RemoteAddr, r.Host, out.path
	if out.media != "" {
		request.Header.Set("Content-Type", out.media)
	}
	signed := s.sign(request, call, form.KeyID, out.signed)
	answer := &recorder{header: http.Header{}, status: http.StatusOK}
	s.API.ServeHTTP(answer, request)
	result := &Result{
		Request:  s.wire(request, call.Method+" "+out.path, out.shown),
		Status:   answer.status,
		IsSigned: signed,
		Answer: headerLines(answer.header, "X-Request-Id", "Idempotent-Replay", "Idempotent-Mismatch", "Retry-After", "Warning") +
			"\n" + indented(answer.body.Bytes()),
	}
	if signed {
		result.Signed = string(out.signed)
	}
	return result, nil
}

// compose makes a request of what was typed.
func compose(r *http.Request, call *Call, form *Form) (sent, error) {
	out := sent{path: call.Path}
	query := url.Values{}
	for name, place := range call.places {
		switch value := form.Values[name]; {
		case place == "path" && value == "":
			return out, fmt.Errorf("%s is required", name)
		case place == "path":
			out.path = strings.ReplaceAll(out.path, "{"+name+"}", url.PathEscape(value))
		case place == pair && value != "":
			key, of, found := strings.Cut(value, "=")
			if !found {
				return out, fmt.Errorf("%s must be key=value", name)
			}
			query.Set(name+"["+key+"]", of)
		case value != "":
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		out.path += "?" + query.Encode()
	}
	switch call.Media {
	case jsonMedia:
		// Browsers send line breaks of a form as CRLF. The signed text
		// must be the one that is sent.
		text := strings.ReplaceAll(r.PostFormValue("body"), "\r\n", "\n")
		out.media, out.body, out.signed, out.shown = jsonMedia, []byte(text), []byte(text), text
		if secret := secretNames(call); len(secret) > 0 {
			out.shown = withoutSecrets(text, secret)
		} else {
			form.Body = text
		}
	case formMedia:
		return out, out.upload(r, form)
	}
	return out, nil
}

// upload makes the multipart form of an appeal, of which four lines are
// signed.
func (out *sent) upload(r *http.Request, form *Form) error {
	form.Values["reason"] = r.PostFormValue("reason")
	file, header, err := r.FormFile("file")
	if err != nil {
		return fmt.Errorf("file is required")
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("file could not be read")
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	err = parts.WriteField("reason", form.Values["reason"])
	part, partErr := parts.CreateFormFile("file", header.Filename)
	if err != nil || partErr != nil {
		return fmt.Errorf("the form could not be made")
	}
	_, _ = part.Write(content) // a buffer takes everything
	_ = parts.Close()
	out.media, out.body = parts.FormDataContentType(), body.Bytes()
	out.signed = fmt.Appendf(nil, "appeal-v1\n%s\n%s\n%d", form.Values["reason"], header.Filename, len(content))
	out.shown = fmt.Sprintf("reason: %s\nfile: %s, %d bytes", form.Values["reason"], header.Filename, len(content))
	return nil
}

// sign adds the headers of a signed request, and reports whether anything was
// signed.
func (s *reference) sign(request *http.Request, call *Call, keyID string, content []byte) bool {
	names, secret := s.document.headers(), ""
	switch {
	case call.Proof == proofApplication:
		secret = s.Sandbox.Secret
	case call.Proof.byKey():
		at := max(slices.IndexFunc(s.Sandbox.Keys, func(k Key) bool { return k.ID == keyID }), 0)
		if at < len(s.Sandbox.Keys) {
			secret = s.Sandbox.Keys[at].Secret
			request.Header.Set(names.KeyID, s.Sandbox.Keys[at].ID)
			request.Header.Set(names.Secret, secret)
		}
	default:
		return false
	}
	request.Header.Set(names.Signature, signature.Sign([]byte(secret), content))
	return true
}

// hidden replaces secrets on a page.
const hidden = "•••"

// wire shows a request as it was sent, without the secret.
func (s *reference) wire(request *http.Request, line, body string) string {
	header := request.Header.Clone()
	if names := s.document.headers(); header.Get(names.Secret) != "" {
		header.Set(names.Secret, hidden)
	}
	text := line + "\n" + headerLines(header, slices.Sorted(maps.Keys(header))...)
	if body != "" {
		text += "\n" + body
	}
	return text
}

func headerLines(header http.Header, names ...string) string {
	var lines strings.Builder
	for _, name := range names {
		if value := header.Get(name); value != "" {
			lines.WriteString(name + ": " + value + "\n")
		}
	}
	return lines.String()
}

// secretNames are the secret fields of a call.
func secretNames(call *Call) []string {
	var names []string
	for _, field := range call.Body {
		if field.secret {
			names = append(names, field.Name)
		}
	}
	return names
}

// withoutSecrets removes the values of some fields from a body. Of a body that
// is not JSON it returns nothing.
func withoutSecrets(text string, names []string) string {
	var body map[string]any
	if json.Unmarshal([]byte(text), &body) != nil {
		return hidden
	}
	for _, name := range names {
		if _, sent := body[name]; sent {
			body[name] = hidden
		}
	}
	shown, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return hidden
	}
	return string(shown)
}

// recorder records an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(content []byte) (int, error) { return r.body.Write(content) }
