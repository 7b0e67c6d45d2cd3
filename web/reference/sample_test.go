package reference_test

import (
	"encoding/json"
	"fmt"
	"go/format"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/testenv"
)

// sample is how a page shows to make a call.
type sample struct {
	call, text string
	// signed by a key, or by an application.
	signed bool
	secret string
}

// program runs samples. One whose all is empty runs each by itself.
type program struct {
	command []string
	ending  string
	// all runs many samples, one after the other: what a program prints of
	// each comes behind its name.
	all string
}

var programs = map[string]program{
	"curl": {command: []string{"sh"}, ending: ".sh"},
	"PHP":  {command: []string{"php"}, ending: ".php"},
	"Go":   {command: []string{"go", "run"}, ending: ".go"},
	"TypeScript": {command: []string{"node"}, ending: ".mjs", all: `
		for (const [name, secret] of JSON.parse(process.env.SAMPLES)) {
			console.log("=== " + name);
			process.env.SECRET = secret;
			try { await import("./" + name + ".mjs"); } catch (e) { console.log(e); }
		}`},
	"Python": {command: []string{"python3"}, ending: ".py", all: `
import json, os, runpy, sys, traceback
for name, secret in json.loads(os.environ["SAMPLES"]):
    print("=== " + name)
    os.environ["SECRET"] = secret
    try:
        runpy.run_path(name + ".py", run_name="__main__")
    except BaseException:
        traceback.print_exc(file=sys.stdout)
`},
}

// compiled are the calls whose samples in Go are run; all others are parsed.
var compiled = map[string]bool{
	"CreatePayment":       true,
	"GetPayment":          true,
	"CreateAppeal":        true,
	"UpdatePaymentStatus": true,
}

// samples are those of all pages, by their language.
func samples(t *testing.T) map[string][]sample {
	t.Helper()
	server := serve(t, nil)
	found := map[string][]sample{}
	for _, address := range addresses(t, server.URL) {
		document := page(t, server.URL+address, http.StatusOK)
		proof := document.Find(".proof").Text()
		document.Find("details").Each(func(_ int, s *goquery.Selection) {
			one := sample{
				call: filepath.Base(address), text: s.Find("pre").Text(), secret: key.Secret,
				signed: strings.Contains(proof, "Signed"),
			}
			if strings.Contains(proof, "application") {
				one.secret = applicationSecret
			}
			language := s.Find("summary").Text()
			found[language] = append(found[language], one)
		})
	}
	return found
}

// Samples make the call of their page, rightly signed, in every language.
func TestSamples(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := httptest.NewRecorder()
		witness(kept, r)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(kept.Body.Bytes())
	}))
	t.Cleanup(api.Close)
	for language, list := range samples(t) {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			program := programs[language]
			if _, err := exec.LookPath(program.command[0]); err != nil {
				t.Skip(program.command[0] + " is not installed")
			}
			testenv.Need(t, len(list) >= 20, "%d samples", len(list))
			dir := t.TempDir()
			write(t, dir, "receipt.pdf", "%PDF-1.7 receipt")
			for call, out := range program.run(t, dir, api.URL, list) {
				if content, err := os.ReadFile(filepath.Join(dir, "file")); err == nil && call == "GetAppealFile" {
					out += string(content)
				}
				for _, one := range list {
					if one.call == call {
						one.wantIn(t, out)
					}
				}
			}
		})
	}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

// run runs samples, and gives what each printed.
func (p program) run(t *testing.T, dir, url string, list []sample) map[string]string {
	t.Helper()
	printed := map[string]string{}
	var all [][2]string
	for _, one := range list {
		// Node knows no types before version 22.
		text := strings.ReplaceAll(one.text, " as Record<string, string>", "")
		write(t, dir, one.call+p.ending, text)
		all = append(all, [2]string{one.call, one.secret})
		if formatted, err := format.Source([]byte(text)); p.ending == ".go" &&
			(err != nil || string(formatted) != text) {
			t.Errorf("%s is not formatted: %v\n%s", one.call, err, text)
		}
		if p.all == "" && (p.ending != ".go" || compiled[one.call]) {
			printed[one.call] = p.start(t, dir, one.call+p.ending, "SECRET="+one.secret, "BASE_URL="+url)
		}
	}
	if p.all == "" {
		return printed
	}
	write(t, dir, "all"+p.ending, p.all)
	out := p.start(t, dir, "all"+p.ending, "SAMPLES="+string(testenv.Must(json.Marshal(all))(t)), "BASE_URL="+url)
	for _, part := range strings.Split(out, "=== ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		printed[name] = text
	}
	testenv.Check(t, len(printed) == len(list), "%d of %d samples have run: %s", len(printed), len(list), out)
	return printed
}

func (p program) start(t *testing.T, dir, file string, env ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), p.command[0], append(p.command[1:], file)...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "KEY_ID="+key.ID, "TOKEN=token"), env...)
	out, err := command.CombinedOutput()
	testenv.Check(t, err == nil, "%s: %v\n%s", file, err, out)
	return string(out)
}

// wantIn wants the answer to have been printed, which says whether the call was
// signed, and rightly.
func (s sample) wantIn(t *testing.T, out string) {
	t.Helper()
	has := func(name string, value bool) bool {
		return strings.Contains(out, fmt.Sprintf(`"%s":%t`, name, value)) ||
			strings.Contains(out, fmt.Sprintf("%s: %t", name, value))
	}
	file := s.call == "GetAppealFile" && strings.Contains(out, "Blob") // of which node prints no content
	testenv.Check(t, (file || has("signed", s.signed)) && (!s.signed || has("right", true)),
		"%s, signed %t: %s\n%s", s.call, s.signed, out, s.text)
}
