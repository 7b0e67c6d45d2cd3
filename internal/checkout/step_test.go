package checkout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
)

// The steps of a card payment are kept as they are made, and of the card no more than its last four
// digits. A step that is refused leaves none.
func TestStepsAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	trader := caller.Caller{Kind: caller.Trader, ID: 3, TraderID: b.trader.ID, Role: caller.Desk}
	if _, err := b.checkouts.RequestCode(ctx, trader, p.ID); err == nil {
		t.Error("a code is asked for before there is a card")
	}
	_, err := b.checkouts.SubmitDetails(ctx, token, typed(panDesk))
	noError(t, err)
	for _, step := range []func() error{
		func() error { _, err := b.checkouts.RequestCode(ctx, trader, p.ID); return err },
		func() error { _, err := b.checkouts.SubmitCode(ctx, token, "123456"); return err },
		func() error { b.clock.Advance(time.Minute); return b.checkouts.ResendByPayer(ctx, token) },
		func() error { _, err := b.checkouts.MarkCodeNotNeeded(ctx, trader, p.ID); return err },
	} {
		noError(t, step())
	}
	want := []string{
		`payer card_entered {"brand": "visa", "last4": "1111"}`,
		`trader:3 code_requested {}`,
		`payer code_entered {}`,
		`payer code_resent {"by": "merchant"}`,
		`trader:3 code_not_needed {}`,
	}
	if got := b.stepsKept(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// That the acquirer asks for a code is kept, too.
func TestStepOfTheAcquirer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, token := b.create(t, "")
	_, err := b.checkouts.SubmitDetails(t.Context(), token, typed(panCode))
	noError(t, err)
	for range 5 {
		b.clock.Advance(5 * time.Second)
		noError(t, b.checkouts.Poll(t.Context()))
	}
	want := []string{`payer card_entered {"brand": "visa", "last4": "3155"}`, `acquirer code_requested {}`}
	if got := b.stepsKept(t, p); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func (b *bundle) stepsKept(t *testing.T, p payment.Payment) []string {
	t.Helper()
	rows, err := b.Pool.Query(
		t.Context(),
		"select actor, what, detail::text from payment_step where payment_id = $1 order by id",
		p.ID,
	)
	noError(t, err)
	steps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var actor, what, detail string
		err := row.Scan(&actor, &what, &detail)
		return fmt.Sprintf("%s %s %s", actor, what, detail), err
	})
	noError(t, err)
	return steps
}
