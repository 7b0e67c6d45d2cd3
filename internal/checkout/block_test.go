package checkout_test

import (
	"slices"
	"testing"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// A card is not taken from whom is blocked by card, address or user id. By which, nobody is told, and nothing is tried.
func TestBlockedCard(t *testing.T) {
	b := setup(t)
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	stolen, token := b.create(t, "anna")
	b.enter(t, token, panDeclined)
	for _, n := range []directory.NewBlock{
		{Kind: block.Card, PaymentID: stolen.ID}, {Kind: block.Address, Value: "192.0.2.1"}, {Kind: block.User, PaymentID: stolen.ID},
	} {
		_, next := b.createFor(t, b.merchant, "quasi_ecom", "AZN", map[bool]string{true: "anna", false: "boris"}[n.Kind == "user"])
		pan := map[bool]string{true: panDeclined, false: panApproved}[n.Kind == "card"]
		n.Reason = "stolen"
		made := must(settings.BlockPayer(t.Context(), admin, n))(t)
		_, err := b.checkouts.SubmitDetails(t.Context(), next, typed(pan))
		if f := fault.As(err); f == nil || !slices.Equal(f.Fields["pan"], []string{checkout.CardNotTaken}) {
			t.Errorf("%s: %v", n.Kind, err)
		}
		must(settings.UnblockPayer(t.Context(), admin, made.ID, "tried"))(t)
		b.enter(t, next, panApproved)
	}
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt"), 4, "attempts")
	testenv.Want(t, b.Text(t, "select shown from payer_block where kind = 'card'"), "•••• 0002", "the card is shown as")
}
