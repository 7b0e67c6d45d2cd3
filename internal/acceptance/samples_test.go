package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"gateway.example/internal/testenv"
)

// keepsSecret has a sample call where every call is redirected, and wants
// nothing to reach the place that the redirect names.
func keepsSecret(t *testing.T, call func(url string)) {
	t.Helper()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed, with the secret %q", r.Header.Get("X-Merchant-Secret"))
	}))
	defer elsewhere.Close()
	var asked atomic.Int32
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
	}))
	defer redirecting.Close()
	call(redirecting.URL)
	testenv.Check(t, asked.Load() > 0, "the sample did not call")
}

// breakOff sends a receiver of webhooks half a request and breaks off: neither
// holds up what others send, before and after.
func breakOff(t *testing.T, address string) {
	t.Helper()
	half := testenv.Must(net.Dial("tcp", address))(t)
	testenv.Must(fmt.Fprintf(half, "POST /webhook HTTP/1.1\r\nHost: %s\r\nContent-Length: 9\r\n\r\n{", address))(t)
	refused := func() {
		client := http.Client{Timeout: testenv.Patience}
		response := testenv.Must(client.Post("http://"+address+"/webhook", "application/json", strings.NewReader("{}")))(t)
		noError(t, response.Body.Close())
		testenv.Want(t, response.StatusCode, http.StatusBadRequest, "a webhook without a signature")
	}
	refused()
	tcp, _ := half.(*net.TCPConn)
	noError(t, tcp.SetLinger(0))
	noError(t, half.Close())
	refused()
}

// The samples of the manual create a payment, and believe the webhook of its
// end.
func TestManualSamples(t *testing.T) {
	testenv.Long(t, "compiles and runs samples in six languages")
	t.Parallel()
	g := freshSandbox(t)
	for _, line := range linesOf(t, "samples.txt") {
		c := cellsOf(line)
		tools, fence, callPage, callFile, compile, call := c[1], c[2], c[3], c[4], c[5], c[6]
		receiverPage, receiverFile, receive := c[7], c[8], c[9]
		t.Run(c[0], func(t *testing.T) {
			for name := range strings.FieldsSeq(tools) {
				if _, err := exec.LookPath(name); err != nil {
					t.Skip(name + " is not installed")
				}
			}
			dir, address := t.TempDir(), freeAddr()
			_, port, _ := strings.Cut(address, ":")
			for file, page := range map[string]string{callFile: callPage, receiverFile: receiverPage} {
				code := strings.ReplaceAll(codeOf(t, page, fence), "8099", port)
				noError(t, os.WriteFile(filepath.Join(dir, file), []byte(code), 0o600))
			}
			env := shopEnvironment(g, "http://"+address+"/webhook")
			tool(t, dir, env, "sh", "-c", compile)
			received := beside(t, dir, env, "tcp", address, "sh", "-c", strings.ReplaceAll(receive, "8099", port))
			breakOff(t, address)
			answered := tool(t, dir, env, "sh", "-c", call)
			id := regexp.MustCompile(`["']?id["']?: ?(\d+)`).FindStringSubmatch(answered)
			testenv.Need(t, strings.Contains(answered, "Payment created") && id != nil, "it wrote %s", answered)
			g.callback(t, id[1], `{"status":"completed"}`)
			received.await(t, "COMPLETED")
			keepsSecret(t, func(url string) { _, _ = ran(t, dir, append(env, "BASE_URL="+url), "sh", "-c", call) })
		})
	}
}

// codeOf is the first code of a language on a page of the manual.
func codeOf(t *testing.T, page, fence string) string {
	t.Helper()
	text := testenv.Must(os.ReadFile("../../docs/integrate/" + page + ".md"))(t)
	_, code, found := strings.Cut(string(text), "\n```"+fence+"\n")
	code, _, ended := strings.Cut(code, "\n```\n")
	testenv.Need(t, found && ended, "%s.md has no %q", page, fence)
	return code + "\n"
}
