package acceptance

import (
	"bufio"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/sign"
)

// A mistake in a command is told in a line, which says where to look, and ends with the status 2. What
// stands where it does not belong is not quoted, since it may be a secret.
func TestWrongCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"frobnicate":                          `unknown command "frobnicate": gateway help lists the commands`,
		"serve hunter2":                       "serve: too many arguments: see gateway serve -h",
		"serve -no-such-flag":                 "serve: flag provided but not defined: -no-such-flag: see gateway serve -h",
		"serve -markup-percent -1":            "-markup-percent (GATEWAY_MARKUP_PERCENT) must be between 0 and 100",
		"serve -markup-percent 101":           "-markup-percent (GATEWAY_MARKUP_PERCENT) must be between 0 and 100",
		"serve -markup-percent x":             "-markup-percent (GATEWAY_MARKUP_PERCENT) must be between 0 and 100",
		"serve -markup-percent=":              "-markup-percent (GATEWAY_MARKUP_PERCENT) must be between 0 and 100",
		"operator":                            "operator: create is missing: see gateway operator -h",
		"operator delete -login x":            "operator: only operator create is known: see gateway operator -h",
		"operator create":                     "operator create: -login is needed: see gateway operator -h",
		"audit hunter2":                       "audit: too many arguments: see gateway audit -h",
		"audit -api-addr :1":                  "audit: flag provided but not defined: -api-addr: see gateway audit -h",
		"sign hunter2":                        "sign: too many arguments: see gateway sign -h",
		"sign -body x":                        "sign: -body is for -check only: see gateway sign -h",
		"verify-proof":                        "verify-proof: FILE is missing: see gateway verify-proof -h",
		"verify-timeline a b":                 "verify-timeline: too many arguments: see gateway verify-timeline -h",
		"trigger":                             "trigger: EVENT is missing: see gateway trigger -h",
		"listen -forward 127.0.0.1:3000":      "listen: -forward must be a whole URL such as http://127.0.0.1:3000/webhook, without a user: see gateway listen -h",
		"listen -forward http://u:hunter2@h/": "listen: -forward must be a whole URL such as http://127.0.0.1:3000/webhook, without a user: see gateway listen -h",
		"migrate -database-url hunter2@x":     "-database-url (DATABASE_URL) is not a valid PostgreSQL URL, such as postgres://USER:PASSWORD@HOST:5432/DATABASE",
		"audit -database-url postgres://h:p/": "-database-url (DATABASE_URL) is not a valid PostgreSQL URL, such as postgres://USER:PASSWORD@HOST:5432/DATABASE",
	} {
		out, errs, err := command(t, "", nil, strings.Fields(line)...)
		var failed failure
		if !errors.As(err, &failed) || failed.status != 2 || out != "" || errs != "gateway: "+want+"\n" {
			t.Errorf("%s: %s%s%v", line, out, errs, err)
		}
	}
}

// Every command is listed with what it does, and has help of its own. Help is no failure, and so is
// read from the standard output.
func TestHelp(t *testing.T) {
	t.Parallel()
	list, _, err := command(t, "", nil, "help")
	noError(t, err)
	for _, flag := range []string{"-h", "-help", "--help"} {
		if out, _, err := command(t, "", nil, flag); err != nil || out != list {
			t.Errorf("%s: %s%v", flag, out, err)
		}
	}
	listed := regexp.MustCompile(`(?m)^  ([a-z-]+) +[A-Z].*\.$`).FindAllStringSubmatch(list, -1)
	var names []string
	for _, line := range listed {
		names = append(names, line[1])
	}
	if want := "serve migrate audit operator keys adopt healthcheck listen trigger sign verify-timeline verify-proof version help"; strings.Join(
		names,
		" ",
	) != want ||
		!strings.Contains(list, "The exit status is 0 if all went well, 1 after a failure, and 2 if") {
		t.Errorf("%v: %s", names, list)
	}
	// The environment is not shown, since it has secrets. The defaults are.
	variables := map[string]string{"DATABASE_URL": "postgres://x:hunter2@h/d", "GATEWAY_API_ADDR": ":1234"}
	for _, name := range names {
		out, errs, err := command(t, "", variables, name, "-h")
		if err != nil || errs != "" || !strings.HasPrefix(out, "usage: gateway "+name+" ") ||
			strings.Contains(out, "hunter2") || strings.Contains(out, ":1234") {
			t.Errorf("%s -h: %s%s%v", name, out, errs, err)
		}
	}
	for name, want := range map[string][]string{
		"serve": {
			"\n  -api-addr, variable GATEWAY_API_ADDR, default :8080\n", "\n  -database-url, variable DATABASE_URL\n",
			"\n  -db-connections, default 20\n", "\n  GATEWAY_VAULT_KEYS\n", "\n  GATEWAY_LINK_KEYS\n",
			"\n  GATEWAY_EXTERNAL_PAYMENTS_SECRET\n", "\n  GATEWAY_POSTGRES_BIN\n",
		},
		"operator": {"gateway operator create [flags]", "\n  -login\n", "\n  -data-dir, variable GATEWAY_DATA_DIR, default .gateway\n"},
		"sign":     {"\n  GATEWAY_MERCHANT_SECRET\n", "\n  GATEWAY_WEBHOOK_SECRET\n", "\n  -header-signature, variable GATEWAY_HEADER_SIGNATURE, default Signature\n"},
		"listen":   {"\n  -addr, default 127.0.0.1:8099\n", "\n  -forward\n"},
	} {
		out, _, _ := command(t, "", nil, name, "-h")
		for _, part := range want {
			if !strings.Contains(out, part) {
				t.Errorf("%s -h lacks %q: %s", name, part, out)
			}
		}
	}
	if out, _, _ := command(t, "", nil, "audit", "-h"); strings.Contains(out, "-api-addr") {
		t.Errorf("audit -h has flags of others: %s", out)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out, _, err := command(t, "", nil, "version")
	if err != nil ||
		!regexp.MustCompile(`^gateway .*, go1\.\d+.*, `+runtime.GOOS+"/"+runtime.GOARCH+"\n$").MatchString(out) {
		t.Errorf("%s%v", out, err)
	}
}

// Commands for a sandbox say where they have looked for one, and how it comes about.
func TestNoSandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := "there is no sandbox in " + dir + ": start one with gateway serve, or name its directory with -data-dir (GATEWAY_DATA_DIR)\n"
	for _, args := range [][]string{{"listen"}, {"sign"}, {"trigger", "payment.completed"}} {
		_, errs, err := command(t, "", map[string]string{"GATEWAY_DATA_DIR": dir}, args...)
		var failed failure
		if !errors.As(err, &failed) || failed.status != 1 || !strings.HasSuffix(errs, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %s%v", args, errs, err)
		}
	}
}

// withPassword makes a user who needs a password, and returns a URL with a wrong one.
func withPassword(t *testing.T, g *instance) string {
	t.Helper()
	rules := g.texts(t, "select setting from pg_settings where name = 'hba_file'")[0]
	for _, sql := range []string{
		"create role locked login password 'right'",
		// Tests beside this one make standbys of the server: "all" is no replication.
		"copy (values ('local all locked scram-sha-256'), ('local all all trust'), ('local replication all trust')) to '" +
			rules + "'",
		"select pg_reload_conf()",
	} {
		_, err := g.pool.Exec(t.Context(), sql)
		noError(t, err)
	}
	address := strings.Replace(g.DatabaseURL, "postgres://postgres@", "postgres://locked:hunter2@", 1)
	testenv.Until(t, "the password is needed", func() bool {
		conn, err := pgx.Connect(t.Context(), address)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err != nil
	})
	return address
}

// noPostgres is the address of a server that speaks, but not PostgreSQL's protocol.
func noPostgres(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// A database that cannot be used is told in a line that says what to do, without the password and
// without the driver's words.
func TestUnusableDatabase(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	noError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	web := noPostgres(t)
	newer := dbtest.URL(t)
	_, err = poolOf(
		t,
		newer,
	).Exec(t.Context(), "insert into goose_db_version (version_id, is_applied) values (99999, true)")
	noError(t, err)
	for name, c := range map[string]struct{ url, want string }{
		"refused":  {"postgres://u:hunter2@127.0.0.1:1/d", "nothing answers at 127.0.0.1:1: start PostgreSQL there, or correct DATABASE_URL\n"},
		"unknown":  {"postgres://u:hunter2@no-such-host.invalid/d", `the host "no-such-host.invalid" of the database is not known: correct DATABASE_URL` + "\n"},
		"silent":   {"postgres://u:hunter2@" + silent.Addr().String() + "/d?connect_timeout=1&sslmode=disable", "does not answer: check the host in DATABASE_URL, and firewalls\n"},
		"web":      {"postgres://u:hunter2@" + web + "/d?sslmode=disable", "what answers at " + web + " is no PostgreSQL, or has another idea of TLS: check the port, sslmode"},
		"tls":      {"postgres://u:hunter2@" + web + "/tls?sslmode=require", "what answers at " + web + " is no PostgreSQL, or has another idea of TLS: check the port, sslmode"},
		"missing":  {strings.Replace(g.DatabaseURL, "/gateway?", "/none_such?", 1), `has no database "none_such": create it, or correct DATABASE_URL` + "\n"},
		"password": {withPassword(t, g), `refuses the user "locked": check user and password in DATABASE_URL, and pg_hba.conf` + "\n"},
		"newer":    {newer, "the database has schema 99999, and this program knows only "},
	} {
		for _, command := range [][]string{{"migrate"}, {"audit"}, append([]string{"serve", "-sandbox", "-data-dir", t.TempDir()}, anyPort...)} {
			out, status := program(t, "", append(command, "-database-url", c.url)...)
			last := out[strings.LastIndex("\n"+strings.TrimSuffix(out, "\n"), "\n"):]
			if status == 0 || !strings.HasPrefix(last, "gateway: ") || !strings.Contains(last, c.want) {
				t.Errorf("%s, %s: exit %d, %s", name, command[0], status, out)
			}
			for _, word := range []string{"hunter2", "SQLSTATE", "failed to connect", "ERROR", "FATAL", "goose"} {
				if strings.Contains(out, word) {
					t.Errorf("%s, %s: %q is told: %s", name, command[0], word, out)
				}
			}
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
	_, _, err = command(t, "", map[string]string{"GATEWAY_PAY_ADDR": "nowhere:port"}, "serve", "-api-addr",
		"127.0.0.1:0", "-data-dir", t.TempDir())
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
	if _, err := run(password+"\n", "-login=root"); err == nil ||
		!strings.Contains(err.Error(), `the login "root" is taken`) ||
		strings.Contains(err.Error(), "SQLSTATE") {
		t.Errorf("the same login a second time: %v", err)
	}
	in := called(t, portalv1connect.NewAuthServiceClient(client, g.BaseURL).Login,
		&portalv1.LoginRequest{Login: "root", Password: password})
	keepSecret(in.GetToken())
	if in.GetKind() != "operator" {
		t.Errorf("kind %s", in.GetKind())
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
	out, _, err = command(t, "The quick brown fox jumps over the lazy dog",
		map[string]string{"GATEWAY_MERCHANT_SECRET": "key"}, "sign", "-key-id", "k", "-header-signature", "X-Signature")
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
	// A sandbox lends its own key, by its id or the first one.
	for _, flags := range [][]string{{}, {"-key-id", g.first().KeyID}} {
		out, errs, err := command(t, body, nil, append([]string{"sign", "-data-dir", g.dir}, flags...)...)
		if want := "Signature: " + sign.Signature(g.first().Secret, []byte(body)) + "\n"; err != nil || errs != "" ||
			!strings.HasSuffix(out, want) || !strings.HasPrefix(out, "X-Merchant-Key-Id: "+g.first().KeyID+"\n") {
			t.Errorf("%v: %s%s%v", flags, out, errs, err)
		}
	}
	if _, _, err := command(t, body, nil, "sign", "-data-dir", g.dir, "-key-id", "k"); err == nil {
		t.Error("signed by a key that the sandbox does not have")
	}
}

// Line breaks are signed as they are, with a warning: curl -d drops them.
func TestSignWarnsOfLineBreaks(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"GATEWAY_MERCHANT_SECRET": "key"}
	for body, want := range map[string]string{
		"{}":         "",
		"{}\n":       "warning: the body ends with a line break",
		"{}\r\n":     "warning: the body ends with a line break",
		"{\n}":       "warning: the body has line breaks",
		"{\r\n\"a\"": "warning: the body has line breaks",
	} {
		out, errs, err := command(t, body, variables, "sign", "-key-id", "k")
		if !strings.HasSuffix(out, "Signature: "+sign.Signature("key", []byte(body))+"\n") || err != nil ||
			!strings.HasPrefix(errs, want) || (want == "") != (errs == "") {
			t.Errorf("%q: %s%s%v", body, out, errs, err)
		}
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
