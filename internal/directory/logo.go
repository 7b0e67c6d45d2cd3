package directory

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // what logos are sent in
	"image/png"
	"sync"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// LogoPath is where logos are on the address of the hosted pages, and on that of the portals: below it, by their hash.
const LogoPath = "/logo/"

const (
	// MaxLogo is how many bytes a logo may have that is uploaded.
	MaxLogo = 512 << 10
	// maxLogoSide is how many pixels it may be wide and high, logoWidth and logoHeight what is kept of them.
	maxLogoSide, logoWidth, logoHeight = 2000, 240, 96
	// maxLogoScans is how often a JPEG may go over its pixels again. A few bytes are a scan of all of them.
	maxLogoScans = 50
)

// What is wrong with a logo.
const (
	LogoTooLarge = "must be at most 512 KB"
	LogoTooWide  = "must be at most 2000 pixels wide and high"
	LogoNoImage  = "must be a PNG or JPEG picture"
)

// logo sets the logo, where one is given; one without content clears it.
func (u LookUpdate) logo(f fault.Fields, params *db.CashboxUpdateParams) {
	params.SetPageLogo = u.Logo != nil
	if len(u.Logo) == 0 {
		return
	}
	drawn, flaw := drawLogo(u.Logo)
	f.Flaw("logo", flaw)
	params.PageLogo = drawn
}

// drawing lets one logo be drawn at a time: each takes up to a hundred megabytes of memory for a moment.
var drawing sync.Mutex

// drawLogo draws an uploaded picture anew, as a PNG of at most logoWidth by logoHeight, so that nothing else of the
// upload is kept. It says what is wrong with one that it does not draw. How large the picture is stands in its first
// bytes, so one that is too large is not decoded.
func drawLogo(file []byte) (drawn []byte, flaw string) {
	if len(file) > MaxLogo {
		return nil, LogoTooLarge
	}
	config, kind, err := image.DecodeConfig(bytes.NewReader(file))
	switch {
	case err != nil || kind == "jpeg" && bytes.Count(file, []byte{0xff, 0xda}) > maxLogoScans:
		return nil, LogoNoImage
	case config.Width > maxLogoSide || config.Height > maxLogoSide:
		return nil, LogoTooWide
	}
	drawing.Lock()
	defer drawing.Unlock()
	whole, _, err := image.Decode(bytes.NewReader(file))
	if err != nil || whole.Bounds().Empty() {
		return nil, LogoNoImage
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fitted(whole)); err != nil {
		return nil, LogoNoImage
	}
	return out.Bytes(), ""
}

// fitted is a picture, made smaller where it is larger than a logo.
func fitted(whole image.Image) image.Image {
	from := whole.Bounds()
	width, height := from.Dx(), from.Dy()
	if width > logoWidth {
		width, height = logoWidth, max(1, height*logoWidth/width)
	}
	if height > logoHeight {
		width, height = max(1, width*logoHeight/height), logoHeight
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

// PageLogo is the logo of hosted pages with a hash, as a PNG.
func (l *Looks) PageLogo(ctx context.Context, hash string) ([]byte, error) {
	logo, err := l.q.CashboxLogo(ctx, hash)
	if db.NoRows(err) {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read logo: %w", err)
	}
	return logo, nil
}
