package portal

import (
	"mime"
	"net/http"
	"time"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

// sendWithinEach is how long a browser has to take each part of a file.
const sendWithinEach = 30 * time.Second

// CSVFile is a file that is sent while it is written. Before its first byte is
// written, an error can still be shown as a page.
type CSVFile struct {
	v     *Visit
	name  string
	begun bool
	// letIn is when its reader was let in.
	letIn time.Time
}

func (f *CSVFile) Write(part []byte) (int, error) {
	if err := f.stillIn(); err != nil {
		return 0, err
	}
	if !f.begun {
		f.begun = true
		h := f.v.W.Header()
		h.Set("Content-Type", "text/csv; charset=utf-8")
		h.Set("Content-Disposition", attachment(f.name))
	}
	control := http.NewResponseController(f.v.W)
	if err := control.SetWriteDeadline(time.Now().Add(sendWithinEach)); err != nil {
		return 0, err
	}
	n, err := f.v.W.Write(part)
	if err != nil {
		return n, err
	}
	return n, control.Flush()
}

// stillIn lets the reader in again where the file takes long: their session may
// be gone by now, or look as the user of the file no more. A database that is
// too busy to say so breaks no file off.
func (f *CSVFile) stillIn() error {
	if !edge.Late(f.letIn) {
		return nil
	}
	cookie, err := f.v.R.Cookie(f.v.SessionCookie())
	if err != nil {
		return fault.ErrUnauthenticated
	}
	found, err := f.v.server.Sessions.Find(f.v.Ctx(), cookie.Value)
	switch is := fault.As(err); {
	case err == nil && found.Caller.ID != f.v.Who.ID:
		return fault.ErrUnauthenticated
	case is != nil && is.Kind == fault.Unauthenticated:
		return err
	}
	f.letIn = time.Now()
	return nil
}

// attachment makes a browser save what it gets instead of showing it.
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// exportsAtOnce is how many files are written at the same time, and userExports
// how many of them for one user. They are read page by page over connections of
// their own, so that long exports delay only each other.
const exportsAtOnce, userExports = 8, 2

// SendCSV sends a file. If it cannot be sent completely, the connection is
// broken off, so that nobody takes the file for complete.
func (v *Visit) SendCSV(name string, write func(*CSVFile) error) error {
	leaveUser, err := v.server.userExports.Enter(v.Ctx(), v.Who.ID)
	if err != nil {
		return err
	}
	defer leaveUser()
	leave, err := v.server.exports.Enter(v.Ctx(), 0)
	if err != nil {
		return err
	}
	defer leave()
	file := &CSVFile{v: v, name: name, letIn: v.began}
	err = write(file)
	if err == nil || !file.begun {
		return err
	}
	v.Log(err)
	panic(http.ErrAbortHandler)
}

// FileName names a file by its contents and by the first and last day that it
// covers.
func (a *Asked) FileName(what string, now time.Time) string {
	to := now.In(a.Zone)
	if !a.Filter.To.IsZero() {
		to = a.LastDay()
	}
	from := to.AddDate(0, 0, -windowDays)
	if !a.Filter.From.IsZero() {
		from = a.Filter.From
	}
	return what + "-" + from.Format(time.DateOnly) + "-" + to.Format(time.DateOnly) + ".csv"
}
