package portal

import (
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strings"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

const (
	// FileField is the name of a form's file field. The other fields may
	// have at most formText bytes together.
	FileField = "file"
	formText  = 64 << 10
)

// LargerThanAny is what a page says of a file that is too large, if its own
// limit is that of all uploads.
var LargerThanAny = fault.LargerThan(edge.MaxUpload)

// Upload is a form that was sent with a file, or without.
type Upload struct {
	Form url.Values
	// Name is the sender's name of the file. File is nil if none was
	// chosen.
	Name string
	File *edge.TempFile
}

func (u Upload) free() {
	if u.File != nil {
		u.File.Close()
	}
}

// TakeUpload reads a form with a file; files limits how many files an owner may
// send at a time. The file is deleted after the answer was sent. Of one that is
// larger than any may be, the field says what the page says of its own limit.
func (v *Visit) TakeUpload(files *edge.Files, owner int64, tooLarge string) (Upload, error) {
	done, err := files.Take(v.W, v.R, owner, v.Who.ID)
	if err != nil {
		return Upload{Form: url.Values{}}, err
	}
	v.after = append(v.after, done)
	sent, err := v.upload(tooLarge)
	v.after = append(v.after, sent.free)
	return sent, err
}

// answered calls the functions that are to be called after the answer.
func (v *Visit) answered() {
	for _, do := range v.after {
		do()
	}
}

// upload reads a form and its file, which it writes to a temporary file.
func (v *Visit) upload(tooLarge string) (Upload, error) {
	u := Upload{Form: url.Values{}}
	parts, err := v.R.MultipartReader()
	if err != nil { // sent without a file, as other forms are
		form, err := v.Form()
		if err == nil {
			u.Form = form
		}
		return u, err
	}
	flaws := fault.Fields{}
	for left := int64(formText); ; {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return u, edge.UploadError(err)
		}
		if part.FormName() == FileField {
			if err := u.take(part, tooLarge); err != nil {
				return u, err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, left+1))
		if left -= int64(len(value) + len(part.FormName())); left < 0 || err != nil {
			return u, fault.Fields{fault.Body: {"could not be read"}}.Err()
		}
		flaws.Flaw(part.FormName(), fault.TextLinesFlaw(string(value)))
		u.Form.Set(part.FormName(), strings.ReplaceAll(string(value), "\r\n", "\n"))
	}
	if err := v.received(); err != nil {
		return u, err
	}
	if flaws.Err() != nil {
		v.R = v.R.WithContext(fault.WithDecoded(v.Ctx(), flaws))
	}
	return u, nil
}

// take stores the file of a form. A field for which no file was chosen has no
// name.
func (u *Upload) take(part *multipart.Part, tooLarge string) error {
	if part.FileName() == "" || u.File != nil {
		return nil
	}
	file, err := edge.NewTempFile(edge.BoundUpload(part))
	if f := fault.As(err); f != nil && f.Kind == fault.TooLarge {
		return fault.Fields{FileField: {tooLarge}}.Err()
	}
	if err != nil {
		return edge.UploadError(err)
	}
	u.Name, u.File = part.FileName(), file
	return nil
}
