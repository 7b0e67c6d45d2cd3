package reference_test

import (
	"fmt"
	"go/format"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// program is how samples of a language are run. Node knows no types before version 22.
var programs = map[string]struct {
	file    string
	command []string
	untyped string
}{
	"curl":       {"sample.sh", []string{"sh"}, ""},
	"TypeScript": {"sample.mjs", []string{"node"}, " as Record<string, string>"},
	"Go":         {"sample.go", []string{"go", "run"}, ""},
	"Python":     {"sample.py", []string{"python3"}, ""},
}

// compiled are the calls whose samples in Go are run; all others are parsed.
var compiled = map[string]bool{
	"CreatePayment":       true,
	"GetPayment":          true,
	"CreateAppeal":        true,
	"UpdatePaymentStatus": true,
}

// Samples make the call of their page, rightly signed, in every language.
func TestSamples(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	answers := map[string]string{}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept := httptest.NewRecorder()
		witness(kept, r)
		mu.Lock()
		defer mu.Unlock()
		answers[r.Header.Get("X-Sample")] = kept.Body.String()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(kept.Body.Bytes())
	}))
	t.Cleanup(api.Close)
	server := serve(t, nil)
	for _, address := range addresses(t, server.URL) {
		document := page(t, server.URL+address, http.StatusOK)
		call := filepath.Base(address)
		document.Find("details").Each(func(_ int, s *goquery.Selection) {
			language := s.Find("summary").Text()
			t.Run(call+" in "+language, func(t *testing.T) {
				runSample(t, call, language, s.Find("pre").Text(), api.URL, document.Find(".proof").Text())
			})
		})
	}
}

func runSample(t *testing.T, call, language, text, url, proof string) {
	t.Helper()
	program := programs[language]
	if language == "Go" {
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("not formatted: %v\n%s", err, text)
		}
		if !compiled[call] {
			return
		}
	}
	if _, err := exec.LookPath(program.command[0]); err != nil {
		t.Skip(program.command[0] + " is not installed")
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		program.file: strings.ReplaceAll(text, program.untyped, ""), "receipt.pdf": "%PDF-1.7 receipt",
	} {
		if program.untyped == "" && name == program.file {
			content = text
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	secret := key.Secret
	if strings.Contains(proof, "application") {
		secret = applicationSecret
	}
	command := exec.CommandContext(t.Context(), program.command[0], append(program.command[1:], program.file)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "BASE_URL="+url, "KEY_ID="+key.ID, "SECRET="+secret, "TOKEN=token")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "file")); err == nil {
		out = content
	}
	wantSigned := strings.Contains(proof, "Signed")
	if call != "GetAppealFile" && !strings.Contains(string(out), fmt.Sprintf(`"signed":%t`, wantSigned)) &&
		!strings.Contains(string(out), fmt.Sprintf("signed: %t", wantSigned)) {
		t.Errorf("signed or not: %s", out)
	}
	if wantSigned && !strings.Contains(string(out), `"right":true`) && !strings.Contains(string(out), "right: true") {
		t.Errorf("the signature is wrong: %s\n%s", out, text)
	}
}
