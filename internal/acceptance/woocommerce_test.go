package acceptance

import (
	"archive/zip"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"gateway.example/internal/testenv"
)

// wordpressDirs are where Debian's package has WordPress, and where it is unpacked without the web server that it wants.
var wordpressDirs = []string{"/usr/share/wordpress", "/opt/wordpress/usr/share/wordpress"}

// A shop with the WooCommerce plug-in, as its zip has it, takes payments in WordPress beside a running sandbox: paid,
// failed, too late, with another amount, by webhooks that come twice, out of order or forged, and after it was away.
func TestWooCommerce(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	wordpress := needsWordPress(t)
	openAll(t, "../../rpc/php")
	openAll(t, "testdata/woocommerce")
	g := freshSandbox(t)
	told := driven(t, g)
	told["external"] = g.ExternalPaymentsSecret
	site := newSite(t)
	tests := testenv.Must(filepath.Abs("testdata/woocommerce"))(t)
	address := freeAddr()
	env := append(driving(t, told), "SITE="+site, "WORDPRESS="+wordpress, "SHOP_URL=http://"+address)
	beside(t, nil, "mariadbd", "--no-defaults", "--user=root", "--datadir="+filepath.Join(site, "db"),
		"--socket="+filepath.Join(site, "socket"), "--skip-networking", "--skip-grant-tables", "--innodb-log-file-size=4M")
	listens(t, "unix", filepath.Join(site, "socket"))
	boot := filepath.Join(tests, "wordpress.php")
	tool(t, tests, env, "php", boot)
	beside(t, env, "php", "-S", address, filepath.Join(tests, "router.php"))
	listens(t, "tcp", address)
	phpunit := testenv.Must(exec.LookPath("phpunit"))(t)
	t.Log(tool(t, tests, env, "php", "-d", "auto_prepend_file="+boot, phpunit, "--no-configuration",
		"--do-not-cache-result", "--fail-on-warning", "."))
	drawsBlocks(t, filepath.Join(site, "blocks.json"))
}

// needsWordPress says where WordPress is.
func needsWordPress(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"php", "phpunit", "mariadbd"} {
		if _, err := exec.LookPath(name); err != nil {
			testenv.Missing(t, "no "+name+": install php-cli, php-curl, php-mysql, phpunit and mariadb-server-core")
		}
	}
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

// newSite is a directory with what a shop has: room for a database, and WordPress's plug-ins.
func newSite(t *testing.T) string {
	t.Helper()
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

// beside runs a program until the test ends.
func beside(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	noError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // its context has ended by then
}

// listens waits until somebody takes connections.
func listens(t *testing.T, network, address string) {
	t.Helper()
	testenv.Until(t, address+" takes connections", func() bool {
		conn, err := net.Dial(network, address)
		return err == nil && conn.Close() == nil
	})
}

// drawsBlocks draws the plug-in's part of the checkout that is made of blocks, with what the shop told its script.
func drawsBlocks(t *testing.T, data string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testenv.Missing(t, "no node: install nodejs")
	}
	script := testenv.Must(filepath.Abs("../../rpc/php/woocommerce/blocks.js"))(t)
	out := tool(t, "testdata/woocommerce", nil, "node", "blocks.mjs", script, data)
	testenv.Check(t, out == "payment_gateway offers sbp card, sends sbp\n", "the blocks' checkout: %s", out)
}
