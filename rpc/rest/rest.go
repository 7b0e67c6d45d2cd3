// Package rest serves the documented REST paths: one table of routes, one
// adapter to the handler methods that Connect calls too, one codec between JSON
// and their messages.
package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gateway.example/internal/fault"
	"gateway.example/rpc"
)

var errMethodNotAllowed = fault.New(fault.MethodNotAllowed, "method_not_allowed",
	"This path does not take this method.")

// Guard wraps a procedure's route with the checks that come before its body:
// who is calling and how often. It answers refusals with fail. If it reads the
// body it puts it back.
type Guard = func(procedure string, fail func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler

// New returns the handler of everything under /api/. It answers unknown paths
// and wrong methods itself, before guard, and never redirects; so it must not
// be mounted on an http.ServeMux, which redirects paths that are not clean.
func New(services rpc.Services, guard Guard) http.Handler {
	table := routes(services)
	for i := range table {
		table[i].handler = guard(table[i].procedure, WriteError, table[i].handler)
	}
	return router(table)
}

// router finds a request's route by path, then by method.
type router []route

func (table router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := segments(r.URL)
	if !ok {
		WriteError(w, r, fault.ErrNotFound)
		return
	}
	var allow []string
	for i := range table {
		if !table[i].matches(path) {
			continue
		}
		if table[i].takes(r.Method) {
			table[i].serve(w, r, path)
			return
		}
		allow = append(allow, table[i].methods()...)
	}
	refuseMethod(w, r, allow)
}

// OnlyRead guards a document beside the routes, which takes GET and HEAD as
// those do that read.
func OnlyRead(document http.Handler) http.Handler {
	read := route{method: http.MethodGet}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !read.takes(r.Method) {
			refuseMethod(w, r, read.methods())
			return
		}
		document.ServeHTTP(w, r)
	})
}

// refuseMethod answers for a path with other allowed methods, or for an unknown
// path.
func refuseMethod(w http.ResponseWriter, r *http.Request, allowed []string) {
	if len(allowed) == 0 {
		WriteError(w, r, fault.ErrNotFound)
		return
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(slices.Compact(allowed), ", "))
	WriteError(w, r, errMethodNotAllowed)
}

// segments splits the path as it was sent, and then unescapes each part. No
// part may be empty or contain a slash, so that each path has one spelling.
func segments(u *url.URL) ([]string, bool) {
	rest, rooted := strings.CutPrefix(u.EscapedPath(), "/")
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil || plain == "" || strings.Contains(plain, "/") {
			return nil, false
		}
		parts[i] = plain
	}
	return parts, rooted
}

type route struct {
	method    string
	pattern   string // of literal segments and {field}s, each named as in the request message
	procedure string
	handler   http.Handler
	parts     []string // the pattern, split

	request, response *schema
	status            int
	form, file        bool // takes multipart/form-data; answers with a file
	repeated          int  // of a repeat that creates nothing, where that is another
}

// parameter is the field for a segment of a pattern, or "" for a literal one.
func parameter(part string) string {
	if name, ok := strings.CutPrefix(part, "{"); ok {
		return strings.TrimSuffix(name, "}")
	}
	return ""
}

func (t *route) matches(path []string) bool {
	return slices.EqualFunc(t.parts, path, func(part, segment string) bool {
		return part == segment || parameter(part) != ""
	})
}

func (t *route) takes(method string) bool { return slices.Contains(t.methods(), method) }

func (t *route) methods() []string {
	if t.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{t.method}
}

// serve sets the path parameters and the pattern, as http.ServeMux would.
func (t *route) serve(w http.ResponseWriter, r *http.Request, path []string) {
	r.Pattern = t.pattern
	for i, part := range t.parts {
		if name := parameter(part); name != "" {
			r.SetPathValue(name, path[i])
		}
	}
	t.handler.ServeHTTP(w, r)
}
