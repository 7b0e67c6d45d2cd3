package attachment

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg" // what pictures are sent in
	_ "image/png"
	"io"
	"sync"
)

// Reasons why a picture is not drawn.
var (
	ErrNoPicture = errors.New("it is no PNG or JPEG picture")
	ErrTooWide   = errors.New("it has too many pixels")
)

// Canvas is what a picture is drawn on.
type Canvas struct {
	// Width and Height are the largest size of the result.
	Width, Height int
	// Fits reports whether a picture with so many pixels is drawn at all.
	Fits func(width, height int) bool
}

// maxScans is how many scans over its pixels a JPEG may have. A few bytes can
// ask for a scan of the whole picture, so a small file could cost much time.
const maxScans = 50

// drawing lets only one picture be drawn at a time, because each can take some
// hundred megabytes of memory for a moment.
var drawing sync.Mutex

// Draw draws an uploaded picture again, upright and no larger than the canvas,
// so that nothing else of the upload is kept. The size is read from the first
// bytes, so a picture that is too large is never decoded.
func Draw(file []byte, on Canvas) (image.Image, error) {
	config, kind, err := image.DecodeConfig(bytes.NewReader(file))
	switch {
	case err != nil || kind == "jpeg" && bytes.Count(file, []byte{0xff, markScan}) > maxScans:
		return nil, ErrNoPicture
	case !on.Fits(config.Width, config.Height):
		return nil, ErrTooWide
	}
	drawing.Lock()
	defer drawing.Unlock()
	whole, _, err := image.Decode(bytes.NewReader(file))
	if err != nil || whole.Bounds().Empty() {
		return nil, ErrNoPicture
	}
	way := upright
	if kind == "jpeg" {
		k := keeping{file: io.NewSectionReader(bytes.NewReader(file), 0, int64(len(file)))}
		_ = k.jpeg() // errors after the orientation do not matter here
		way = max(k.way, upright)
	}
	if way >= lying {
		on.Width, on.Height = on.Height, on.Width
	}
	return turned(fitted(whole, on), way), nil
}

// fitted is the picture, reduced to the canvas if it is larger.
func fitted(whole image.Image, on Canvas) *image.RGBA {
	from := whole.Bounds()
	width, height := from.Dx(), from.Dy()
	if width > on.Width {
		width, height = on.Width, max(1, height*on.Width/width)
	}
	if height > on.Height {
		width, height = max(1, width*on.Height/height), on.Height
	}
	small := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			small.SetRGBA(x, y, mean(whole, image.Rect(
				from.Min.X+x*from.Dx()/width, from.Min.Y+y*from.Dy()/height,
				from.Min.X+(x+1)*from.Dx()/width, from.Min.Y+(y+1)*from.Dy()/height,
			)))
		}
	}
	return small
}

// mean is the mean colour of a part of a picture.
func mean(of image.Image, part image.Rectangle) color.RGBA {
	var sum [4]int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, a := of.At(x, y).RGBA()
			sum[0], sum[1], sum[2], sum[3] = sum[0]+int(r), sum[1]+int(g), sum[2]+int(b), sum[3]+int(a)
		}
	}
	eighth := func(total int) uint8 { return uint8(total / (part.Dx() * part.Dy()) >> 8) }
	return color.RGBA{R: eighth(sum[0]), G: eighth(sum[1]), B: eighth(sum[2]), A: eighth(sum[3])}
}

// lying is the first EXIF orientation for which the picture lies on its side.
const lying = 5

// turned is the picture the right way up. Phones store a photo as the sensor
// saw it, with a note how the phone was held.
func turned(from *image.RGBA, way int) *image.RGBA {
	width, height := from.Bounds().Dx(), from.Bounds().Dy()
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	if way >= lying {
		to = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	for y := range height {
		for x := range width {
			right, down := width-1-x, height-1-y
			at := [orientations + 1]image.Point{
				1: {X: x, Y: y}, 2: {X: right, Y: y}, 3: {X: right, Y: down}, 4: {X: x, Y: down},
				5: {X: y, Y: x}, 6: {X: down, Y: x}, 7: {X: down, Y: right}, 8: {X: y, Y: right},
			}[way]
			to.SetRGBA(at.X, at.Y, from.RGBAAt(x, y))
		}
	}
	return to
}
