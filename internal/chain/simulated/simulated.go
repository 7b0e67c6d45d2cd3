// Package simulated simulates a node of a network, for sandboxes and tests. It
// answers what package chain asks.
package simulated

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/chain"
)

// Chain is the data from which a node answers.
type Chain interface {
	// Head is the number of the newest block.
	Head(ctx context.Context) (int64, error)
	// Hash is the hash of a block, without 0x.
	Hash(number int64) string
	// Time is when a block was made; the zero time is not told.
	Time(number int64) time.Time
	// Transfers returns the transfers in a span of blocks, in order.
	Transfers(ctx context.Context, from, to int64) ([]Transfer, error)
}

// Transfer is a transfer in a block. Each is the only one of its transaction.
type Transfer struct {
	Block int64
	// Hash is the transaction's hash, without 0x.
	Hash     string
	From, To chain.Raw
	Amount   decimal.Decimal
}

const (
	topic      = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	maxRequest = 1 << 20
)

var errUnknown = errors.New("unknown method or parameters")

// Handler answers JSON-RPC calls as a node of the network does.
func Handler(network chain.Network, c Chain) http.Handler {
	n := node{network: network, chain: c}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Method string            `json:"method"`
			Params []json.RawMessage `json:"params"`
		}
		if json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&asked) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": 1}
		result, err := n.answer(r.Context(), asked.Method, asked.Params)
		if answer["result"] = result; err != nil {
			delete(answer, "result")
			answer["error"] = map[string]any{"code": -32602, "message": err.Error()}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
}

type node struct {
	network chain.Network
	chain   Chain
}

// answer serves the calls that the watcher makes and no others: these are
// errUnknown, an error of JSON-RPC. The head is read once for each call.
func (n node) answer(ctx context.Context, method string, params []json.RawMessage) (any, error) {
	head, err := n.chain.Head(ctx)
	if err != nil {
		return nil, err
	}
	var text string
	if len(params) > 0 {
		_ = json.Unmarshal(params[0], &text)
	}
	switch {
	case method == "eth_blockNumber":
		return quantity(head), nil
	case method == "eth_getBlockByNumber":
		return n.block(text, head), nil
	case method == "eth_getTransactionReceipt":
		return n.receipt(ctx, strings.TrimPrefix(text, "0x"), head)
	case method == "eth_getLogs" && len(params) == 1:
		return n.logs(ctx, params[0], head)
	}
	return nil, errUnknown
}

// block is a block; nil is one that does not exist.
func (n node) block(text string, head int64) map[string]any {
	number := number(text)
	if number < 0 || number > head {
		return nil
	}
	block := map[string]any{"number": text, "hash": "0x" + n.chain.Hash(number)}
	if at := n.chain.Time(number); !at.IsZero() {
		block["timestamp"] = quantity(at.Unix())
	}
	return block
}

// receipt answers eth_getTransactionReceipt: null for a transaction that no
// block up to head has. Every transaction has succeeded, with one event.
func (n node) receipt(ctx context.Context, hash string, head int64) (any, error) {
	all, err := n.chain.Transfers(ctx, 0, head)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(t Transfer) bool { return t.Hash == hash })
	if i < 0 {
		return nil, nil //nolint:nilnil // the result for what does not exist is null
	}
	event := n.event(all[i])
	return map[string]any{"status": "0x1", "blockNumber": event.BlockNumber, "blockHash": event.BlockHash, "logs": []any{event}}, nil
}

// logs answers eth_getLogs for blocks up to head. Of the filter it heeds blocks
// and topics, each topic a list of values; one that is no list admits every
// value.
func (n node) logs(ctx context.Context, filter json.RawMessage, head int64) (any, error) {
	var asked struct {
		From   string            `json:"fromBlock"`
		To     string            `json:"toBlock"`
		Topics []json.RawMessage `json:"topics"`
	}
	if err := json.Unmarshal(filter, &asked); err != nil {
		return nil, err
	}
	all, err := n.chain.Transfers(ctx, number(asked.From), min(head, number(asked.To)))
	found := []any{}
	for _, t := range all {
		event := n.event(t)
		fits := true
		for i, wanted := range asked.Topics {
			var among []string
			_ = json.Unmarshal(wanted, &among)
			fits = fits && (len(among) == 0 || slices.Contains(among, event.Topics[i]))
		}
		if fits {
			found = append(found, event)
		}
	}
	return found, err
}

// event is the form in which a node reports a transfer.
type event struct {
	Address         string   `json:"address"`
	Topics          []string `json:"topics"`
	Data            string   `json:"data"`
	BlockNumber     string   `json:"blockNumber"`
	BlockHash       string   `json:"blockHash"`
	TransactionHash string   `json:"transactionHash"`
	LogIndex        string   `json:"logIndex"`
}

func (n node) event(t Transfer) event {
	token, _ := chain.Read(n.network.Name, n.network.Token)
	units := t.Amount.Shift(n.network.Decimals).BigInt()
	return event{
		Address: "0x" + hex.EncodeToString(token[:]), Topics: []string{topic, padded(t.From[:]), padded(t.To[:])},
		Data: padded(units.Bytes()), BlockNumber: quantity(t.Block), BlockHash: "0x" + n.chain.Hash(t.Block),
		TransactionHash: "0x" + t.Hash, LogIndex: "0x0",
	}
}

func padded(value []byte) string {
	return fmt.Sprintf("0x%064x", new(big.Int).SetBytes(value))
}

func quantity(number int64) string { return fmt.Sprintf("0x%x", number) }

func number(text string) int64 {
	number, err := strconv.ParseInt(strings.TrimPrefix(text, "0x"), 16, 64)
	if err != nil {
		return -1
	}
	return number
}
