package directory

import (
	"context"
	"fmt"
	"math"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/requisite"
)

// BlockSearch asks for blocks, the newest first.
type BlockSearch struct {
	db.Page
	// Holding keeps only blocks that apply now, and Marks only blocks of
	// these marks.
	Holding bool
	Marks   []string
}

// Blocks lists blocks: all to operators, and to a merchant's users those that
// the merchant made. The cursor is nil on the last page.
func (s *Settings) Blocks(ctx context.Context, who caller.Caller, search BlockSearch) ([]Block, *string, error) {
	f := fault.Decoded(ctx)
	params := db.PayerBlockListParams{Marks: search.Marks}
	limit, before := search.Bounds(f)
	params.BeforeID, params.Page = before, limit+1
	if search.Holding {
		params.HoldsAt = new(s.clock.Now())
	}
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	list, err := s.blocks(ctx, who, params)
	if err != nil {
		return nil, nil, err
	}
	list, cursor := db.Cut(list, limit, func(b Block) int64 { return b.ID })
	return list, cursor, nil
}

// Block reads a block that Blocks would list to the caller.
func (s *Settings) Block(ctx context.Context, who caller.Caller, id int64) (Block, error) {
	list, err := s.blocks(ctx, who, db.PayerBlockListParams{BeforeID: math.MaxInt64, ID: &id, Page: 1})
	if err == nil && len(list) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return Block{}, err
	}
	return list[0], nil
}

// blocks reads a page of blocks for callers who may, and limits a merchant's
// users to those that the merchant made.
func (s *Settings) blocks(ctx context.Context, who caller.Caller, params db.PayerBlockListParams) ([]Block, error) {
	if err := who.Need(blockReads...); err != nil {
		return nil, err
	}
	if who.Kind == caller.MerchantPortal {
		params.MerchantID = &who.MerchantID
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.PayerBlockListRow, error) {
		return q.PayerBlockList(ctx, params)
	})
	if err != nil {
		return nil, fmt.Errorf("list blocks: %w", err)
	}
	return db.Each(rows, func(row db.PayerBlockListRow) Block {
		return Block{
			ID: row.ID, Kind: block.Kind(row.Kind), Shown: row.Shown, MerchantID: row.MerchantID, Own: row.Own,
			Reason: row.Reason, Until: row.Until, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy,
			EndedAt: row.EndedAt, EndedBy: row.EndedBy, EndedReason: row.EndedReason, mark: row.Mark,
		}
	}), nil
}

// PaymentPayer has what a payment's payer can be blocked by. A field is "" if
// it is not known.
type PaymentPayer struct {
	MerchantID          int64
	User, Card, Address string
}

func (s *Settings) PaymentPayer(ctx context.Context, who caller.Caller, paymentID int64) (PaymentPayer, error) {
	if err := who.Need(blockReads...); err != nil {
		return PaymentPayer{}, err
	}
	p, err := s.payer(ctx, who, paymentID)
	if err != nil {
		return PaymentPayer{}, err
	}
	known := PaymentPayer{MerchantID: p.MerchantID, User: optional.Value(p.PayerUserID), Address: p.Address}
	if p.Card != nil {
		known.Card = requisite.Mask(optional.Value(p.Last4))
	}
	return known, nil
}
