package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// The example of docs/ledger-proof.md: its proof, its keys, and its page as a published file.
func exampleFiles(t *testing.T) (proof, keys, roots string) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/ledger-proof.md")
	testenv.NoError(t, err)
	blocks := strings.Split(string(doc), "```json\n")
	_, pages, _ := strings.Cut(blocks[1], `"pages": `)
	pages, _, _ = strings.Cut(pages, `"waiting"`)
	dir := t.TempDir()
	write := func(name, text string) string {
		text, _, _ = strings.Cut(text, "```")
		path := filepath.Join(dir, name)
		testenv.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	published := `{"format":"gateway-ledger-roots-1","pages":` + strings.TrimRight(pages, ", \n") + "}"
	return write("proof.json", blocks[1]), write("keys.json", blocks[2]), write("roots.json", published)
}

func TestVerifyProof(t *testing.T) {
	t.Parallel()
	proof, keys, roots := exampleFiles(t)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		http.ServeFile(w, r, roots)
	}))
	t.Cleanup(server.Close)
	changed := filepath.Join(t.TempDir(), "changed.json")
	file, err := os.ReadFile(proof)
	testenv.NoError(t, err)
	file = bytes.Replace(file, []byte(`"9.52380952"`), []byte(`"95.2380952"`), 1)
	testenv.NoError(t, os.WriteFile(changed, file, 0o600))
	const proven = "proven: transfer 42 of payment 7 (pending-completed, 2026-11-20T09:05:00.000000Z): 9.52380952 USDT were given to " +
		"the available account of cashbox 5; it is one of the 3 transfers of the ledger's page of 2026-11-20\n"
	for name, c := range map[string]struct {
		args []string
		want string
		err  error
	}{
		"without pages": {[]string{proof, "-keys", keys}, proven + "the pages were not compared with those that are published: " +
			"name them with -roots\n", nil},
		"with a file":   {[]string{proof, "-keys", keys, "-roots", roots}, proven + "the pages are those that " + roots + " publishes\n", nil},
		"with a server": {[]string{"-roots", server.URL, proof, "-keys=" + keys}, proven + "the pages are those that " + server.URL + " publishes\n", nil},
		"of an amount":  {[]string{changed, "-keys", keys}, "transfer 42: what is shown of its credit was changed\n", errNotProven},
		"no proof":      {[]string{keys, "-keys", keys}, "the file: not of the format gateway-ledger-proof-1\n", errNotProven},
	} {
		var out bytes.Buffer
		err := environment{stdout: &out}.verifyProof(t.Context(), c.args)
		if !errors.Is(err, c.err) || out.String() != c.want {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
	if len(asked) != 1 || asked[0] != "/?month=2026-11" {
		t.Errorf("asked for %v", asked)
	}
	if err := (environment{}).verifyProof(t.Context(), nil); err == nil {
		t.Error("a file is needed")
	}
}
