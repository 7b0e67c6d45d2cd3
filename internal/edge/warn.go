package edge

import (
	"context"
	"net/http"
	"strings"
)

type warnKey struct{}

// warned marks requests in a sandbox, whose merchants learn which of their
// fields are ignored.
func warned(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), warnKey{}, true))
}

// maxWarned bounds how many fields a warning names.
const maxWarned = 10

// WarnIgnored names ignored fields of a body or parameters of a query to a
// sandbox's merchant, in a Warning header.
func WarnIgnored(ctx context.Context, header http.Header, names []string) {
	if len(names) == 0 || ctx.Value(warnKey{}) == nil {
		return
	}
	header.Set("Warning", `299 gateway "Unknown fields or parameters are ignored: `+strings.Map(func(r rune) rune {
		// A header is ASCII, and a quoted text has no quotes.
		if r <= ' ' && r != ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, strings.Join(names[:min(len(names), maxWarned)], ", "))+`"`)
}
