package deposit

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// Unmatched lists, for operators, the transfers that are attached to no
// deposit, the newest first. The cursor is nil on the last page.
func (s *Service) Unmatched(ctx context.Context, who caller.Caller, page db.Page) ([]Transfer, *string, error) {
	return s.transfers(ctx, who, page, func(q *db.Queries, before int64, most int32) ([]db.DepositTransfersMatchedRow, error) {
		rows, err := q.DepositTransfersFree(ctx, db.DepositTransfersFreeParams{BeforeID: before, Page: most})
		return db.Each(rows, func(t db.DepositTransfersFreeRow) db.DepositTransfersMatchedRow {
			return db.DepositTransfersMatchedRow{
				ID: t.ID, Network: t.Network, TransactionHash: t.TransactionHash, FromAddress: t.FromAddress, ToAddress: t.ToAddress,
				Amount: t.Amount, State: t.State, SeenAt: t.SeenAt, Confirmations: t.Confirmations, Actor: byChain, NamedBy: t.NamedBy,
			}
		}), err
	})
}

// Matched lists, for operators, the transfers that are attached to deposits,
// the newest first. The cursor is nil on the last page.
func (s *Service) Matched(ctx context.Context, who caller.Caller, page db.Page) ([]Transfer, *string, error) {
	return s.transfers(ctx, who, page, func(q *db.Queries, before int64, most int32) ([]db.DepositTransfersMatchedRow, error) {
		return q.DepositTransfersMatched(ctx, db.DepositTransfersMatchedParams{BeforeID: before, Page: most})
	})
}

func (s *Service) transfers(
	ctx context.Context, who caller.Caller, page db.Page,
	read func(q *db.Queries, before int64, most int32) ([]db.DepositTransfersMatchedRow, error),
) ([]Transfer, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rows, cursor, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), page, "list transfers", read,
		func(t db.DepositTransfersMatchedRow) int64 { return t.ID })
	return db.Each(rows, transferOf), cursor, err
}

func transferOf(t db.DepositTransfersMatchedRow) Transfer {
	return Transfer{
		ID: t.ID, Network: t.Network, Hash: t.TransactionHash, From: t.FromAddress, To: t.ToAddress, Amount: t.Amount,
		SeenAt: t.SeenAt, State: chain.State(t.State), Confirmations: t.Confirmations, Needed: needed(t.Network),
		ByOperator: t.Actor != byChain && !byMerchant(t.Actor), ByMerchant: byMerchant(t.Actor), Alone: t.Credited.Valid,
		DepositID: optional.Value(t.DepositID), NamedBy: optional.Value(t.NamedBy),
	}
}

// withTransfers adds to deposits their transfers, and the transactions that
// their merchants have named.
func (s *Service) withTransfers(ctx context.Context, list ...*Deposit) error {
	if len(list) == 0 {
		return nil
	}
	ids, of := make([]int64, 0, len(list)), map[int64]*Deposit{}
	for _, d := range list {
		ids = append(ids, d.ID)
		of[d.ID] = d
	}
	named, err := s.q.DepositClaimsOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("read named transactions: %w", err)
	}
	for _, n := range named {
		of[n.DepositID].Named = n.TransactionHash
	}
	rows, err := s.q.DepositTransfersOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("read transfers of deposits: %w", err)
	}
	for _, t := range rows {
		of[t.DepositID].Transfer = &Transfer{
			ID: t.ID, Network: t.Network, Hash: t.TransactionHash, From: t.FromAddress, To: t.ToAddress, Amount: t.Amount,
			SeenAt: t.SeenAt, State: chain.State(t.State), Confirmations: t.Confirmations, Needed: needed(t.Network),
			ByOperator: t.Actor != byChain && !byMerchant(t.Actor), ByMerchant: byMerchant(t.Actor), Alone: t.Credited.Valid,
			DepositID: t.DepositID,
		}
	}
	return nil
}
