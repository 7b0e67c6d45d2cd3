package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/websocket"

	"gateway.example/internal/testenv"
)

// Firefox is a window of Firefox, driven by WebDriver BiDi. It can do little,
// for tests of the main paths only.
type Firefox struct {
	T       testing.TB
	line    *websocket.Conn
	context string
	sent    int
}

// answer is the browser's answer to a command.
type answer struct {
	ID      int
	Error   string
	Message string
	Result  struct {
		Contexts []struct{ Context string }
		Result   struct{ Value any }
		// ExceptionDetails are set where a script has failed.
		ExceptionDetails struct{ Text string }
	}
}

var listening = regexp.MustCompile(`WebDriver BiDi listening on (ws://\S+)`)

// NewFirefox starts a Firefox for the test. If none is installed, the test is
// skipped.
func NewFirefox(t testing.TB) *Firefox {
	t.Helper()
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		path, err = exec.LookPath("firefox")
	}
	if err != nil {
		testenv.Missing(t, "no Firefox: install firefox-esr")
	}
	profile, err := os.MkdirTemp("", "firefox")
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	//nolint:gosec // it is the browser that was looked for
	program := exec.CommandContext(ctx, path, "--headless", "--profile", profile, "--remote-debugging-port", "0",
		"--remote-allow-origins", "http://127.0.0.1")
	said, err := program.StderrPipe()
	must(t, err)
	must(t, program.Start())
	t.Cleanup(func() {
		stop()
		_ = program.Wait()
		_ = os.RemoveAll(profile)
	})
	var address string
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			address = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }() // or it would wait to be heard
	f := &Firefox{T: t}
	f.line, err = websocket.Dial(address+"/session", "", "http://127.0.0.1")
	must(t, err)
	f.do("session.new", map[string]any{"capabilities": map[string]any{}})
	f.context = f.do("browsingContext.getTree", map[string]any{}).Result.Contexts[0].Context
	return f
}

// do sends a command and waits for its answer.
func (f *Firefox) do(method string, params map[string]any) (a answer) {
	f.T.Helper()
	f.sent++
	must(f.T, websocket.JSON.Send(f.line, map[string]any{"id": f.sent, "method": method, "params": params}))
	for a.ID != f.sent {
		a = answer{}
		must(f.T, websocket.JSON.Receive(f.line, &a))
	}
	if a.Error != "" {
		f.T.Fatalf("%s: %s: %s", method, a.Error, a.Message)
	}
	return a
}

// Open goes to an address.
func (f *Firefox) Open(url string) {
	f.T.Helper()
	f.do("browsingContext.navigate", map[string]any{"context": f.context, "url": url, "wait": "complete"})
}

// eval returns the result of a script. While the page is being replaced it
// returns nil.
func (f *Firefox) eval(script string) any {
	f.T.Helper()
	return f.do("script.evaluate", map[string]any{
		"expression": script, "target": map[string]any{"context": f.context}, "awaitPromise": true,
	}).Result.Result.Value
}

// Await waits until an element has the text.
func (f *Firefox) Await(selector, want string) {
	f.T.Helper()
	script := fmt.Sprintf(`(document.querySelector(%q)?.textContent || "").replace(/\s+/g, " ").trim()`, selector)
	testenv.Until(f.T, selector+" says "+want, func() bool { return f.eval(script) == want })
}

// Click clicks an element once it is there.
func (f *Firefox) Click(selector string) {
	f.T.Helper()
	script := fmt.Sprintf(`(e => e && (e.click(), true))(document.querySelector(%q))`, selector)
	testenv.Until(f.T, selector+" is clicked", func() bool { return f.eval(script) == true })
}

// Type types a text into a field.
func (f *Firefox) Type(selector, text string) {
	f.T.Helper()
	f.eval(fmt.Sprintf(`document.querySelector(%q).focus()`, selector))
	var keys []map[string]string
	for _, key := range strings.Split(text, "") {
		keys = append(keys, map[string]string{"type": "keyDown", "value": key}, map[string]string{"type": "keyUp", "value": key})
	}
	f.do("input.performActions", map[string]any{
		"context": f.context, "actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": keys}},
	})
}
