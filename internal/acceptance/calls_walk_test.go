package acceptance

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"gateway.example/internal/testenv"
)

const (
	platformPassword = "correct horse battery staple"

	htaName = `attachment; filename*=utf-8''` +
		`.._%D1%87%D0%B5%D0%BA%20%E2%84%961%20%22%D0%BA%D0%BE%D0%BF%D0%B8%D1%8F%22.hta.pdf`
	// moved is what a payment moved in all, account by account.
	moved = `select a.owner_kind || ' ' || a.purpose || ' ' || sum(m.amount)
		from transfer t cross join lateral (values (debit_account, -amount), (credit_account, amount)) m (account_id, amount)
		join account a on a.id = m.account_id where t.subject = 'payment' and`
)

// walk does what the sections of a file of testdata say, one after the other.
func (g *instance) walk(t *testing.T, file string) {
	t.Helper()
	for _, s := range sections(t, file) {
		t.Run(s.title, func(t *testing.T) {
			for _, line := range s.lines {
				g.does(t, line)
			}
		})
	}
	g.wantAudit(t)
}

// What users of the portals and of the sandbox do.
func TestWalks(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	g.begin(t)
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"rates":[{"a/b":"93.125"}]}`))
	}))
	t.Cleanup(feed.Close)
	keepSecret("feedkey-of-the-walk")
	g.ids["rate_feed"] = feed.URL + "/?key=feedkey-of-the-walk"
	g.walk(t, "walks.txt")
}

// From an empty database to the first payment, in production: only the first operator is made by a command.
func TestPlatform(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	keepSecret(platformPassword)
	const secret = "the external payments secret of a new platform"
	g := empty(t, map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": secret})
	g.ExternalPaymentsSecret = secret
	_, _, err := command(t, platformPassword, map[string]string{"DATABASE_URL": g.DatabaseURL},
		"operator", "create", "-login", "root", "-data-dir", t.TempDir())
	noError(t, err)
	g.walk(t, "platform.txt")
}

// Flags and limits of one gateway, each of which changes something else.
func TestFlags(t *testing.T) {
	t.Parallel()
	plan := fresh(t, "-trusted-proxies", "127.0.0.0/8",
		"-portal-origins=https://desk.example.com,https://other.example.com:8443")
	altered(t, plan.database, `update rate_limit set calls = case name when 'address_writes' then 21 when 'user' then 20
		else calls / 50 end, per_seconds = per_seconds * 1000 where name in ('address_writes', 'user') or name like '%login%'`)
	g := plan.start(t)
	g.begin(t)
	g.walk(t, "flags.txt")
}
