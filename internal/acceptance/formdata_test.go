package acceptance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/rpc/sign"
)

// appealInNode sends an appeal by Node's own fetch and FormData, signed over what its caller gave
// them.
const appealInNode = `
const { url, reason, name, content, headers } = JSON.parse(require("fs").readFileSync(0));
const form = new FormData();
form.append("reason", reason);
form.append("file", new File([content], name));
fetch(url, { method: "POST", headers, body: form }).then(async (r) => console.log(await r.text()));
`

// formDataAppeals are reasons and names that FormData changes on their way.
var formDataAppeals = map[string][2]string{
	"one line":      {"paid", "receipt.pdf"},
	"several lines": {"paid at 12:00\nsee the receipt\n", "receipt.pdf"},
	"a quoted name": {"paid", `the "copy".pdf`},
	"both":          {"paid\nat 12:00", `чек "1".pdf`},
	"like escaped":  {"100%0A", "100%22.pdf"},
}

// Merchants who send appeals from Node sign what they have, and FormData sends it otherwise.
func TestAppealsFromNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		testenv.Missing(t, "there is no node on this machine; TestAppealsByFormData sends what it would")
	}
	g := sharedSandbox(t)
	script := filepath.Join(t.TempDir(), "appeal.cjs")
	noError(t, os.WriteFile(script, []byte(appealInNode), 0o600))
	for name, test := range formDataAppeals {
		headers := appealHeaders(g.first(), test[0], test[1], len(pdf))
		delete(headers, "Content-Type")
		input, err := os.CreateTemp(t.TempDir(), "")
		noError(t, err)
		noError(t, json.NewEncoder(input).Encode(object{
			"url":     g.appealURL(g.failed(t, nil)),
			"reason":  test[0],
			"name":    test[1],
			"content": pdf,
			"headers": headers,
		}))
		_, err = input.Seek(0, 0)
		noError(t, err)
		command := exec.CommandContext(t.Context(), node, script)
		command.Stdin = input
		out, err := command.CombinedOutput()
		var got answer
		if err == nil {
			err = json.Unmarshal(out, &got.body)
		}
		if err != nil || got.text("message") != "Appeal created" || got.at("data.reason") != test[0] ||
			got.at("data.fileName") != test[1] {
			t.Errorf("%s: %s, %v", name, out, err)
		}
	}
}

// The same, as it stands on the wire.
func TestAppealsByFormData(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, test := range map[string]struct{ sentReason, sentName, reason, fileName string }{
		"lines":             {"a\r\nb\r\n", "a.pdf", "a\nb\n", "a.pdf"},
		"lines of Windows":  {"a\r\nb", "a.pdf", "a\r\nb", "a.pdf"},
		"a quoted name":     {"a", "%22a%22.pdf", "a", `"a".pdf`},
		"a name with a per": {"a", "100%22.pdf", "a", "100%22.pdf"},
		"both":              {"a\r\nb", "%22a%22.pdf", "a\nb", `"a".pdf`},
	} {
		body := form(reasonPart(test.sentReason), filePart(test.sentName, pdf))
		got := send(t, "POST", g.appealURL(g.failed(t, nil)), body,
			appealHeaders(g.first(), test.reason, test.fileName, len(pdf)))
		if got.status != 201 || got.at("data.reason") != test.reason || got.at("data.fileName") != test.fileName {
			t.Errorf("%s: %s", name, got)
		}
	}
	// A name may not have lines, however they came.
	body := form(reasonPart("a"), filePart("a%0D%0Ab.pdf", pdf))
	got := send(t, "POST", g.appealURL(g.failed(t, nil)), body, appealHeaders(g.first(), "a", "a\r\nb.pdf", len(pdf)))
	checkInvalid(t, "lines in a name", got, []string{"file"})
	wrong := with(appealHeaders(g.first(), "a", "a.pdf", 1), "Signature",
		sign.Signature(g.first().Secret, []byte("appeal-v1\na\n\nb\na.pdf\n9")))
	body = form(reasonPart("a\r\nb"), filePart("a.pdf", pdf))
	send(t, "POST", g.appealURL(g.failed(t, nil)), body,
		wrong).want(t, "signed over other lines", 403, "code", "invalid_signature")
}
