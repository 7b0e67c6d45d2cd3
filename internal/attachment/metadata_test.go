package attachment_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"gateway.example/internal/attachment"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// turned is EXIF data of a picture that lies on its side.
const turned = "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"

const place = "GPS 55.7558 N 37.6173 E"

func pictureAs(t *testing.T, encode func(io.Writer, image.Image) error) string {
	t.Helper()
	of := image.NewRGBA(image.Rect(0, 0, 40, 20))
	of.Set(3, 3, color.White)
	var out bytes.Buffer
	testenv.NoError(t, encode(&out, of))
	return out.String()
}

// segment is one of a JPEG, chunk one of a PNG, and piece one of a WebP.
func segment(mark byte, content string) string {
	return "\xff" + string([]byte{mark}) + string(binary.BigEndian.AppendUint16(nil, uint16(2+len(content)))) + content
}

func chunk(kind, content string) string {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), kind+content...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:])))
}

func piece(kind, content string) string {
	return kind + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content + strings.Repeat("\x00", len(content)%2)
}

func riff(size int, pieces string) string {
	return "RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(4+size))) + "WEBP" + pieces
}

// A picture that is damaged behind its first pixels loses what tells a place,
// and one that has none is refused: nothing is kept as it came because it could
// not be read.
func TestDamagedPictures(t *testing.T) {
	t.Parallel()
	j := pictureAs(t, func(w io.Writer, of image.Image) error { return jpeg.Encode(w, of, nil) })
	p := pictureAs(t, png.Encode)
	exif := segment(0xe1, "Exif\x00\x00"+place)
	pixels := strings.Index(j, "\xff\xda")
	head, rest := p[:33], p[33:] // signature and IHDR
	vp8, gps := piece("VP8 ", "pixels of a picture"), piece("EXIF", place)
	for name, test := range map[string]struct {
		media, sent string
		// How it ends: "refused"; "kept"; "drawn" is kept, and Go's
		// decoder draws it, which knows no WebP and nothing cut off.
		end string
	}{
		"jpeg: bytes before a segment":      {"image/jpeg", j[:2] + "junk" + exif + j[2:], "drawn"},
		"jpeg: a fill byte":                 {"image/jpeg", j[:2] + "\xff\xff" + exif + j[2:], "drawn"},
		"jpeg: cut off in its pixels":       {"image/jpeg", j[:2] + exif + j[2:pixels+40], "kept"},
		"jpeg: a broken segment behind":     {"image/jpeg", j[:len(j)-2] + "\xff\xe1\xff\xffExif\x00\x00" + place, "kept"},
		"png: no end":                       {"image/png", p[:len(p)-12] + chunk("eXIf", place), "kept"},
		"png: metadata cut off":             {"image/png", p[:len(p)-12] + chunk("tEXt", place)[:30], "kept"},
		"png: cut off in its pixels":        {"image/png", head + chunk("eXIf", place) + rest[:20], "kept"},
		"webp: longer than it says":         {"image/webp", riff(len(vp8), vp8+gps), "kept"},
		"webp: shorter than it says":        {"image/webp", riff(900, vp8+gps), "kept"},
		"webp: metadata cut off":            {"image/webp", riff(len(vp8+gps), vp8+gps[:20]), "kept"},
		"webp: without the last zero":       {"image/webp", riff(len(vp8+gps)-1, vp8+gps[:len(gps)-1]), "kept"},
		"webp: cut off in its pixels":       {"image/webp", riff(900, gps+vp8[:20]), "kept"},
		"jpeg: nothing but metadata":        {"image/jpeg", "\xff\xd8" + exif, "refused"},
		"jpeg: ended before its pixels":     {"image/jpeg", j[:2] + exif + "\xff\xd9" + j[2:], "refused"},
		"jpeg: cut off in metadata":         {"image/jpeg", j[:2] + exif[:20], "refused"},
		"jpeg: a segment without length":    {"image/jpeg", j[:2] + "\xff\xe1\x00\x00" + place + j[2:], "refused"},
		"jpeg: a length beyond the end":     {"image/jpeg", j[:2] + "\xff\xe1\xff\xff" + place, "refused"},
		"png: nothing but metadata":         {"image/png", head + chunk("eXIf", place) + chunk("IEND", ""), "refused"},
		"png: a length beyond the end":      {"image/png", head + "\xff\xff\xff\xffeXIf" + place, "refused"},
		"png: the signature and text":       {"image/png", p[:8] + place, "refused"},
		"png: very many small chunks":       {"image/png", head + strings.Repeat(chunk("prIV", ""), 200_000) + rest, "refused"},
		"webp: nothing but metadata":        {"image/webp", riff(len(gps), gps), "refused"},
		"webp: a length beyond the end":     {"image/webp", riff(900, "EXIF\xff\xff\xff\xff"+place), "refused"},
		"webp: an empty head behind a turn": {"image/webp", riff(900, piece("EXIF", turned)+piece("VP8X", "")+vp8), "refused"},
		"webp: the head of an extended one": {"image/webp", riff(len(gps), piece("VP8X", "")+gps), "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := io.NewSectionReader(strings.NewReader(test.sent), 0, int64(len(test.sent)))
			content, size, err := attachment.WithoutMetadata(file, test.media)
			if test.end == "refused" {
				f := fault.As(err)
				testenv.Check(t, f != nil && f.Kind == fault.Invalid && f.Fields.Wrong("file"), "%d bytes, %v", size, err)
				return
			}
			testenv.NoError(t, err)
			got := testenv.Must(io.ReadAll(content))(t)
			testenv.Check(t, int64(len(got)) == size && len(got) >= 32, "%d bytes, said to be %d", len(got), size)
			testenv.Check(t, !bytes.Contains(got, []byte("55.75")), "the place is kept: %q", got)
			if test.end == "drawn" {
				testenv.Must2(image.Decode(bytes.NewReader(got)))(t)
			}
		})
	}
}
