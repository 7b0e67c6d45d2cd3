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

// Transfer is a transfer of USDT to the platform that was seen on a network.
type Transfer struct {
	ID       int64
	Network  string
	Hash     string
	From, To string
	Amount   decimal.Decimal
	SeenAt   time.Time
	State    chain.State
	// Confirmations counts its block and those above it; Needed is how many
	// make it final.
	Confirmations, Needed int64
	// ByOperator says that an operator attached it, ByMerchant that its
	// merchant named it, and Alone that its deposit was confirmed without
	// an operator.
	ByOperator, ByMerchant, Alone bool
	// DepositID is the deposit to which it is attached. NamedBy is the
	// deposit whose merchant has named its transaction. 0 is none.
	DepositID, NamedBy int64
}

// Credited is what a deposit can be credited of its amount.
func (t Transfer) Credited() decimal.Decimal { return credited(t.Amount) }

const (
	// byChain is the actor of what the watcher does by itself.
	byChain = "chain"
	// matchWithin is how long a fitting deposit is searched for a transfer.
	matchWithin = time.Hour
	// namedWithin is how long a named transaction is looked for.
	namedWithin = 24 * time.Hour
	// lateMost is how late the watcher may see a transfer whose deposit was
	// confirmed by hand before.
	lateMost = 7 * 24 * time.Hour
	// namedMost is how many pending deposits of a merchant may have a
	// transaction that was named within namedWithin. Each name is looked
	// for in every round, and prevents others from naming the same
	// transaction.
	namedMost = 100
	matchMost = 200
	// fittingMost is how many deposits of the same amount are compared.
	fittingMost = 1000
)

var (
	errNamesFull      = fault.New(fault.Conflict, "deposit_names_full", "As many pending deposits as may be have a named transaction.")
	errTransferTaken  = fault.New(fault.Conflict, "transfer_taken", "The transfer or the deposit has another one already.")
	errTransferDiffer = fault.New(fault.Refused, "transfer_differs",
		"The transfer is of another network or amount than the deposit.")
)

// Match attaches transfers to deposits, and then handles the deposits that have
// one. A transfer that fits exactly one pending deposit is attached to it. If
// ConfirmSeen is set, the deposit is confirmed once its transfer is final,
// unless the platform has given up its address.
//
//rule:which transfer on a network a deposit is credited for
func (s *Service) Match(ctx context.Context) error {
	now := s.clock.Now()
	if err := s.q.DepositTransfersNew(ctx, now); err != nil {
		return fmt.Errorf("take up transfers: %w", err)
	}
	look, err := s.unattached(ctx, now)
	if err != nil {
		return err
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
	present, err := s.q.ReceivingPresent(ctx)
	if err != nil {
		return fmt.Errorf("read receiving addresses: %w", err)
	}
	open, err := s.q.DepositTransfersOpen(ctx, db.DepositTransfersOpenParams{
		Confirmed: most, Addresses: append([]string{}, present...),
	})
	if err != nil {
		return fmt.Errorf("list attached transfers: %w", err)
	}
	for _, row := range open {
		if err := s.follow(ctx, row, present); err != nil {
			failed = append(failed, fmt.Errorf("deposit %d: %w", row.DepositID, err))
		}
	}
	return errors.Join(failed...)
}

// unattached lists the transfers that may be attached now.
func (s *Service) unattached(ctx context.Context, now time.Time) ([]came, error) {
	// Much of what arrives belongs to no deposit, because anybody can send
	// tiny amounts. Such transfers must not come before those that fit.
	seen, err := s.q.DepositTransferAmounts(ctx, now.Add(-matchWithin))
	if err != nil {
		return nil, fmt.Errorf("list what came: %w", err)
	}
	amounts, err := s.q.DepositAmounts(ctx, append([]decimal.Decimal{}, seen...))
	if err != nil {
		return nil, fmt.Errorf("list amounts: %w", err)
	}
	free, err := s.q.DepositTransfersFree(ctx, db.DepositTransfersFreeParams{
		BeforeID: math.MaxInt64, Since: now.Add(-matchWithin), Amounts: append([]decimal.Decimal{}, amounts...), Page: matchMost,
	})
	if err != nil {
		return nil, fmt.Errorf("list free transfers: %w", err)
	}
	look, err := s.q.DepositTransfersNamed(ctx, db.DepositTransfersNamedParams{Since: now.Add(-namedWithin), Most: matchMost})
	if err != nil {
		return nil, fmt.Errorf("list named transfers: %w", err)
	}
	for _, t := range free {
		look = append(look, came{
			ID: t.ID, Network: t.Network, TransactionHash: t.TransactionHash, ToAddress: t.ToAddress, Amount: t.Amount, SeenAt: t.SeenAt,
		})
	}
	return look, nil
}

// came is a transfer for which a deposit is searched.
type came = db.DepositTransfersNamedRow

// attachFitting attaches a transfer to the only deposit to which it can belong.
// If several deposits of one merchant fit, it is the one that names the
// transaction. If none fits, it is also the one that names it, whatever the
// amount is. All other doubtful transfers are left to operators: also one that
// fits a deposit of another merchant than the one who names it, and one that a
// deposit may have been confirmed by already. Naming another transaction takes
// a merchant's own pending deposit out of the doubt, and no other: it is only
// their word, and a transaction that is sent again has another hash.
func (s *Service) attachFitting(ctx context.Context, t came) error {
	claim, err := s.q.DepositClaimOf(ctx, db.DepositClaimOfParams{Network: t.Network, TransactionHash: t.TransactionHash})
	if db.IgnoreNoRows(err) != nil {
		return err
	}
	named := db.DepositsFittingRow{MerchantID: claim.MerchantID, ID: claim.DepositID, Status: depositPending}
	fitting, elsewhere, err := s.fitting(ctx, t)
	if err != nil {
		return err
	}
	to, actor := named, claim.Actor
	foreign := func(d db.DepositsFittingRow) bool { return d.MerchantID != to.MerchantID }
	credited := func(d db.DepositsFittingRow) bool { return d.Status == depositConfirmed }
	switch {
	case slices.ContainsFunc(fitting, credited), slices.ContainsFunc(elsewhere, credited),
		named.ID != 0 && slices.ContainsFunc(fitting, foreign):
		return nil
	case len(fitting) == 1:
		to, actor = fitting[0], byChain
	case len(fitting) > 1:
		if !slices.Contains(fitting, named) {
			return nil
		}
	default:
		if found, err := s.named(ctx, t, named); !found || err != nil {
			return err
		}
	}
	if slices.ContainsFunc(elsewhere, foreign) {
		return nil
	}
	err = s.attach(ctx, t.ID, t.TransactionHash, to.MerchantID, to.ID, actor)
	if errors.Is(err, errTransferTaken) || errors.Is(err, errDepositNotPending) {
		return nil
	}
	return err
}

// fitting lists the deposits of a transfer's amount, pending or confirmed
// lately, that have no other transfer on the network. Those of them that name
// another transaction are listed apart.
func (s *Service) fitting(ctx context.Context, t came) (fitting, elsewhere []db.DepositsFittingRow, err error) {
	rows, err := s.q.DepositsFitting(ctx, db.DepositsFittingParams{
		Network: t.Network, Amount: credited(t.Amount), SeenAt: t.SeenAt, Address: t.ToAddress,
		Since: t.SeenAt.Add(-lateMost), Most: fittingMost,
	})
	// If there are that many, there may be more, and more than one will be
	// left in any case.
	if err != nil || len(rows) == 0 || len(rows) >= fittingMost {
		return rows, nil, err
	}
	ids := db.Each(rows, func(d db.DepositsFittingRow) int64 { return d.ID })
	attached, err := s.q.DepositTransfersOf(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	claims, err := s.q.DepositClaimsOf(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	has, names := map[int64]bool{}, map[int64]bool{}
	for _, row := range attached {
		has[row.DepositID] = !vanished(row.State)
	}
	for _, row := range claims {
		names[row.DepositID] = row.TransactionHash != t.TransactionHash
	}
	for _, d := range rows {
		switch {
		case has[d.ID]:
		case names[d.ID]:
			elsewhere = append(elsewhere, d)
		default:
			fitting = append(fitting, d)
		}
	}
	return fitting, elsewhere, nil
}

// vanished reports whether a transfer is on its network no more.
func vanished(state string) bool { return state == string(chain.Gone) || state == string(chain.Lost) }

// named reports whether a transfer can belong to the deposit that names its
// transaction. The deposit must have been requested before the transfer was
// seen and have no other transfer, and the transaction must have no other
// transfer, which might belong to somebody else.
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

// credited is the part of an amount that can be credited: some networks have
// more decimals than the ledger.
func credited(amount decimal.Decimal) decimal.Decimal { return amount.Truncate(8) }

// attach attaches a transfer to a pending deposit, once, unless its transaction
// is the reference by which an operator has credited it to a trader. An
// operator may also say which one a deposit was confirmed by.
func (s *Service) attach(ctx context.Context, transfer int64, hash string, merchantID, depositID int64, actor string) error {
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: merchantID, ID: depositID})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		if locked.Status != depositPending && (locked.Status != depositConfirmed || !byOperator(actor)) {
			return errDepositNotPending
		}
		if err := q.DepositTransactionTurn(ctx, hash); err != nil {
			return fmt.Errorf("wait for a transaction: %w", err)
		}
		rows, err := q.DepositTransferAttach(ctx, db.DepositTransferAttachParams{
			TransferID: transfer, MerchantID: &merchantID, DepositID: &depositID, Actor: actor, Now: s.clock.Now(),
		})
		if err != nil {
			return err
		}
		funded, err := q.DepositTransactionOverspent(ctx, hash)
		if err == nil && (funded || rows == 0) {
			err = errTransferTaken
		}
		return err
	})
	if db.IsUniqueViolation(err) {
		return errTransferTaken
	}
	return err
}

// follow handles a deposit that has a transfer. A transfer that vanished from
// its network, or whose deposit was decided otherwise by an operator, is
// detached. Only what went to an address that is present is confirmed without
// an operator: somebody else may have the key of a former one, and send the
// same USDT there again and again.
func (s *Service) follow(ctx context.Context, row db.DepositTransfersOpenRow, present []string) error {
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		locked, err := q.DepositLock(ctx, db.DepositLockParams{MerchantID: row.MerchantID, ID: row.DepositID})
		if err != nil {
			return fmt.Errorf("lock deposit: %w", err)
		}
		detach := db.DepositTransferDetachParams{TransferID: row.TransferID, DepositID: row.DepositID}
		if locked.Status == depositRejected {
			return q.DepositTransferDetach(ctx, detach)
		}
		t, err := q.DepositTransferLock(ctx, db.DepositTransferLockParams{TransferID: row.TransferID, DepositID: row.DepositID})
		if err != nil {
			return db.IgnoreNoRows(err) // another process was here
		}
		switch {
		case locked.Status == depositConfirmed:
			return q.DepositTransferDone(ctx, db.DepositTransferDoneParams{TransferID: row.TransferID, DepositID: row.DepositID})
		case vanished(t.State), !credited(t.Amount).Equal(locked.Amount) && !byMerchant(row.Actor), t.Network != locked.Network:
			return q.DepositTransferDetach(ctx, detach)
		case t.State == string(chain.Final) && row.Actor == byChain && s.ConfirmSeen &&
			slices.Contains(present, locked.Network+" "+strings.ToLower(locked.Address)):
			return s.confirmSeen(ctx, q, row.TransferID, locked)
		}
		return nil
	})
}

// byMerchant reports whether a transfer is attached because the merchant named
// it. Its amount may then differ from the deposit's.
func byMerchant(actor string) bool { return actor != byChain && !byOperator(actor) }

func byOperator(actor string) bool { return strings.HasPrefix(actor, "operator:") }

// mayConfirm is the largest amount of a deposit that may be confirmed now
// without an operator; it is not valid if none may.
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

// amountDigits is how many digits before the point the largest amount of a
// deposit has.
const amountDigits = 12

// confirmSeen confirms a deposit whose transfer is final, as long as the sum of
// a day stays within what one operator alone may credit. The rest is left to
// operators.
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

// Assign attaches a free transfer to a deposit, for an operator. It confirms
// nothing.
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
	if err := s.attach(ctx, transfer, t.TransactionHash, d.MerchantID, d.ID, who.Actor()); err != nil {
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

// Node is what a node of a network answered when it was last asked.
type Node struct {
	Host string
	// Head is its newest block; 0 if that is not known.
	Head int64
	// Trouble is why its answers are not used; "" if it agrees with the
	// others.
	Trouble string
}

// Nodes lists, for an operator, the nodes of a network that is watched.
func (s *Service) Nodes(ctx context.Context, who caller.Caller, network string) ([]Node, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.q.ChainNodes(ctx, network)
	return db.Each(rows, func(row db.ChainNode) Node {
		return Node{Host: row.Host, Head: row.HeadNumber, Trouble: row.Trouble}
	}), fault.Doing("read nodes", err)
}
