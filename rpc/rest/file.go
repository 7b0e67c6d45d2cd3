package rest

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
)

// fileMessage is a response with a file.
type fileMessage interface {
	proto.Message
	GetFileName() string
	GetFileType() string
	GetContent() []byte
}

// download is a route for a handler method that answers with a file.
func download[Req proto.Message, Res fileMessage](pattern, procedure string, call method[Req, Res]) route {
	t, a := newRoute(http.MethodGet, pattern, procedure, http.StatusOK, call)
	a.write = func(w http.ResponseWriter, status int, response proto.Message) error {
		file := response.(Res) //nolint:forcetypeassert // what call answers with
		writeFile(w, status, file.GetFileName(), file.GetFileType(), file.GetContent())
		return nil
	}
	t.file = true
	return t
}

// writeFile sends a stranger's file as a download. A browser must not show it
// as a page of ours.
func writeFile(w http.ResponseWriter, status int, name, media string, content []byte) {
	header := w.Header()
	header.Set("Content-Type", media)
	header.Set("Content-Length", strconv.Itoa(len(content)))
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": plainName(name)}))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	//nolint:gosec // it is a download in a sandbox, which no browser shows as a page of ours
	_, _ = w.Write(content) // a caller who has gone away cannot be told
}

// plainName makes a plain file name of what may look like a path.
func plainName(name string) string {
	return strings.NewReplacer("/", "_", `\`, "_").Replace(name)
}
