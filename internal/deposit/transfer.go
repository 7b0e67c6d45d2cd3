package deposit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Transfer is USDT that came to the platform on a network.
type Transfer struct {
	ID       int64
	Network  string
	Hash     string
	From, To string
	Amount   decimal.Decimal
	SeenAt   time.Time
	State    chain.State
	// Confirmations are its block and those above it, of Needed ones.
	Confirmations, Needed int64
	// ByOperator tells that an operator assigned it, Alone that its deposit was confirmed without one.
	ByOperator, Alone bool
}

const (
	// byChain is the actor of what the networks say.
	byChain = "chain"
	// matchWithin is for how long a deposit is looked for that a transfer fits.
	matchWithin = time.Hour
	matchMost   = 200
)

// Faults of assignments.
var (
	errTransferTaken  = fault.New(fault.Conflict, "transfer_taken", "The transfer or the deposit has another one already.")
	errTransferDiffer = fault.New(fault.Refused, "transfer_differs",
		"The transfer is of another network or amount than the deposit.")
)

// Match finds for which deposits transfers are that came, and goes on with those that have one. A transfer that fits exactly
// one pending deposit is attached to it. Then, if the gateway is told so, it confirms the deposit once it is final.
func (s *Service) Match(ctx context.Context) error {
	now := s.clock.Now()
	if err := s.q.DepositTransfersNew(ctx, now); err != nil {
		return fmt.Errorf("take up transfers: %w", err)
	}
	// Of what comes, much is for nobody: anybody can send crumbs. They must not stand before what fits.
	amounts, err := s.q.DepositAmounts(ctx)
	if err != nil {
		return fmt.Errorf("list amounts: %w", err)
	}
	free, err := s.q.DepositTransfersFree(ctx, db.DepositTransfersFreeParams{
		BeforeID: math.MaxInt64, Since: now.Add(-matchWithin), Amounts: append([]decimal.Decimal{}, amounts...), Page: matchMost,
	})
	if err != nil {
		return fmt.Errorf("list free transfers: %w", err)
	}
	var failed []error
	for _, t := range free {
		if err := s.attachFitting(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("transfer %d: %w", t.ID, err))
		}
	}
	most, err := s.mayConfirm(ctx)
	if err != nil {
		return err
	}
	open, err := s.q.DepositTransfersOpen(ctx, most)
	if err != nil {
		return fmt.Errorf("list attached transfers: %w", err)
	}
	for _, row := range open {
		if err := s.follow(ctx, row); err != nil {
			failed = append(failed, fmt.Errorf("deposit %d: %w", row.DepositID, err))
		}
	}
	return errors.Join(failed...)
}

// attachFitting attaches a transfer to the only deposit that it fits. Where several fit, an operator says which.
func (s *Service) attachFitting(ctx context.Context, t db.DepositTransfersFreeRow) error {
	fitting, err := s.q.DepositsFitting(ctx, db.DepositsFittingParams{
		Network: t.Network, Amount: t.Amount, SeenAt: t.SeenAt, Address: t.ToAddress,
	})
	if err != nil || len(fitting) == 0 {
		return err
	}
	ids := make([]int64, 0, len(fitting))
	for _, d := range fitting {
		ids = append(ids, d.ID)
	}
	attached, err := s.q.DepositTransfersOf(ctx, ids)
	if err != nil {
		return err
	}
	has := map[int64]bool{}
	for _, row := range attached {
		has[row.DepositID] = true
	}
	var only *db.DepositsFittingRow
	for _, d := range fitting {
		if has[d.ID] {
			continue
		}
		if only != nil {
			return nil
		}
		only = &d
	}
	if only == nil {
		return nil
	}
	err = s.attach(ctx, t.ID, only.MerchantID, only.ID, byChain)
	if errors.Is(err, errTransferTaken) || errors.Is(err, errDepositNotPending) {
		return nil
	}
	return err
}

// attach has a transfer be for a pending deposit, once.
func (s *Service) attach(ctx context.Context, transfer, merchantID, depositID int64, actor string) error {
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: merchantID, ID: depositID})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		if locked.Status != depositPending {
			return errDepositNotPending
		}
		rows, err := q.DepositTransferAttach(ctx, db.DepositTransferAttachParams{
			TransferID: transfer, MerchantID: &merchantID, DepositID: &depositID, Actor: actor, Now: s.clock.Now(),
		})
		if err == nil && rows == 0 {
			err = errTransferTaken
		}
		return err
	})
	if db.IsUniqueViolation(err) {
		return errTransferTaken
	}
	return err
}

// follow goes on with a deposit that has a transfer. What vanished from its network, and what an operator has decided
// otherwise, is free again.
func (s *Service) follow(ctx context.Context, row db.DepositTransfersOpenRow) error {
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: row.MerchantID, ID: row.DepositID})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		detach := db.DepositTransferDetachParams{TransferID: row.TransferID, DepositID: row.DepositID, Now: s.clock.Now()}
		if locked.Status == depositRejected {
			return q.DepositTransferDetach(ctx, detach)
		}
		t, err := q.DepositTransferLock(ctx, db.DepositTransferLockParams{TransferID: row.TransferID, DepositID: row.DepositID})
		if err != nil {
			return db.IgnoreNoRows(err) // another process was here
		}
		vanished := t.State == string(chain.Gone) || t.State == string(chain.Lost)
		switch {
		case locked.Status == depositConfirmed:
			return q.DepositTransferDone(ctx, db.DepositTransferDoneParams{TransferID: row.TransferID, DepositID: row.DepositID})
		case vanished, !t.Amount.Equal(locked.Amount), t.Network != locked.Network:
			return q.DepositTransferDetach(ctx, detach)
		case t.State == string(chain.Final) && row.Actor == byChain && s.ConfirmSeen:
			return s.confirmSeen(ctx, q, row.TransferID, locked)
		}
		return nil
	})
}

// mayConfirm is how much a deposit may be of that is confirmed now without an operator; null is none.
func (s *Service) mayConfirm(ctx context.Context) (decimal.NullDecimal, error) {
	if !s.ConfirmSeen {
		return decimal.NullDecimal{}, nil
	}
	if !s.FourEyes.On {
		return decimal.NewNullDecimal(decimal.New(1, amountDigits)), nil
	}
	sum, err := s.q.DepositTransferCredited(ctx, s.clock.Now().Add(-24*time.Hour))
	if err != nil {
		return decimal.NullDecimal{}, fmt.Errorf("add up what was confirmed: %w", err)
	}
	return decimal.NewNullDecimal(s.FourEyes.Above.Sub(sum)), nil
}

// amountDigits are those of the greatest amount of a deposit before the point.
const amountDigits = 12

// confirmSeen confirms a deposit whose transfer is final, as far as one operator alone could have in a day. What is left is
// an operator's.
func (s *Service) confirmSeen(ctx context.Context, q *db.Queries, transfer int64, locked db.Deposit) error {
	now := s.clock.Now()
	if s.FourEyes.On {
		if err := q.OperatorMovementTurn(ctx, byChain); err != nil {
			return err
		}
		sum, err := q.DepositTransferCredited(ctx, now.Add(-24*time.Hour))
		if err != nil || sum.Add(locked.Amount).GreaterThan(s.FourEyes.Above) {
			return err
		}
	}
	after, err := q.DepositMove(ctx, db.DepositMoveParams{
		MerchantID: locked.MerchantID, ID: locked.ID, Status: depositConfirmed, Now: now,
	})
	if err != nil {
		return fmt.Errorf("move deposit: %w", err)
	}
	if err := recordDepositBy(ctx, q, after, byChain, &locked.Status, nil); err != nil {
		return err
	}
	err = q.DepositTransferDone(ctx, db.DepositTransferDoneParams{
		TransferID: transfer, DepositID: locked.ID,
		Credited: decimal.NewNullDecimal(locked.Amount), CreditedAt: &now,
	})
	if err != nil {
		return err
	}
	if err := tell(ctx, q, after, nil); err != nil {
		return err
	}
	return credit(ctx, q, after)
}

// Unmatched lists the transfers that are for no deposit, the newest first. The cursor is nil on the last page.
func (s *Service) Unmatched(ctx context.Context, who caller.Caller, page db.Page) ([]Transfer, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	limit, before := page.Bounds(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	rows, err := db.List(ctx, s.reads, func(q *db.Queries) ([]db.DepositTransfersFreeRow, error) {
		return q.DepositTransfersFree(ctx, db.DepositTransfersFreeParams{BeforeID: before, Page: limit + 1})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list free transfers: %w", err)
	}
	rows, cursor := db.Cut(rows, limit, func(t db.DepositTransfersFreeRow) int64 { return t.ID })
	list := make([]Transfer, 0, len(rows))
	for _, t := range rows {
		list = append(list, Transfer{
			ID: t.ID, Network: t.Network, Hash: t.TransactionHash, From: t.FromAddress, To: t.ToAddress, Amount: t.Amount,
			SeenAt: t.SeenAt, State: chain.State(t.State), Confirmations: t.Confirmations, Needed: needed(t.Network),
		})
	}
	return list, cursor, nil
}

func needed(network string) int64 {
	n, _ := chain.Find(network)
	return n.Confirmations
}

// Assign has a transfer that is for no deposit be for this one, as an operator says. It confirms nothing.
func (s *Service) Assign(ctx context.Context, who caller.Caller, transfer, id int64) (Deposit, error) {
	if err := who.Need(caller.OperatorMoney); err != nil {
		return Deposit{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Deposit{}, err
	}
	t, err := s.q.DepositTransferFind(ctx, transfer)
	if db.NoRows(err) {
		return Deposit{}, fault.ErrNotFound
	}
	if err != nil {
		return Deposit{}, fmt.Errorf("find transfer: %w", err)
	}
	d, err := s.findDeposit(ctx, id)
	if err != nil {
		return Deposit{}, err
	}
	if t.Network != d.Network || !t.Amount.Equal(d.Amount) {
		return Deposit{}, errTransferDiffer
	}
	if err := s.attach(ctx, transfer, d.MerchantID, d.ID, who.Actor()); err != nil {
		return Deposit{}, err
	}
	return s.Get(ctx, who, id)
}

// withTransfers adds to deposits the transfers that are for them.
func (s *Service) withTransfers(ctx context.Context, list ...*Deposit) error {
	if len(list) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(list))
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	rows, err := s.q.DepositTransfersOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("read transfers of deposits: %w", err)
	}
	for _, t := range rows {
		for _, d := range list {
			if d.ID == t.DepositID {
				d.Transfer = &Transfer{
					ID: t.ID, Network: t.Network, Hash: t.TransactionHash, From: t.FromAddress, To: t.ToAddress, Amount: t.Amount,
					SeenAt: t.SeenAt, State: chain.State(t.State), Confirmations: t.Confirmations, Needed: needed(t.Network),
					ByOperator: t.Actor != byChain, Alone: t.Credited.Valid,
				}
			}
		}
	}
	return nil
}

// Node is what a node of a network said when it was last asked.
type Node struct {
	Host string
	// Head is its newest block; 0 is not known.
	Head int64
	// Trouble is why it is not believed; "" is that it agrees with the others.
	Trouble string
	AskedAt time.Time
}

// Nodes are those of a network that is watched. An operator asks.
func (s *Service) Nodes(ctx context.Context, who caller.Caller, network string) ([]Node, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.q.ChainNodes(ctx, network)
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	nodes := make([]Node, 0, len(rows))
	for _, row := range rows {
		nodes = append(nodes, Node{Host: row.Host, Head: row.HeadNumber, Trouble: row.Trouble, AskedAt: row.AskedAt})
	}
	return nodes, nil
}
