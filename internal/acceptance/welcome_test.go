package acceptance

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"gateway.example/internal/testenv"
)

// What is printed works when pasted as it is, also again, and what it starts ends with a verified
// webhook. The program names itself as it was run.
func TestWelcome(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	shell, err := exec.LookPath("bash")
	if _, curlErr := exec.LookPath("curl"); err != nil || curlErr != nil {
		t.Skip("there is no shell or curl to paste into")
	}
	heard := listenForWebhooks(t, g)

	last := "\n" + executable + " listen -data-dir " + g.dir + "\n"
	g.stdout.await(t, last)
	_, script, _ := strings.Cut(g.stdout.String(), "\n\nCreate a payment:\n")
	script, rest, _ := strings.Cut(script,
		"\nSay that the money of this payment has arrived, as a bank connection does:\n")
	completed, _, _ := strings.Cut(rest, "\nThe webhook goes to ")
	paste := script + script + completed
	cmd := exec.CommandContext(t.Context(), shell, "-c", paste)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	testenv.Need(t, err == nil && strings.Count(string(out), `"message":"Payment created"`) == 2 &&
		strings.Contains(string(out), `"message":"Payment status updated"`), "%s\n%s%v", paste, out, err)
	made := regexp.MustCompile(`"orderId":"(first-[a-z2-7]{8})"`).FindStringSubmatch(string(out))
	testenv.Need(t, made != nil, "no order: %s", out)
	n := g.count(t, "select count(*) from payment where order_id = $1 and status = 'completed'", made[1])
	testenv.Check(t, n == 1, "%d payments of the order %s", n, made[1])
	heard.await(t, "verified for "+g.first().KeyID+": payment.status.updated\n{\n  \"type\": ", `"status": "COMPLETED"`)
}

// welcomeHookAddr is where the printed payment's webhook goes, and where "gateway listen" waits for
// it.
const welcomeHookAddr = "127.0.0.1:8099"

// listenForWebhooks runs "gateway listen" where the welcome says.
func listenForWebhooks(t *testing.T, g *instance) *text {
	t.Helper()
	if probe, err := net.Listen("tcp", welcomeHookAddr); errors.Is(err, syscall.EADDRINUSE) {
		t.Skipf("%s, where the printed payment's webhook goes, is in use", welcomeHookAddr)
	} else if err == nil {
		_ = probe.Close()
	}
	_, heard := listener(t, g, welcomeHookAddr)
	return heard
}

func number(id string) int64 {
	var n int64
	_, _ = fmt.Sscan(id, &n)
	return n
}
