package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sort"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

const (
	// maxSpan is how many blocks are read at once. It is more than any
	// network's confirmations.
	maxSpan = 500
	// leaseSeconds is how long a network is reserved for the process that
	// reads it. That is longer than a round takes.
	leaseSeconds = 60
	roundLasts   = 40 * time.Second
	// namedLasts is how long a round may spend on named transactions.
	namedLasts = 10 * time.Second
	// agreeing is how many nodes must say the same.
	agreeing = 2
	// While nodes do not answer, the pause between rounds grows from the
	// first to the longest.
	firstPause, longestPause = 2 * time.Second, time.Minute
	// clocksDiffer is how much later than its block says a transfer may
	// have been made, by our clock.
	clocksDiffer = time.Minute
	// stillAfter is how long a network may be without a new block before
	// that is a trouble.
	stillAfter = 10 * time.Minute
)

// Watcher reads one network. Of several processes only one reads it at a time.
type Watcher struct {
	// Named are transactions that are also looked for; it may be nil.
	Named Named

	network Network
	nodes   []*node
	need    int
	pool    db.Pool
	q       *db.Queries
	clock   clock.Clock
	holder  uuid.UUID
	// These are about earlier rounds, and use real time.
	pause   time.Duration
	resting time.Time
	head    int64
	movedAt time.Time
	// turn counts the rounds in which named transactions were asked for.
	turn int
	told string
}

// NewWatcher makes the watcher of a network, which asks the nodes at these
// addresses. If there is only one node, its answers are used without another's
// agreement.
func NewWatcher(
	pool db.Pool, c clock.Clock, client *http.Client, network Network, addresses []string,
) (*Watcher, error) {
	w := &Watcher{
		network: network, need: min(agreeing, len(addresses)), pool: pool, q: db.New(pool), clock: c, holder: uuid.New(),
		movedAt: time.Now(),
	}
	for _, address := range addresses {
		n, err := newNode(address, client)
		if err != nil {
			return nil, fmt.Errorf("node of %s: %w", network.Name, err)
		}
		w.nodes = append(w.nodes, n)
	}
	return w, nil
}

// Round reads all that is new, if it is this process's turn. The reason why it
// cannot is stored, for the alarm.
func (w *Watcher) Round(parent context.Context) error {
	if time.Now().Before(w.resting) {
		return nil
	}
	ctx, cancel := context.WithTimeout(parent, roundLasts)
	defer cancel()
	for {
		more, err := w.step(ctx)
		var why *trouble
		if parent.Err() != nil {
			return parent.Err() // the process stops, so the nodes are not to blame
		}
		if errors.As(err, &why) {
			return w.rest(ctx, why)
		}
		if err == nil && !more {
			w.pause, w.told = 0, ""
		}
		if err != nil || !more {
			return err
		}
	}
}

// rest stores a trouble, and pauses before the nodes are asked again.
func (w *Watcher) rest(ctx context.Context, why *trouble) error {
	w.pause = min(max(2*w.pause, firstPause), longestPause)
	w.resting = time.Now().Add(w.pause)
	if w.told != why.text {
		slog.WarnContext(ctx, "network not read", "network", w.network.Name, "why", why.text)
		w.told = why.text
	}
	return w.q.ChainTrouble(context.WithoutCancel(ctx), db.ChainTroubleParams{
		Network: w.network.Name, Trouble: &why.text, Now: new(w.clock.Now()),
	})
}

// step reads one span, or goes back if final blocks have vanished from the
// chain. It holds no database connection while it asks. It reports whether
// there is more to read.
func (w *Watcher) step(ctx context.Context) (more bool, err error) {
	cursor, err := w.q.ChainLease(ctx, db.ChainLeaseParams{
		Network: w.network.Name, Holder: w.holder, Seconds: leaseSeconds,
	})
	if err != nil {
		return false, db.IgnoreNoRows(err) // another process has the lease
	}
	all, head, err := w.heads(ctx)
	defer func() { err = errors.Join(err, w.noteNodes(ctx, all)) }()
	if err != nil {
		return false, err
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(s *said) bool { return s.err != nil || s.head < head })
	switch {
	case cursor.BlockHash == "":
		return true, w.begin(ctx, asked, cursor, head)
	case head < cursor.BlockNumber:
		return false, &trouble{"the nodes are behind what is final"}
	case w.head != head || cursor.HeadNumber != head:
	case time.Since(w.movedAt) > stillAfter && !w.network.still:
		return false, &trouble{"no new block"}
	case cursor.Trouble == nil:
		return false, nil
	}
	hash, err := w.block(ctx, asked, cursor.BlockNumber)
	if err != nil {
		return false, err
	}
	if hash != cursor.BlockHash {
		return true, w.back(ctx, asked, cursor, head)
	}
	return w.read(ctx, asked, cursor, head)
}

// heads asks all nodes for their newest block, and returns the highest block
// that enough of them have.
func (w *Watcher) heads(ctx context.Context) ([]*said, int64, error) {
	asked := make([]*said, 0, len(w.nodes))
	for _, n := range w.nodes {
		asked = append(asked, &said{node: n})
	}
	answers := askAll(asked, func(n *node) (int64, error) { return n.head(ctx) })
	var heads []int64
	for i, s := range asked {
		if s.head = answers[i]; s.err == nil {
			heads = append(heads, s.head)
		}
	}
	if len(heads) < w.need {
		return asked, 0, &trouble{"too few nodes answer"}
	}
	slices.Sort(heads)
	return asked, heads[len(heads)-w.need], nil
}

// begin sets the cursor of a new network to the block that is final now.
func (w *Watcher) begin(ctx context.Context, asked []*said, cursor db.ChainCursor, head int64) error {
	start := max(1, head-w.network.Confirmations+1)
	hash, err := w.block(ctx, asked, start)
	if err != nil {
		return err
	}
	return w.q.ChainStart(ctx, db.ChainStartParams{
		Network: w.network.Name, Version: cursor.Version, BlockNumber: start, BlockHash: hash,
	})
}

// block is the hash of a block, on which the nodes must agree.
func (w *Watcher) block(ctx context.Context, asked []*said, number int64) (string, error) {
	hashes := askAll(asked, func(n *node) (string, error) { return n.block(ctx, number) })
	return agreed(asked, w.need, hashes, func(a, b string) bool { return a == b })
}

// read reads the blocks above the cursor. Blocks that are not final are read
// again in each round.
func (w *Watcher) read(ctx context.Context, asked []*said, cursor db.ChainCursor, head int64) (more bool, err error) {
	ours, err := w.addresses(ctx)
	if err != nil {
		return false, err
	}
	s := span{after: cursor.BlockNumber, to: min(head, cursor.BlockNumber+maxSpan)}
	s.final = max(s.after, min(s.to, head-w.network.Confirmations+1))
	views := askAll(asked, func(n *node) (view, error) { return n.view(ctx, w.network, s, ours) })
	v, err := agreed(asked, w.need, views, view.same)
	if err != nil {
		return false, err
	}
	var named []seen
	if s.to == head {
		if named, err = w.named(ctx, asked, s.final); err != nil {
			return false, err
		}
	}
	err = db.InTx(ctx, w.pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := w.store(ctx, q, cursor, head, s, v, ours); err != nil {
			return err
		}
		for _, t := range named {
			if err := q.ChainSee(ctx, w.row(t, s.final, "named")); err != nil {
				return fmt.Errorf("note a named transfer: %w", err)
			}
		}
		return nil
	})
	if errors.Is(err, errOvertaken) {
		return false, nil
	}
	if err == nil && w.head != head {
		w.head, w.movedAt = head, time.Now()
	}
	if s.to < head {
		w.head = 0 // the head is the same, but there is more to read
	}
	return s.to < head, err
}

// errOvertaken says that another process has moved the cursor meanwhile.
var errOvertaken = errors.New("another process has moved the cursor")

// addresses are the platform's addresses on the network.
func (w *Watcher) addresses(ctx context.Context) (map[Raw]bool, error) {
	list, err := w.q.ChainAddresses(ctx, w.network.Name)
	if err != nil {
		return nil, fmt.Errorf("read addresses: %w", err)
	}
	ours := map[Raw]bool{}
	for _, address := range list {
		raw, err := w.network.form.read(address)
		if err != nil {
			return nil, fmt.Errorf("address %s of %s: %w", address, w.network.Name, err)
		}
		ours[raw] = true
	}
	return ours, nil
}

// store moves the cursor and writes what was read, or does nothing at all.
func (w *Watcher) store(
	ctx context.Context, q *db.Queries, cursor db.ChainCursor, head int64, s span, v view, ours map[Raw]bool,
) error {
	moved, err := q.ChainMove(ctx, db.ChainMoveParams{
		Network: w.network.Name, Version: cursor.Version, BlockNumber: s.final, BlockHash: v.finalHash, HeadNumber: head,
	})
	if err == nil && moved == 0 {
		err = errOvertaken
	}
	if err != nil {
		return err
	}
	gone := db.ChainUnseeParams{
		Network: w.network.Name, AfterNumber: s.after, ToNumber: s.to, Now: w.clock.Now(), Hashes: []string{}, Places: []int32{},
	}
	for _, t := range v.transfers {
		gone.Hashes, gone.Places = append(gone.Hashes, t.hash), append(gone.Places, int32(t.place))
		if err := w.see(ctx, q, t, s.final, ours); err != nil {
			return fmt.Errorf("note a transfer: %w", err)
		}
	}
	return q.ChainUnsee(ctx, gone)
}

// see writes a transfer once for each of its two ends that is an address of the
// platform.
func (w *Watcher) see(ctx context.Context, q *db.Queries, t seen, final int64, ours map[Raw]bool) error {
	for direction, is := range map[string]bool{"in": ours[t.to], "out": ours[t.from]} {
		if !is {
			continue
		}
		if err := q.ChainSee(ctx, w.row(t, final, direction)); err != nil {
			return err
		}
	}
	return nil
}

// row is a transfer as it is stored, final if its block is. direction is in,
// out, or named for a transfer of a named transaction. It panics if the amount,
// which this package has written, is no number.
func (w *Watcher) row(t seen, final int64, direction string) db.ChainSeeParams {
	row := db.ChainSeeParams{
		Network: w.network.Name, TransactionHash: t.hash, LogIndex: int32(t.place), BlockNumber: t.block, BlockHash: t.blockHash,
		FromAddress: w.network.Write(t.from), ToAddress: w.network.Write(t.to), Amount: decimal.RequireFromString(t.amount),
		State: string(Seen), Now: w.clock.Now(), SeenAt: w.clock.Now(), Direction: direction,
	}
	// From the time of its block on, anybody can read of a transfer. After
	// an outage that is long before this reads it, and nobody may make use
	// of that.
	if made := time.Unix(t.at, 0); t.at > 0 && direction == "named" {
		row.SeenAt = made
	} else if made = made.Add(clocksDiffer); t.at > 0 && made.Before(row.SeenAt) {
		row.SeenAt = made
	}
	if t.block <= final {
		row.State = string(Final)
	}
	return row
}

// back moves the cursor back to the newest block with transfers that is still
// on the chain, or else to the beginning.
func (w *Watcher) back(ctx context.Context, asked []*said, cursor db.ChainCursor, head int64) error {
	blocks, err := w.q.ChainFinalBlocks(ctx, w.network.Name)
	if err != nil {
		return fmt.Errorf("read final blocks: %w", err)
	}
	var failed error
	i := sort.Search(len(blocks), func(i int) bool {
		hash, err := w.block(ctx, asked, blocks[i].BlockNumber)
		failed = errors.Join(failed, err)
		return hash == blocks[i].BlockHash
	})
	if failed != nil {
		return failed
	}
	number := cursor.StartNumber
	if i < len(blocks) {
		number = max(number, blocks[i].BlockNumber)
	}
	hash, err := w.block(ctx, asked, number)
	if err != nil {
		return err
	}
	err = db.InTx(ctx, w.pool, func(_ pgx.Tx, q *db.Queries) error {
		moved, err := q.ChainMove(ctx, db.ChainMoveParams{
			Network: w.network.Name, Version: cursor.Version, BlockNumber: number, BlockHash: hash, HeadNumber: head,
		})
		if err == nil && moved == 0 {
			err = errOvertaken
		}
		if err != nil {
			return err
		}
		taken, err := q.ChainTakeBack(ctx, db.ChainTakeBackParams{
			Network: w.network.Name, AfterNumber: number, Now: w.clock.Now(),
		})
		slog.ErrorContext(ctx, "final blocks are gone", "network", w.network.Name, "back_to", number, "transfers", len(taken))
		return err
	})
	if errors.Is(err, errOvertaken) {
		return nil
	}
	return err
}

// noteNodes stores what each node said, for operators.
func (w *Watcher) noteNodes(ctx context.Context, asked []*said) error {
	ctx = context.WithoutCancel(ctx)
	hosts := make([]string, 0, len(w.nodes))
	for _, n := range w.nodes {
		hosts = append(hosts, n.host)
	}
	err := w.q.ChainNodesKeep(ctx, db.ChainNodesKeepParams{Network: w.network.Name, Hosts: hosts})
	for _, s := range asked {
		row := db.ChainNodeSetParams{Network: w.network.Name, Host: s.node.host, HeadNumber: s.head, Now: w.clock.Now()}
		if s.err != nil {
			row.Trouble = s.err.Error()
		}
		err = errors.Join(err, w.q.ChainNodeSet(ctx, row))
	}
	return err
}
