package pay_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A page that the payer opens is kept with the family of their browser. What its script asks for, what
// is fetched ahead and what is posted is not.
func TestOpenedPages(t *testing.T) {
	b := setup(t, false)
	transfer, card := b.create(t, "RUB", "sbp"), b.create(t, "AZN", "quasi_ecom")
	const safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
	const edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0"
	open := func(p payment.Payment, below string, headers ...string) {
		t.Helper()
		kept := func() int {
			return b.Count(t, "select count(*) from payment_step where payment_id = $1 and what = 'page_opened'", p.ID)
		}
		before := kept()
		testenv.Until(t, "the opening is kept", func() bool { // a page waits for that a moment only
			b.ask(t, b.path(p)+below, headers...)
			return kept() > before
		})
	}
	open(transfer, "", "User-Agent", safari)
	open(transfer, "/cancel", "User-Agent", "curl/8", "Sec-Fetch-Dest", "document")
	b.ask(t, b.path(transfer), "Sec-Fetch-Dest", "empty")
	b.ask(t, b.path(transfer), "Sec-Purpose", "prefetch;prerender")
	b.ask(t, b.path(transfer)+"/status")
	b.post(t, b.path(transfer)+"/paid")
	open(card, "", "User-Agent", edge)
	open(card, "/card", "User-Agent", edge)
	for id, want := range map[int64][]string{
		transfer.ID: {"requisite Safari", "cancel other"},
		card.ID:     {"checkout Edge", "card Edge"},
	} {
		rows := testenv.Must(b.Pool.Query(
			t.Context(),
			`select coalesce(detail->>'page', '') || ' ' || coalesce(detail->>'agent', '')
			from payment_step where payment_id = $1 and actor = 'payer' and what = 'page_opened' order by id`,
			id,
		))(t)
		got := testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		testenv.Check(t, slices.Equal(got, want), "got %q; want %q", got, want)
	}
}
