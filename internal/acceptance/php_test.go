package acceptance

import (
	"os/exec"
	"path/filepath"
	"testing"

	"gateway.example/internal/testenv"
)

// The PHP client signs, verifies webhooks, repeats creations, and makes every call of a merchant to a
// running gateway.
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
	g := sharedSandbox(t)
	told := driven(t, g)
	told["external"] = g.ExternalPaymentsSecret
	out := tool(t, "testdata/php", driving(t, told), "phpunit", "--no-configuration", "--do-not-cache-result",
		"--fail-on-warning", "--bootstrap", filepath.Join(source, "gateway.php"), ".")
	t.Log(out)
}
