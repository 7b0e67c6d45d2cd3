package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"

	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
)

// takeMessage takes the file out of an upload's Connect message. The library
// would decode such a message as a whole, in several times its size of memory.
// So it is received to disk, the file is found there, and the rest is decoded
// without it.
func takeMessage(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if media != mediaJSON && media != mediaProto { // the library says no
			next.ServeHTTP(w, r)
			return
		}
		received, err := edge.NewTempFile(edge.BoundUpload(r.Body))
		if err != nil {
			failConnect(w, r, edge.UploadError(err))
			return
		}
		defer received.Close()
		if r, err = edge.Received(r); err != nil {
			failConnect(w, r, err)
			return
		}
		found := findProto
		if media == mediaJSON {
			found = findJSON
		}
		place := found(received.Content())
		if r.Body, err = place.rest(received.Content()); err != nil {
			failConnect(w, r, err)
			return
		}
		if file := place.file(received.Content()); media == mediaProto && file != nil {
			r = r.WithContext(edge.WithFile(r.Context(), file))
		} else if file != nil {
			plain, err := edge.NewTempFile(
				base64.NewDecoder(base64.RawStdEncoding, bufio.NewReader(&plainBase64{bufio.NewReader(file)})),
			)
			if err != nil {
				failConnect(w, r, base64Error(err))
				return
			}
			defer plain.Close()
			r = r.WithContext(edge.WithFile(r.Context(), plain.Content()))
		}
		next.ServeHTTP(w, r)
	})
}

func base64Error(err error) error {
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Fields{fileField: {"must be a base64 string"}}.Err()
	}
	return err
}

const (
	// fileField and fileNumber are the name and number of the file's field.
	fileField, fileNumber = "file", 4
)

// filePlace is where the file is in a message. The zero place is nowhere.
type filePlace struct {
	// cut is where the removed part begins: the file, or before it its
	// field's number and size.
	cut, from, to int64
}

func (p filePlace) file(message *io.SectionReader) *io.SectionReader {
	if p.to == 0 {
		return nil
	}
	return io.NewSectionReader(message, p.from, p.to-p.from)
}

// rest is the message without the file.
func (p filePlace) rest(message *io.SectionReader) (io.ReadCloser, error) {
	if message.Size()-(p.to-p.cut) > edge.MaxBody {
		return nil, fault.Fields{fault.Body: {"must be at most 65536 bytes besides its file"}}.Err()
	}
	rest, err := io.ReadAll(io.MultiReader(
		io.NewSectionReader(message, 0, p.cut), io.NewSectionReader(message, p.to, message.Size()-p.to)))
	return io.NopCloser(bytes.NewReader(rest)), err
}

// findProto finds the file in a binary message. It leaves errors about a
// malformed one to the decoder.
func findProto(message *io.SectionReader) filePlace {
	reader := bufio.NewReader(message)
	at := func() int64 {
		position, _ := message.Seek(0, io.SeekCurrent)
		return position - int64(reader.Buffered())
	}
	for {
		begin := at()
		tag, err := binary.ReadUvarint(reader)
		if err != nil {
			return filePlace{}
		}
		size := uint64(0)
		number, kind := protowire.DecodeTag(tag)
		switch kind {
		case protowire.VarintType:
			_, err = binary.ReadUvarint(reader)
		case protowire.Fixed32Type:
			size = 4
		case protowire.Fixed64Type:
			size = 8
		case protowire.BytesType:
			size, err = binary.ReadUvarint(reader)
		default:
			return filePlace{}
		}
		if err != nil || size > edge.MaxUpload {
			return filePlace{}
		}
		if from := at(); number == fileNumber && kind == protowire.BytesType && from+int64(size) <= message.Size() {
			return filePlace{cut: begin, from: from, to: from + int64(size)}
		}
		if _, err := reader.Discard(int(size)); err != nil {
			return filePlace{}
		}
	}
}

// jsonScan scans a JSON document for strings and brackets.
type jsonScan struct {
	*bufio.Reader
	at, depth int64
	// naming: the next string is a member's name. name is the last one of
	// the outermost object.
	naming bool
	name   []byte
}

// findJSON finds the content of the string called file in a JSON object. It
// only ever cuts out the inside of a string, and leaves errors about a
// malformed document to the decoder.
func findJSON(message *io.SectionReader) filePlace {
	s := &jsonScan{Reader: bufio.NewReader(message)}
	for {
		c, err := s.ReadByte()
		if err != nil {
			return filePlace{}
		}
		s.at++
		switch c {
		case '{', '[':
			s.depth++
			s.naming = s.depth == 1 && c == '{'
		case '}', ']':
			s.depth--
		case ',':
			s.naming = s.depth == 1
		case ':':
			s.naming = false
		case '"':
			from := s.at
			text, ok := s.text()
			switch {
			case !ok:
				return filePlace{}
			case s.naming:
				s.name = text
			case s.depth == 1 && string(s.name) == fileField:
				return filePlace{cut: from, from: from, to: s.at - 1}
			}
		}
	}
}

// text reads a string to its end and returns its beginning.
func (s *jsonScan) text() (begin []byte, ok bool) {
	for {
		plain, err := untilAny(s.Reader, `"\\`)
		if err != nil {
			return nil, false
		}
		begin = append(begin, plain[:min(len(plain), max(len(fileField)+1-len(begin), 0))]...)
		_, _ = s.Discard(len(plain))
		s.at += int64(len(plain))
		if len(plain) > 0 {
			continue
		}
		c, err := s.ReadByte()
		s.at++
		if c == '"' {
			return begin, true
		}
		if err == nil { // what follows a backslash is not the end
			_, err = s.ReadByte()
			s.at++
		}
		if err != nil {
			return nil, false
		}
		if len(begin) <= len(fileField) {
			begin = append(begin, '\\') // no name that is looked for has one
		}
	}
}

// untilAny returns, without reading it, what comes before the first of some
// bytes: nothing if one of them is next, and an error at the end. A file has
// millions of bytes, too many to read one by one.
func untilAny(from *bufio.Reader, stops string) ([]byte, error) {
	if _, err := from.Peek(1); err != nil {
		return nil, err
	}
	plain, _ := from.Peek(from.Buffered())
	for i := range len(stops) {
		if at := bytes.IndexByte(plain, stops[i]); at >= 0 {
			plain = plain[:at]
		}
	}
	return plain, nil
}

// plainBase64 reads base64 as JSON may have it, in the form that the decoder
// accepts: either alphabet, padded or not, slashes escaped or not.
type plainBase64 struct{ from *bufio.Reader }

func (b *plainBase64) Read(p []byte) (int, error) {
	plain, err := untilAny(b.from, "-_=\\\r\n")
	if err != nil {
		return 0, err
	}
	if len(plain) > 0 {
		return b.from.Read(p[:min(len(p), len(plain))])
	}
	c, err := b.from.ReadByte()
	if next, _ := b.from.Peek(1); c == '\\' && string(next) == "/" {
		c, err = b.from.ReadByte()
	}
	switch c {
	case '-':
		c = '+'
	case '_':
		c = '/'
	case '=':
		if rest, _ := b.from.Peek(2); err == nil && (len(rest) == 0 || string(rest) == "=") {
			return 0, io.EOF
		}
	case '\r', '\n': // which the decoder would pass over
		c = '!'
	}
	p[0] = c
	return 1, err
}

// WholeUpload is the content of UploadedFile, at most a byte more than an
// upload may have; no file is none.
func WholeUpload(ctx context.Context, content []byte) ([]byte, error) {
	file := UploadedFile(ctx, content)
	if file == nil {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(file, edge.MaxUpload+1))
}

// UploadedFile is FileFrom, or a file that is still in the message because its
// name was spelled with escapes.
func UploadedFile(ctx context.Context, content []byte) *io.SectionReader {
	file := edge.FileFrom(ctx)
	if file == nil && content != nil {
		file = io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content)))
	}
	return file
}
