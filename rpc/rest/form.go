package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway/internal/fault"
	"gateway/internal/strictjson"
	"gateway/rpc"
)

var errFormType = fault.New(fault.UnsupportedMedia, "unsupported_media_type", "The body must be uncompressed multipart/form-data.")

// readForm fills msg from a multipart body: text fields from the parts of their names, a bytes field from the file of
// its name, whose own name goes into the text field called like it with _name. A part that is wrong leaves its fields
// unset; others are ignored.
func readForm(r *http.Request, s *schema, msg protoreflect.Message) (fault.Fields, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || !isIdentity(r.Header) {
		return nil, errFormType
	}
	body, err := rpc.ReadBody(r.Body, rpc.MaxUpload)
	if err != nil {
		return nil, err
	}
	f := form{decoder: decoder{found: fault.Fields{}}, schema: s, msg: msg, seen: map[string]bool{}}
	if err := f.parts(body, params["boundary"]); err != nil {
		for _, field := range s.byName { // what the path has set stays
			msg.Clear(field.desc)
		}
		return fault.Fields{fault.Body: {"must be well-formed multipart/form-data"}}, nil
	}
	return f.found, nil
}

type form struct {
	decoder
	schema *schema
	msg    protoreflect.Message
	seen   map[string]bool
}

// maxParts is more than any form has.
const maxParts = 100

var errParts = errors.New("no boundary, or too many parts")

func (f *form) parts(body []byte, boundary string) error {
	if boundary == "" {
		return errParts
	}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for range maxParts {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read part: %w", err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return fmt.Errorf("read part: %w", err)
		}
		// Part.FileName would cut the name to what follows its last slash; what is signed is the name as sent.
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		name, named := params["filename"]
		f.part(params["name"], name, named, content)
	}
	return errParts
}

func (f *form) part(name, fileName string, isFile bool, content []byte) {
	field, known := f.schema.byName[name]
	if !known || f.schema.fileOf(field) != nil {
		return
	}
	at := (*path)(nil).field(name)
	if f.seen[name] {
		f.report(at, "must not be given more than once")
		f.clear(field)
		return
	}
	f.seen[name] = true
	switch field.desc.Kind() {
	case protoreflect.StringKind:
		if text := string(content); f.text(at, field, textValue(text)) {
			f.msg.Set(field.desc, protoreflect.ValueOfString(text))
		}
	case protoreflect.BytesKind:
		if !isFile {
			f.report(at, "must be a file")
		} else if f.text(at, field, textValue(fileName)) {
			f.msg.Set(field.desc, protoreflect.ValueOfBytes(content))
			f.msg.Set(f.schema.nameOf(field).desc, protoreflect.ValueOfString(fileName))
		}
	default:
		f.report(at, "cannot be sent in a form")
	}
}

func (f *form) clear(field *field) {
	f.msg.Clear(field.desc)
	if name := f.schema.nameOf(field); name != nil {
		f.msg.Clear(name.desc)
	}
}

func textValue(text string) strictjson.Value {
	v := strictjson.Value{Kind: strictjson.String, Text: text}
	if !utf8.ValidString(text) {
		v.Text, v.Flaw = strings.ToValidUTF8(text, "\uFFFD"), "must be valid UTF-8"
	}
	return v
}

// nameOf is the field for the name of a bytes field's file.
func (s *schema) nameOf(file *field) *field {
	return s.field(string(file.desc.Name()) + fileNameSuffix)
}

// fileOf is the bytes field whose file's name a field takes, or nil.
func (s *schema) fileOf(name *field) *field {
	file, ok := strings.CutSuffix(string(name.desc.Name()), fileNameSuffix)
	if found := s.field(file); ok && found != nil && found.desc.Kind() == protoreflect.BytesKind {
		return found
	}
	return nil
}

const fileNameSuffix = "_name"

func (s *schema) field(name string) *field {
	for _, f := range s.fields {
		if string(f.desc.Name()) == name {
			return f
		}
	}
	return nil
}

// upload is a row of the table for a handler method that takes a file.
func upload[Req, Res any, PReq message[Req], PRes message[Res]](
	pattern, procedure string, status int, call method[Req, Res],
) route {
	t, a := newRoute[Req, Res, PReq, PRes](http.MethodPost, pattern, procedure, status, call)
	for _, f := range t.request.byName {
		must(f.desc.Kind() != protoreflect.BytesKind || t.request.nameOf(f) != nil, f.desc, "a file needs a field for its name")
	}
	a.form, t.form = true, true
	return t
}
