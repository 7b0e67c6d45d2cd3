package acceptance

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// sampled are the languages of the samples in docs/integrate: the fence of their code, the page of the
// call and that of the receiver of webhooks, and what compiles and runs them.
var sampled = map[string]struct {
	tools                         []string
	fence, callPage, receiverPage string
	callFile, receiverFile        string
	compile, call, receive        string
}{
	"PHP": {
		tools: []string{"php"}, fence: "php", callPage: "sign", callFile: "create.php", call: "php create.php",
		receiverPage: "webhooks", receiverFile: "webhook.php", receive: "exec php -S 127.0.0.1:8099 webhook.php",
	},
	"Go": {
		tools: []string{"go"}, fence: "go", callPage: "sign", callFile: "create.go", call: "go run create.go",
		receiverPage: "webhooks", receiverFile: "webhook.go", compile: "go build -o webhook webhook.go", receive: "exec ./webhook",
	},
	"Node": {
		tools: []string{"node"}, fence: "js", callPage: "sign", callFile: "create.mjs", call: "node create.mjs",
		receiverPage: "webhooks", receiverFile: "webhook.mjs", receive: "exec node webhook.mjs",
	},
	"Python": {
		tools: []string{"python3"}, fence: "python", callPage: "sign", callFile: "create.py", call: "python3 create.py",
		receiverPage: "webhooks", receiverFile: "webhook.py", receive: "exec python3 webhook.py",
	},
	"Java": {
		tools: []string{"javac", "java"}, fence: "java", callPage: "java", callFile: "Shop.java", receiverPage: "java",
		receiverFile: "Shop.java", compile: "javac -Xlint:all -Werror Shop.java", call: "java Shop",
		receive: "exec java Shop listen",
	},
	"C#": {
		tools: []string{"mcs", "mono"}, fence: "csharp", callPage: "csharp", callFile: "Program.cs", receiverPage: "csharp",
		receiverFile: "Program.cs", compile: "mcs -warnaserror -r:System.Net.Http.dll Program.cs", call: "mono Program.exe",
		receive: "exec mono Program.exe listen",
	},
}

// The samples of the manual create a payment, and believe the webhook of its end.
func TestManualSamples(t *testing.T) {
	testenv.Long(t, "compiles and runs samples in six languages")
	t.Parallel()
	g := freshSandbox(t)
	for language, sample := range sampled {
		t.Run(language, func(t *testing.T) {
			for _, name := range sample.tools {
				if _, err := exec.LookPath(name); err != nil {
					t.Skip(name + " is not installed")
				}
			}
			dir := t.TempDir()
			_, port, _ := strings.Cut(freeAddr(), ":")
			for file, page := range map[string]string{
				sample.callFile: sample.callPage, sample.receiverFile: sample.receiverPage,
			} {
				code := strings.ReplaceAll(codeOf(t, page, sample.fence), "8099", port)
				noError(t, os.WriteFile(filepath.Join(dir, file), []byte(code), 0o600))
			}
			env := shopEnvironment(g, "http://127.0.0.1:"+port+"/webhook")
			tool(t, dir, env, "sh", "-c", sample.compile)
			received := listening(t, dir, env, strings.ReplaceAll(sample.receive, "8099", port), port)
			answered := tool(t, dir, env, "sh", "-c", sample.call)
			id := regexp.MustCompile(`["']?id["']?: ?(\d+)`).FindStringSubmatch(answered)
			testenv.Need(t, strings.Contains(answered, "Payment created") && id != nil, "it wrote %s", answered)
			g.callback(t, id[1], `{"status":"completed"}`)
			noError(t, testenv.Eventually(func() error {
				if out := received.String(); !strings.Contains(out, "COMPLETED") {
					return fmt.Errorf("the receiver wrote %s", out)
				}
				return nil
			}))
		})
	}
}

// shopEnvironment is what the samples of the manual expect in their environment.
func shopEnvironment(g *instance, callback string) []string {
	box := g.first()
	return []string{
		"BASE_URL=" + g.BaseURL, "KEY_ID=" + box.KeyID, "SECRET=" + box.Secret, "WEBHOOK_SECRET=" + box.WebhookSecret,
		"CALLBACK_URI=" + callback,
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

// listening starts a program and waits until it listens on the port. It is ended with the test.
func listening(t *testing.T, dir string, env []string, command, port string) *text {
	t.Helper()
	var out text
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &out
	noError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the context has killed it
	noError(t, testenv.Eventually(func() error {
		connection, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return fmt.Errorf("%w: %s", err, out.String())
		}
		return connection.Close()
	}))
	return &out
}
