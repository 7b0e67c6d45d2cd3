package acceptance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
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
	if err != nil || strings.Count(string(out), `"message":"Payment created"`) != 2 ||
		!strings.Contains(string(out), `"message":"Payment status updated"`) {
		t.Fatalf("%s\n%s%v", paste, out, err)
	}
	made := regexp.MustCompile(`"orderId":"(first-[a-z2-7]{8})"`).FindStringSubmatch(string(out))
	if made == nil {
		t.Fatalf("no order: %s", out)
	}
	if n := g.count(t, "select count(*) from payment where order_id = $1 and status = 'completed'", made[1]); n != 1 {
		t.Errorf("%d payments of the order %s", n, made[1])
	}
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
	heard := new(text)
	cmd := gatewayCommand(context.Background(), nil, "listen", "-data-dir", g.dir)
	cmd.Stdout, cmd.Stderr = heard, heard
	p := start(cmd, heard)
	t.Cleanup(func() {
		p.cancel()
		if <-p.ended; p.err != nil {
			t.Error(p.err)
		}
	})
	noError(t, testenv.Eventually(func() error {
		if !strings.Contains(heard.String(), "waiting for webhooks on http://"+welcomeHookAddr) {
			return fmt.Errorf("listen printed %q", heard)
		}
		return nil
	}))
	return heard
}

// The whole way of a payment, with its USDT reckoned by hand: at 92.50 RUB, 4.5% markup and 1.5%
// for the trader, spot 1500/92.50 = 16.21621621, amount 1500/(92.50 × 1.045) = 15.51791025, spread
// 0.69830596, of which the trader
// 16.21621621 × 1.5% = 0.24324324 and the platform 0.45506272. He holds 16.21621621 − 0.24324324 = 15.97297297.
func TestPaymentFromEndToEnd(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	orderID := newOrder()
	created := g.create(t, g.first(), object{"orderId": orderID, "callbackUri": s.URL + "/hook?a=1"})
	id := created.text("data.id")
	g.moved(t, id, "trader available -15.97297297", "trader reserved 15.97297297")

	desk := g.desk(g.traderOf(t, id).Token)
	confirmed := called(t, desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(id)})
	if data := confirmed.GetData(); data.GetStatus() != "completed" || data.GetUuid() != created.text("data.uuid") {
		t.Errorf("confirmed: %v", data)
	}
	// The amount and the platform's part leave the trader; their own share never does.
	g.moved(t, id, "cashbox available 15.51791025", "platform available 0.45506272", "trader available -15.97297297",
		"trader reserved 0.00000000")

	e := s.await(t, orderID, 1)[0]
	if e.Type != "payment.status.updated" || e.Data.UUID != created.text("data.uuid") || e.Data.Status != "COMPLETED" ||
		e.Data.Amount != "1500.00" || e.Data.Currency != "RUB" || e.Meta.PreviousStatus != "PENDING" || e.Meta.Sequence != 1 {
		t.Errorf("webhook %+v", e)
	}
	refuses(t, "confirmed again", desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(id)},
		connect.CodeFailedPrecondition, "payment_not_pending")
	out, _, err := command(t, "", nil, "audit", "-data-dir", g.dir)
	if err != nil || !strings.HasPrefix(out, "clean") {
		t.Errorf("audit beside the live server: %s %v", out, err)
	}
}

// moved checks what a payment moved in all, account by account.
func (g *instance) moved(t *testing.T, paymentID string, want ...string) {
	t.Helper()
	got := g.texts(t, `select a.owner_kind || ' ' || a.purpose || ' ' || sum(m.amount)
		from transfer t cross join lateral (values (debit_account, -amount), (credit_account, amount)) m (account_id, amount)
		join account a on a.id = m.account_id
		where t.subject = 'payment' and t.subject_id = $1::text::bigint
		group by a.owner_kind, a.purpose order by 1`, paymentID)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("payment %s moved\n%s\nwant\n%s", paymentID, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func number(id string) int64 {
	var n int64
	_, _ = fmt.Sscan(id, &n)
	return n
}
