// Package web serves the pages people see: handlers here, templates in view, stylesheets in static. The pages work
// without script and ask no third party for anything.
package web

import (
	"bytes"
	"embed"
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"gateway/internal/auth"
	"gateway/internal/fault"
	"gateway/internal/payment"
	"gateway/web/view"
)

//go:embed static
var static embed.FS

// Pay serves the hosted pages of payments.
type Pay struct {
	payments *payment.Service
	links    *auth.Links
}

// NewPay makes the handler of everything on the pay address.
func NewPay(payments *payment.Service, links *auth.Links) http.Handler {
	p := &Pay{payments: payments, links: links}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{token}", p.requisite)
	mux.Handle("GET /static/", cached(http.FileServerFS(static)))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { show(w, r, http.StatusNotFound, view.Unknown()) })
	return secured(mux)
}

// requisite shows where to send the money. Every link that is not one of ours gets the same answer.
func (p *Pay) requisite(w http.ResponseWriter, r *http.Request) {
	id, err := p.links.Parse(r.PathValue("token"))
	if err != nil {
		show(w, r, http.StatusNotFound, view.Unknown())
		return
	}
	found, err := p.payments.ByUUID(r.Context(), id)
	switch {
	case errors.Is(err, fault.ErrNotFound):
		show(w, r, http.StatusNotFound, view.Unknown())
	case err != nil:
		slog.ErrorContext(r.Context(), "requisite page", "error", err)
		show(w, r, http.StatusInternalServerError, view.Broken())
	default:
		show(w, r, http.StatusOK, view.Requisite(found))
	}
}

// show renders a page whole before the first byte is sent: half a page about money is worse than none.
func show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var body bytes.Buffer
	if err := page.Render(r.Context(), &body); err != nil {
		slog.ErrorContext(r.Context(), "render page", "error", err)
		http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
}

// secured sets what every page is protected by: nothing inline, nothing foreign, no frame, no trace in caches and
// referrers. The path of a page is a credential.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		next.ServeHTTP(w, r)
	})
}

// cached lets browsers keep what is the same for everybody.
func cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		next.ServeHTTP(w, r)
	})
}
