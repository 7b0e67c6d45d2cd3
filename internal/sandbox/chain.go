package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/chain"
	"gateway.example/internal/chain/simulated"
	"gateway.example/internal/db"
)

const (
	// firstBlock is the newest block of a network on which nothing was sent
	// yet.
	firstBlock = 1000
	// confirmedIn is how many seconds a transfer takes to become final, on
	// every network.
	confirmedIn = 15
	// chainEvery is how often a network is checked for new blocks.
	chainEvery = 2 * time.Second
)

// network is a simulated network. New blocks come for a while after each
// transfer, and then no more until the next one, so that a network that nobody
// uses costs nothing.
type network struct {
	chain.Network
	q *db.Queries
}

// Head implements simulated.Chain.
func (n network) Head(ctx context.Context) (int64, error) {
	last, err := n.q.SandboxChainHead(ctx, n.Name)
	if err != nil || last.BlockNumber == 0 {
		return firstBlock, err
	}
	came := int64(last.Seconds * float64(n.Confirmations) / confirmedIn)
	return last.BlockNumber + min(max(came, 0), n.Confirmations), nil
}

// Hash implements simulated.Chain.
func (n network) Hash(number int64) string { return digest(n.Name, "block", number) }

// Time implements simulated.Chain. The sandbox's clock may be ahead of what its
// blocks were made at.
func (n network) Time(int64) time.Time { return time.Time{} }

// Transfers implements simulated.Chain.
func (n network) Transfers(ctx context.Context, from, to int64) ([]simulated.Transfer, error) {
	rows, err := n.q.SandboxTransferList(ctx, db.SandboxTransferListParams{Network: n.Name, FromBlock: from, ToBlock: to})
	list := make([]simulated.Transfer, 0, len(rows))
	for _, row := range rows {
		t := simulated.Transfer{Block: row.BlockNumber, Hash: row.TransactionHash, Amount: row.Amount}
		if t.From, err = chain.Read(n.Name, row.FromAddress); err != nil {
			return nil, err
		}
		if t.To, err = chain.Read(n.Name, row.ToAddress); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, err
}

func digest(parts ...any) string {
	sum := sha256.Sum256(fmt.Append(nil, parts...))
	return hex.EncodeToString(sum[:])
}

// Follow lets a watcher read a simulated network whenever it has blocks that
// were not read.
func Follow(
	pool db.Pool, of chain.Network, watch func(*http.Client, chain.Network, []string) (*chain.Watcher, error),
) (every time.Duration, round func(context.Context) error, err error) {
	n := network{of, db.New(pool)}
	client := &http.Client{Transport: simulated.Transport{Handler: simulated.Handler(of, n)}}
	w, err := watch(client, of.Still(), []string{"http://node-1.sandbox", "http://node-2.sandbox"})
	if err != nil {
		return 0, nil, err
	}
	return chainEvery, func(ctx context.Context) error {
		head, err := n.Head(ctx)
		if err != nil {
			return err
		}
		read, err := n.q.SandboxChainRead(ctx, db.SandboxChainReadParams{Network: n.Name, Head: head})
		if err != nil || read {
			return err
		}
		return w.Round(ctx)
	}, nil
}

// sent is a transfer to be sent.
type sent struct {
	hash, from, to string
	amount         decimal.Decimal
}

// send puts a transfer into the next block of a network, once for each
// transaction.
func send(ctx context.Context, pool db.Pool, of chain.Network, s sent) error {
	return db.InTx(ctx, pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := q.SandboxChainTurn(ctx, of.Name); err != nil {
			return err
		}
		head, err := network{of, q}.Head(ctx)
		if err != nil {
			return err
		}
		_, err = q.SandboxTransferInsert(ctx, db.SandboxTransferInsertParams{
			Network: of.Name, BlockNumber: head + 1, TransactionHash: s.hash, FromAddress: s.from, ToAddress: s.to, Amount: s.amount,
		})
		return err
	})
}
