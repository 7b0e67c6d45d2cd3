package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// As many uploads of one as there are places are let in; the next waits for one
// of them, but not for ever, and others never wait for them.
func TestTurnstile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stile := NewTurnstile(2)
		var leave func()
		for range 2 {
			leave = testenv.Must(stile.Enter(t.Context(), 1))(t)
		}
		began := time.Now()
		_, err := stile.Enter(t.Context(), 1)
		testenv.Check(t, errors.Is(err, fault.ErrBusy) && time.Since(began) == placeWait, "%v after %s", err, time.Since(began))
		began = time.Now()
		leaveOther, err := stile.Enter(t.Context(), 2)
		testenv.Check(t, err == nil && time.Since(began) == 0, "another: %v after %s", err, time.Since(began))
		leaveOther()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = stile.Enter(gone, 1)
		testenv.Check(t, err != nil, "who has gone away was let in")
		time.AfterFunc(placeWait/2, leave)
		_, err = stile.Enter(t.Context(), 1)
		testenv.Check(t, err == nil, "a place came free: %v", err)
		testenv.Want(t, len(stile.gates), 1, "gates that are remembered")
	})
}

// One page does not hold all places of its owner: others of the same owner are
// let in beside it, and so are its own once a place is given back.
func TestFilesAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		files := NewFiles(2 * pageUploads)
		take := func(page int64) (func(), error) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("x"))
			return files.Take(httptest.NewRecorder(), r, 1, page)
		}
		var done []func()
		for _, page := range []int64{7, 7, 8} {
			leave, err := take(page)
			testenv.Need(t, err == nil, "page %d: %v", page, err)
			done = append(done, leave)
		}
		_, err := take(7)
		testenv.Check(t, errors.Is(err, fault.ErrBusy), "one page has all places: %v", err)
		done[0]()
		leave := testenv.Must(take(7))(t)
		for _, leave := range append(done[1:], leave) {
			leave()
		}
		testenv.Want(t, len(files.pages.gates)+len(files.turnstile.gates), 0, "gates that are remembered")
	})
}

// An upload may be as large as its limit; one byte more fails it, and goes on
// failing it.
func TestBoundUpload(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]bool{0: true, 1: true, MaxUpload: true, MaxUpload + 1: false, 2 * MaxUpload: false} {
		body := BoundUpload(bytes.NewReader(make([]byte, size)))
		read, err := io.Copy(io.Discard, body)
		ok := err == nil
		testenv.Check(t, ok == want && (!ok || read == int64(size)), "%d: read %d, %v", size, read, err)
		_, err = io.Copy(io.Discard, body)
		testenv.Check(t, (err == nil) == want, "%d, again: %v", size, err)
	}
}

// What is kept on disk leaves nothing there, however it ends.
func TestTempFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	left := func() []string {
		names := testenv.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
		return names
	}
	file, err := NewTempFile(strings.NewReader("content"))
	testenv.Need(t, err == nil && len(left()) == 0, "%v, left %v", err, left())
	for range 2 {
		content, err := io.ReadAll(file.Content())
		testenv.Check(t, err == nil && string(content) == "content", "%q, %v", content, err)
	}
	file.Close()
	_, err = NewTempFile(BoundUpload(bytes.NewReader(make([]byte, MaxUpload+1))))
	testenv.Check(t, fault.As(err) != nil && len(left()) == 0, "too large: %v, left %v", err, left())
	t.Setenv("TMPDIR", filepath.Join(dir, "nowhere"))
	_, err = NewTempFile(strings.NewReader("content"))
	testenv.Check(t, errors.As(err, new(*os.PathError)) && errors.Is(UploadError(err), err), "no disk: %v", err)
	full := &os.PathError{Op: "write", Path: "gateway-upload-1", Err: syscall.ENOSPC}
	f := fault.As(UploadError(full))
	testenv.Check(t, f != nil && f.Kind == fault.Unavailable, "a full disk is not a matter of coming again")
	f = fault.As(UploadError(io.ErrUnexpectedEOF))
	testenv.Check(t, f != nil && f.Fields.Wrong(fault.Body), "a body that breaks off is not the caller's fault")
}

// A file may take longer than the server allows other bodies, as long as it
// keeps coming.
func TestUploadTakesItsTime(t *testing.T) {
	t.Parallel()
	for _, patient := range []bool{true, false} {
		read := make(chan int)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := &watchedBody{ReadCloser: r.Body}
			if patient {
				body.takeTime(http.NewResponseController(w))
			}
			content, err := io.ReadAll(body)
			testenv.Check(t, (err == nil) == patient, "patient %t: %v", patient, err)
			read <- len(content)
		}))
		server.Config.ReadTimeout, server.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
		server.Start()
		slowly, writer := io.Pipe()
		go func() {
			for range 3 {
				time.Sleep(150 * time.Millisecond)
				_, _ = writer.Write([]byte("x"))
			}
			_ = writer.Close()
		}()
		answered := make(chan error)
		go func() {
			response, err := server.Client().Post(server.URL, "text/plain", slowly)
			if err == nil {
				err = response.Body.Close()
			}
			answered <- err
		}()
		got := <-read
		testenv.Check(t, !patient || got == 3, "read %d bytes of 3", got)
		err := <-answered
		testenv.Check(t, !patient || err == nil, "%v", err)
		server.Close()
	}
}
