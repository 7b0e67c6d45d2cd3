// Package site has what hosted pages and portals share: static files,
// stylesheets that the pages' policy admits, compression, and rendering.
package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/a-h/templ"

	"gateway.example/internal/edge"
	"gateway.example/web/static"
)

// file is a static file as it is sent. Its name changes with its content, so
// that browsers may keep it.
type file struct {
	kind  string
	plain []byte
	// packed is made when a browser first asks for it.
	packed func() []byte
}

// Library has the static files of a site by their public names.
type Library map[string]file

// staticPath is where static files are served.
const staticPath = "/static/"

// Add adds files, joined into one that is named after the first, and returns
// its address.
func (l Library) Add(names ...string) string {
	var all []byte
	for _, name := range names {
		all = append(append(all, static.Read(name)...), '\n')
	}
	if path.Ext(names[0]) == ".js" {
		all = scriptComment.ReplaceAll(all, nil)
	}
	return l.put(names[0], all)
}

// scriptComment matches a comment in a script, which is left out of what is
// sent.
var scriptComment = regexp.MustCompile(`(?m)^\s*//.*\n`)

// put adds a file, and returns its address, which changes with the content. It
// is compressed when it is first asked for.
func (l Library) put(name string, content []byte) string {
	extension := path.Ext(name)
	sum := sha256.Sum256(content)
	public := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:6]) + extension
	// It is packed once for all who ask for it, so as small as can be.
	packed := sync.OnceValue(func() []byte {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		must(err)
		_, err = w.Write(content)
		must(errors.Join(err, w.Close()))
		return out.Bytes()
	})
	l[public] = file{kind: mime.TypeByExtension(extension), plain: content, packed: packed}
	return staticPath + public
}

// AddStyle adds the portals' stylesheet for a theme and returns its address.
// The theme is light, dark, or system, which follows the setting of the
// reader's system.
func (l Library) AddStyle(theme string) string {
	text := Style("portal.css")
	light, dark := tokens()
	switch theme {
	case "light":
		text = light + ":root{color-scheme:light}" + text
	case "dark":
		text = light + dark + ":root{color-scheme:dark}" + text
	default:
		text = Style("tokens.css") + text
	}
	return l.put("portal-"+theme+".css", []byte(text))
}

// tokens are the colours of light, and those that dark has in their place.
func tokens() (light, dark string) {
	all := Style("tokens.css")
	light, dark, _ = strings.Cut(all, "@media (prefers-color-scheme: dark) {")
	return light, strings.TrimSuffix(strings.TrimSpace(dark), "}")
}

// Beside serves the static files, and everything else by the handler of pages.
// Headers that protect pages are not sent with static files.
func (l Library) Beside(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, static := strings.CutPrefix(r.URL.Path, staticPath)
		if static {
			edge.Name(r.Context(), "GET "+staticPath+"{name}")
		}
		if !static || !l.serve(w, r, name) {
			pages.ServeHTTP(w, r)
		}
	})
}

// serve answers with a static file and returns true; if there is none of that
// name, it writes nothing and returns false. Browsers may keep the file for
// good, because another content has another name.
func (l Library) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	found, ok := l[name]
	if !ok {
		return false
	}
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return true
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", found.kind)
	send(w, r, http.StatusOK, found.plain, found.packed)
	return true
}

var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// Style joins stylesheets, without their comments, for a page to contain: on a
// slow line the page would otherwise be blank until a second request was
// answered.
func Style(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		all.Write(static.Read(name))
	}
	return strings.Join(strings.Fields(cssComment.ReplaceAllString(all.String(), "")), " ")
}

// Hash is the source by which a page's policy admits an inline stylesheet.
func Hash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Send writes an answer, compressed if the browser accepts that.
func Send(w http.ResponseWriter, r *http.Request, status int, content []byte) {
	send(w, r, status, content, func() []byte { return pack(content) })
}

func send(w http.ResponseWriter, r *http.Request, status int, content []byte, packed func() []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		content = packed()
	}
	w.WriteHeader(status)
	_, _ = w.Write(content)
}

func takesGzip(r *http.Request) bool {
	for encoding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(encoding, " ", ""), ";")
		if name == "gzip" && strings.Trim(quality, "q=0.") != "" || name == "gzip" && quality == "" {
			return true
		}
	}
	return false
}

// Page is what can be rendered.
type Page = templ.Component

// Show renders a whole page before it sends the first byte, because half a
// page about money is worse than none.
func Show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var body bytes.Buffer
	if err := page.Render(r.Context(), &body); err != nil {
		slog.ErrorContext(r.Context(), "render page", "error", err)
		http.Error(w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	Send(w, r, status, body.Bytes())
}
