package attachment_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"
	"testing"

	"gateway.example/internal/attachment"
	"gateway.example/internal/testenv"
)

// photo is a JPEG that is red in its upper left quarter, taken as the
// orientation of EXIF says.
func photo(t *testing.T, way byte) []byte {
	t.Helper()
	of := image.NewRGBA(image.Rect(0, 0, 400, 200))
	draw.Draw(of, image.Rect(0, 0, 200, 100), image.NewUniform(color.RGBA{R: 0xff, A: 0xff}), image.Point{}, draw.Src)
	var out bytes.Buffer
	testenv.NoError(t, jpeg.Encode(&out, of, nil))
	tiff := []byte{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, way, 0, 0, 0, 0, 0, 0, 0}
	exif := append([]byte{0xff, 0xe1, 0, byte(8 + len(tiff))}, "Exif\x00\x00"+string(tiff)...)
	return append(append(bytes.Clone(out.Bytes()[:2]), exif...), out.Bytes()[2:]...)
}

// A photo is drawn small and the right way up, however the phone was held.
func TestDraw(t *testing.T) {
	t.Parallel()
	any := func(int, int) bool { return true }
	corners := map[string]byte{"left top": 1, "right top": 2, "right bottom": 3, "left bottom": 4}
	for corner, way := range corners {
		lies := map[byte]byte{1: 5, 2: 6, 3: 7, 4: 8}[way]
		for way, want := range map[byte]image.Point{way: {X: 40, Y: 20}, lies: {X: 20, Y: 40}} {
			drawn := testenv.Must(attachment.Draw(photo(t, way), attachment.Canvas{Width: 40, Height: 40, Fits: any}))(t)
			size := drawn.Bounds().Size()
			x, y := 2, 2
			if strings.Contains(corner, "right") {
				x = size.X - 3
			}
			if strings.Contains(corner, "bottom") {
				y = size.Y - 3
			}
			red, _, _, _ := drawn.At(x, y).RGBA()
			other, _, _, _ := drawn.At(size.X-1-x, size.Y-1-y).RGBA()
			testenv.Check(t, size == want && red > 0xc000 && other < 0x4000, "%d: %v, at its %s %x", way, size, corner, red)
		}
	}
	for want, file := range map[error][]byte{
		attachment.ErrNoPicture: []byte("<svg/>"), attachment.ErrTooWide: photo(t, 1),
	} {
		_, err := attachment.Draw(file, attachment.Canvas{Width: 40, Height: 40, Fits: func(width, height int) bool {
			return fmt.Sprint(width, height) != "400 200"
		}})
		testenv.Check(t, errors.Is(err, want), "%v, want %v", err, want)
	}
}
