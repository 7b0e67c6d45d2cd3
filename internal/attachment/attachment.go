// Package attachment stores the files that people send as evidence: it checks
// their types, removes hidden parts, and encrypts them.
package attachment

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	maxFileName = 255
	// pieceSize is the size of the pieces in which a file is read and
	// stored. Only one piece is in memory at a time.
	pieceSize = 256 << 10
)

// ErrPurged says that the file was deleted after its retention period.
var ErrPurged = fault.New(fault.NotFound, "file_purged", "The file was removed: it had been kept as long as it is to be.")

// Kind is a media type with its name for people and the extensions of its
// files, the usual one first.
type Kind struct {
	media, name string
	extensions  []string
}

// Receipts are the types allowed for receipts, and Proofs those allowed for
// other evidence. The type is detected from the content.
var (
	Receipts = []Kind{
		{"application/pdf", "PDF", []string{".pdf"}},
		{"image/png", "PNG", []string{".png"}},
		{"image/jpeg", "JPEG", []string{".jpg", ".jpeg"}},
		{"image/webp", "WebP", []string{".webp"}},
	}
	Proofs = append(slices.Clone(Receipts), Kind{"video/mp4", "MP4", []string{".mp4", ".m4v"}})
)

// Check checks a file's name and content, and returns its type.
func Check(f fault.Fields, name string, file *io.SectionReader, kinds []Kind) (string, error) {
	f.Check(file.Size() > 0, "file", "must not be empty")
	checkName(f, name)
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

// KeptName is a safe form of the sender's file name. A picture may also be a
// valid program or page, so the name always ends in the extension of the
// detected type; and it has no characters that reverse the direction of text.
// It is no longer than a name may be.
func KeptName(name, media string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			return -1
		case strings.ContainsRune(`/\:*?<>|`, r): // they have a meaning in paths of some system
			return '_'
		}
		return r
	}, name)
	// Some systems drop these from the end, so that an earlier extension
	// would count.
	name = strings.TrimRight(name, ". ")
	for _, known := range Proofs {
		if known.media == media && !slices.ContainsFunc(known.extensions, func(e string) bool {
			return strings.HasSuffix(strings.ToLower(name), e)
		}) {
			extension, letters := known.extensions[0], []rune(name)
			name = string(letters[:min(len(letters), maxFileName-len(extension))]) + extension
		}
	}
	return name
}

// checkName accepts any name that can be shown on one line. The name is never
// used as a path.
func checkName(f fault.Fields, name string) {
	length := utf8.RuneCountInString(name)
	f.Check(length >= 1 && length <= maxFileName, "file", "must have a name of 1 to %d characters", maxFileName)
	flaw := fault.NameFlaw(name)
	f.Check(flaw == "", "file", "must have a name that is text: it %s", flaw)
}

// Store writes a file in pieces, with one of them in memory at a time.
func Store(
	ctx context.Context, q *db.Queries, file io.Reader, size int64,
	insert func(ctx context.Context, number int32, piece []byte) error,
) error {
	ctx = db.WithTime(ctx)
	if err := q.AppealUnhurried(ctx); err != nil {
		return fmt.Errorf("allow time for a file: %w", err)
	}
	piece := make([]byte, min(pieceSize, size))
	for at, number := int64(0), int32(0); at < size; at, number = at+int64(len(piece)), number+1 {
		piece = piece[:min(int64(len(piece)), size-at)]
		if _, err := io.ReadFull(file, piece); err != nil {
			return fmt.Errorf("read file: %w", err)
		}
		if err := insert(ctx, number, piece); err != nil {
			return fmt.Errorf("store file: %w", err)
		}
	}
	return nil
}
