package payout

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/rate"
)

// Page asks for a page of payouts, newest first.
type Page struct {
	db.Page
	// Status filters by status; nil is any.
	Status *string
}

func (p Page) check(f fault.Fields) {
	last := len(Statuses) - 1
	f.Check(p.Status == nil || slices.Contains(Statuses, *p.Status), "status", "must be %s or %s",
		strings.Join(Statuses[:last], ", "), Statuses[last])
}

// Query asks for a page of a merchant's payouts, newest first.
type Query struct {
	Page
	db.Span
	// OrderID filters by order id; each method has at most one payout with
	// it. Nil is any.
	OrderID *string
	// Metadata filters by one pair.
	Metadata metadata.Set
}

// Offer is a payout as it is shown to a trader who took it or could take it.
type Offer struct {
	Payout
	// Address is the whole requisite for the trader who took the payout,
	// and its last four digits for others.
	Address string
	// Recipient is empty until the payout is taken.
	Recipient string
	// RewardUSDT is what the trader gets for completing it.
	RewardUSDT decimal.Decimal
}

// taken is a payout as it is shown to the trader who took it. If its requisite
// cannot be decrypted, it is masked, so that one such payout does not make a
// whole list fail. It is also masked for an operator who looks as the trader.
// Everybody else gets the mask only: merchants and operators from whatever
// shows a Payout.
//
//rule:who sees the whole requisite of a payout
func (s *Service) taken(who caller.Caller, p db.Payout) Offer {
	offer := Offer{
		Payout: FromRow(p), Address: p.AddressMask, Recipient: p.Recipient, RewardUSDT: Reward(p).Decimal,
	}
	if !who.SeesWholeRequisites() {
		return offer
	}
	address, err := s.open(p)
	if err != nil {
		slog.Error("a payout's requisite cannot be opened", "payin", p.UUID, "error", err)
		return offer
	}
	offer.Address = address
	return offer
}

// waiting is a payout that nobody has taken, as it is shown to a trader with
// that share of the markup.
func waiting(p db.Payout, share decimal.Decimal) Offer {
	reward, _ := rate.PayoutQuote{Spot: p.SpotUSDT, Frozen: p.FrozenUSDT}.Divide(share)
	return Offer{Payout: FromRow(p), Address: p.AddressMask, RewardUSDT: reward}
}

// GetOffer reads a payout that the caller's trader took, or a waiting one that
// they may take.
func (s *Service) GetOffer(ctx context.Context, who caller.Caller, id string) (Offer, error) {
	if err := who.Admit(ctx, caller.TraderRead); err != nil {
		return Offer{}, err
	}
	p, err := s.find(ctx, id)
	if err != nil {
		return Offer{}, err
	}
	if isTaker(p, who) {
		return s.taken(who, p), nil
	}
	if Status(p.Status) != Waiting {
		return Offer{}, fault.ErrNotFound
	}
	share, err := s.q.TraderPays(ctx, db.TraderPaysParams{TraderID: who.TraderID, Currency: p.Currency, Method: p.Method})
	if err != nil {
		return Offer{}, db.Missing(err, fault.ErrNotFound, "read the trader's terms")
	}
	if err := gaveBack(ctx, s.q, who.TraderID, p); err != nil {
		return Offer{}, err
	}
	return waiting(p, share), nil
}

// ListForTrader lists the payouts that a trader took, and the waiting ones that
// they can pay. The cursor is nil on the last page.
func (s *Service) ListForTrader(ctx context.Context, who caller.Caller, page Page) ([]Offer, *string, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, nil, err
	}
	rows, cursor, err := s.page(ctx, fault.Decoded(ctx), page, "list payouts", func(q *db.Queries, before int64, rows int32) ([]db.Payout, error) {
		givenBack, err := s.givenBack(ctx, q, who.TraderID)
		if err != nil {
			return nil, err
		}
		return q.PayoutListForTrader(ctx, db.PayoutListForTraderParams{
			TraderID: who.TraderID, BeforeID: before, Status: page.Status, Page: rows, GivenBack: givenBack,
		})
	})
	if err != nil {
		return nil, nil, err
	}
	offers, err := s.offers(ctx, who, rows)
	return offers, cursor, err
}

// offers shows payouts to a trader: those that the trader took in the form of
// taken, all others in that of waiting, with the reward by the trader's present
// share.
func (s *Service) offers(ctx context.Context, who caller.Caller, rows []db.Payout) ([]Offer, error) {
	share, err := s.q.TraderShare(ctx, who.TraderID)
	if err != nil {
		return nil, fmt.Errorf("read the trader's share: %w", err)
	}
	offers := make([]Offer, 0, len(rows))
	for _, p := range rows {
		offer := waiting(p, share)
		if p.TraderID != nil && *p.TraderID == who.TraderID {
			offer = s.taken(who, p)
		}
		offers = append(offers, offer)
	}
	return offers, nil
}

// ListOwn lists a merchant's payouts. The cursor is nil on the last page.
func (s *Service) ListOwn(ctx context.Context, who caller.Caller, query Query) ([]Payout, *string, error) {
	if err := needMerchant(who, caller.MerchantRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	query.Check(f)
	if query.OrderID != nil {
		orderID := f.RequiredText("orderId", *query.OrderID, maxText)
		query.OrderID = &orderID
	}
	pair := metadata.Wanted(f, query.Metadata)
	f.Check(pair == nil || query.OrderID == nil, "metadata", "cannot be given beside orderId")
	rows, cursor, err := s.page(ctx, f, query.Page, "list payouts", func(q *db.Queries, before int64, rows int32) ([]db.Payout, error) {
		if query.OrderID != nil {
			return q.PayoutListByOrder(ctx, db.PayoutListByOrderParams{
				MerchantID: who.MerchantID, Channels: channels(), OrderID: *query.OrderID, BelowID: before,
				CreatedFrom: query.From, CreatedTo: query.To, Status: query.Status,
			})
		}
		return query.ofMerchant(ctx, q, who.MerchantID, pair, before, rows)
	})
	return db.Each(rows, FromRow), cursor, err
}

func (s *Service) page(
	ctx context.Context, f fault.Fields, page Page, doing string,
	query func(q *db.Queries, before int64, rows int32) ([]db.Payout, error),
) ([]db.Payout, *string, error) {
	page.check(f)
	return db.ListPage(ctx, s.reads, f, page.Page, doing, query, func(p db.Payout) int64 { return p.ID })
}

// ofMerchant reads a page of a merchant's payouts, the newest first, by a pair
// of metadata if there is one. The period becomes a range of ids first, so that
// older and newer payouts need not be read.
func (query Query) ofMerchant(
	ctx context.Context, q *db.Queries, merchantID int64, pair *metadata.Pair, before int64, page int32,
) ([]db.Payout, error) {
	above, below, err := query.IDs(ctx, q, subject, 0, before)
	if err != nil {
		return nil, err
	}
	if pair != nil {
		return q.PayoutListByPair(ctx, db.PayoutListByPairParams{
			MerchantID: merchantID, Pair: pair.ID(), AboveID: above, BelowID: below, CreatedFrom: query.From,
			CreatedTo: query.To, Status: query.Status, Page: page,
		})
	}
	return q.PayoutListByMerchant(ctx, db.PayoutListByMerchantParams{
		MerchantID:  merchantID,
		AboveID:     above,
		BelowID:     below,
		CreatedFrom: query.From,
		CreatedTo:   query.To,
		Status:      query.Status,
		Page:        page,
	})
}

// channels are the names of all payout methods. An order id is unique within a
// method, so with them it is found by its primary key.
func channels() []string {
	var names []string
	for _, method := range catalogue.Methods {
		if len(method.Payouts) > 0 {
			names = append(names, method.Name)
		}
	}
	return names
}

// takenTime is how long a trader may take for a payout before operators see it
// as overdue.
const takenTime = 30 * time.Minute

// ListOverdue lists, to operators, the payouts that a trader took and did not
// end in time. They do not go back to waiting by themselves, because nobody
// knows whether they were paid. The cursor is nil on the last page.
func (s *Service) ListOverdue(ctx context.Context, who caller.Caller, page db.Page) ([]Payout, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	now := s.clock.Now()
	rows, cursor, err := s.page(ctx, fault.Decoded(ctx), Page{Page: page}, "list overdue payouts", func(q *db.Queries, before int64, rows int32) ([]db.Payout, error) {
		return q.PayoutListOverdue(ctx, db.PayoutListOverdueParams{
			TakenUntil: now.Add(-takenTime), Now: now, BeforeID: before, Page: rows,
		})
	})
	return db.Each(rows, FromRow), cursor, err
}
