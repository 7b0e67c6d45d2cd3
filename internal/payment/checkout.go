package payment

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
)

// MethodQuasiEcom is the card checkout whose payments have a quasiEcom block,
// and whose payers may have a saved card.
const MethodQuasiEcom = "quasi_ecom"

// CardCheckout reports whether the payment is paid by entering a card.
func (p Payment) CardCheckout() bool { return p.RequisiteType == nil }

func cardCheckout(p db.Payment) bool { return p.RequisiteType == nil }

// cardShown is the part of a status webhook about the payment's card; it is nil
// without a card.
func (s *Service) cardShown(ctx context.Context, tx pgx.Tx, p db.Payment) (*card.Shown, error) {
	if !cardCheckout(p) {
		return nil, nil //nolint:nilnil // no card is no error
	}
	return s.config.Cards.Show(ctx, db.New(tx), p.MerchantID, p.ID)
}

// moveCard keeps or erases the card of a payment that ends, and tells its
// checkout of every change of status.
//
//rule:when a payer's card is erased, and when it is kept
func (s *Service) moveCard(to db.Payment, now time.Time) []db.Query {
	if !cardCheckout(to) {
		return nil
	}
	var queries []db.Query
	switch Status(to.Status) {
	case Completed:
		queries = append(queries, card.Keep(to.MerchantID, to.ID, now))
	case Failed, Cancelled, Appeal:
		queries = append(queries, card.Erase(to.MerchantID, to.ID))
	case Pending:
	}
	return append(queries, s.config.CardMoved(s.FromRow(to), now)...)
}

type payerRequisites struct {
	CardLast4  string  `json:"cardLast4"`
	CardHolder *string `json:"cardHolder,omitempty"`
}

func payerRequisitesOf(shown *card.Shown) *payerRequisites {
	if shown == nil {
		return nil
	}
	return &payerRequisites{CardLast4: shown.Last4, CardHolder: shown.Holder}
}
