package site

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// QR draws an SVG of a QR code.
func QR(text string) ([]byte, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return nil, fmt.Errorf("encode a QR code: %w", err)
	}
	return draw(code), nil
}

// quiet is the width of the white margin (the quiet zone) that a camera needs
// around a QR code.
const quiet = 4

// draw draws a QR code as SVG. All black squares are one path, and adjacent
// squares of a row are one rectangle.
func draw(code *qr.Code) []byte {
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	side := code.Size + 2*quiet
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`, side, side, side, side, path.String())
}
