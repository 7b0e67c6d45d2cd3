package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"
)

// transferred is the hash of Transfer(address,address,uint256).
const transferred = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// span is a range of blocks to be read, after one block and up to another.
// Blocks up to final have enough confirmations.
type span struct{ after, final, to int64 }

// view is what a node says about a span.
type view struct {
	finalHash, hash string
	transfers       []seen
}

// seen is a transfer as a node reports it.
type seen struct {
	hash, blockHash string
	block           int64
	place           int
	from, to        Raw
	amount          string
	// at is when its block was made, in seconds of Unix time; 0 if that is
	// not known.
	at int64
}

var (
	errMoved = errors.New("its blocks changed while they were read")
	// errLie says that an answer does not fit the question.
	errLie = errors.New("eth_getLogs: an answer that was not asked for")
)

// view reads a span. The hash of its last block is read before and after. If it
// is the same, everything that was read belongs to one chain, because a block's
// hash depends on all blocks before it.
func (n *node) view(ctx context.Context, network Network, s span, ours map[Raw]bool) (view, error) {
	var v view
	var err error
	if v.hash, err = n.block(ctx, s.to); err != nil {
		return v, err
	}
	if v.finalHash, err = n.block(ctx, s.final); err != nil {
		return v, err
	}
	if v.transfers, err = n.transfers(ctx, network, s, ours); err != nil {
		return v, err
	}
	again, err := n.block(ctx, s.to)
	if err == nil && again != v.hash {
		err = errMoved
	}
	return v, err
}

// transfers reads the transfers to and from the platform's addresses, in a
// fixed order.
func (n *node) transfers(ctx context.Context, network Network, s span, ours map[Raw]bool) ([]seen, error) {
	if len(ours) == 0 || s.to == s.after {
		return nil, nil
	}
	token, err := network.form.read(network.Token)
	if err != nil {
		return nil, err
	}
	contract, addresses := "0x"+hex.EncodeToString(token[:]), make([]string, 0, len(ours))
	for address := range ours {
		addresses = append(addresses, "0x"+strings.Repeat("0", 24)+hex.EncodeToString(address[:]))
	}
	slices.Sort(addresses)
	found := map[seen]bool{}
	used := map[[2]string]bool{}
	for _, topics := range [][3][]string{{{transferred}, addresses}, {{transferred}, nil, addresses}} {
		events, err := n.logs(ctx, contract, s.after+1, s.to, topics)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			t, err := e.transfer(network, contract, s)
			if err != nil {
				return nil, err
			}
			if !ours[t.from] && !ours[t.to] {
				return nil, errLie
			}
			if t.amount == "0" { // anybody can send these from any address
				continue
			}
			used[[2]string{e.TransactionHash, e.BlockHash}] = true
			if t.place, t.at, err = n.place(ctx, e); err != nil {
				return nil, err
			}
			found[t] = true
		}
	}
	maps.DeleteFunc(n.receipts, func(key [2]string, _ receipt) bool { return !used[key] })
	return slices.SortedFunc(maps.Keys(found), func(a, b seen) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}), nil
}

const (
	word     = 32
	eventArg = 3
)

// transfer parses an event as a transfer of the contract within a span.
func (e event) transfer(network Network, contract string, s span) (seen, error) {
	block := int64(e.BlockNumber)
	data, err := hex.DecodeString(strings.TrimPrefix(e.Data, "0x"))
	if err != nil || len(data) != word || len(e.Topics) != eventArg || !strings.EqualFold(e.Topics[0], transferred) ||
		!strings.EqualFold(e.Address, contract) || block <= s.after || block > s.to || !isHash(e.BlockHash) ||
		!isHash(e.TransactionHash) {
		return seen{}, errLie
	}
	amount := decimal.NewFromBigInt(new(big.Int).SetBytes(data), -network.Decimals)
	from, fromErr := topicAddress(e.Topics[1])
	to, toErr := topicAddress(e.Topics[2])
	if fromErr != nil || toErr != nil || amount.GreaterThan(maxAmount) {
		return seen{}, errLie
	}
	return seen{
		hash: network.Hash(e.TransactionHash), blockHash: e.BlockHash, block: block, from: from, to: to, amount: amount.String(),
	}, nil
}

var maxAmount = decimal.New(1, 15) // more USDT than exist

func topicAddress(topic string) (Raw, error) {
	raw, err := hex.DecodeString(strings.TrimPrefix(topic, "0x"))
	if err != nil || len(raw) != word || strings.Trim(string(raw[:word-len(Raw{})]), "\x00") != "" {
		return Raw{}, errLie
	}
	return Raw(raw[word-len(Raw{}):]), nil
}

func (v view) same(as view) bool {
	return v.hash == as.hash && v.finalHash == as.finalHash && slices.Equal(v.transfers, as.transfers)
}

// trouble is a reason why a network cannot be read further.
type trouble struct{ text string }

func (t *trouble) Error() string { return t.text }

// said is a node, and what it answered last.
type said struct {
	node *node
	head int64
	err  error
}

// askAll asks several nodes at the same time, and stores each node's error.
func askAll[T any](asked []*said, ask func(n *node) (T, error)) []T {
	answers := make([]T, len(asked))
	var all sync.WaitGroup
	for i, s := range asked {
		all.Go(func() { answers[i], s.err = ask(s.node) })
	}
	all.Wait()
	return answers
}

// agreed returns what the nodes answered, if all of those that answered say the
// same and they are at least need.
func agreed[T any](asked []*said, need int, answers []T, same func(a, b T) bool) (T, error) {
	var first *T
	var none T
	answered := 0
	for i, s := range asked {
		if s.err != nil {
			continue
		}
		answered++
		if first == nil {
			first = &answers[i]
		} else if !same(*first, answers[i]) {
			s.err = errors.New("says otherwise than the others")
			return none, &trouble{"the nodes differ"}
		}
	}
	if answered < need {
		return none, &trouble{"too few nodes answer"}
	}
	return *first, nil
}
