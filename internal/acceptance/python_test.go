package acceptance

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

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
