package chain_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/chain"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// Anvil signs for these accounts.
const (
	ourAccount = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
	payer      = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	stranger   = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
)

// token makes a token of one method: transfer(address,uint256). It ends with an
// error where the caller has too little, and tells of an approval before it
// tells of the transfer, so that a transfer is not the first event of its
// transaction. Behind its instructions a line says what then lies on the stack.
const token = "0x" +
	"66038d7ea4c68000" + "3355" + // PUSH7 10^15, CALLER SSTORE: who deploys it has all; a balance is kept under its address
	"6078610017600039" + "60786000f3" + // PUSH1 120 PUSH2 23 PUSH1 0 CODECOPY, PUSH1 120 PUSH1 0 RETURN: what follows is its code
	"3354" + "602435" + // CALLER SLOAD, PUSH1 36 CALLDATALOAD: balance, amount
	"818111" + "607457" + // DUP2 DUP2 GT, PUSH1 116 JUMPI to the end: balance, amount
	"90819003" + "3355" + // SWAP1 DUP2 SWAP1 SUB, CALLER SSTORE: amount
	"600435" + // PUSH1 4 CALLDATALOAD: amount, to
	"80548201" + "8155" + // DUP1 SLOAD DUP3 ADD, DUP2 SSTORE: amount, to
	"905f52" + // SWAP1 PUSH0 MSTORE: to
	"80337f" + approval + "60205fa3" + // DUP1 CALLER PUSH32, PUSH1 32 PUSH0 LOG3: to
	"80337f" + transfer + "60205fa3" +
	"60015f52" + "60206000f3" + // PUSH1 1 PUSH0 MSTORE, PUSH1 32 PUSH1 0 RETURN
	"5b5f5ffd" // JUMPDEST PUSH0 PUSH0 REVERT

// The hashes of Approval(address,address,uint256) and
// Transfer(address,address,uint256).
const (
	approval = "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"
	transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
)

const confirmations = 5

// anvil is a node that is not ours with a chain of its own, a token on it, and
// a gateway that watches one address: what the scripted node of other tests
// answers is written by who wrote the watcher.
type anvil struct {
	*dbtest.DB
	url, token string
	watcher    *chain.Watcher
}

func newAnvil(t *testing.T) *anvil {
	t.Helper()
	a := &anvil{DB: dbtest.New(t), url: startAnvil(t)}
	deployed := a.send(t, payer, map[string]string{"data": token})
	a.mine(t, 1)
	a.token = a.receipt(t, deployed).ContractAddress
	a.transfer(t, payer, ourAccount, 1_000_000)
	a.transfer(t, payer, stranger, 5_000_000)
	a.mine(t, 2*confirmations)
	network, _ := chain.Find("ERC20")
	network.Token, network.Confirmations = a.token, confirmations
	a.Exec(t, "insert into receiving_address (network, address) values ('ERC20', $1)", ourAccount)
	client := outbound.NewAddresses(true).Client(testenv.Patience)
	a.watcher = testenv.Must(chain.NewWatcher(a.Pool, &dbtest.Clock{}, client, network, []string{a.url}))(t)
	a.round(t)
	return a
}

// startAnvil starts Anvil until the test ends.
func startAnvil(t *testing.T) (url string) {
	t.Helper()
	const packages = "../tools/ethereum/node_modules/@foundry-rs/"
	found := testenv.Must(filepath.Glob(packages + "anvil-*/bin/anvil"))(t)
	if found == nil { // Node.js 18 is too old for the package of one system, and gets the program into that of all
		found = testenv.Must(filepath.Glob(packages + "anvil/anvil"))(t)
	}
	if found == nil {
		testenv.Missing(t, "no Anvil: npm ci --prefix internal/tools/ethereum")
	}
	cmd := exec.CommandContext(t.Context(), found[0], "--port", "0", "--no-mining", "--cache-path", t.TempDir())
	cmd.Stderr = os.Stderr
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // its context has ended by then
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address, last := strings.CutPrefix(lines.Text(), "Listening on "); last {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return "http://" + address
		}
	}
	t.Fatal("Anvil does not listen")
	return ""
}

// call makes one call of JSON-RPC.
func call[T any](t *testing.T, a *anvil, method string, params ...any) T {
	t.Helper()
	body := testenv.Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))(t)
	response := testenv.Must(http.Post(a.url, "application/json", bytes.NewReader(body)))(t)
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Result T
		Error  any
	}
	testenv.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	testenv.Need(t, answer.Error == nil, "%s: %v", method, answer.Error)
	return answer.Result
}

type receipt struct {
	Status, BlockNumber, BlockHash, ContractAddress string
	Logs                                            []any
}

func (a *anvil) receipt(t *testing.T, hash string) receipt {
	t.Helper()
	return call[receipt](t, a, "eth_getTransactionReceipt", hash)
}

// send sends a transaction. Gas and its price are always the same, so that one
// that is sent again has the same hash.
func (a *anvil) send(t *testing.T, from string, tx map[string]string) (hash string) {
	t.Helper()
	tx["from"], tx["gas"], tx["gasPrice"] = from, "0xf4240", "0x2540be400"
	return call[string](t, a, "eth_sendTransaction", tx)
}

// transfer asks the token to move so many millionths.
func (a *anvil) transfer(t *testing.T, from, to string, millionths int64) (hash string) {
	t.Helper()
	return a.send(t, from, map[string]string{"to": a.token, "data": fmt.Sprintf("0xa9059cbb%064s%064x", to[2:], millionths)})
}

func (a *anvil) mine(t *testing.T, blocks int) {
	t.Helper()
	call[any](t, a, "anvil_mine", blocks)
}

func (a *anvil) round(t *testing.T) {
	t.Helper()
	testenv.NoError(t, a.watcher.Round(t.Context()))
	testenv.Want(t, a.Text(t, "select coalesce(trouble, '') from chain_cursor"), "", "what is wrong")
}

// row is a transfer as the gateway should have it, from the receipt that the
// node gives for it.
func (a *anvil) row(t *testing.T, hash, from, to, direction, amount, state string) string {
	t.Helper()
	r := a.receipt(t, hash)
	testenv.Check(t, r.Status == "0x1" && len(r.Logs) == 2, "the token answered %+v", r)
	block := testenv.Must(strconv.ParseInt(r.BlockNumber, 0, 64))(t)
	return fmt.Sprintln(hash, 1, block, r.BlockHash, from, to, direction, amount, state)
}

func (a *anvil) want(t *testing.T, what string, rows ...string) {
	t.Helper()
	slices.Sort(rows)
	got := a.Text(t, `select coalesce(string_agg(concat_ws(' ', transaction_hash, log_index, block_number, block_hash,
		from_address, to_address, direction, trim_scale(amount), state) || e'\n', ''
		order by transaction_hash collate "C", direction collate "C"), '') from chain_transfer where state <> 'gone'`)
	testenv.Want(t, got, strings.Join(rows, ""), "%s", what)
}

// Transfers of one block, each way, are read with hash, block, sender and
// amount as the node has them; what failed, moved nothing or went between
// others is not. They are final with their last confirmation and not before.
func TestAnvilTransfers(t *testing.T) {
	a := newAnvil(t)
	great, small := a.transfer(t, payer, ourAccount, 123_456_789_654_321), a.transfer(t, stranger, ourAccount, 1)
	out := a.transfer(t, ourAccount, payer, 500_000)
	a.transfer(t, payer, stranger, 7_000_000)
	a.transfer(t, payer, ourAccount, 0)
	refused := a.transfer(t, stranger, ourAccount, 9_000_000_000)
	a.mine(t, 1)
	testenv.Want(t, a.receipt(t, refused).Status, "0x0", "what became of who had too little")
	rows := func(state string) []string {
		return []string{
			a.row(t, great, payer, ourAccount, "in", "123456789.654321", state),
			a.row(t, small, stranger, ourAccount, "in", "0.000001", state),
			a.row(t, out, ourAccount, payer, "out", "0.5", state),
		}
	}
	for range confirmations - 1 {
		a.round(t)
		a.want(t, "with too few blocks above it", rows("seen")...)
		a.mine(t, 1)
	}
	a.round(t)
	a.want(t, "with all its confirmations", rows("final")...)
}

// A transfer whose block is another one now is gone, and is there again once a
// block has it.
func TestAnvilReorganisation(t *testing.T) {
	a := newAnvil(t)
	hash := a.transfer(t, payer, ourAccount, 2_000_000)
	a.mine(t, 2)
	a.round(t)
	a.want(t, "at first", a.row(t, hash, payer, ourAccount, "in", "2", "seen"))
	call[any](t, a, "anvil_reorg", 2, []any{})
	a.mine(t, 1)
	a.round(t)
	a.want(t, "on another branch")
	testenv.Want(t, a.transfer(t, payer, ourAccount, 2_000_000), hash, "its hash")
	a.mine(t, 1)
	a.round(t)
	a.want(t, "sent again", a.row(t, hash, payer, ourAccount, "in", "2", "seen"))
}

// A named transaction is read from its receipt, whoever has sent it, and told
// of where it has moved nothing. One that the node does not know is asked about
// again.
func TestAnvilNamed(t *testing.T) {
	a := newAnvil(t)
	paid, refused := a.transfer(t, payer, stranger, 3_000_000), a.transfer(t, stranger, payer, 9_000_000_000)
	unknown := "0x01" + strings.Repeat("00", 31)
	named := &payments{names: []string{paid, refused, unknown}}
	a.watcher.Named = named
	a.mine(t, confirmations-1)
	a.round(t)
	a.want(t, "before it is final")
	testenv.Want(t, len(named.empty), 0, "empty ones")
	a.mine(t, 1)
	a.round(t)
	a.want(t, "once it is final", a.row(t, paid, payer, stranger, "named", "3", "final"))
	testenv.WantAll(t, named.empty, []string{refused}, "what has moved nothing")
	testenv.Check(t, slices.Contains(named.names, unknown), "an unknown one is asked about no more")
}
