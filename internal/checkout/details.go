package checkout

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/block"
	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/payment"
)

// Details are a card as the payer typed it.
type Details struct {
	card.Entry
	CVV string
	// Saved asks for the payer's saved card instead of a typed one; only
	// the hosted page sets it. SavedID is the card that the page showed, so
	// that no other is charged.
	Saved   bool
	SavedID string
	// After is the attempt that the page's form was shown after, so that a
	// form that is sent twice charges once. Without it any will do.
	After string
	// Keep allows to keep the card for the payer's next payment.
	Keep bool
	// Address is the IP address from which the call came.
	Address string
}

// CardNotTaken is the message for a card that is not accepted because it or its
// payer is blocked. The payer is not told which.
const CardNotTaken = "is not taken for this payment"

var errBlocked = func() error {
	refused := payment.ErrBlocked.Saying("The payment cannot be made here.")
	refused.Fields = fault.Fields{"pan": {CardNotTaken}}
	return refused
}()

// SubmitDetails takes the payer's card and has it authorised. The result comes
// later, as a phase or a status.
func (s *Service) SubmitDetails(ctx context.Context, token string, d Details) (View, error) {
	p, err := s.open(ctx, token, limit.CheckoutWrites)
	if err != nil {
		return View{}, err
	}
	entered, cvv, err := s.checkDetails(ctx, p, d)
	if err != nil {
		return View{}, err
	}
	if err := s.mayEnter(ctx, p, d.After); err != nil {
		return View{}, err
	}
	to, acquirerID, err := s.acquirerOf(ctx, p.TraderID)
	if err != nil {
		return View{}, err
	}
	from := s.originOf(p, d.Address, entered.PAN)
	if err := s.checkBlocked(ctx, p, from, d.Address); err != nil {
		return View{}, err
	}
	if err := s.checkDeclined(ctx, from); err != nil {
		return View{}, err
	}
	try, err := s.tryCard(ctx, from)
	if err != nil {
		return View{}, err
	}
	attempt, err := s.begin(
		ctx,
		p,
		entered,
		d,
		db.AttemptInsertParams{AcquirerID: acquirerID, Source: from.source, Card: from.card},
	)
	if err != nil {
		return View{}, errors.Join(err, try.Forgive(context.WithoutCancel(ctx)))
	}
	s.authorise(ctx, to, p, attempt, entered, cvv)
	if p, err = s.Payments.ByUUID(ctx, p.UUID); err != nil {
		return View{}, err
	}
	return s.view(ctx, p)
}

// checkBlocked refuses a card that is blocked, or whose payer is.
func (s *Service) checkBlocked(ctx context.Context, p payment.Payment, from origin, address string) error {
	blocked, err := s.Payments.Blocked(ctx, p, block.CardMark(from.card), block.AddressMark(&address))
	if err == nil && blocked {
		err = errBlocked
	}
	return err
}

// checkDetails checks all typed fields, before anything is stored or sent.
func (s *Service) checkDetails(ctx context.Context, p payment.Payment, d Details) (card.Card, acquirer.CVV, error) {
	f, now := fault.Decoded(ctx), s.clock.Now()
	cvv := acquirer.ParseCVV(f, "cvv", d.CVV)
	if !d.Saved {
		entered := card.Parse(f, d.Entry, now)
		return entered, cvv, f.Err()
	}
	if err := f.Err(); err != nil {
		return card.Card{}, cvv, err
	}
	saved, err := s.Cards.Saved(ctx, s.q, owner(p), now)
	if err != nil {
		return card.Card{}, cvv, err
	}
	if saved == nil || saved.ID != d.SavedID {
		return card.Card{}, cvv, fault.Fields{"pan": {"is required: this card is no longer the saved one"}}.Err()
	}
	return saved.Card, cvv, nil
}

// owner is the owner of the payment's card. Only quasi_ecom cards can be kept,
// for payers whom the merchant names.
func owner(p payment.Payment) card.Owner {
	o := card.Owner{MerchantID: p.MerchantID, PaymentID: p.ID, CashboxID: p.CashboxID}
	if p.Method == payment.MethodQuasiEcom && p.PayerUserID != nil && *p.PayerUserID != "" {
		o.UserID = p.PayerUserID
	}
	return o
}

// mayEnter checks, without a lock, whether a card would be accepted now.
func (s *Service) mayEnter(ctx context.Context, p payment.Payment, after string) error {
	if err := s.checkOpen(p); err != nil {
		return err
	}
	state, err := s.state(ctx, s.q, p)
	if err != nil {
		return err
	}
	_, err = state.cardEntered(uuid.UUID{}, after)
	return err
}

// begin commits that a card is about to be authorised; the attempt already says
// by which acquirer and where it came from. Of several cards at the same time
// the first wins.
func (s *Service) begin(
	ctx context.Context, p payment.Payment, entered card.Card, d Details, attempt db.AttemptInsertParams,
) (uuid.UUID, error) {
	var id uuid.UUID
	_, err := s.Payments.WithLocked(ctx, p.MerchantID, p.ID, func(p *payment.Locked) error {
		// The id is made while the payment is locked, so that ids are
		// in the order of the attempts.
		var err error
		if id, err = uuid.NewV7(); err != nil {
			return fmt.Errorf("make attempt id: %w", err)
		}
		attempt.MerchantID, attempt.ID, attempt.PaymentID, attempt.TraderID = p.MerchantID, id, p.ID, p.TraderID
		return s.enter(ctx, p, attempt, entered, d)
	})
	return id, err
}

// enter stores the card and its attempt.
func (s *Service) enter(
	ctx context.Context,
	p *payment.Locked,
	attempt db.AttemptInsertParams,
	entered card.Card,
	d Details,
) error {
	if err := s.checkOpen(p.Payment); err != nil {
		return err
	}
	state, err := s.state(ctx, db.New(p.Tx), p.Payment)
	if err != nil {
		return err
	}
	if state, err = state.cardEntered(attempt.ID, d.After); err != nil {
		return err
	}
	whose := owner(p.Payment)
	if !d.Keep && !d.Saved {
		whose.UserID = nil // nobody is named as the owner of a card that may not be kept
	}
	now := s.clock.Now()
	store := s.Cards.Put(whose, entered, now)
	attempt.ResendsTold, attempt.CreatedAt, attempt.PollAt = state.Resends, now, now.Add(callGrace)
	shown := payment.StepDetail{Last4: entered.PAN.Last4(), Brand: entered.PAN.Brand()}
	return db.Pipeline(ctx, p.Tx, store, db.Do((*db.Queries).AttemptInsert, attempt), put(p.Payment, state),
		payment.Step(p.Payment, now, actorPayer, payment.StepCardEntered, shown))
}

// authorise calls the acquirer and applies its answer. Without an answer, Poll
// takes over.
func (s *Service) authorise(
	ctx context.Context, to acquirer.Acquirer, p payment.Payment, id uuid.UUID, entered card.Card, cvv acquirer.CVV,
) {
	bounded, cancel := detached(ctx)
	defer cancel()
	answer, err := to.Authorize(bounded, acquirer.Attempt{ID: id, Amount: p.Amount, Currency: p.Currency}, entered, cvv)
	if err == nil {
		err = s.applyAnswer(context.WithoutCancel(ctx), key{p.MerchantID, p.ID, id, 0}, answer, sent)
	}
	if err != nil {
		noAnswer(ctx, "authorize", id, err)
		s.pollNow(ctx, p.MerchantID, id)
	}
}

// pollNow makes the next round of Poll ask about an attempt. If storing that
// fails, it is asked after callGrace.
func (s *Service) pollNow(ctx context.Context, merchantID int64, id uuid.UUID) {
	_ = s.q.AttemptSoon(context.WithoutCancel(ctx), db.AttemptSoonParams{MerchantID: merchantID, ID: id, Soon: s.clock.Now()})
}
