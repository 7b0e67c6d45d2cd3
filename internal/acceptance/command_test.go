package acceptance

import (
	"bufio"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/sign"
)

var errNotYet = errors.New("not yet")

func TestUnknownCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"frobnicate"}, {"serve", "now"}, {"serve", "-no-such-flag"}, {"operator"}, {"operator", "delete"}, {"audit", "x"}, {"listen", "-data-dir", "/nonexistent"}} {
		if _, _, err := command(t, "", nil, args...); err == nil {
			t.Errorf("%v was run", args)
		}
	}
	_, _, err := command(t, "", nil, "frobnicate")
	if !strings.Contains(err.Error(), `unknown command "frobnicate"`) ||
		!strings.Contains(err.Error(), "usage: gateway") {
		t.Error(err)
	}
	if out, _, err := command(t, "", nil, "help"); err != nil || !strings.Contains(out, "operator create") {
		t.Errorf("help: %s %v", out, err)
	}
	if _, errs, err := command(t, "", nil, "serve", "-h"); err != nil || !strings.Contains(errs, "GATEWAY_API_ADDR") {
		t.Errorf("serve -h: %s %v", errs, err)
	}
	for _, bad := range []string{"-1", "101", "x", ""} {
		if _, _, err := command(
			t,
			"",
			nil,
			"serve",
			"-markup-percent",
			bad,
		); err == nil ||
			!strings.Contains(err.Error(), "markup-percent") {
			t.Errorf("markup %q: %v", bad, err)
		}
	}
}

// A taken port is found before anything is started, and the message names the flag to choose
// another with.
func TestTakenPort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer func() { _ = listener.Close() }()
	taken := listener.Addr().String()
	for _, name := range []string{"api-addr", "pay-addr", "portal-addr", "ops-addr"} {
		args := append([]string{"serve", "-data-dir", t.TempDir()}, anyPort...)
		_, _, err := command(t, "", nil, append(args, "-"+name, taken)...)
		if err == nil || !strings.Contains(err.Error(), "-"+name) || !strings.Contains(err.Error(), taken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = command(
		t,
		"",
		map[string]string{"GATEWAY_PAY_ADDR": "nowhere:port"},
		"serve",
		"-api-addr",
		"127.0.0.1:0",
		"-data-dir",
		t.TempDir(),
	)
	if err == nil || !strings.Contains(err.Error(), "-pay-addr") {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestOperatorCreate(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const password = "correct horse battery"
	keepSecret(password)
	run := func(stdin string, args ...string) (string, error) {
		out, errs, err := command(t, stdin, nil, append([]string{"operator", "create", "-data-dir", g.dir}, args...)...)
		if strings.Contains(out+errs, password) || err != nil && strings.Contains(err.Error(), password) {
			t.Error("the password was shown")
		}
		return out, err
	}
	for name, test := range map[string][]string{"short": {"short", "-login", "root"}, "none": {"", "-login", "root"}, "nobody": {password}} {
		if _, err := run(test[0], test[1:]...); err == nil {
			t.Errorf("%s: created", name)
		}
	}
	out, err := run(password+"\n", "-login", "root")
	if err != nil || !strings.Contains(out, "root") {
		t.Fatalf("%s %v", out, err)
	}
	if _, err := run(
		password+"\n",
		"-login=root",
	); err == nil ||
		!strings.Contains(err.Error(), `the login "root" is taken`) ||
		strings.Contains(err.Error(), "SQLSTATE") {
		t.Errorf("the same login a second time: %v", err)
	}
	in, err := portalv1connect.NewAuthServiceClient(client, g.BaseURL).Login(t.Context(),
		connect.NewRequest(&portalv1.LoginRequest{Login: "root", Password: password}))
	noError(t, err)
	keepSecret(in.Msg.GetToken())
	if in.Msg.GetKind() != "operator" {
		t.Errorf("kind %s", in.Msg.GetKind())
	}
}

// What sign prints, sent with the body, is let in.
func TestSign(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	body := order(nil)
	variables := map[string]string{"GATEWAY_MERCHANT_SECRET": g.first().Secret}
	out, _, err := command(t, body, variables, "sign", "-key-id", g.first().KeyID)
	noError(t, err)
	headers := header{}
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		headers[name] = value
	}
	if got := send(t, "POST", g.BaseURL+payments, body, headers); got.status != 200 || len(headers) != 3 {
		t.Errorf("%d headers: %s", len(headers), got)
	}
	// The well-known example of HMAC-SHA256.
	out, _, err = command(
		t,
		"The quick brown fox jumps over the lazy dog",
		map[string]string{"GATEWAY_MERCHANT_SECRET": "key"},
		"sign",
		"-key-id",
		"k",
		"-header-signature",
		"X-Signature",
	)
	if want := "X-Signature: f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8\n"; err != nil ||
		!strings.HasSuffix(out, want) {
		t.Errorf("%s %v", out, err)
	}
	if _, _, err := command(t, body, nil, "sign", "-key-id", "k"); err == nil {
		t.Error("signed without a secret")
	}
	if _, _, err := command(t, body, variables, "sign"); err == nil {
		t.Error("signed without a key id")
	}
}

// What is wrong with a request is said without a gateway, and neither the secret nor the signature.
func TestSignCheck(t *testing.T) {
	t.Parallel()
	const secret, body = "sk_checked", `{"amount":1}`
	variables := map[string]string{"GATEWAY_MERCHANT_SECRET": secret, "GATEWAY_WEBHOOK_SECRET": "whsec_AAAA"}
	file := filepath.Join(t.TempDir(), "body.json")
	noError(t, os.WriteFile(file, []byte(body), 0o600))
	check := func(stdin string, flags ...string) (string, error) {
		out, _, err := command(t, stdin, variables, append([]string{"sign", "-check", "-key-id", "k"}, flags...)...)
		if strings.Contains(out, secret) || strings.Contains(out, sign.Signature(secret, []byte(body))) {
			t.Errorf("it says too much: %s", out)
		}
		return out, err
	}
	right := "Signature: " + sign.Signature(secret, []byte(body))
	out, err := check(body, "-header", right)
	if err != nil || out != "right: The signature is right for this body.\n" {
		t.Errorf("right: %s %v", out, err)
	}
	out, err = check("", "-body", file, "-header", "Signature: "+sign.Signature(secret, []byte(body+"\n")))
	if err == nil || !strings.HasPrefix(out, "line_break: ") ||
		!strings.HasSuffix(out, "differs from what was signed at byte: 12\n") {
		t.Errorf("a line break at the end: %s %v", out, err)
	}
	for want, flags := range map[string][]string{
		"secret_webhook":  {"-header", "Signature: " + sign.Signature("whsec_AAAA", []byte(body))},
		"path":            {"-path", "/a", "-header", "Signature: " + sign.Signature(secret, []byte("POST/a"+body))},
		"key":             {"-header", right, "-header", "X-Merchant-Secret: another"},
		"header_misnamed": {"-header", "X-" + right},
	} {
		if out, err := check(body, flags...); err == nil || !strings.HasPrefix(out, want+": ") {
			t.Errorf("%s: %s %v", want, out, err)
		}
	}
}

// A ledger that does not hold makes the audit say where and fail.
func TestAuditFindsTheBreak(t *testing.T) {
	t.Parallel()
	g := newSandbox(t, t.TempDir(), newDatabase(t))
	id := g.create(t, g.first(), nil).text("data.id")
	g.exec(t, "update payment set hold_usdt = hold_usdt + 1 where id = $1::text::bigint", id)
	out, _, err := command(t, "", nil, "audit", "-data-dir", g.dir)
	var failed failure
	if !errors.As(err, &failed) || failed.status != 1 ||
		!strings.Contains(failed.message, "the ledger does not hold") ||
		!strings.Contains(out, "payment "+id) {
		t.Errorf("audit: %s %v", out, err)
	}
}
