package payment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	pngfile "image/png"
	"testing"

	"gateway.example/internal/dbtest"
)

// secret is what must be left out wherever it stands.
const secret = "GPS 55.7558 N 37.6173 E"

// exif is EXIF data of a picture that lies on its side, in either order of bytes.
func exif(order binary.AppendByteOrder) string {
	data := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		data = []byte("II*\x00")
	}
	data = order.AppendUint32(data, 8)
	data = order.AppendUint16(data, 2)
	for _, tag := range [][4]uint32{{0x010f, 2, uint32(len(secret)), 38}, {0x0112, 3, 1, 6}} {
		data = order.AppendUint32(order.AppendUint16(order.AppendUint16(data, uint16(tag[0])), uint16(tag[1])), tag[2])
		if tag[0] == 0x0112 {
			data = order.AppendUint16(order.AppendUint16(data, uint16(tag[3])), 0)
		} else {
			data = order.AppendUint32(data, tag[3])
		}
	}
	return string(order.AppendUint32(data, 0)) + secret
}

func picture() image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for i := range 64 * 48 {
		m.Set(i%64, i/64, color.RGBA{uint8(i * 7), uint8(i * 3), uint8(i), 255})
	}
	return m
}

func segment(mark byte, content string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xff, mark}, uint16(2+len(content)))) + content
}

func pngChunk(kind, content string) string {
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), kind+content...)
	return string(binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:])))
}

func webpChunk(kind, content string) string {
	chunk := string(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(content)))) + content
	if len(content)%2 == 1 {
		chunk += "\x00"
	}
	return chunk
}

// What a picture tells beside what is on it is left out of a receipt: the pixels, which way up they are and the
// colour profile stay. What is not built as its type says is kept as it came.
func TestReceiptsLoseMetadata(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 9})
	ctx := context.Background()

	var plainJPEG, plainPNG bytes.Buffer
	noError(t, jpeg.Encode(&plainJPEG, picture(), nil))
	noError(t, pngfile.Encode(&plainPNG, picture()))
	profile := segment(0xe2, "ICC_PROFILE\x00\x01\x01colours")
	j, p := plainJPEG.String(), plainPNG.String()
	end := p[len(p)-12:]
	sideways := exif(binary.BigEndian)[:8] + "\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	const pixels = "pixels of a picture"
	webp := func(chunks string) string {
		return string(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(chunks)))) + "WEBP" + chunks
	}
	for name, c := range map[string]struct{ sent, kept string }{
		"a.jpg": {
			j[:2] + segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00") + segment(0xe0, "JFXX\x00"+secret) +
				segment(0xe1, "Exif\x00\x00"+exif(binary.LittleEndian)) + segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret) + profile +
				segment(0xe2, "MPF\x00"+secret) + segment(0xed, secret) + segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01") +
				segment(0xfe, secret) + j[2:] + j[:2] + segment(0xe1, secret) + j[2:],
			j[:2] + segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00") + segment(0xe1, "Exif\x00\x00"+sideways) + profile +
				segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01") + j[2:],
		},
		"b.jpg": {j, j},
		"c.jpg": {j[:2] + segment(0xe1, "Exif\x00\x00"+secret), j[:2] + segment(0xe1, "Exif\x00\x00"+secret)}, // no picture at all
		"a.png": {
			p[:33] + pngChunk("iCCP", "colours") + pngChunk("eXIf", exif(binary.BigEndian)) + pngChunk("tEXt", "Comment\x00"+secret) +
				pngChunk("tIME", "\x07\xea\x0b\x18\x0f\x00\x00") + p[33:len(p)-12] + pngChunk("iTXt", secret) + end + secret,
			p[:33] + pngChunk("iCCP", "colours") + pngChunk("eXIf", sideways) + p[33:len(p)-12] + end,
		},
		"b.png": {p, p},
		"a.webp": {
			webp(webpChunk("VP8X", "\x2c\x00\x00\x00\x3f\x00\x00\x2f\x00\x00") + webpChunk("ICCP", "colours") + webpChunk("VP8 ", pixels) +
				webpChunk("EXIF", exif(binary.LittleEndian)) + webpChunk("XMP ", secret)),
			webp(webpChunk("VP8X", "\x28\x00\x00\x00\x3f\x00\x00\x2f\x00\x00") + webpChunk("ICCP", "colours") + webpChunk("VP8 ", pixels) +
				webpChunk("EXIF", sideways)),
		},
		"b.webp": {webp(webpChunk("VP8 ", pixels) + webpChunk("EXIF", secret)), webp(webpChunk("VP8 ", pixels))},
		"a.pdf":  {"%PDF-1.7\n" + secret, "%PDF-1.7\n" + secret},
	} {
		made := b.create(t, merchant.Caller, request("order-"+name))
		must(b.payments.Claim(ctx, made.UUID))(t)
		noError(t, b.payments.AddReceipt(ctx, made.UUID, name, fileOf(c.sent)))
		receipt, kept, err := b.payments.ReadReceipt(ctx, operator, made.ID, 1)
		noError(t, err)
		if string(kept) != c.kept || receipt.Size != int64(len(c.kept)) {
			t.Errorf("%s: %d bytes of %d are kept as %d: %q", name, len(kept), len(c.sent), receipt.Size, kept)
		}
		if name[2:] == "jpg" && name != "c.jpg" || name[2:] == "png" {
			if _, _, err := image.Decode(bytes.NewReader(kept)); err != nil &&
				name != "a.png" { // whose profile is made up
				t.Errorf("%s cannot be read any more: %v", name, err)
			}
		}
	}
}
