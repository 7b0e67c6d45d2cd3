package rpc

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	"gateway/internal/auth"
	"gateway/internal/limit"
	"gateway/rpc/gen/gateway/v1/gatewayv1connect"
)

// MaxUpload bounds the body of an upload, in whatever form its file comes.
const MaxUpload = 10 << 20

// uploads are the procedures whose body brings a file. It may be larger, and the signature covers what the body says
// instead of its bytes: the door checks key and secret before it reads anything, and the handler the signature, by
// auth.ProveUpload.
var uploads = map[string]bool{gatewayv1connect.PaymentServiceCreateAppealProcedure: true}

func maxBody(procedure string) int64 {
	if uploads[procedure] {
		return MaxUpload
	}
	return MaxBody
}

func (d *Door) guardUpload(procedure string, fail Fail, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nameCall(r.Context(), procedure)
		defer recovered(w, r, fail)
		proof, err := d.keys.Begin(r.Context(), r.Header)
		if err == nil {
			_, err = d.limits.Count(limit.Key, strconv.FormatInt(proof.Key(), 10))
		}
		var body []byte
		if err == nil {
			body, err = ReadBody(r.Body, MaxUpload)
		}
		if err != nil {
			refuseUpload(w, r, fail, err)
			return
		}
		r = r.WithContext(auth.WithProof(r.Context(), proof))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// drained is how much of a refused upload is read and forgotten. Who sends more than that meets a closed connection.
const drained = 64 << 20

// refuseUpload answers at once, and only then reads what is still coming: a client that sends all before it looks for
// the answer finds the answer, and not a connection that was reset. The server's read timeout bounds the wait.
func refuseUpload(w http.ResponseWriter, r *http.Request, fail Fail, err error) {
	control := http.NewResponseController(w)
	fullDuplex := control.EnableFullDuplex() == nil
	fail(w, r, err)
	// Who asked whether to send at all has been told not to.
	if fullDuplex && r.Header.Get("Expect") == "" && control.Flush() == nil {
		_, _ = io.CopyN(io.Discard, r.Body, drained)
	}
}
