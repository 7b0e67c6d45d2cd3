package edge

import (
	"context"
	"io"
	"os"
)

// TempFile holds an upload on disk, so that its size does not depend on memory.
type TempFile struct {
	file *os.File
	size int64
}

// NewTempFile copies a stream into a file that nobody else can open.
func NewTempFile(from io.Reader) (*TempFile, error) {
	file, err := os.CreateTemp("", "gateway-upload-*")
	if err != nil {
		return nil, err
	}
	// A file without a name disappears with the process. Systems that
	// cannot remove an open file do it in Close.
	_ = os.Remove(file.Name())
	t := &TempFile{file: file}
	if t.size, err = io.Copy(file, from); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Content reads the file from its beginning.
func (t *TempFile) Content() *io.SectionReader { return io.NewSectionReader(t.file, 0, t.size) }

// Close frees the disk.
func (t *TempFile) Close() {
	_ = t.file.Close()
	_ = os.Remove(t.file.Name())
}

type fileKey struct{}

// WithFile returns a context that hands an upload's file to the handler. The
// message is without it.
func WithFile(ctx context.Context, file *io.SectionReader) context.Context {
	return context.WithValue(ctx, fileKey{}, file)
}

// FileFrom is the file of an upload, or nil if none was sent.
func FileFrom(ctx context.Context) *io.SectionReader {
	file, _ := ctx.Value(fileKey{}).(*io.SectionReader)
	return file
}
