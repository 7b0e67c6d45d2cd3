package rpc

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"gateway/internal/auth"
	"gateway/internal/fault"
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
		if err := d.takeUpload(w, r, next); err != nil {
			refuseUpload(w, r, fail, err)
		}
	})
}

// takeUpload hands an upload to next, its body put back and what its caller has proved in its context.
func (d *Door) takeUpload(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	proof, err := d.keys.Begin(r.Context(), r.Header)
	if err != nil {
		return err
	}
	if _, err := d.limits.Count(limit.Key, strconv.FormatInt(proof.Key(), 10)); err != nil {
		return err
	}
	if err := d.uploading.enter(r.Context()); err != nil {
		return err
	}
	defer d.uploading.leave()
	body, err := ReadBody(r.Body, MaxUpload)
	if err != nil {
		return err
	}
	r = r.WithContext(auth.WithProof(r.Context(), proof))
	r.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(w, r)
	return nil
}

const (
	// uploadsAtOnce bounds the memory that uploads take.
	uploadsAtOnce = 16
	// uploadWait is how long an upload waits for others to finish.
	uploadWait = 5 * time.Second
)

var errUploadsBusy = fault.New(fault.Unavailable, "busy", "The service is busy; repeat the call.")

// turnstile lets so many in at once.
type turnstile chan struct{}

func (t turnstile) enter(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, uploadWait)
	defer cancel()
	select {
	case t <- struct{}{}:
		return nil
	case <-bounded.Done():
		return errUploadsBusy
	}
}

func (t turnstile) leave() { <-t }

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
