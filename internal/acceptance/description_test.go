package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
	// statuses are those that it may answer with, and at is where their answers are described.
	statuses []string
	at       string
}

// description is the judge of all tests, made when something is judged first.
var description = sync.OnceValue(func() *judge {
	content, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		panic(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		panic(err)
	}
	j := &judge{compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	j.compiler.AssertFormat()
	if err := j.compiler.AddResource("openapi.json", document); err != nil {
		panic(err)
	}
	parameter := regexp.MustCompile(`\{\w+\}`)
	for path, methods := range document.(object)["paths"].(object) {
		for method, operation := range methods.(object) {
			one := describedPath{
				method:  strings.ToUpper(method),
				matches: regexp.MustCompile("^" + parameter.ReplaceAllString(path, "[^/]+") + "$"),
				at:      "/paths/" + pointer(path) + "/" + method + "/responses/",
			}
			for status := range operation.(object)["responses"].(object) {
				one.statuses = append(one.statuses, status)
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

// judged is a transport that has every answer of the REST API compared with the description.
type judged struct{ next http.RoundTripper }

func (t judged) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(r)
	if err != nil || !strings.HasPrefix(r.URL.Path, "/api/") || r.Method == http.MethodHead ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	if err == nil && r.URL.Path != "/api/v1/openapi.json" {
		description().answer(r.Method, r.URL.EscapedPath(), response.StatusCode, body)
	}
	return response, nil
}

// failing gives the error that ended a body, or the end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// answer compares an answer. One to no operation at all must have the shape of errors.
func (j *judge) answer(method, path string, status int, body []byte) {
	at := "/components/schemas/Error"
	for _, one := range j.paths {
		if one.method != method || !one.matches.MatchString(path) {
			continue
		}
		if !slices.Contains(one.statuses, strconv.Itoa(status)) {
			j.complain("%s %s answers with %d, which is not described: %s", method, path, status, body)
			return
		}
		at = one.at + strconv.Itoa(status) + "/content/application~1json/schema"
		break
	}
	if err := j.valid(at, body); err != nil {
		j.complain("%s %s: %d %s\n%v", method, path, status, body, err)
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

// The description is also served below /api/, beside the paths that it describes.
func TestDescriptionIsServed(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	a := send(t, http.MethodGet, g.BaseURL+"/api/v1/openapi.json", "", nil)
	if a.status != http.StatusOK || a.text("openapi") != "3.1.0" {
		t.Error(a.status)
	}
	if other := send(t, http.MethodGet, g.BaseURL+"/openapi.json", "", nil); other.raw != a.raw {
		t.Error("the two addresses of the description differ")
	}
}

// The judge tells what the description does not allow.
func TestJudge(t *testing.T) {
	t.Parallel()
	j := &judge{compiler: description().compiler, paths: description().paths, schemas: map[string]*jsonschema.Schema{}}
	const known = `{"message":"No such resource.","code":"not_found","requestId":"a"}`
	j.answer("GET", "/api/v1/payments/7", 404, []byte(known))
	j.answer("GET", "/api/v1/nowhere", 404, []byte(known))
	if len(j.wrong) != 0 {
		t.Error(j.wrong)
	}
	for _, wrong := range []struct {
		status int
		body   string
	}{
		{404, `{"message":"m","code":"rate_limited","requestId":"a"}`},
		{404, `{"message":"m","code":"not_found"}`},
		{418, known},
		{200, `{"data":{}}`},
	} {
		before := len(j.wrong)
		if j.answer("GET", "/api/v1/payments/7", wrong.status, []byte(wrong.body)); len(j.wrong) == before {
			t.Errorf("%d %s is taken", wrong.status, wrong.body)
		}
	}
	if j.webhook([]byte(`{"type":"payment.status.updated"}`)) == nil || j.webhook([]byte(`{"type":"unknown"}`)) == nil {
		t.Error("an event that is not described is taken")
	}
}
