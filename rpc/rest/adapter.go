package rest

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/caller"
	"gateway.example/internal/edge"
	"gateway.example/internal/fault"
	"gateway.example/rpc"
)

// adapter decodes requests of one route for its handler method, and encodes the
// answers.
type adapter struct {
	request, response *schema
	parameters        []*field // in the path
	status            int
	repeated          int  // of a repeat that creates nothing, where that is another
	form              bool // takes multipart/form-data instead of JSON
	write             func(w http.ResponseWriter, status int, response proto.Message) error
	empty             protoreflect.MessageType
	call              func(ctx context.Context, request proto.Message) (proto.Message, error)
}

// method is a handler method of pointers to messages. Only what turns a method
// into an adapter is generic, so that the rest is compiled once, and not for
// each pair of messages.
type method[Req, Res proto.Message] = func(context.Context, Req) (Res, error)

// unary is a route for a handler method. It panics if the codec does not
// support a message, which stops the program when it starts.
func unary[Req, Res proto.Message](verb, pattern, procedure string, status int, call method[Req, Res]) route {
	t, _ := newRoute(verb, pattern, procedure, status, call)
	return t
}

// newRoute makes a route together with its adapter, which creation, upload and
// download change. It panics if the codec does not support a message.
func newRoute[Req, Res proto.Message](
	verb, pattern, procedure string, status int, call method[Req, Res],
) (route, *adapter) {
	var request Req
	var response Res
	a := &adapter{
		request:  newSchema(request.ProtoReflect().Descriptor()),
		response: newSchema(response.ProtoReflect().Descriptor()),
		status:   status,
		empty:    request.ProtoReflect().Type(),
		call: func(ctx context.Context, request proto.Message) (proto.Message, error) {
			return call(ctx, request.(Req)) //nolint:forcetypeassert // of the type empty
		},
	}
	a.write = a.writeMessage
	return a.at(verb, pattern, procedure), a
}

// at is the adapter's route. From then on only the path sets the fields in it.
func (a *adapter) at(verb, pattern, procedure string) route {
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	for _, part := range parts {
		if name := parameter(part); name != "" {
			a.parameters = append(a.parameters, a.request.bindToPath(name))
		}
	}
	return route{
		method: verb, pattern: pattern, procedure: procedure, handler: a, parts: parts,
		request: a.request, response: a.response, status: a.status,
	}
}

// creation is a route for a POST that answers 201 after creating, and 200 to a
// repeat.
func creation[Req, Res proto.Message](pattern, procedure string, call method[Req, Res]) route {
	t, a := newRoute(http.MethodPost, pattern, procedure, http.StatusCreated, call)
	t.repeated, a.repeated = http.StatusOK, http.StatusOK
	return t
}

func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response, err := a.serve(w, r)
	if err != nil {
		WriteError(w, r, err)
		return
	}
	status := a.status
	if a.repeated != 0 && w.Header().Get(rpc.HeaderReplay) != "" {
		status = a.repeated
	}
	if err := a.write(w, status, response); err != nil {
		WriteError(w, r, err)
	}
}

func (a *adapter) writeMessage(w http.ResponseWriter, status int, response proto.Message) error {
	body, err := encode(a.response, response.ProtoReflect())
	if err == nil {
		writeJSON(w, status, body)
	}
	return err
}

// serve calls the handler method. What the codec finds wrong is in the context:
// the service reports it together with its own findings, once it has checked
// what the caller may do.
func (a *adapter) serve(w http.ResponseWriter, r *http.Request) (proto.Message, error) {
	in, ctx := a.empty.New(), rpc.WithHeader(r.Context(), w.Header())
	read, err := a.decode(r, in)
	if err != nil {
		return nil, err
	}
	if read.file != nil {
		defer read.file.Close()
		ctx = edge.WithFile(ctx, read.file.Content())
	}
	edge.WarnIgnored(ctx, w.Header(), read.ignored)
	if len(read.found) > 0 {
		ctx = fault.WithDecoded(ctx, read.found)
	}
	return a.call(ctx, in.Interface())
}

// decoded is what a request has besides its message.
type decoded struct {
	// found is what is wrong with it, and ignored are its unknown fields.
	found   fault.Fields
	ignored []string
	// file is nil if none was sent.
	file *edge.TempFile
}

// decode reads a request into msg, whose fields in the path neither a query nor
// a body can set. Mistakes in fields are in what it returns, for the service to
// report with its own; its error is a path that names nothing, or a body that
// cannot be read. An unknown parameter is a mistake in a list of a merchant's
// key, and ignored elsewhere.
func (a *adapter) decode(r *http.Request, msg protoreflect.Message) (decoded, error) {
	if err := decodePath(a.parameters, r, msg); err != nil {
		return decoded{}, err
	}
	if !hasBody(r.Method) {
		found, ignored := decodeQuery(r.URL, a.request, msg)
		// A request with a cursor is a list.
		if isList := a.request.byName["cursor"] != nil; isList && caller.From(r.Context()).Kind == caller.MerchantKey {
			refuseUnknown(found, r.URL, a.request, ignored)
			ignored = nil
		}
		return decoded{found: found, ignored: ignored}, nil
	}
	if a.form {
		return readForm(r, a.request, msg)
	}
	body, err := readBody(r)
	if err != nil {
		return decoded{}, err
	}
	found, ignored := decodeBody(body, a.request, msg)
	return decoded{found: found, ignored: ignored}, nil
}

func hasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// readBody reads a JSON body up to its limit.
func readBody(r *http.Request) ([]byte, error) {
	body, err := edge.ReadBody(r.Body, edge.MaxBody)
	if err != nil {
		return nil, err
	}
	if !isIdentity(r.Header) {
		return nil, fault.ErrUnsupportedMedia.Saying("The body must not be compressed.")
	}
	if len(body) > 0 && !isJSON(r.Header) {
		return nil, fault.ErrUnsupportedMedia.Saying("The header Content-Type must be application/json.")
	}
	return body, nil
}

// isIdentity reports whether the body is not compressed.
func isIdentity(header http.Header) bool {
	for _, coding := range header.Values("Content-Encoding") {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return false
		}
	}
	return true
}

func isJSON(header http.Header) bool {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && media == "application/json"
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who has gone away cannot be told
}
