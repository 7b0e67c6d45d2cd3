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

	"gateway.example/internal/catalogue"
	"gateway.example/internal/testenv"
)

const generators = "../tools/clients"

// Clients that are generated from the description compile, and create a payment, signed as the manual says.
func TestGeneratedClients(t *testing.T) {
	testenv.Long(t, "generates and compiles clients")
	t.Parallel()
	env := shopEnvironment(freshSandbox(t), "https://shop.example/webhook")
	description := testenv.Must(filepath.Abs("../../docs/openapi.json"))(t)
	for name, payment := range map[string]func(*testing.T, string, []string) []string{
		"oapi-codegen": oapiPayment, "TypeScript": typescriptPayments,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, out := range payment(t, description, env) {
				testenv.Check(t, strings.Contains(out, "Payment created"), "it wrote %s", out)
			}
		})
	}
}

// oapiPayment creates a payment by a client of oapi-codegen, in the module of a shop.
func oapiPayment(t *testing.T, description string, env []string) []string {
	dir := t.TempDir()
	noError(t, os.Mkdir(filepath.Join(dir, "api"), 0o700))
	write := func(name, content string) {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		content := testenv.Must(os.ReadFile(filepath.Join(generators, name)))(t)
		write(name, strings.Replace(string(content), "gateway.example/internal/tools/clients", "shop.example", 1))
	}
	write("config.yaml", codeOf(t, "generated", "yaml"))
	write("main.go", codeOf(t, "generated", "go"))
	tool(t, dir, nil, "go", "tool", "oapi-codegen", "-config", "config.yaml", description)
	return []string{tool(t, dir, env, "go", "run", ".")}
}

// typescriptPayments creates a payment each by the clients of two generators.
func typescriptPayments(t *testing.T, description string, env []string) []string {
	modules := testenv.Must(filepath.Abs(filepath.Join(generators, "node_modules")))(t)
	if _, err := exec.LookPath(filepath.Join(modules, ".bin/openapi-ts")); err != nil {
		testenv.Missing(t, "no generators: npm ci --prefix internal/tools/clients")
	}
	dir := t.TempDir()
	noError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	// Generators are installed elsewhere, from where openapi-ts would not find the project's tsconfig.json.
	output := fmt.Sprintf("{ path: 'hey', tsConfigPath: %q }", filepath.Join(dir, "tsconfig.json"))
	for name, content := range map[string]string{
		"hey.config.mjs": fmt.Sprintf("export default { input: %q, output: %s, logs: { file: false } };", description, output),
		"package.json":   `{"private": true, "type": "module"}`,
		"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext",
			"moduleResolution": "nodenext", "types": ["node"], "outDir": "out"}}`,
		"hey.ts":   codeOf(t, "generated", "ts\n// Save it as hey.ts."),
		"fetch.ts": codeOf(t, "generated", "ts\n// Save it as fetch.ts."),
	} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	tool(t, dir, nil, "node_modules/.bin/openapi-ts", "-f", "hey.config.mjs", "-s")
	tool(t, dir, nil, "node_modules/.bin/openapi-typescript", description, "-o", "schema.ts")
	tool(t, dir, nil, "node_modules/.bin/tsc", "-p", ".")
	return []string{tool(t, dir, env, "node", "out/hey.js"), tool(t, dir, env, "node", "out/fetch.js")}
}

// The Python client signs, verifies a webhook, and takes a payment and a payout through a running
// gateway. Its syntax is that of Python 3.9, also where a newer one is installed.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		testenv.Missing(t, "no python3")
	}
	source := testenv.Must(filepath.Abs("../../rpc/python"))(t)
	openAll(t, source)
	openAll(t, "testdata/python")
	const parse = "import ast; ast.parse(open('gateway.py').read(), feature_version=(3, 9))"
	tool(t, source, nil, "python3", "-c", parse)
	g := sharedSandbox(t)
	told := driven(t, g)
	told["external"] = g.ExternalPaymentsSecret
	env := append(driving(t, told), "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1")
	out := tool(t, "testdata/python", env, "python3", "drive.py")
	testenv.Check(t, strings.Contains(out, "all went well"), "it wrote %s", out)
}

// The PHP client signs, verifies webhooks, repeats creations, and makes every call of a merchant to a
// running gateway. The core of shop modules pays, catches up and refunds beside it.
func TestPHPClient(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"php", "phpunit"} {
		if _, err := exec.LookPath(name); err != nil {
			testenv.Missing(t, "no "+name+": install php-cli, php-curl and phpunit")
		}
	}
	source := testenv.Must(filepath.Abs("../../rpc/php"))(t)
	openAll(t, source)
	openAll(t, "testdata/php")
	openAll(t, "../../docs/integrate/php-shop.md")
	g := sharedSandbox(t)
	told := driven(t, g)
	told["external"] = g.ExternalPaymentsSecret
	methods, payouts := map[string][]string{}, map[string][]string{}
	for _, currency := range catalogue.Currencies {
		methods[currency] = catalogue.Names(catalogue.Payments(currency))
		if names := catalogue.Names(catalogue.Payouts(currency)); len(names) > 0 {
			payouts[currency] = names
		}
	}
	told["methods"], told["payoutMethods"] = methods, payouts
	out := tool(t, "testdata/php", driving(t, told), "phpunit", "--no-configuration", "--do-not-cache-result",
		"--fail-on-warning", "--bootstrap", filepath.Join(source, "gateway.php"), ".")
	t.Log(out)
}

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
