package checkout

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// View is what the holder of a checkout's link is shown.
type View struct {
	Payment payment.Payment
	State
	OrderIDMasked string
	// Terminal says that the payment has ended.
	Terminal bool
	// Card is the entered card, or nil.
	Card *card.Shown
	// Saved is the payer's saved card that the page may offer, without its
	// number.
	Saved *card.Saved
	// MayKeep says that a card entered now could be kept for the payer's
	// next payment.
	MayKeep bool
	// CardsLeft is how many more cards may be tried.
	CardsLeft int
	// Checking says that the payment has ended unpaid while its card may
	// still be charged.
	Checking bool
}

// view reads what the page shows of a payment, without a lock: whatever the
// payer then sends is judged anew. A saved card is offered only while card
// details are awaited.
func (s *Service) view(ctx context.Context, p payment.Payment) (View, error) {
	state, err := s.state(ctx, s.q, p)
	if err != nil {
		return View{}, err
	}
	v := View{
		Payment:       p,
		State:         state,
		OrderIDMasked: maskOrder(p.OrderID),
		Terminal:      p.Status != payment.Pending,
	}
	if v.Card, err = s.Cards.Show(ctx, s.q, p.MerchantID, p.ID); err != nil {
		return View{}, err
	}
	v.MayKeep, v.CardsLeft = owner(p).UserID != nil, max(0, s.Payments.CardsAllowed(p)-int(state.Declined))
	if !v.Terminal && state.Phase == AwaitingDetails {
		v.CardsLeft = max(1, v.CardsLeft) // one more for a payment that was set back to pending after its last card
		v.Saved, err = s.Cards.Saved(ctx, s.q, owner(p), s.clock.Now())
		return v, err
	}
	v.Checking, err = s.checking(ctx, p, state)
	return v, err
}

// checking reports whether a payment has ended unpaid while its last card may
// still be charged. An expired payment counts as ended even before the sweep
// has ended it.
func (s *Service) checking(ctx context.Context, p payment.Payment, state State) (bool, error) {
	unpaid := p.Status == payment.Failed || p.Status == payment.Cancelled || s.checkOpen(p) != nil && !p.Ended()
	if !unpaid || state.AttemptID == uuid.Nil {
		return false, nil
	}
	attempt, err := s.q.AttemptGet(ctx, db.AttemptGetParams{MerchantID: p.MerchantID, ID: state.AttemptID})
	if err != nil {
		return false, fmt.Errorf("read attempt: %w", err)
	}
	return underWay(attempt.Status) || attempt.Status == attemptConflict, nil
}

// Stamps returns a text for each payment. It changes when anything changes that
// the payment's pages show, except the time.
func (s *Service) Stamps(ctx context.Context, merchantIDs, paymentIDs []int64) (map[int64]string, error) {
	rows, err := s.q.CheckoutStamps(ctx, db.CheckoutStampsParams{MerchantIds: merchantIDs, PaymentIds: paymentIDs})
	if err != nil {
		return nil, fmt.Errorf("read stamps: %w", err)
	}
	stamps := make(map[int64]string, len(rows))
	for _, row := range rows {
		stamps[row.ID] = row.Stamp
	}
	return stamps, nil
}

// ForgetCard erases the cards kept for the link's payer.
func (s *Service) ForgetCard(ctx context.Context, token string) error {
	p, err := s.open(ctx, token, limit.CheckoutWrites)
	if err != nil {
		return err
	}
	return s.Cards.Forget(ctx, s.q, owner(p))
}

// maskOrder keeps two characters at each end of an order id, and none of a
// short one.
func maskOrder(id string) string {
	runes := []rune(id)
	if len(runes) <= 6 {
		return "***"
	}
	return string(runes[:2]) + "***" + string(runes[len(runes)-2:])
}

// Reading is what answers show about a payment's checkout.
type Reading struct {
	State
	// Card is the entered card, or nil.
	Card *card.Shown
}

// Read reads the checkouts of payments, by the payments' ids. Payments of other
// methods are left out.
func (s *Service) Read(ctx context.Context, list ...payment.Payment) (map[int64]Reading, error) {
	var merchantIDs, paymentIDs []int64
	readings := map[int64]Reading{}
	for _, p := range list {
		if p.CardCheckout() {
			merchantIDs, paymentIDs = append(merchantIDs, p.MerchantID), append(paymentIDs, p.ID)
			readings[p.ID] = Reading{State: initial()}
		}
	}
	if len(readings) == 0 {
		return nil, nil
	}
	rows, err := s.q.CheckoutList(ctx, db.CheckoutListParams{MerchantIds: merchantIDs, PaymentIds: paymentIDs})
	if err != nil {
		return nil, fmt.Errorf("read checkouts: %w", err)
	}
	states := make(map[int64]db.Checkout, len(rows))
	for _, row := range rows {
		states[row.PaymentID] = row
	}
	cards, err := s.Cards.ShowAll(ctx, s.q, merchantIDs, paymentIDs)
	for _, p := range list {
		if row, there := states[p.ID]; there {
			readings[p.ID] = Reading{State: stateOf(row, p), Card: cards[p.ID]}
		}
	}
	return readings, err
}

// Kept is an encrypted card number in a form that has to be sent again because
// another field was wrong. The zero value is none.
type Kept struct{ Sealed, Last4 string }

// KeepNumber encrypts a typed text, if it is a card number.
func (s *Service) KeepNumber(p payment.Payment, typed string) Kept {
	pan, valid := card.ParsePAN(typed)
	if !valid {
		return Kept{}
	}
	return Kept{Sealed: s.Cards.SealNumber(p.ID, pan), Last4: pan.Last4()}
}

// KeptNumber decrypts what KeepNumber encrypted for the payment, or returns "".
func (s *Service) KeptNumber(p payment.Payment, sealed string) string {
	return s.Cards.OpenNumber(p.ID, sealed)
}
