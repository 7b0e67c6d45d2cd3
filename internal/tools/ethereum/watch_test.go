// Package ethereum has Ethereum's own node make blocks, receipts and events, and the watcher of internal/chain read them over
// HTTP: what the scripted node of other tests answers is written by who wrote the watcher.
package ethereum

import (
	"context"
	"crypto/ecdsa"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/catalyst"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"

	"gateway.example/internal/chain"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	confirmations = 5
	patience      = 10 * time.Second
	ether         = 1_000_000_000_000_000_000
	gas           = 1_000_000
)

// party is somebody with a key.
type party struct {
	key     *ecdsa.PrivateKey
	address common.Address
}

func newParty(t *testing.T) party {
	t.Helper()
	key := testenv.Must(crypto.GenerateKey())(t)
	return party{key, crypto.PubkeyToAddress(key.PublicKey)}
}

// lab is a node with a chain of its own, a token on it, and a gateway that watches one address.
type lab struct {
	*dbtest.DB
	eth              *eth.Ethereum
	beacon           *catalyst.SimulatedBeacon
	client           *ethclient.Client
	token            common.Address
	us, them, others party
	network          chain.Network
	watcher          *chain.Watcher
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{DB: dbtest.New(t), us: newParty(t), them: newParty(t), others: newParty(t)}
	url := l.start(t)
	l.client = testenv.Must(ethclient.DialContext(t.Context(), url))(t)
	t.Cleanup(l.client.Close)
	l.token = crypto.CreateAddress(l.them.address, 0)
	l.ask(t, l.them, nil, tokenCode())
	l.send(t, l.them, l.us, 1_000_000)
	l.send(t, l.them, l.others, 5_000_000)
	l.mine(2 * confirmations)
	l.network, _ = chain.Find("ERC20")
	l.network.Token, l.network.Confirmations = l.token.Hex(), confirmations
	l.Exec(t, "insert into receiving_address (network, address) values ('ERC20', $1)", l.us.address.Hex())
	client := outbound.NewAddresses(true).Client(patience)
	l.watcher = testenv.Must(chain.NewWatcher(l.Pool, &dbtest.Clock{}, client, l.network, []string{url}))(t)
	l.round(t)
	return l
}

// start starts the node as go-ethereum's simulated backend does, and has it answer over HTTP besides.
func (l *lab) start(t *testing.T) (url string) {
	t.Helper()
	conf := node.DefaultConfig
	conf.DataDir, conf.P2P = "", p2p.Config{NoDiscovery: true}
	conf.HTTPHost, conf.HTTPPort, conf.HTTPModules = "127.0.0.1", 0, []string{"eth"}
	stack := testenv.Must(node.New(&conf))(t)
	t.Cleanup(func() { testenv.NoError(t, stack.Close()) })

	genesis := core.SystemContractAllocs()
	maps.Copy(genesis, types.GenesisAlloc{
		l.us.address: {Balance: big.NewInt(ether)}, l.them.address: {Balance: big.NewInt(ether)},
		l.others.address: {Balance: big.NewInt(ether)},
	})
	settings := ethconfig.Defaults
	settings.Genesis = &core.Genesis{
		Config: params.AllDevChainProtocolChanges, GasLimit: ethconfig.Defaults.Miner.GasCeil, Alloc: genesis,
	}
	settings.SyncMode, settings.TxPool.NoLocals, settings.LogNoHistory = ethconfig.FullSync, true, true
	l.eth = testenv.Must(eth.New(stack, &settings))(t)
	events := filters.NewFilterSystem(l.eth.APIBackend, filters.Config{})
	stack.RegisterAPIs([]rpc.API{{Namespace: "eth", Service: filters.NewFilterAPI(events)}})
	testenv.NoError(t, stack.Start())
	l.beacon = testenv.Must(catalyst.NewSimulatedBeacon(0, common.Address{}, l.eth))(t)
	t.Cleanup(func() { testenv.NoError(t, l.beacon.Stop()) })
	testenv.NoError(t, l.beacon.Fork(l.eth.BlockChain().GetCanonicalHash(0)))
	return stack.HTTPEndpoint()
}

// ask sends a transaction to a contract, or makes one.
func (l *lab) ask(t *testing.T, from party, to *common.Address, data []byte) *types.Transaction {
	t.Helper()
	nonce := testenv.Must(l.client.PendingNonceAt(t.Context(), from.address))(t)
	id := testenv.Must(l.client.ChainID(t.Context()))(t)
	tx := testenv.Must(types.SignNewTx(from.key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: to, Data: data, Gas: gas, GasTipCap: big.NewInt(1_000_000_000), GasFeeCap: big.NewInt(10_000_000_000),
	}))(t)
	testenv.NoError(t, l.client.SendTransaction(t.Context(), tx))
	return tx
}

// send asks for a transfer of so many millionths.
func (l *lab) send(t *testing.T, from, to party, millionths int64) *types.Transaction {
	t.Helper()
	return l.ask(t, from, &l.token, transferCall(to.address, millionths))
}

func (l *lab) mine(blocks int) {
	for range blocks {
		l.beacon.Commit()
	}
}

func (l *lab) round(t *testing.T) {
	t.Helper()
	testenv.NoError(t, l.watcher.Round(t.Context()))
	testenv.Want(t, l.Text(t, "select coalesce(trouble, '') from chain_cursor"), "", "what is wrong")
}

// row is a transfer as the gateway should have it, from the receipt that the node gives for it.
func (l *lab) row(t *testing.T, tx *types.Transaction, from, to party, direction, amount, state string) string {
	t.Helper()
	receipt := testenv.Must(l.client.TransactionReceipt(t.Context(), tx.Hash()))(t)
	testenv.Check(t, receipt.Status == 1 && len(receipt.Logs) == 2, "the token answered %+v", receipt)
	return fmt.Sprintln(tx.Hash().Hex(), 1, receipt.BlockNumber, receipt.BlockHash.Hex(), from.address.Hex(), to.address.Hex(), direction,
		amount, state)
}

func (l *lab) want(t *testing.T, what string, rows ...string) {
	t.Helper()
	slices.Sort(rows)
	got := l.Text(t, `select coalesce(string_agg(concat_ws(' ', transaction_hash, log_index, block_number, block_hash, from_address, to_address,
		direction, trim_scale(amount), state) || e'\n', '' order by transaction_hash collate "C", direction collate "C"), '')
		from chain_transfer where state <> 'gone'`)
	want := ""
	for _, row := range rows {
		want += row
	}
	testenv.Want(t, got, want, "%s", what)
}

// Transfers of one block, each way, are read with hash, block, sender and amount as the node has them; what failed, moved
// nothing or went between others is not. They are final with their last confirmation and not before.
func TestTransfers(t *testing.T) {
	l := newLab(t)
	great, small := l.send(t, l.them, l.us, 123_456_789_654_321), l.send(t, l.others, l.us, 1)
	out := l.send(t, l.us, l.them, 500_000)
	l.send(t, l.them, l.others, 7_000_000)
	l.send(t, l.them, l.us, 0)
	refused := l.send(t, l.others, l.us, 9_000_000_000)
	l.mine(1)
	receipt := testenv.Must(l.client.TransactionReceipt(t.Context(), refused.Hash()))(t)
	testenv.Want(t, receipt.Status, 0, "what became of who had too little")
	rows := func(state string) []string {
		return []string{
			l.row(t, great, l.them, l.us, "in", "123456789.654321", state), l.row(t, small, l.others, l.us, "in", "0.000001", state),
			l.row(t, out, l.us, l.them, "out", "0.5", state),
		}
	}
	for range confirmations - 1 {
		l.round(t)
		l.want(t, "with too few blocks above it", rows("seen")...)
		l.mine(1)
	}
	l.round(t)
	l.want(t, "with all its confirmations", rows("final")...)
}

// A transfer whose block is another one now is gone, and is there again once a block has it.
func TestReorganisation(t *testing.T) {
	l := newLab(t)
	before := l.eth.BlockChain().CurrentBlock().Hash()
	tx := l.send(t, l.them, l.us, 2_000_000)
	l.mine(2)
	l.round(t)
	l.want(t, "at first", l.row(t, tx, l.them, l.us, "in", "2", "seen"))
	testenv.NoError(t, l.beacon.Fork(before))
	l.beacon.Rollback() // what the blocks had would come again in the next one
	l.mine(3)
	l.round(t)
	l.want(t, "on another branch")
	testenv.NoError(t, l.client.SendTransaction(t.Context(), tx))
	l.mine(1)
	l.round(t)
	l.want(t, "sent again", l.row(t, tx, l.them, l.us, "in", "2", "seen"))
}

// payments are named transactions, and those that have moved nothing.
type payments struct{ names, empty []string }

func (p *payments) Hashes(context.Context, string) ([]string, error) {
	return slices.Clone(p.names), nil
}

func (p *payments) Empty(_ context.Context, _, hash string) error {
	p.names = slices.DeleteFunc(p.names, func(name string) bool { return name == hash })
	p.empty = append(p.empty, hash)
	return nil
}

// A named transaction is read from its receipt, whoever has sent it, and told of where it has moved nothing. One that the
// node does not know is asked about again.
func TestNamed(t *testing.T) {
	l := newLab(t)
	paid, refused := l.send(t, l.them, l.others, 3_000_000), l.send(t, l.others, l.them, 9_000_000_000)
	unknown := common.Hash{1}.Hex()
	named := &payments{names: []string{paid.Hash().Hex(), refused.Hash().Hex(), unknown}}
	l.watcher.Named = named
	l.mine(confirmations - 1)
	l.round(t)
	l.want(t, "before it is final")
	testenv.Want(t, len(named.empty), 0, "empty ones")
	l.mine(1)
	l.round(t)
	l.want(t, "once it is final", l.row(t, paid, l.them, l.others, "named", "3", "final"))
	testenv.Want(t, fmt.Sprint(named.empty), fmt.Sprint([]string{refused.Hash().Hex()}), "what has moved nothing")
	testenv.Check(t, slices.Contains(named.names, unknown), "an unknown one is asked about no more")
}
