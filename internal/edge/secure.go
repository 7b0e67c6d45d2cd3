package edge

import "net/http"

// Secured sets what every page is protected by: nothing inline, nothing foreign, no frame, no trace
// in caches and referrers. The path of a page is a credential.
func Secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		FramedBy(h, "")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// FramedBy says who may show a page in a frame: one origin, or nobody.
func FramedBy(h http.Header, origin string) {
	ancestors := origin
	if origin == "" {
		ancestors = "'none'"
		h.Set("X-Frame-Options", "DENY")
	} else {
		// The older header knows no other origin; browsers that know the policy pass it by.
		h.Del("X-Frame-Options")
	}
	h.Set(
		"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'self'; frame-ancestors "+ancestors,
	)
}
