package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
)

// MaxUpload limits the body of an upload, however the file is encoded.
const MaxUpload = 10 << 20

// guardUpload is Guard for an upload. Refused uploads count against their
// address, since reading each may have cost something.
func (d *Door) guardUpload(procedure string, fail Fail, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteProcedure(r, procedure)
		if d.WarnIgnored {
			r = warned(r)
		}
		body := &watchedBody{ReadCloser: r.Body}
		r.Body = body
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer drain(seen, r, body)()
		defer Recovered(seen, r, fail)
		call, err := d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr))
		if err == nil {
			if scope := d.uploads[procedure]; scope == ByUsers {
				err = d.takeUserUpload(seen, r, body, procedure, next)
			} else {
				err = d.takeUpload(seen, r, body, scope, next)
			}
		}
		if err != nil {
			fail(seen, r, err)
		}
		if seen.status < http.StatusBadRequest {
			call.Forgive()
		}
	})
}

// takeUpload passes an unread upload on, with the caller's proof in the
// context.
func (d *Door) takeUpload(
	w http.ResponseWriter,
	r *http.Request,
	body *watchedBody,
	scope string,
	next http.Handler,
) error {
	noteSigned(r, 0)
	proof, err := d.keys.Begin(r)
	if err != nil {
		return err
	}
	noteSigned(r, proof.Merchant())
	if err := proof.Need(scope); err != nil {
		return err
	}
	if err := d.countKey(proof); err != nil {
		noted(r.Context()).bounded = true
		return err
	}
	leaveKey, err := d.keyUploads.Enter(r.Context(), proof.Key())
	if err != nil {
		return err
	}
	defer leaveKey()
	leaveMerchant, err := d.merchantUploads.Enter(r.Context(), proof.Merchant())
	if err != nil {
		return err
	}
	defer leaveMerchant()
	body.takeTime(http.NewResponseController(w))
	next.ServeHTTP(w, r.WithContext(auth.WithProof(r.Context(), proof)))
	return nil
}

// takeUserUpload passes the unread upload of a signed-in user on, with the
// caller in the context.
func (d *Door) takeUserUpload(
	w http.ResponseWriter, r *http.Request, body *watchedBody, procedure string, next http.Handler,
) error {
	r, err := d.admitUser(r, procedure)
	if err != nil {
		return err
	}
	began, who := time.Now(), caller.From(r.Context())
	if err := d.count(r, who); err != nil {
		return err
	}
	leave, err := d.userUploads.take(r.Context(), cmp.Or(who.TraderID, -who.MerchantID), who.ID)
	if err != nil {
		return err
	}
	defer leave()
	body.takeTime(http.NewResponseController(w))
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), receivedKey{}, func(r *http.Request) (*http.Request, error) {
		if !Late(began) {
			return r, nil
		}
		return d.admitUser(r, procedure)
	})))
	return nil
}

// admitUser puts the user of an upload into the request's context, whose token
// proves who they are without the body.
func (d *Door) admitUser(r *http.Request, procedure string) (*http.Request, error) {
	ctx, who, err := d.admit(r, procedure, nil, uncounted)
	who.RequestID, who.Address = KeptRequestID(r.Context()), limit.Address(r.RemoteAddr)
	return r.WithContext(caller.With(ctx, who)), err
}

type receivedKey struct{}

// Received returns the request of a user's upload once its body was read. If
// that has taken long, the user is let in again: their session may be gone by
// then.
func Received(r *http.Request) (*http.Request, error) {
	if received, ok := r.Context().Value(receivedKey{}).(func(*http.Request) (*http.Request, error)); ok {
		return received(r)
	}
	return r, nil
}

const (
	// keyUploads and merchantUploads are how many uploads of a key and of a
	// merchant may run at the same time. A slow body then only holds up
	// others of the same key, and all keys of a merchant together, of which
	// there may be many, cannot fill the disk.
	keyUploads, merchantUploads = 4, 16
	// placeWait is how long a request waits for a place.
	placeWait = 5 * time.Second
	// The server's time limits are for small bodies. An upload may take
	// uploadTime as long as something arrives every uploadSilence; then it
	// is answered within answerTime.
	uploadTime, uploadSilence, answerTime = 3 * time.Minute, 10 * time.Second, time.Minute
)

// Files lets pages take files: a number at a time for each owner, with an
// upload's time limits.
type Files struct{ turnstile, pages *Turnstile }

// pageUploads is how many files one payment's page or one user may send at the
// same time, so that a single link does not take all places of its owner.
const pageUploads = 2

// NewFiles takes so many files of each owner at a time.
func NewFiles(places int) *Files { return &Files{NewTurnstile(places), NewTurnstile(pageUploads)} }

// Take prepares a request of an owner's page for its file. The returned
// function must be called after the answer.
func (f *Files) Take(w http.ResponseWriter, r *http.Request, owner, page int64) (done func(), err error) {
	leave, err := f.take(r.Context(), owner, page)
	if err != nil {
		return nil, err
	}
	body := &watchedBody{ReadCloser: r.Body}
	r.Body = body
	rest := drain(w, r, body)
	body.takeTime(http.NewResponseController(w))
	return func() { leave(); rest() }, nil
}

// take takes a place of a page and one of its owner.
func (f *Files) take(ctx context.Context, owner, page int64) (leave func(), err error) {
	leavePage, err := f.pages.Enter(ctx, page)
	if err != nil {
		return nil, err
	}
	leaveOwner, err := f.turnstile.Enter(ctx, owner)
	if err != nil {
		leavePage()
		return nil, err
	}
	return func() { leaveOwner(); leavePage() }, nil
}

// Turnstile gives each owner a number of places.
type Turnstile struct {
	places int

	mu    sync.Mutex
	gates map[int64]*gate
}

// gate is the places of one owner. It exists while somebody has one or waits.
type gate struct {
	places chan struct{}
	users  int
}

// NewTurnstile gives so many places to each.
func NewTurnstile(places int) *Turnstile {
	return &Turnstile{places: places, gates: map[int64]*gate{}}
}

// Enter waits a few seconds at most for a place, and returns the function that
// frees it.
func (t *Turnstile) Enter(ctx context.Context, who int64) (leave func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, placeWait)
	defer cancel()
	g := t.gate(who)
	select {
	case g.places <- struct{}{}:
		return func() { <-g.places; t.forget(who, g) }, nil
	case <-bounded.Done():
		t.forget(who, g)
		return nil, fault.ErrBusy
	}
}

func (t *Turnstile) gate(who int64) *gate {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.gates[who]
	if g == nil {
		g = &gate{places: make(chan struct{}, t.places)}
		t.gates[who] = g
	}
	g.users++
	return g
}

func (t *Turnstile) forget(who int64, g *gate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g.users--; g.users == 0 {
		delete(t.gates, who)
	}
}

// watchedBody notes whether the body was read, and gives it an upload's time
// limits.
type watchedBody struct {
	io.ReadCloser
	begun   bool
	control *http.ResponseController
	until   time.Time
}

// takeTime replaces the server's time limits by an upload's.
func (b *watchedBody) takeTime(control *http.ResponseController) {
	b.control, b.until = control, time.Now().Add(uploadTime)
	_ = control.SetWriteDeadline(b.until.Add(answerTime))
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.begun = true
	if b.control != nil {
		deadline := time.Now().Add(uploadSilence)
		if deadline.After(b.until) {
			deadline = b.until
		}
		_ = b.control.SetReadDeadline(deadline)
	}
	return b.ReadCloser.Read(p)
}

// drained is how much of a refused upload is read and thrown away. The
// connection is closed on a client that sends more.
const drained = 64 << 20

// drain returns what to do after the answer: read what still comes. A client
// that sends everything before it reads then sees the answer, and not a reset
// connection. The time limits of the request hold.
func drain(w http.ResponseWriter, r *http.Request, body *watchedBody) func() {
	control := http.NewResponseController(w)
	fullDuplex := control.EnableFullDuplex() == nil
	return func() {
		// A refused client that sent Expect: 100-continue sends no
		// body.
		if fullDuplex && (body.begun || r.Header.Get("Expect") == "") && control.Flush() == nil {
			_, _ = io.CopyN(io.Discard, body, drained)
		}
	}
}

// boundedUpload fails with a 413 after MaxUpload bytes, and stays failed.
type boundedUpload struct {
	from io.Reader
	left int64
	err  error
}

// BoundUpload limits an upload's body.
func BoundUpload(body io.Reader) io.Reader { return &boundedUpload{from: body, left: MaxUpload} }

func (b *boundedUpload) Read(p []byte) (int, error) {
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		n, err = 0, tooLarge(MaxUpload)
	}
	b.err = err
	return n, err
}

// UploadError is the error for a body that could not be read or stored. A full
// disk is temporary.
func UploadError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: %w", db.ErrUnavailable, err)
	}
	if errors.As(err, new(*fault.Error)) ||
		errors.As(err, new(*os.PathError)) { // too large, or a fault of our own disk
		return err
	}
	return fault.Fields{fault.Body: {"could not be read"}}.Err()
}
