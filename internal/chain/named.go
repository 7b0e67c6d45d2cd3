package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// Named has the transactions that are looked for by their hashes, whichever
// address has sent them.
type Named interface {
	// Hashes returns the hashes of a network that are to be looked for.
	Hashes(ctx context.Context, network string) ([]string, error)
	// Empty is called for a transaction that is final and has moved no
	// USDT.
	Empty(ctx context.Context, network, hash string) error
}

// outcome is what a final transaction has moved.
type outcome struct {
	final     bool
	transfers []seen
}

func (o outcome) same(as outcome) bool {
	return o.final == as.final && slices.Equal(o.transfers, as.transfers)
}

// outcome reads the receipt of a transaction, if that is in a block up to
// final.
func (n *node) outcome(ctx context.Context, network Network, hash string, final int64) (outcome, error) {
	var receipt struct {
		Status      *quantity `json:"status"`
		BlockNumber quantity  `json:"blockNumber"`
		BlockHash   string    `json:"blockHash"`
		Logs        []event   `json:"logs"`
	}
	err := n.call(ctx, &receipt, "eth_getTransactionReceipt", "0x"+strings.TrimPrefix(hash, "0x"))
	block := int64(receipt.BlockNumber)
	if err != nil || receipt.BlockHash == "" || block > final {
		return outcome{}, err
	}
	if receipt.Status == nil || receipt.Logs == nil { // that is not known, and not nothing
		return outcome{}, errors.New("eth_getTransactionReceipt: no status or no logs")
	}
	stands, err := n.header(ctx, block)
	if err != nil || stands.Hash != receipt.BlockHash {
		return outcome{}, err
	}
	found := outcome{final: true}
	token, err := network.form.read(network.Token)
	if err != nil || *receipt.Status != 1 {
		return found, err
	}
	contract := "0x" + hex.EncodeToString(token[:])
	for place, e := range receipt.Logs {
		if !strings.EqualFold(e.Address, contract) || len(e.Topics) != eventArg || !strings.EqualFold(e.Topics[0], transferred) {
			continue
		}
		t, err := e.transfer(network, contract, span{to: final})
		if err != nil || t.hash != hash || t.block != block || t.blockHash != receipt.BlockHash {
			return outcome{}, errLie
		}
		if t.place, t.at = place, int64(stands.Timestamp); t.amount != "0" {
			found.transfers = append(found.transfers, t)
		}
	}
	return found, nil
}

// named reads what the named transactions have moved, if they are final. A
// transaction about which the nodes disagree is left for later, and does not
// prevent the others from being read.
func (w *Watcher) named(ctx context.Context, asked []*said, final int64) ([]seen, error) {
	if w.Named == nil {
		return nil, nil
	}
	hashes, err := w.Named.Hashes(ctx, w.network.Name)
	if err != nil {
		return nil, fmt.Errorf("list named transactions: %w", err)
	}
	var all []seen
	// Slow nodes must not prevent storing what was read. Transactions that
	// were not asked for in time are asked for in later rounds; each round
	// begins with another one.
	soon, cancel := context.WithTimeout(ctx, namedLasts)
	defer cancel()
	w.turn++
	for i := range hashes {
		hash := hashes[(i+w.turn)%len(hashes)]
		outcomes := askAll(asked, func(n *node) (outcome, error) { return n.outcome(soon, w.network, hash, final) })
		if soon.Err() != nil {
			return all, nil
		}
		o, err := agreed(asked, w.need, outcomes, outcome.same)
		switch {
		case err != nil:
			slog.WarnContext(ctx, "named transaction not read", "network", w.network.Name, "hash", hash, "why", err)
			continue
		case o.final && len(o.transfers) == 0:
			if err := w.Named.Empty(ctx, w.network.Name, hash); err != nil {
				return all, err
			}
		}
		all = append(all, o.transfers...)
	}
	return all, nil
}
