package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxAnswer is how many bytes of a node's answer are read.
const maxAnswer = 16 << 20

// node is one of a network's nodes, called by JSON-RPC over HTTP. Tron's nodes
// offer the same calls as Ethereum's.
type node struct {
	// host names the node in messages. The rest of its address may contain
	// a key, so it is in no message.
	host, url string
	client    *http.Client
	// receipts are receipts of transactions whose transfers are not final
	// yet, by transaction and block.
	receipts map[[2]string]receipt
}

func newNode(address string, client *http.Client) (*node, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("must be an absolute URL")
	}
	return &node{host: u.Host, url: address, client: client, receipts: map[[2]string]receipt{}}, nil
}

// call makes one call. A null result leaves into unchanged.
func (n *node) call(ctx context.Context, into any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("its address is not valid")
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return fmt.Errorf("%s: no answer", method) // the client's error would quote the address
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answered with status %d", method, response.StatusCode)
	}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil || len(document) > maxAnswer {
		return fmt.Errorf("%s: the answer broke off or is larger than %d bytes", method, maxAnswer)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(document, &answer) != nil {
		return fmt.Errorf("%s: the answer is not JSON-RPC", method)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: refused with code %d", method, answer.Error.Code)
	}
	if json.Unmarshal(answer.Result, into) != nil {
		return fmt.Errorf("%s: the answer is of another form", method)
	}
	return nil
}

// head is the number of the node's newest block.
func (n *node) head(ctx context.Context) (int64, error) {
	var head quantity
	err := n.call(ctx, &head, "eth_blockNumber")
	if err == nil && head == 0 {
		err = errors.New("eth_blockNumber: no number")
	}
	return int64(head), err
}

// header is what a node says of a block.
type header struct {
	Number quantity `json:"number"`
	Hash   string   `json:"hash"`
	// Timestamp is when it was made, in seconds of Unix time.
	Timestamp quantity `json:"timestamp"`
}

// block is the hash of a block.
func (n *node) block(ctx context.Context, number int64) (string, error) {
	found, err := n.header(ctx, number)
	return found.Hash, err
}

func (n *node) header(ctx context.Context, number int64) (header, error) {
	var found header
	if err := n.call(ctx, &found, "eth_getBlockByNumber", hexNumber(number), false); err != nil {
		return header{}, err
	}
	if int64(found.Number) != number || !isHash(found.Hash) {
		return header{}, fmt.Errorf("eth_getBlockByNumber: no block %d", number)
	}
	return found, nil
}

// event is an entry that a contract has written into a transaction's log.
type event struct {
	Address         string   `json:"address"`
	Topics          []string `json:"topics"`
	Data            string   `json:"data"`
	BlockNumber     quantity `json:"blockNumber"`
	BlockHash       string   `json:"blockHash"`
	TransactionHash string   `json:"transactionHash"`
	Index           quantity `json:"logIndex"`
}

func (e event) same(as event) bool {
	return strings.EqualFold(e.Address, as.Address) && strings.EqualFold(strings.Join(e.Topics, " "), strings.Join(as.Topics, " ")) &&
		e.Data == as.Data && e.BlockHash == as.BlockHash && e.TransactionHash == as.TransactionHash && e.Index == as.Index
}

// logs returns the contract's events in a span of blocks that have all the
// topics; an empty topic stands for any.
func (n *node) logs(ctx context.Context, contract string, from, to int64, topics [3][]string) ([]event, error) {
	wanted := []any{nil, nil, nil}
	for i, topic := range topics {
		if len(topic) > 0 {
			wanted[i] = topic
		}
	}
	var found []event
	err := n.call(ctx, &found, "eth_getLogs", map[string]any{
		"address": contract, "fromBlock": hexNumber(from), "toBlock": hexNumber(to), "topics": wanted,
	})
	if err == nil && found == nil { // it has not looked, which is not the same as none
		err = errors.New("eth_getLogs: no list")
	}
	return found, err
}

// receipt is what a node says of a transaction that succeeded.
type receipt struct {
	Status    quantity `json:"status"`
	BlockHash string   `json:"blockHash"`
	Logs      []event  `json:"logs"`
	// at is when its block was made, in seconds of Unix time.
	at int64
}

// place is the position of an event among those of its transaction, by the
// transaction's receipt, and when its block was made.
func (n *node) place(ctx context.Context, e event) (place int, at int64, err error) {
	key := [2]string{e.TransactionHash, e.BlockHash}
	of, known := n.receipts[key]
	if !known {
		if err := n.call(ctx, &of, "eth_getTransactionReceipt", e.TransactionHash); err != nil {
			return 0, 0, err
		}
		if of.Status != 1 || of.BlockHash != e.BlockHash {
			return 0, 0, errors.New("eth_getTransactionReceipt: not of a transaction that succeeded in its block")
		}
		stands, err := n.header(ctx, int64(e.BlockNumber))
		if err == nil && stands.Hash != e.BlockHash {
			err = errMoved
		}
		if err != nil {
			return 0, 0, err
		}
		of.at = int64(stands.Timestamp)
		n.receipts[key] = of
	}
	for i, listed := range of.Logs {
		if listed.same(e) {
			return i, of.at, nil
		}
	}
	return 0, 0, errors.New("eth_getTransactionReceipt: the receipt does not have the transfer")
}

// quantity is a number as JSON-RPC writes it: 0x and hexadecimal digits.
type quantity int64

// UnmarshalJSON implements json.Unmarshaler.
func (q *quantity) UnmarshalJSON(document []byte) error {
	var text string
	if err := json.Unmarshal(document, &text); err != nil {
		return err
	}
	digits, prefixed := strings.CutPrefix(text, "0x")
	number, err := strconv.ParseInt(digits, 16, 64)
	if !prefixed || err != nil || number < 0 {
		return errors.New("is no quantity")
	}
	*q = quantity(number)
	return nil
}

func hexNumber(number int64) string { return "0x" + strconv.FormatInt(number, 16) }

func isHash(text string) bool {
	return strings.HasPrefix(text, "0x") && Network{form: ethereum}.Hash(text) == text
}
