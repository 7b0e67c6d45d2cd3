package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

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
	t.Helper()
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
	t.Helper()
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
