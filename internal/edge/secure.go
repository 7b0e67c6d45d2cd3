package edge

import "net/http"

// Secured sets what every page is protected by: nothing inline, nothing foreign, no frame, no trace
// in caches and referrers. The path of a page is a credential.
func Secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		Admit(h, "", "")
		h.Set("Cache-Control", "no-store")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Robots-Tag", "noindex")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// Admit says what a page may do besides: be shown in a frame by one origin, or by nobody when that is
// "", and use the one inline stylesheet whose hash this is, as a policy writes it.
func Admit(h http.Header, frame, style string) {
	ancestors := frame
	if frame == "" {
		ancestors = "'none'"
		h.Set("X-Frame-Options", "DENY")
	} else {
		// The older header knows no other origin; browsers that know the policy pass it by.
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

// ShowFrames lets a page show frames of the same origin, besides what it may otherwise.
func ShowFrames(h http.Header) { h.Set(policyHeader, h.Get(policyHeader)+"; frame-src 'self'") }

// AdmitOwn lets pages of the same origin show a page in a frame, which may use the one inline stylesheet
// whose hash this is.
func AdmitOwn(h http.Header, style string) {
	Admit(h, "'self'", style)
	h.Set("X-Frame-Options", "SAMEORIGIN")
}

// SameOrigin refuses posts of other sites, and those of which the browser does not say where they come
// from.
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
