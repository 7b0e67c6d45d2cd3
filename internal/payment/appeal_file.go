package payment

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/gabriel-vasile/mimetype"

	"gateway.example/internal/fault"
)

// fileKind is a media type with its name for people and the extensions of its files, the usual one
// first.
type fileKind struct {
	media, name string
	extensions  []string
}

// fileTypes are the allowed types of an appeal's file, and receiptTypes those of a receipt. The type
// is detected from the content.
var (
	receiptTypes = []fileKind{
		{"application/pdf", "PDF", []string{".pdf"}},
		{"image/png", "PNG", []string{".png"}},
		{"image/jpeg", "JPEG", []string{".jpg", ".jpeg"}},
		{"image/webp", "WebP", []string{".webp"}},
	}
	fileTypes = append(slices.Clone(receiptTypes), fileKind{"video/mp4", "MP4", []string{".mp4", ".m4v"}})
)

// checkFile checks a file's name and content, and returns its type.
func checkFile(f fault.Fields, name string, file *io.SectionReader, kinds []fileKind) (string, error) {
	f.Check(file.Size() > 0, "file", "must not be empty")
	checkFileName(f, name)
	if file.Size() == 0 {
		return "", nil
	}
	found, err := mimetype.DetectReader(io.NewSectionReader(file, 0, file.Size()))
	if err != nil {
		return "", fmt.Errorf("look into a file: %w", err)
	}
	names := make([]string, 0, len(kinds))
	for _, known := range kinds {
		if found.Is(known.media) {
			return known.media, nil
		}
		names = append(names, known.name)
	}
	last := len(names) - 1
	f.Add("file", "must be a %s or %s file", strings.Join(names[:last], ", "), names[last])
	return "", nil
}

// KeptName is the file's name for operators: the merchant's, made safe. A picture may also be a
// program or a page, so the name always ends in the extension of the detected type; and it has no
// characters that reverse its direction.
func (a AppealRecord) KeptName() string { return keptName(a.FileName, a.FileType) }

func keptName(name, media string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			return -1
		case strings.ContainsRune(`/\:*?<>|`, r): // they mean something in a path of some system
			return '_'
		}
		return r
	}, name)
	// Some systems drop these from the end, so that an earlier extension would count.
	name = strings.TrimRight(name, ". ")
	for _, known := range fileTypes {
		if known.media == media && !slices.ContainsFunc(known.extensions, func(e string) bool {
			return strings.HasSuffix(strings.ToLower(name), e)
		}) {
			name += known.extensions[0]
		}
	}
	return name
}
