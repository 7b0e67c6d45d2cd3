package rest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/internal/strictjson"
)

var errFormType = fault.ErrUnsupportedMedia.Saying("The body must be uncompressed multipart/form-data.")

// readForm fills msg from a multipart body: text fields from the parts of their
// names, and the text field called like a bytes field with _name from the name
// of that field's file. The file itself is returned, on disk; nil where none
// was sent. The body is read once, as it comes. A part that is wrong leaves its
// fields unset; others are ignored, and named.
func readForm(r *http.Request, s *schema, msg protoreflect.Message) (decoded, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || !isIdentity(r.Header) {
		return decoded{}, errFormType
	}
	f := form{decoder: decoder{found: fault.Fields{}}, schema: s, msg: msg, seen: map[string]bool{}}
	body := edge.BoundUpload(r.Body)
	malformed := f.parts(body, params["boundary"])
	// Only at its end is it known whether the body is too large.
	_, err = io.Copy(io.Discard, body)
	if errors.As(malformed, new(*os.PathError)) { // our own disk
		err = malformed
	}
	if err != nil {
		f.drop()
		return decoded{}, edge.UploadError(err)
	}
	if malformed != nil {
		for _, field := range s.byName { // what the path has set stays
			msg.Clear(field.desc)
		}
		f.drop()
		return decoded{found: fault.Fields{fault.Body: {"must be well-formed multipart/form-data"}}}, nil
	}
	return decoded{f.found, f.unknown, f.file}, nil
}

type form struct {
	decoder
	schema *schema
	msg    protoreflect.Message
	seen   map[string]bool
	// file is on disk until drop.
	file *edge.TempFile
}

// drop deletes the file, if there is one.
func (f *form) drop() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

const (
	// maxParts is more than any form has.
	maxParts = 100
	// maxHeader limits the header of a part, and maxFormText a text, in
	// bytes: both are in memory.
	maxHeader, maxFormText = 64 << 10, 64 << 10
)

var errParts = errors.New("no boundary, too many parts, or too long a header")

// meter lets so much be read before the next allowance.
type meter struct {
	io.Reader
	left int64
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errParts
	}
	n, err := m.Reader.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}

// parts reads the parts of a form as they come, each with a bounded header and
// content. What part leaves of a content is read and dropped, so that the next
// part begins where it should.
func (f *form) parts(body io.Reader, boundary string) error {
	if boundary == "" {
		return errParts
	}
	metered := &meter{Reader: body}
	reader := multipart.NewReader(metered, boundary)
	for range maxParts {
		metered.left = maxHeader
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read part: %w", err)
		}
		metered.left = edge.MaxUpload
		// Part.FileName would cut the name after its last slash; the
		// signature covers the name as it was sent.
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		name, named := params["filename"]
		if err := f.part(params["name"], name, named, part); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return fmt.Errorf("read part: %w", err)
		}
	}
	return errParts
}

// part reads a part. It may leave some of the content unread.
func (f *form) part(name, fileName string, isFile bool, content io.Reader) error {
	field, known := f.schema.byName[name]
	if !known || f.schema.fileOf(field) != nil {
		if len(f.unknown) < maxFindings {
			f.unknown = append(f.unknown, shorten(name))
		}
		return nil
	}
	at := (*path)(nil).field(name)
	if f.seen[name] {
		f.report(at, "must not be given more than once")
		f.clear(field)
		return nil
	}
	f.seen[name] = true
	switch field.desc.Kind() {
	case protoreflect.StringKind:
		return f.textPart(at, field, content)
	case protoreflect.BytesKind:
		if isFile {
			return f.filePart(at, field, fileName, content)
		}
		f.report(at, "must be a file")
	default:
		f.report(at, "cannot be sent in a form")
	}
	return nil
}

// textPart sets a field to the text of a part. A text that is too long or has a
// flaw is reported and leaves the field unset; the error is for a body that
// cannot be read.
func (f *form) textPart(at *path, field *field, content io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(content, maxFormText+1))
	switch {
	case err != nil:
		return fmt.Errorf("read part: %w", err)
	case len(text) > maxFormText:
		f.report(at, fmt.Sprintf("must be at most %d bytes", maxFormText))
	case f.text(at, field, textValue(string(text))):
		f.msg.Set(field.desc, protoreflect.ValueOfString(string(text)))
	}
	return nil
}

// filePart writes a file to disk, and sets the field of its name. The field of
// the file stays empty, because the service reads the content from disk. A file
// whose name has a flaw is reported and not kept.
func (f *form) filePart(at *path, field *field, name string, content io.Reader) error {
	if !f.text(at, field, textValue(name)) {
		return nil
	}
	file, err := edge.NewTempFile(content)
	if err != nil {
		return fmt.Errorf("keep file: %w", err)
	}
	f.drop()
	f.file = file
	f.msg.Set(f.schema.nameOf(field).desc, protoreflect.ValueOfString(name))
	return nil
}

func (f *form) clear(field *field) {
	f.msg.Clear(field.desc)
	if name := f.schema.nameOf(field); name != nil {
		f.msg.Clear(name.desc)
		f.drop()
	}
}

func textValue(text string) strictjson.Token {
	v := strictjson.Token{Kind: strictjson.String, Text: text}
	if !utf8.ValidString(text) {
		v.Text, v.Flaw = strings.ToValidUTF8(text, "\uFFFD"), "must be valid UTF-8"
	}
	return v
}

// nameOf is the field for the name of a bytes field's file.
func (s *schema) nameOf(file *field) *field {
	return s.named(string(file.desc.Name()) + fileNameSuffix)
}

// fileOf is the bytes field whose file's name a field holds, or nil.
func (s *schema) fileOf(name *field) *field {
	file, ok := strings.CutSuffix(string(name.desc.Name()), fileNameSuffix)
	if found := s.named(file); ok && found != nil && found.desc.Kind() == protoreflect.BytesKind {
		return found
	}
	return nil
}

const fileNameSuffix = "_name"

// upload is a route for a handler method that takes a file.
func upload[Req, Res proto.Message](pattern, procedure string, status int, call method[Req, Res]) route {
	t, a := newRoute(http.MethodPost, pattern, procedure, status, call)
	for _, f := range t.request.byName {
		must(f.desc.Kind() != protoreflect.BytesKind || t.request.nameOf(f) != nil, f.desc, "a file needs a field for its name")
	}
	a.form, t.form = true, true
	return t
}
