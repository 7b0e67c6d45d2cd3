package payment

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/gabriel-vasile/mimetype"
)

// fileTypes are the media types an appeal's file may have, each with the extensions of its names,
// the usual one first. What type a file has is found in its content.
var fileTypes = []struct {
	media      string
	extensions []string
}{
	{"application/pdf", []string{".pdf"}}, {"image/png", []string{".png"}}, {"image/jpeg", []string{".jpg", ".jpeg"}},
	{"image/webp", []string{".webp"}}, {"video/mp4", []string{".mp4", ".m4v"}},
}

// fileType is the media type found in a file's content, or "" for one an appeal does not take.
func fileType(file *io.SectionReader) (string, error) {
	found, err := mimetype.DetectReader(io.NewSectionReader(file, 0, file.Size()))
	if err != nil {
		return "", fmt.Errorf("look into appeal file: %w", err)
	}
	for _, known := range fileTypes {
		if found.Is(known.media) {
			return known.media, nil
		}
	}
	return "", nil
}

// KeptName is the name under which an operator sees and keeps the file: the merchant's, as far as
// it cannot mislead. A file whose content is that of a picture may be a program or a page as well,
// so its name always ends in the extension of the type that was found; and nothing in it turns the
// order of its letters around.
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
	// Some systems drop these from the end, and so an extension before them would count.
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
