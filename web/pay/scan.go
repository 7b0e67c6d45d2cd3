package pay

import (
	"fmt"
	"net/http"
	"strings"

	"rsc.io/qr"

	"gateway.example/web/site"
)

// scan serves a QR code with the address of the payment's page, in the language of the page that
// shows the code.
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
	site.Send(v.w, v.r, http.StatusOK, drawn, site.Pack(drawn))
}

// quiet is the width of the white margin (the quiet zone) that a camera needs around a QR code.
const quiet = 4

// draw makes an SVG of a QR code. All black squares are one path; a run of them is one rectangle.
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
