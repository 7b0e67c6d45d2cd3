package edge

import "net/http"

// Secured sets the headers that protect every page: nothing inline, nothing
// from other origins, no frames, nothing in caches or in the referrers of other
// sites. The path of a page is a credential. Without any referrer browsers also
// say of their own forms that they come from nowhere ("Origin: null"), and one
// that has no Sec-Fetch-Site, because it is old or without TLS, has its forms
// refused.
func Secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		Admit(h, "", "")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// Admit loosens a page's policy: one origin may frame it (none if ""), and it
// may use the inline stylesheet with this hash.
func Admit(h http.Header, frame, style string) {
	ancestors := frame
	if frame == "" {
		ancestors = "'none'"
		h.Set("X-Frame-Options", "DENY")
	} else {
		// The older header cannot name an origin. Browsers that know
		// the policy ignore it.
		h.Del("X-Frame-Options")
	}
	if style != "" {
		style = " '" + style + "'"
	}
	h.Set(
		policyHeader,
		"default-src 'none'; script-src 'self'; style-src 'self'"+style+"; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'self'; frame-ancestors "+ancestors,
	)
}

const policyHeader = "Content-Security-Policy"

// ShowFrames also lets a page show frames of the same origin.
func ShowFrames(h http.Header) { h.Set(policyHeader, h.Get(policyHeader)+"; frame-src 'self'") }

// AdmitOwn lets pages of the same origin frame a page, which may use the inline
// stylesheet with this hash.
func AdmitOwn(h http.Header, style string) {
	Admit(h, "'self'", style)
	h.Set("X-Frame-Options", "SAMEORIGIN")
}

// Installable also lets browsers read what makes the pages an app, of the same
// origin.
func Installable(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(policyHeader, w.Header().Get(policyHeader)+"; manifest-src 'self'")
		next.ServeHTTP(w, r)
	})
}

// Picture is the policy of a picture that a stranger made: pages of the same
// origin alone show it, and opened by itself it runs and loads nothing.
func Picture(h http.Header) {
	h.Set(policyHeader, "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
}

// SameOrigin refuses posts from other sites, and those without a known origin.
func SameOrigin(next, refuse http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(refuse)
	guarded := protection.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		silent := r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == ""
		if r.Method != http.MethodGet && r.Method != http.MethodHead && silent {
			refuse.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}
