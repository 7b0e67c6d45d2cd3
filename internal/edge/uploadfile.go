package edge

import (
	"context"
	"io"
	"os"
)

// TempFile keeps an upload on disk while it is looked at: its size does not depend on memory.
type TempFile struct {
	file *os.File
	size int64
}

// NewTempFile copies everything that is read into a file that nobody else can open.
func NewTempFile(from io.Reader) (*TempFile, error) {
	file, err := os.CreateTemp("", "gateway-upload-*")
	if err != nil {
		return nil, err
	}
	// Without its name the file is gone with the process, however that ends. Where a file in use
	// cannot be removed, Close does so.
	_ = os.Remove(file.Name())
	t := &TempFile{file: file}
	if t.size, err = io.Copy(file, from); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Content is the file from its beginning.
func (t *TempFile) Content() *io.SectionReader { return io.NewSectionReader(t.file, 0, t.size) }

// Close gives the disk back.
func (t *TempFile) Close() {
	_ = t.file.Close()
	_ = os.Remove(t.file.Name())
}

type fileKey struct{}

// WithFile returns a context that carries an upload's file to the handler, whose message is without
// it.
func WithFile(ctx context.Context, file *io.SectionReader) context.Context {
	return context.WithValue(ctx, fileKey{}, file)
}

// FileFrom is the file of an upload, or nil where none was sent.
func FileFrom(ctx context.Context) *io.SectionReader {
	file, _ := ctx.Value(fileKey{}).(*io.SectionReader)
	return file
}
