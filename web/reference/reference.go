// Package reference serves the reference of the API at /docs: pages made from
// the description of the API, with samples of every call. The pages need no
// script and load nothing from third parties. In a sandbox each page has a
// form to try the call.
package reference

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"gateway.example/docs"
	"gateway.example/internal/edge"
	"gateway.example/web/site"
)

// Path is the path of the reference.
const Path = "/docs"

// Services are the description and, in a sandbox, the API for trying calls.
type Services struct {
	// Description is the API's, as OpenAPI.
	Description []byte
	// API serves tried calls, and Sandbox has the keys to sign them; both
	// are nil outside of a sandbox.
	API     http.Handler
	Sandbox *Sandbox
}

// Shell is the frame of every page.
type Shell struct {
	Title  string
	Style  []string
	Icon   string
	Groups []Group
	// At is the address of this page.
	At      string
	Sandbox bool
}

type reference struct {
	Services
	document *document
	shell    Shell
	calls    map[string]*Call
	guides   map[string]guide
}

// guide is a page of the manual of integration.
type guide struct{ title, html string }

// New makes the handler of everything below /docs, and of the files of its
// pages.
func New(services Services) (http.Handler, error) {
	parsed, err := parse(services.Description)
	if err != nil {
		return nil, err
	}
	library := site.Library{}
	s := &reference{
		Services: services, document: parsed, calls: map[string]*Call{}, guides: map[string]guide{},
		shell: Shell{
			Style: []string{library.Add("tokens.css"), library.Add("reference.css")}, Icon: library.Add("icon.svg"),
			Groups: parsed.groups(), Sandbox: services.Sandbox != nil,
		},
	}
	for _, group := range s.shell.Groups {
		for _, call := range group.Calls {
			s.calls[call.ID] = call
		}
	}
	for name, file := range guideFiles {
		if s.guides[name], err = readGuide(file); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, s.start)
	mux.HandleFunc("GET "+Path+"/{name}", s.page)
	if services.Sandbox != nil {
		refuse := func(w http.ResponseWriter, r *http.Request) {
			s.show(w, r, http.StatusForbidden, "This form came from elsewhere", messagePage("Open the page and send the form from there."))
		}
		mux.Handle("POST "+Path+"/{name}", edge.SameOrigin(http.HandlerFunc(s.try), http.HandlerFunc(refuse)))
	}
	return library.Beside(edge.Secured(edge.Named(mux, s.nothing))), nil
}

// Serves reports whether a path is one of the reference.
func Serves(path string) bool {
	return path == Path || strings.HasPrefix(path, Path+"/") || strings.HasPrefix(path, "/static/")
}

func (s *reference) show(w http.ResponseWriter, r *http.Request, status int, title string, body templ.Component) {
	shell := s.shell
	shell.Title, shell.At = title, r.URL.Path
	site.Show(w, r, status, frame(shell, body))
}

func (s *reference) start(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "API reference", startPage(s.document.Info.Description, s.shell.Groups, s.document.events()))
}

func (s *reference) notFound(w http.ResponseWriter, r *http.Request) {
	s.nothing(w, r, http.StatusNotFound)
}

func (s *reference) nothing(w http.ResponseWriter, r *http.Request, status int) {
	s.show(w, r, status, "No such page", messagePage("The reference has no page at this address."))
}

// page shows a call, a guide, or the table of error codes. The guide about
// webhooks also lists the events.
func (s *reference) page(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if call := s.calls[name]; call != nil {
		s.show(w, r, http.StatusOK, call.Summary, callPage(s.document.base(), call, s.form(call), nil))
		return
	}
	found, isGuide := s.guides[name]
	switch {
	case name == "webhooks":
		s.show(w, r, http.StatusOK, found.title, webhooksPage(s.document.events(), found.html))
	case isGuide:
		s.show(w, r, http.StatusOK, found.title, guidePage(found.html))
	case name == "errors":
		s.show(w, r, http.StatusOK, "Error codes", errorsPage(s.document.errorFields(), s.document.allCodes()))
	default:
		s.notFound(w, r)
	}
}

// guideFiles are the pages of the integration manual that the reference shows,
// by their names here.
var guideFiles = map[string]string{
	"signing":   "sign.md",
	"java":      "java.md",
	"csharp":    "csharp.md",
	"generated": "generated.md",
	"repeats":   "repeats.md",
	"webhooks":  "webhooks.md",
	"limits":    "limits.md",
	"portal":    "portal.md",
}

// guideLink returns the address here of a link in a guide, or "" if that page
// is not shown.
func guideLink(to string) string {
	if strings.HasPrefix(to, "#") || strings.HasPrefix(to, "https://") {
		return to
	}
	file, part, inside := strings.Cut(to, "#")
	if inside {
		part = "#" + part
	}
	if file == "errors.md" {
		return Path + "/errors"
	}
	for name, shown := range guideFiles {
		if shown == file {
			return Path + "/" + name + part
		}
	}
	return ""
}

// readGuide reads the title and content of a page of the manual.
func readGuide(file string) (guide, error) {
	title, text, _ := bytes.Cut(docs.Find("integrate/"+file).Text, []byte("\n"))
	html, err := site.Markdown(text, 0, guideLink)
	return guide{title: strings.TrimPrefix(string(title), "# "), html: html}, err
}
