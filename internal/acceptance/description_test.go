package acceptance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gateway.example/internal/testenv"
)

// judge compares what the gateway answers and sends with docs/openapi.json.
type judge struct {
	compiler *jsonschema.Compiler
	paths    []describedPath
	mu       sync.Mutex
	schemas  map[string]*jsonschema.Schema
	wrong    []string
}

// describedPath is an operation of the description.
type describedPath struct {
	method  string
	matches *regexp.Regexp
	// headers are those of its answers, by the statuses that it may answer
	// with, and at is where it is described.
	headers map[string]object
	at      string
	// json tells that it takes a body of JSON.
	json bool
}

// description is the judge of all tests, made when something is judged first.
var description = sync.OnceValue(func() *judge {
	content, readErr := os.ReadFile("../../docs/openapi.json")
	document, parseErr := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	j := &judge{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	j.compiler.AssertFormat()
	if err := errors.Join(readErr, parseErr, j.compiler.AddResource("openapi.json", document)); err != nil {
		panic(err)
	}
	for path, methods := range document.(object)["paths"].(object) {
		for method, operation := range methods.(object) {
			one := describedPath{
				method:  strings.ToUpper(method),
				matches: regexp.MustCompile("^" + inBraces.ReplaceAllString(path, "[^/]+") + "$"),
				at:      "/paths/" + pointer(path) + "/" + method,
				headers: map[string]object{},
			}
			for status, answer := range operation.(object)["responses"].(object) {
				one.headers[status], _ = answer.(object)["headers"].(object)
			}
			if body, ok := operation.(object)["requestBody"].(object); ok {
				_, one.json = body["content"].(object)["application/json"]
			}
			j.paths = append(j.paths, one)
		}
	}
	return j
})

// pointer escapes a name for a JSON pointer.
func pointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// judged is a transport that has every answer of the REST API compared with the
// description.
type judged struct{ next http.RoundTripper }

func (t judged) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || !strings.HasPrefix(r.URL.Path, "/api/") || r.Method == http.MethodHead ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(cmp.Or(err, io.EOF))))
	if err == nil && r.URL.Path != "/api/v1/openapi.json" {
		description().answer(r.Method, r.URL.EscapedPath(), response.StatusCode, response.Header, body)
		if response.StatusCode < 300 && r.GetBody != nil {
			description().request(r)
		}
	}
	return response, nil
}

// find returns the operation of a path, or nil.
func (j *judge) find(method, path string) *describedPath {
	for i, one := range j.paths {
		if one.method == method && one.matches.MatchString(path) {
			return &j.paths[i]
		}
	}
	return nil
}

// telling are the headers by which an answer tells a program something.
var telling = []string{"Retry-After", "Idempotent-Replay", "Idempotent-Mismatch"}

// answer compares an answer. One to no operation at all must have the shape of
// errors.
func (j *judge) answer(method, path string, status int, header http.Header, body []byte) {
	at := "/components/schemas/Error"
	if one := j.find(method, path); one != nil {
		headers, described := one.headers[strconv.Itoa(status)]
		if !described {
			j.complain("%s %s answers with %d, which is not described: %s", method, path, status, body)
			return
		}
		for _, name := range telling {
			if header.Get(name) != "" && headers[name] == nil {
				j.complain("%s %s answers %d with %s, which is not described: %s", method, path, status, name, body)
			}
		}
		at = one.at + "/responses/" + strconv.Itoa(status) + "/content/application~1json/schema"
	}
	if err := j.valid(at, body); err != nil {
		j.complain("%s %s: %d %s\n%v", method, path, status, body, err)
	}
}

// request compares a request that was taken: a description that is stricter
// than the program would keep a client from making it.
func (j *judge) request(r *http.Request) {
	one := j.find(r.Method, r.URL.EscapedPath())
	if one == nil || !one.json {
		return
	}
	reader, err := r.GetBody()
	if err != nil {
		return
	}
	body, err := io.ReadAll(reader)
	if err == nil && len(body) > 0 {
		err = j.valid(one.at+"/requestBody/content/application~1json/schema", body)
	}
	if err != nil {
		j.complain("%s %s takes %s\n%v", r.Method, r.URL.Path, body, err)
	}
}

// webhook compares the body of an event.
func (j *judge) webhook(body []byte) error {
	var event struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	return j.valid("/webhooks/"+pointer(event.Type)+"/post/requestBody/content/application~1json/schema", body)
}

func (j *judge) valid(at string, body []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	schema := j.schemas[at]
	if schema == nil {
		compiled, err := j.compiler.Compile("openapi.json#" + at)
		if err != nil {
			return err
		}
		schema, j.schemas[at] = compiled, compiled
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (j *judge) complain(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// undescribed are the answers of all tests that the description does not allow.
func undescribed() error {
	j := description()
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []error
	for _, one := range j.wrong[:min(len(j.wrong), 20)] {
		found = append(found, errors.New("docs/openapi.json: "+one))
	}
	return errors.Join(found...)
}

// The judge tells what the description does not allow.
func TestJudge(t *testing.T) {
	t.Parallel()
	j := &judge{compiler: description().compiler, paths: description().paths, schemas: map[string]*jsonschema.Schema{}}
	const known = `{"message":"No such resource.","code":"not_found","requestId":"a"}`
	j.answer("GET", "/api/v1/payments/7", 404, nil, []byte(known))
	j.answer("GET", "/api/v1/nowhere", 404, nil, []byte(known))
	testenv.Check(t, len(j.wrong) == 0, "%v", j.wrong)
	wrong := func(status int, header http.Header, body string) {
		before := len(j.wrong)
		j.answer("GET", "/api/v1/payments/7", status, header, []byte(body))
		testenv.Check(t, len(j.wrong) > before, "%d %v %s is taken", status, header, body)
	}
	wrong(404, nil, `{"message":"m","code":"rate_limited","requestId":"a"}`)
	wrong(404, nil, `{"message":"m","code":"not_found"}`)
	wrong(404, http.Header{"Retry-After": {"1"}}, known)
	wrong(418, nil, known)
	wrong(200, nil, `{"data":{}}`)
	before := len(j.wrong)
	for _, body := range []string{`{}`, `{"status":"gone"}`} {
		request := testenv.Must(http.NewRequest(http.MethodPost, "/api/v1/payments/7/callback", strings.NewReader(body)))(t)
		j.request(request)
	}
	testenv.Check(t, len(j.wrong) == before+2, "requests that are not described are taken: %v", j.wrong[before:])
	testenv.Check(t, j.webhook([]byte(`{"type":"payment.status.updated"}`)) != nil &&
		j.webhook([]byte(`{"type":"unknown"}`)) != nil, "an event that is not described is taken")
}
