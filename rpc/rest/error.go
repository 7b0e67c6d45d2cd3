package rest

import (
	"bytes"
	"encoding/json"
	"net/http"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

// errorBody is the form of every error under /api/.
type errorBody struct {
	Message   string       `json:"message"`
	Code      string       `json:"code"`
	Errors    fault.Fields `json:"errors,omitempty"`
	RequestID string       `json:"requestId"`
	// NextAllowedAt is set if the call came too early.
	NextAllowedAt string `json:"nextAllowedAt,omitempty"`
	// Details are set if key and secret were right and the signature was
	// wrong.
	Details *signatureDetails `json:"details,omitempty"`
}

// signatureDetails say what the signature should have covered, and what is
// probably wrong.
type signatureDetails struct {
	ReceivedBytes int    `json:"receivedBytes"`
	BodySHA256    string `json:"bodySha256"`
	Expected      string `json:"expected"`
	Hint          string `json:"hint"`
}

// WriteError writes err: a fault as it is, anything else as the internal error.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	public := edge.Public(ctx, err)
	body := errorBody{Message: public.Message, Code: public.Code, Errors: public.Fields, RequestID: edge.RequestID(ctx)}
	if public.NextAllowedAt != nil {
		body.NextAllowedAt = public.NextAllowedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	if s := public.Signature; s != nil {
		body.Details = &signatureDetails{s.ReceivedBytes, s.BodySHA256, fault.ExpectedSignature, s.Hint}
	}
	edge.SetRetryAfter(w.Header(), public)
	writeJSON(w, edge.HTTPStatus(public.Kind), body.encode())
}

func (b errorBody) encode() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(b) // strings, numbers and lists of strings always encode
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
