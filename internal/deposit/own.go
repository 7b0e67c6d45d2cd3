package deposit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/metadata"
	"gateway.example/internal/optional"
)

// OwnPage asks for a page of a merchant's deposits, newest first.
type OwnPage struct {
	Page
	db.Span
	// CashboxID is the cashbox; nil is any.
	CashboxID *int64
	// IdempotencyKey is the key that the deposit was created with; nil is
	// any.
	IdempotencyKey *string
	// Metadata filters by one pair.
	Metadata metadata.Set
	pair     *metadata.Pair
	// Backward asks for newer deposits than the cursor instead of older
	// ones.
	Backward bool
}

// ListOwn lists the deposits of the caller's merchant, the newest first in
// either direction, for its key or a user of its portal. The cursor continues
// in the direction of the page; it is nil at the end.
func (s *Service) ListOwn(ctx context.Context, who caller.Caller, page OwnPage) ([]Deposit, *string, error) {
	if err := needMerchant(who, caller.MerchantMoney); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	params := page.params(f, who.MerchantID)
	list, cursor, err := s.page(ctx, f, page.Page, func(q *db.Queries, from int64, rows int32) ([]db.Deposit, error) {
		params.BeyondID, params.Page = from, rows
		if page.pair != nil {
			return page.paired(ctx, q, params)
		}
		return q.DepositListOwn(ctx, params)
	})
	if page.Backward {
		slices.Reverse(list)
	}
	return list, cursor, err
}

// params validates a page and returns it as parameters of the query.
func (p *OwnPage) params(f fault.Fields, merchantID int64) db.DepositListOwnParams {
	p.Check(f)
	p.pair = metadata.Wanted(f, p.Metadata)
	var key pgtype.UUID
	if p.IdempotencyKey != nil {
		key = pgtype.UUID{Bytes: readKey(f, *p.IdempotencyKey), Valid: true}
	}
	return db.DepositListOwnParams{
		MerchantID: merchantID, Status: p.Status, CashboxID: p.CashboxID, IdempotencyKey: key,
		CreatedFrom: p.From, CreatedTo: p.To, Backward: p.Backward,
	}
}

// paired reads the deposits that have the page's metadata.
func (p *OwnPage) paired(ctx context.Context, q *db.Queries, of db.DepositListOwnParams) ([]db.Deposit, error) {
	return q.DepositListByPair(ctx, db.DepositListByPairParams{
		MerchantID: of.MerchantID, Pair: p.pair.ID(), Backward: of.Backward, BeyondID: of.BeyondID, Status: of.Status,
		CashboxID: of.CashboxID, IdempotencyKey: of.IdempotencyKey, CreatedFrom: of.CreatedFrom, CreatedTo: of.CreatedTo,
		Page: of.Page,
	})
}

// Move is a change of a deposit's status.
type Move struct {
	At time.Time
	// From is "" at the creation.
	From, To string
	// Actor is who changed it. Merchants do not learn which operator it
	// was.
	Actor  string
	Reason string
}

// History lists the status changes of a deposit, the oldest first, for its
// merchant or an operator.
func (s *Service) History(ctx context.Context, who caller.Caller, id int64) ([]Move, error) {
	found, err := s.seen(ctx, who, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.DepositHistoryList(ctx, db.DepositHistoryListParams{MerchantID: found.MerchantID, DepositID: found.ID})
	return db.Each(rows, func(row db.DepositHistory) Move {
		return Move{
			At:     row.At,
			From:   optional.Value(row.FromStatus),
			To:     row.ToStatus,
			Actor:  who.Knows(row.Actor),
			Reason: optional.Value(row.Reason),
		}
	}), fault.Doing("read the history of a deposit", err)
}

// Cashbox is a merchant's cashbox and its balance.
type Cashbox struct {
	ID             int64
	Name, Currency string
	// Balance is without TraderCashboxID.
	Balance Balance
}

// Balances reads the balances of the cashboxes of the caller's merchant, for a
// user of its portal.
func (s *Service) Balances(ctx context.Context, who caller.Caller) ([]Cashbox, error) {
	if err := who.Admit(ctx, caller.MerchantMoney); err != nil {
		return nil, err
	}
	boxes, err := s.q.CashboxesOf(ctx, who.MerchantID)
	if err != nil {
		return nil, fmt.Errorf("list cashboxes: %w", err)
	}
	rows := make([]db.CashboxBalanceRow, len(boxes))
	queries := make([]db.Query, 0, len(boxes))
	for i, box := range boxes {
		queries = append(queries, db.One(&rows[i], (*db.Queries).CashboxBalance, balanceOf(box.ID)))
	}
	if err := db.Pipeline(ctx, s.reads, queries...); err != nil {
		return nil, fmt.Errorf("read balances: %w", err)
	}
	list := make([]Cashbox, 0, len(boxes))
	for i, box := range boxes {
		list = append(list, Cashbox{
			ID: box.ID, Name: box.Name, Currency: box.Currency, Balance: balanceFromRow(box.ID, rows[i]),
		})
	}
	return list, nil
}

// balanceOf is the query for a cashbox's balance.
func balanceOf(id int64) db.CashboxBalanceParams {
	return db.CashboxBalanceParams{
		ID:        id,
		Available: ledger.Available(ledger.Cashbox, id).ID(),
		Reserved:  ledger.Reserved(ledger.Cashbox, id).ID(),
	}
}

func balanceFromRow(id int64, row db.CashboxBalanceRow) Balance {
	return Balance{
		CashboxID: id, Total: row.Available.Add(row.Reserved),
		Available: row.Available, Reserved: row.Reserved, Insurance: row.InsuranceUSDT,
	}
}
