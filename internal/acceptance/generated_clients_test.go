package acceptance

import (
	"fmt"
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
	needs(t, "npm ci --prefix internal/tools/clients", filepath.Join(modules, ".bin/openapi-ts"))
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
	needs(t, "install python3", "python3")
	source := testenv.Must(filepath.Abs("../../rpc/python"))(t)
	openAll(t, source, "testdata/python")
	const parse = "import ast; ast.parse(open('gateway.py').read(), feature_version=(3, 9))"
	tool(t, source, nil, "python3", "-c", parse)
	g := sharedSandbox(t)
	env := append(driving(t, driven(t, g)), "PYTHONPATH="+source, "PYTHONDONTWRITEBYTECODE=1")
	out := tool(t, "testdata/python", env, "python3", "drive.py")
	testenv.Check(t, strings.Contains(out, "all went well"), "it wrote %s", out)
}

// The PHP client signs, verifies webhooks, repeats creations, and makes every call of a merchant to a
// running gateway. The core of shop modules pays, catches up and refunds beside it.
func TestPHPClient(t *testing.T) {
	t.Parallel()
	needs(t, "install php-cli, php-curl and phpunit", "php", "phpunit")
	source := testenv.Must(filepath.Abs("../../rpc/php"))(t)
	openAll(t, source, "testdata/php", "../../docs/integrate/php-shop.md")
	g := sharedSandbox(t)
	told := driven(t, g)
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

// The samples of the manual create a payment, and believe the webhook of its end.
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
			answered := tool(t, dir, env, "sh", "-c", call)
			id := regexp.MustCompile(`["']?id["']?: ?(\d+)`).FindStringSubmatch(answered)
			testenv.Need(t, strings.Contains(answered, "Payment created") && id != nil, "it wrote %s", answered)
			g.callback(t, id[1], `{"status":"completed"}`)
			received.await(t, "COMPLETED")
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
