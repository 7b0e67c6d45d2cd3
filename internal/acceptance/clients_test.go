package acceptance

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/chain"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// tool runs a program of another language and returns what it wrote.
func tool(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := ran(t, dir, env, name, args...)
	testenv.Need(t, err == nil, "%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	return out
}

// ran runs a program that may fail, and returns what it wrote.
func ran(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// driving is the environment of a program of another language that drives a
// sandbox: what it is told of it, and the vectors that all clients share.
func driving(t *testing.T, told object) []string {
	t.Helper()
	encoded := testenv.Must(json.Marshal(told))(t)
	vectors := testenv.Must(filepath.Abs("../../rpc/sign/testdata/vectors.json"))(t)
	openAll(t, filepath.Dir(vectors))
	return []string{"DRIVE=" + string(encoded), "VECTORS=" + vectors}
}

// openAll opens files, and those below directories, that another program reads,
// so that the go command does not give an old result once they have changed:
// see openSources.
func openAll(t *testing.T, paths ...string) {
	t.Helper()
	for _, root := range paths {
		noError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				_, err = os.ReadFile(path)
			}
			return err
		}))
	}
}

// needs ends a test where a program is missing.
func needs(t *testing.T, advice string, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			testenv.Missing(t, "no "+name+": "+advice)
		}
	}
}

// driven is what a client of another language is told of a sandbox.
func driven(t *testing.T, g *instance) object {
	t.Helper()
	keepSecret("+79991234567", "4000002500003155")
	return object{
		"baseUrl": g.BaseURL, "roubles": g.first(), "cards": g.box(t, "sandbox-azn"), "payouts": g.first(),
		"traders": g.traders(t), "run": newOrder(), "external": g.ExternalPaymentsSecret,
	}
}

func (g *instance) traders(t *testing.T) []sandbox.User {
	t.Helper()
	traders := slices.DeleteFunc(slices.Clone(g.Users), func(u sandbox.User) bool { return u.Kind != "trader" })
	testenv.Need(t, len(traders) != 0, "no trader")
	return traders
}

// constantList is a list in the source of the TypeScript package, or of the
// Python client.
var constantList = regexp.MustCompile(`(?m)^(?:export const )?(\w+) = (?:Literal)?\[([^\]]*)\]`)

// The closed lists of the clients are those of the gateway. Those of TypeScript
// that are generated are not here.
func TestClientLists(t *testing.T) {
	t.Parallel()
	source := testenv.Must(os.ReadFile(filepath.Join(typescript, "src/types.ts")))(t)
	python := testenv.Must(os.ReadFile("../../rpc/python/gateway.py"))(t)
	lists := map[string][]string{}
	for _, found := range constantList.FindAllStringSubmatch(string(source)+string(python), -1) {
		for _, quoted := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(found[2], -1) {
			lists[found[1]] = append(lists[found[1]], quoted[1])
		}
	}
	var methods, payouts []string
	for _, method := range catalogue.Methods {
		methods = append(methods, method.Name)
		if len(method.Payouts) > 0 {
			payouts = append(payouts, method.Name)
		}
	}
	for names, want := range map[string][]string{
		"Currency": catalogue.Currencies, "PaymentMethod": methods, "PayinMethod": payouts,
		"PaymentStatus paymentStatuses": {"pending", "completed", "failed", "cancelled", "appeal"},
		"PayinStatus payinStatuses":     {"waiting", "processing", "completed", "failed", "cancelled", "expired"},
		"DepositStatus depositStatuses": {"pending", "confirmed", "rejected"},
		"Network networks":              chain.Names(), "WithdrawalStatus withdrawalStatuses": withdrawal.Statuses,
		"phases": {"awaiting_payer_details", "awaiting_trader_bank_sms", "awaiting_payer_otp", "awaiting_trader_confirm"},
	} {
		for name := range strings.FieldsSeq(names) {
			slices.Sort(lists[name])
			testenv.WantAll(t, lists[name], slices.Sorted(slices.Values(want)), "%s", name)
		}
	}
}

// wordpressDirs are where Debian's package has WordPress, and where it is
// unpacked without the web server that it wants.
var wordpressDirs = []string{"/usr/share/wordpress", "/opt/wordpress/usr/share/wordpress"}

// A shop with the WooCommerce plug-in, as its zip has it, takes payments in
// WordPress beside a running sandbox: paid, failed, too late, with another
// amount, by webhooks that come twice, out of order or forged, and after it was
// away.
func TestWooCommerce(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	wordpress := needsWordPress(t)
	openAll(t, "../../rpc/php", "testdata/woocommerce")
	told, site := driven(t, freshSandbox(t)), newSite(t)
	told["renamed"] = driven(t, freshSandbox(t, "-header-key-id", "X-Shop-Key", "-header-secret", "X-Shop-Secret",
		"-header-signature", "X-Shop-Signature"))
	tests := testenv.Must(filepath.Abs("testdata/woocommerce"))(t)
	address := freeAddr()
	env := append(driving(t, told), "SITE="+site, "WORDPRESS="+wordpress, "SHOP_URL=http://"+address)
	socket := filepath.Join(site, "socket")
	beside(t, "", nil, "unix", socket, "mariadbd", "--no-defaults", "--user=root", "--datadir="+filepath.Join(site, "db"),
		"--socket="+socket, "--skip-networking", "--skip-grant-tables", "--innodb-log-file-size=4M")
	boot := filepath.Join(tests, "wordpress.php")
	tool(t, tests, env, "php", boot)
	beside(t, "", env, "tcp", address, "php", "-S", address, filepath.Join(tests, "router.php"))
	phpunit := testenv.Must(exec.LookPath("phpunit"))(t)
	t.Log(tool(t, tests, env, "php", "-d", "auto_prepend_file="+boot, phpunit, "--no-configuration",
		"--do-not-cache-result", "--fail-on-warning", "."))
	// The plug-in's part of the checkout that is made of blocks is drawn
	// with what the shop told its script.
	script := testenv.Must(filepath.Abs("../../rpc/php/woocommerce/blocks.js"))(t)
	out := tool(t, "testdata/woocommerce", nil, "node", "blocks.mjs", script, filepath.Join(site, "blocks.json"))
	testenv.Check(t, out == "payment_gateway offers sbp card, sends sbp\n", "the blocks' checkout: %s", out)
}

// needsWordPress says where WordPress is.
func needsWordPress(t *testing.T) string {
	needs(t, "install php-cli, php-curl, php-mysql, phpunit, mariadb-server-core and nodejs", "php", "phpunit", "mariadbd", "node")
	if exec.CommandContext(t.Context(), "php", "-r", "exit(extension_loaded('mysqli') ? 0 : 1);").Run() != nil {
		testenv.Missing(t, "no mysqli: install php-mysql")
	}
	at := slices.IndexFunc(wordpressDirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "wp-settings.php"))
		return err == nil
	})
	if at < 0 {
		testenv.Missing(t, "no WordPress: install wordpress")
	}
	return wordpressDirs[at]
}

// newSite is a directory with what a shop has: room for a database, and
// WordPress's plug-ins.
func newSite(t *testing.T) string {
	site := testenv.Must(os.MkdirTemp("", "gateway-shop-"))(t) // a socket's name must be short
	t.Cleanup(func() { _ = os.RemoveAll(site) })
	plugins := filepath.Join(site, "content/plugins")
	noError(t, os.MkdirAll(filepath.Join(plugins, "woocommerce"), 0o700))
	noError(t, os.Mkdir(filepath.Join(site, "db"), 0o700))
	place := testenv.Must(os.ReadFile("testdata/woocommerce/woocommerce.php"))(t)
	noError(t, os.WriteFile(filepath.Join(plugins, "woocommerce/woocommerce.php"), place, 0o600))
	packed := filepath.Join(site, "plugin.zip")
	tool(t, "../..", nil, "go", "run", "./internal/tools/pluginzip", packed)
	archive := testenv.Must(zip.OpenReader(packed))(t)
	defer func() { _ = archive.Close() }()
	noError(t, os.CopyFS(plugins, archive))
	return site
}

// beside runs a program until the test ends, once it listens at an address. It
// returns what that writes.
func beside(t *testing.T, dir string, env []string, network, address, name string, args ...string) *text {
	t.Helper()
	var out text
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &out
	noError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // its context has ended by then
	noError(t, testenv.Eventually(func() error {
		conn, err := net.Dial(network, address)
		if err != nil {
			return fmt.Errorf("%w: %s", err, out.String())
		}
		return conn.Close()
	}))
	return &out
}

const generators = "../tools/clients"

// Clients that are generated from the description compile, and create a
// payment, signed as the manual says.
func TestGeneratedClients(t *testing.T) {
	testenv.Long(t, "generates and compiles clients")
	t.Parallel()
	env := shopEnvironment(freshSandbox(t), "https://shop.example/webhook")
	description := testenv.Must(filepath.Abs("../../docs/openapi.json"))(t)
	for name, payment := range map[string]func(*testing.T, string) func(env []string) []string{
		"oapi-codegen": oapiPayment, "TypeScript": typescriptPayments,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := payment(t, description)
			for _, out := range call(env) {
				testenv.Check(t, strings.Contains(out, "Payment created"), "it wrote %s", out)
			}
			keepsSecret(t, func(url string) { call(append(slices.Clip(env), "BASE_URL="+url)) })
		})
	}
}

// oapiPayment makes a client by oapi-codegen, in the module of a shop. What it
// returns creates a payment by it.
func oapiPayment(t *testing.T, description string) func(env []string) []string {
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
	return func(env []string) []string {
		out, _ := ran(t, dir, env, "go", "run", ".") // what it wrote says whether it went well
		return []string{out}
	}
}

// typescriptPayments makes clients by two generators. What it returns creates a
// payment by each.
func typescriptPayments(t *testing.T, description string) func(env []string) []string {
	modules := testenv.Must(filepath.Abs(filepath.Join(generators, "node_modules")))(t)
	needs(t, "npm ci --prefix internal/tools/clients", filepath.Join(modules, ".bin/openapi-ts"))
	dir := t.TempDir()
	noError(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	// Generators are installed elsewhere, from where openapi-ts would not
	// find the project's tsconfig.json.
	output := fmt.Sprintf("{ path: 'hey', tsConfigPath: %q }", filepath.Join(dir, "tsconfig.json"))
	for name, content := range map[string]string{
		"hey.config.mjs": fmt.Sprintf("export default { input: %q, output: %s, logs: { file: false } };", description, output),
		"package.json":   `{"private": true, "type": "module"}`,
		"tsconfig.json": `{"compilerOptions": {"strict": true, "target": "es2022", "module": "nodenext",
			"moduleResolution": "nodenext", "types": ["node"], "skipLibCheck": true, "outDir": "out"}}`,
		"hey.ts":   codeOf(t, "generated", "ts\n// Save it as hey.ts."),
		"fetch.ts": codeOf(t, "generated", "ts\n// Save it as fetch.ts."),
	} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	tool(t, dir, nil, "node_modules/.bin/openapi-ts", "-f", "hey.config.mjs", "-s")
	tool(t, dir, nil, "node_modules/.bin/openapi-typescript", description, "-o", "schema.ts")
	tool(t, dir, nil, "node_modules/.bin/tsc", "-p", ".")
	return func(env []string) []string {
		hey, _ := ran(t, dir, env, "node", "out/hey.js")
		fetch, _ := ran(t, dir, env, "node", "out/fetch.js")
		return []string{hey, fetch}
	}
}

// The Python client signs, verifies a webhook, and takes a payment and a payout
// through a running gateway. Its syntax is that of Python 3.9, also where a
// newer one is installed.
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

// The PHP client signs, verifies webhooks, repeats creations, and makes every
// call of a merchant to a running gateway. The core of shop modules pays,
// catches up and refunds beside it.
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

// shopEnvironment is what the samples of the manual expect in their
// environment.
func shopEnvironment(g *instance, callback string) []string {
	box := g.first()
	return []string{
		"BASE_URL=" + g.BaseURL, "KEY_ID=" + box.KeyID, "SECRET=" + box.Secret, "WEBHOOK_SECRET=" + box.WebhookSecret,
		"CALLBACK_URI=" + callback,
	}
}
