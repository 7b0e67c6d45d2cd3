package web

import (
	"fmt"
	"net/http"
	"strings"

	"rsc.io/qr"
)

// scan draws a code that leads a phone's camera to the payment's page, in the language of the page it
// stands on.
func (p *Pay) scan(v visit) {
	address := p.URL + v.r.URL.Path[:strings.LastIndexByte(v.r.URL.Path, '/')]
	if lang := v.r.URL.Query().Get("lang"); lang != "" {
		s := p.shell(v.w, v.r)
		address += "?lang=" + s.Code
	}
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		p.broken(v.w, v.r, err)
		return
	}
	v.w.Header().Set("Content-Type", "image/svg+xml")
	v.w.Header().Set("Cache-Control", "private, max-age=3600")
	drawn := draw(code)
	send(v.w, v.r, http.StatusOK, drawn, pack(drawn))
}

// quiet is the width of the white edge that a camera needs around a code.
const quiet = 4

// draw is a code as a picture: one path of all its black squares, those side by side in one stroke.
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
