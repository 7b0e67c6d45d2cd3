package portal

import (
	"mime"
	"net/http"
	"time"
)

// sendWithinEach is how long a browser has to take each part of a file.
const sendWithinEach = 30 * time.Second

// CSVFile is a file that is sent while it is written. Until something is, an error may still be
// shown as a page.
type CSVFile struct {
	v     *Visit
	name  string
	begun bool
}

func (f *CSVFile) Write(part []byte) (int, error) {
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

// attachment has a browser keep what it gets, and not show it.
func attachment(name string) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// So many files are written at once, and so many of them for one user. They are read over connections of their own, page by
// page, so that long ones keep each other waiting and nobody else.
const exportsAtOnce, userExports = 8, 2

// SendCSV sends a file. One that cannot be sent whole breaks off, so that nobody takes it for whole.
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
	file := &CSVFile{v: v, name: name}
	err = write(file)
	if err == nil || !file.begun {
		return err
	}
	v.Log(err)
	panic(http.ErrAbortHandler)
}

// FileName names a file by what it holds, and the first and last day of that.
func (a *Asked) FileName(what string, now time.Time) string {
	to := now.In(a.Zone)
	if !a.Filter.To.IsZero() {
		to = a.Filter.To.AddDate(0, 0, -1)
	}
	from := to.AddDate(0, 0, -windowDays)
	if !a.Filter.From.IsZero() {
		from = a.Filter.From
	}
	return what + "-" + from.Format(time.DateOnly) + "-" + to.Format(time.DateOnly) + ".csv"
}
