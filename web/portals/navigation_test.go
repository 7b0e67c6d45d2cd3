package portals_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// The navigation tells how much waits, no more of it than the reader may know of, and a page comes without that where it
// would take too long.
func TestWaitsInNavigation(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Auditor)
	owner, support, stranger := b.As(t, caller.Owner), b.As(t, caller.Support), b.Stranger(t)
	counts := func(p *portaltest.Person, path string) string {
		var said []string
		p.Page(t, path).Find("#menu a:has(.count)").Each(func(_ int, link *goquery.Selection) {
			said = append(said, words(link))
		})
		return strings.Join(said, ", ")
	}
	tells := func(what string, p *portaltest.Person, path, said string) {
		t.Helper()
		portaltest.WantSoon(t, what, func() string { return counts(p, path) }, said)
	}
	want(t, "nothing waits", counts(operator, "/operator/traders"), "")
	b.Deposited(t, "10", "first")
	b.OpenedAppeal(t, "why")
	tells("for operators", operator, "/operator/traders", "Deposits 1 waiting, Appeals 1 waiting")
	tells("for the merchant", owner, "/merchant/team", "Appeals 1 waiting, Deposits 1 waiting")
	tells("for who knows of no money", support, "/merchant/payments", "Appeals 1 waiting")
	want(t, "for another merchant", counts(stranger, "/merchant/team"), "")
	b.Exec(t, `insert into webhook_endpoint (merchant_id, host, due_at) select $1, host, now() from unnest(array['a.example', 'b.example']) host`,
		b.Merchant.ID)
	b.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, attempts, round)
		select $1, gen_random_uuid(), host, now(), tried, 1 from (values ('a.example', 2), ('a.example', 1), ('b.example', 0)) d (host, tried)`,
		b.Merchant.ID)
	tells("an endpoint fails", owner, "/merchant/team", "Appeals 1 waiting, Deposits 1 waiting, Webhooks 1 waiting")
	tells("for who reads no events", support, "/merchant/payments", "Appeals 1 waiting")
	tells("for the operator", operator, "/operator/traders", "Deposits 1 waiting, Appeals 1 waiting, Failing hosts 1 waiting")
	row := operator.Page(t, "/operator/events/failing").Find("tbody tr")
	want(t, "which", line(row.Length(), words(row.Find("td.lead, td.num"))), "1 a.example 2 2")
	b.Exec(t, "delete from webhook_delivery")
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
		select merchant_id, cashbox_id, amount, network, address, gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 99)`)
	tells("many", operator, "/operator/traders", "Deposits 99+ waiting, Appeals 1 waiting")
	lock := testenv.Must(b.Pool.Begin(t.Context()))(t)
	defer func() { _ = lock.Rollback(t.Context()) }()
	testenv.Must(lock.Exec(t.Context(), "lock table deposit in access exclusive mode"))(t)
	want(t, "while they cannot be counted", counts(operator, "/operator/traders"), "")
}
