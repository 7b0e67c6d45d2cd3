package pay

import (
	"net/http"
	"strings"

	"gateway.example/web/site"
)

// scan serves a QR code with the address of the payment's page, in the language
// of the page that shows the code.
func (p *Pay) scan(v visit) {
	address := p.URL + v.r.URL.Path[:strings.LastIndexByte(v.r.URL.Path, '/')]
	if lang := v.r.URL.Query().Get("lang"); lang != "" {
		s := p.shell(v.w, v.r)
		address += "?lang=" + s.Code
	}
	drawn, err := site.QR(address)
	if err != nil {
		p.broken(v.w, v.r, err)
		return
	}
	v.w.Header().Set("Content-Type", "image/svg+xml")
	v.w.Header().Set("Cache-Control", "private, max-age=3600")
	site.Send(v.w, v.r, http.StatusOK, drawn)
}
