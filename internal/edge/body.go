package edge

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"gateway.example/internal/auth"
	"gateway.example/internal/fault"
)

// MaxBody limits every body except an upload's.
const MaxBody = 64 << 10

// tooLarge is returned after reading up to the limit, so that the client gets
// the answer.
func tooLarge(limit int64) error {
	return fault.Newf(fault.TooLarge, "body_too_large", "The body must be at most %d bytes.", limit)
}

// onceBody reads the request's body when it is first called, up to the limit,
// and puts it back for the handler.
func onceBody(r *http.Request) auth.ReadBody {
	var content []byte
	var err error
	read := false
	return func() ([]byte, error) {
		if !read {
			read = true
			content, err = ReadBody(r.Body, MaxBody)
			r.Body = received{bytes.NewReader(content), content}
		}
		return content, err
	}
}

// received is a body that the door has already read.
type received struct {
	*bytes.Reader
	content []byte
}

// Close implements io.Closer.
func (received) Close() error { return nil }

// ReadBody reads a request's body up to its limit. If the door has read it
// already, it returns that.
func ReadBody(body io.Reader, limit int64) ([]byte, error) {
	if body, ok := body.(received); ok {
		return body.content, nil
	}
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	exceeded := new(http.MaxBytesError)
	switch {
	case int64(len(content)) > limit, errors.As(err, &exceeded):
		return nil, tooLarge(limit)
	case err != nil:
		return nil, fault.Fields{fault.Body: {"could not be read"}}.Err()
	}
	return content, nil
}
