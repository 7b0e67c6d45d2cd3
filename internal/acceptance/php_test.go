package acceptance

import (
	"os/exec"
	"path/filepath"
	"testing"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/testenv"
)

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
