package edge

import (
	"context"
	"net/http"
	"strings"
)

type warnKey struct{}

// warned are requests of a sandbox, whose merchants are told which of their fields are ignored.
func warned(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), warnKey{}, true))
}

// maxWarned bounds how many fields a warning names.
const maxWarned = 10

// WarnIgnored tells a sandbox's merchant, in a Warning header, of the fields of a body, or of
// the parameters of a query, that nobody knows.
func WarnIgnored(ctx context.Context, header http.Header, names []string) {
	if len(names) == 0 || ctx.Value(warnKey{}) == nil {
		return
	}
	header.Set("Warning", `299 gateway "Unknown fields are ignored: `+strings.Map(func(r rune) rune {
		// A header holds only ASCII, and a quoted text no quote.
		if r <= ' ' && r != ' ' || r > '~' || r == '"' || r == '\\' {
			return '?'
		}
		return r
	}, strings.Join(names[:min(len(names), maxWarned)], ", "))+`"`)
}
