package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"gateway.example/web/view"
)

//go:embed static
var static embed.FS

// file is a static file as it goes over the wire: its name changes with its content, so that
// browsers may keep it.
type file struct {
	kind          string
	plain, packed []byte
}

// library is every static file by its public name.
type library map[string]file

const staticPath = "/static/"

// openLibrary packs the static files. They are embedded, so that only a mistake of ours can fail
// it.
func openLibrary() (library, view.Files) {
	books := library{}
	return books, view.Files{
		Script: books.add("page.js"), Icon: books.add("icon.svg"),
	}
}

// add packs a file and returns its address.
func (l library) add(name string) string {
	content, err := static.ReadFile("static/" + name)
	if err != nil {
		panic(err)
	}
	extension := path.Ext(name)
	sum := sha256.Sum256(content)
	public := strings.TrimSuffix(name, extension) + "." + hex.EncodeToString(sum[:6]) + extension
	l[public] = file{kind: mime.TypeByExtension(extension), plain: content, packed: pack(content)}
	return staticPath + public
}

func (l library) serve(w http.ResponseWriter, r *http.Request, name string) bool {
	found, ok := l[name]
	if !ok {
		return false
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", found.kind)
	send(w, r, http.StatusOK, found.plain, found.packed)
	return true
}

var cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// style is the stylesheet of every page, without what only its readers here need. It goes with each
// page: on a slow line the first one would else be blank until a second request was answered.
func style() string {
	content, err := static.ReadFile("static/page.css")
	if err != nil { // it is embedded
		panic(err)
	}
	return strings.Join(strings.Fields(cssComment.ReplaceAllString(string(content), "")), " ")
}

// packers are kept for the next page: making one costs more than using it.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestCompression)
	if err != nil { // the level is known
		panic(err)
	}
	return w
}}

// pack compresses with gzip. A page holds no secret of one party beside words of another's choice,
// so that its length tells nothing.
func pack(content []byte) []byte {
	var out bytes.Buffer
	w, _ := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	_, err := w.Write(content)
	if err = errors.Join(err, w.Close()); err != nil { // a buffer takes everything
		panic(err)
	}
	return out.Bytes()
}

// send writes an answer packed where the browser takes that.
func send(w http.ResponseWriter, r *http.Request, status int, plain, packed []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	content := plain
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		content = packed
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
