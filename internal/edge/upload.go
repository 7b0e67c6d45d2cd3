package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
)

// MaxUpload bounds the body of an upload, in whatever form its file comes.
const MaxUpload = 10 << 20

// guardUpload is Guard for an upload. Refused uploads count by address: each may have cost the
// reading of its body.
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
		defer recovered(seen, r, fail)
		call, err := d.limits.Count(limit.AddressWrites, limit.Address(r.RemoteAddr))
		if err == nil {
			err = d.takeUpload(seen, r, body, d.uploads[procedure], next)
		}
		if err != nil {
			fail(seen, r, err)
		}
		if seen.status < http.StatusBadRequest {
			call.Forgive()
		}
	})
}

// takeUpload hands an upload to next, unread, with what its caller has proved in its context.
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
	if _, err := d.limits.Count(limit.Key, strconv.FormatInt(proof.Key(), 10)); err != nil {
		noteTooOften(r.Context())
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

const (
	// keyUploads and merchantUploads are how many uploads of a key and of a merchant are taken at
	// once. A body may come slowly for as long as the server waits for one: it keeps nobody waiting
	// but others of its own key, and the keys of a merchant, who can make as many as they like,
	// together do not fill the disk.
	keyUploads, merchantUploads = 4, 16
	// placeWait is how long a request waits for others to finish.
	placeWait = 5 * time.Second
	// The server's bounds are for small bodies. A file over a slow line may take uploadTime, as
	// long as some of it comes every uploadSilence; what was read is then answered within
	// answerTime.
	uploadTime, uploadSilence, answerTime = 3 * time.Minute, 10 * time.Second, time.Minute
)

// Files lets pages take files: so many of each owner at once, as slowly as an upload may come.
type Files struct{ turnstile, pages *Turnstile }

// pageUploads is how many files one payment's page or one user sends at once, so that a single link
// does not hold all places of its owner.
const pageUploads = 2

// NewFiles makes it, for so many files of each owner at once.
func NewFiles(places int) *Files { return &Files{NewTurnstile(places), NewTurnstile(pageUploads)} }

// Take prepares a request of one of an owner's pages for its file. What it returns is called after
// the answer.
func (f *Files) Take(w http.ResponseWriter, r *http.Request, owner, page int64) (done func(), err error) {
	leavePage, err := f.pages.Enter(r.Context(), page)
	if err != nil {
		return nil, err
	}
	leaveOwner, err := f.turnstile.Enter(r.Context(), owner)
	if err != nil {
		leavePage()
		return nil, err
	}
	leave := func() { leaveOwner(); leavePage() }
	body := &watchedBody{ReadCloser: r.Body}
	r.Body = body
	rest := drain(w, r, body)
	body.takeTime(http.NewResponseController(w))
	return func() { leave(); rest() }, nil
}

// Turnstile lets so many of each in at once.
type Turnstile struct {
	places int

	mu    sync.Mutex
	gates map[int64]*gate
}

// gate is the places of one, kept while anybody has one or waits.
type gate struct {
	places chan struct{}
	users  int
}

// NewTurnstile makes it, for so many places of each.
func NewTurnstile(places int) *Turnstile {
	return &Turnstile{places: places, gates: map[int64]*gate{}}
}

// Enter waits for a place, for a few seconds at most, and returns what gives it back.
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

// watchedBody notes whether anything of it was asked for, and lets an upload come as slowly as it
// may.
type watchedBody struct {
	io.ReadCloser
	begun   bool
	control *http.ResponseController
	until   time.Time
}

// takeTime replaces the server's bounds on how long the request may take by an upload's.
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

// drained is how much of a refused upload is read and forgotten. Who sends more than that meets a
// closed connection.
const drained = 64 << 20

// drain returns what is to be done after the answer: read what is still coming. A client that sends
// all before it looks for the answer then finds the answer, and not a connection that was reset.
// The bounds on the request's time bound the wait, too.
func drain(w http.ResponseWriter, r *http.Request, body *watchedBody) func() {
	control := http.NewResponseController(w)
	fullDuplex := control.EnableFullDuplex() == nil
	return func() {
		// A refused client that sent Expect: 100-continue sends no body.
		if fullDuplex && (body.begun || r.Header.Get("Expect") == "") && control.Flush() == nil {
			_, _ = io.CopyN(io.Discard, body, drained)
		}
	}
}

// boundedUpload fails with a 413 once more than MaxUpload was sent, and from then on.
type boundedUpload struct {
	from io.Reader
	left int64
	err  error
}

// BoundUpload bounds an upload's body.
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

// UploadError is what a caller learns of a body that could not be read to its end, or kept. A full
// disk passes.
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
