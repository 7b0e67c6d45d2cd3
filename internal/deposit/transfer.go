package deposit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
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
	// ByOperator tells that an operator assigned it, ByMerchant that the merchant has named it, Alone that its deposit was
	// confirmed without an operator.
	ByOperator, ByMerchant, Alone bool
	// DepositID is the deposit that it is for, NamedBy the one whose merchant has named its transaction; 0 is none.
	DepositID, NamedBy int64
}

const (
	// byChain is the actor of what the networks say.
	byChain = "chain"
	// matchWithin is for how long a deposit is looked for that a transfer fits.
	matchWithin = time.Hour
	// namedWithin is for how long a transfer is looked for that a merchant has named.
	namedWithin = 24 * time.Hour
	// namedMost is how many pending deposits of a merchant may have a transaction that was named in that time: a name is looked for
	// with every round, and keeps the transaction from whoever else names it.
	namedMost = 100
	matchMost = 200
	// fittingMost is how many deposits of an amount are told apart.
	fittingMost = 1000
)

// Faults of assignments.
var (
	errNamesFull      = fault.New(fault.Conflict, "deposit_names_full", "As many pending deposits as may be have a named transaction.")
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
	look, err := s.q.DepositTransfersNamed(ctx, db.DepositTransfersNamedParams{Since: now.Add(-namedWithin), Most: matchMost})
	if err != nil {
		return fmt.Errorf("list named transfers: %w", err)
	}
	for _, t := range free {
		look = append(look, came{
			ID: t.ID, Network: t.Network, TransactionHash: t.TransactionHash, ToAddress: t.ToAddress, Amount: t.Amount, SeenAt: t.SeenAt,
		})
	}
	var failed []error
	for _, t := range look {
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

// came is a transfer for which a deposit is looked for.
type came = db.DepositTransfersNamedRow

// attachFitting attaches a transfer to the only deposit that it can be for. Where several deposits of one merchant fit, the one
// that names the transaction has it; where none fits, the one that names it, whatever the amount. What else is doubtful is an
// operator's.
func (s *Service) attachFitting(ctx context.Context, t came) error {
	claim, err := s.q.DepositClaimOf(ctx, db.DepositClaimOfParams{Network: t.Network, TransactionHash: t.TransactionHash})
	if db.IgnoreNoRows(err) != nil {
		return err
	}
	named := db.DepositsFittingRow{MerchantID: claim.MerchantID, ID: claim.DepositID}
	fitting, err := s.fitting(ctx, t)
	if err != nil {
		return err
	}
	foreign := func(d db.DepositsFittingRow) bool { return d.MerchantID != named.MerchantID }
	to, actor := named, claim.Actor
	switch {
	case len(fitting) == 1:
		to, actor = fitting[0], byChain
	case len(fitting) > 1:
		if !slices.Contains(fitting, named) || slices.ContainsFunc(fitting, foreign) {
			return nil
		}
	default:
		if found, err := s.named(ctx, t, named); !found || err != nil {
			return err
		}
	}
	err = s.attach(ctx, t.ID, to.MerchantID, to.ID, actor)
	if errors.Is(err, errTransferTaken) || errors.Is(err, errDepositNotPending) {
		return nil
	}
	return err
}

// fitting are the pending deposits of a transfer's amount that have no other transfer and name no other transaction.
func (s *Service) fitting(ctx context.Context, t came) ([]db.DepositsFittingRow, error) {
	rows, err := s.q.DepositsFitting(ctx, db.DepositsFittingParams{
		Network: t.Network, Amount: credited(t.Amount), SeenAt: t.SeenAt, Address: t.ToAddress, Most: fittingMost,
	})
	// With as many as that there may be more, and more than one are left.
	if err != nil || len(rows) == 0 || len(rows) == fittingMost {
		return rows, err
	}
	ids := db.Each(rows, func(d db.DepositsFittingRow) int64 { return d.ID })
	attached, err := s.q.DepositTransfersOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	claims, err := s.q.DepositClaimsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	other := map[int64]bool{}
	for _, row := range attached {
		other[row.DepositID] = true
	}
	for _, row := range claims {
		other[row.DepositID] = other[row.DepositID] || row.TransactionHash != t.TransactionHash
	}
	return slices.DeleteFunc(rows, func(d db.DepositsFittingRow) bool { return other[d.ID] }), nil
}

// named tells whether a transfer can be for the deposit that names its transaction: requested before the transfer was seen,
// without another one, and the transaction brought nothing else, which might be another's.
func (s *Service) named(ctx context.Context, t came, by db.DepositsFittingRow) (bool, error) {
	if by.ID == 0 {
		return false, nil
	}
	d, err := s.findDeposit(ctx, by.ID)
	if err != nil || d.Status != depositPending || d.CreatedAt.After(t.SeenAt) {
		return false, err
	}
	attached, err := s.q.DepositTransfersOf(ctx, []int64{d.ID})
	if err != nil || len(attached) > 0 {
		return false, err
	}
	count, err := s.q.DepositTransfersBy(ctx, db.DepositTransfersByParams{Network: t.Network, TransactionHash: t.TransactionHash})
	return count == 1, err
}

// credited is what of an amount on a network can be credited: some networks have more digits than the ledger.
func credited(amount decimal.Decimal) decimal.Decimal { return amount.Truncate(8) }

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
		case vanished, !credited(t.Amount).Equal(locked.Amount) && !byMerchant(row.Actor), t.Network != locked.Network:
			return q.DepositTransferDetach(ctx, detach)
		case t.State == string(chain.Final) && row.Actor == byChain && s.ConfirmSeen:
			return s.confirmSeen(ctx, q, row.TransferID, locked)
		}
		return nil
	})
}

// byMerchant tells whether a transfer is for its deposit by the merchant's word, who may have sent another amount.
func byMerchant(actor string) bool { return actor != byChain && !strings.HasPrefix(actor, "operator:") }

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

func needed(network string) int64 {
	n, _ := chain.Find(network)
	return n.Confirmations
}

// Assign has a transfer that is for no deposit be for this one, as an operator says. It confirms nothing.
func (s *Service) Assign(ctx context.Context, who caller.Caller, transfer, id int64) (Deposit, error) {
	if err := who.Admit(ctx, caller.OperatorMoney); err != nil {
		return Deposit{}, err
	}
	t, err := s.q.DepositTransferFind(ctx, transfer)
	if err != nil {
		return Deposit{}, db.Missing(err, fault.ErrNotFound, "find transfer")
	}
	d, err := s.findDeposit(ctx, id)
	if err != nil {
		return Deposit{}, err
	}
	if t.Network != d.Network || !credited(t.Amount).Equal(d.Amount) {
		return Deposit{}, errTransferDiffer
	}
	if err := s.attach(ctx, transfer, d.MerchantID, d.ID, who.Actor()); err != nil {
		return Deposit{}, err
	}
	err = s.q.DepositClaimOthers(ctx, db.DepositClaimOthersParams{
		Network: t.Network, TransactionHash: t.TransactionHash, DepositID: d.ID,
	})
	if err != nil {
		return Deposit{}, fmt.Errorf("drop what others named: %w", err)
	}
	return s.Get(ctx, who, id)
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
	return db.Each(rows, func(row db.ChainNode) Node {
		return Node{Host: row.Host, Head: row.HeadNumber, Trouble: row.Trouble, AskedAt: row.AskedAt}
	}), fault.Doing("read nodes", err)
}
