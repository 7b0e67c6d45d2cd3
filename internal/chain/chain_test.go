package chain_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/chain"
	"gateway.example/internal/chain/simulated"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// An address is taken by the networks that write it so, and no other; read and
// written again it is the same.
func TestForms(t *testing.T) {
	t.Parallel()
	testenv.Want(t, len(chain.Networks()), 5, "networks: those of the table are Tron's, and all others'")
	for _, row := range testenv.Rows(t, "addresses.txt") {
		for _, network := range chain.Networks() {
			if (network.Name == "TRC20") != (row[1] == "TRC20") {
				continue
			}
			raw, err := chain.Read(network.Name, row[2])
			testenv.Want(t, err == nil, row[0] == "good", "%s takes %.50s", network.Name, row[2])
			if err == nil {
				testenv.Want(t, strings.EqualFold(network.Write(raw), row[2]), true, "%s writes %s", network.Name, row[2])
			}
		}
	}
}

// Nobody sends USDT to the contract of a token, however it is written and of
// whichever network.
func TestContracts(t *testing.T) {
	t.Parallel()
	for _, of := range chain.Networks() {
		contract := testenv.Must(chain.Read(of.Name, of.Token))(t)
		for _, by := range chain.Networks() {
			address := by.Write(contract)
			testenv.NoError(t, chain.CheckForm(by.Name, address))
			testenv.Want(t, errors.Is(chain.CheckAddress(by.Name, address), chain.ErrContract), true,
				"%s refuses the contract of %s", by.Name, of.Name)
		}
	}
	testenv.NoError(t, chain.CheckAddress("TRC20", "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"))
	testenv.Want(t, errors.Is(chain.CheckAddress("TON", "x"), chain.ErrNetwork), true, "an unknown network is refused")
}

func TestHash(t *testing.T) {
	t.Parallel()
	tron, _ := chain.Find("TRC20")
	other, _ := chain.Find("ERC20")
	digits := strings.Repeat("0f", 32)
	for _, written := range []string{digits, "0x" + digits, " " + strings.ToUpper(digits) + "\n"} {
		testenv.Want(t, tron.Hash(written), digits, "a hash of Tron")
		testenv.Want(t, other.Hash(written), "0x"+digits, "a hash of Ethereum")
	}
	for _, written := range []string{"", "0x", digits[1:], digits + "0", strings.Repeat("zz", 32)} {
		testenv.Want(t, other.Hash(written), "", "no hash: %q", written)
	}
}

func TestMain(m *testing.M) { dbtest.Main(m) }

const ours = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"

// patience is how long nodes are waited for.
const patience = 2 * time.Second

// script is a chain whose blocks are what a test says, and may become others.
type script struct {
	lock      sync.Mutex
	salts     []int // of each block; the hash of a block is about all below it
	transfers []simulated.Transfer
}

func (s *script) Head(context.Context) (int64, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return int64(len(s.salts) - 1), nil
}

func (s *script) Hash(number int64) string {
	s.lock.Lock()
	defer s.lock.Unlock()
	sum := sha256.Sum256(fmt.Append(nil, s.salts[:min(number+1, int64(len(s.salts)))]))
	return hex.EncodeToString(sum[:])
}

func (s *script) Time(number int64) time.Time { return time.Unix(1_000_000+number, 0) }

func (s *script) Transfers(_ context.Context, from, to int64) (found []simulated.Transfer, _ error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, t := range s.transfers {
		if t.Block >= from && t.Block <= to {
			found = append(found, t)
		}
	}
	return found, nil
}

func (s *script) mine(blocks, salt int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for range blocks {
		s.salts = append(s.salts, salt)
	}
}

// fork puts other blocks in the place of the last ones, one more than there
// were, with nothing in them.
func (s *script) fork(blocks, salt int) {
	s.lock.Lock()
	kept := len(s.salts) - blocks
	s.salts = s.salts[:kept]
	var left []simulated.Transfer
	for _, t := range s.transfers {
		if t.Block < int64(kept) {
			left = append(left, t)
		}
	}
	s.transfers = left
	s.lock.Unlock()
	s.mine(blocks+1, salt)
}

// send puts a transfer into a block of its own.
func (s *script) send(number int, from, to chain.Raw, amount string) {
	s.mine(1, 0)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.transfers = append(s.transfers, simulated.Transfer{
		Block: int64(len(s.salts) - 1), Hash: hashOf(number), From: from, To: to, Amount: decimal.RequireFromString(amount),
	})
}

func hashOf(number int) string { return fmt.Sprintf("%064x", number) }

// lab is a network with two nodes that show one script, each as its own fault
// has it.
type lab struct {
	*dbtest.DB
	script *script
	clock  *dbtest.Clock
	urls   []string
	// faults are read by requests that the watcher may have given up.
	faults [2]atomic.Pointer[nodeFault]
	asked  int
}

type nodeFault func(w http.ResponseWriter, body string, next http.Handler, r *http.Request)

// breaks has a node answer by a fault from now on.
func (l *lab) breaks(node int, fault nodeFault) { l.faults[node].Store(&fault) }

// rewrites has a node write something else into its answers to a method, or to
// all.
func (l *lab) rewrites(node int, method, from, to string) {
	l.breaks(node, func(w http.ResponseWriter, body string, next http.Handler, r *http.Request) {
		said := httptest.NewRecorder()
		next.ServeHTTP(said, r)
		answer := said.Body.String()
		if strings.Contains(body, method) {
			answer = strings.ReplaceAll(answer, from, to)
		}
		_, _ = io.WriteString(w, answer)
	})
}

// mends has a node answer as it should.
func (l *lab) mends(node int) { l.faults[node].Store(nil) }

func newLab(t *testing.T) *lab {
	t.Helper()
	tron, _ := chain.Find("TRC20")
	l := &lab{DB: dbtest.New(t), script: &script{}, clock: &dbtest.Clock{}}
	l.script.mine(30, 0)
	l.Exec(t, "insert into receiving_address (network, address) values ('TRC20', $1)", ours)
	for i := range l.faults {
		honest := simulated.Handler(tron, l.script)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if fault := l.faults[i].Load(); fault != nil {
				(*fault)(w, string(body), honest, r)
				return
			}
			honest.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		l.urls = append(l.urls, server.URL+"/secret-key")
	}
	return l
}

func (l *lab) watcher(t *testing.T) *chain.Watcher {
	t.Helper()
	tron, _ := chain.Find("TRC20")
	return testenv.Must(chain.NewWatcher(l.Pool, l.clock, outbound.NewAddresses(true).Client(patience), tron, l.urls))(t)
}

// round is one of a process that has just begun, so that every round is also
// one after a kill.
func (l *lab) round(t *testing.T) {
	t.Helper()
	l.Exec(t, "update chain_cursor set leased_until = now()")
	testenv.NoError(t, l.watcher(t).Round(t.Context()))
}

func (l *lab) want(t *testing.T, transfers, what string) {
	t.Helper()
	testenv.Want(t, l.Text(t, `select coalesce(string_agg(ltrim(transaction_hash, '0') || ' ' || direction || ' ' || amount::real || ' '
		|| state, ', ' order by transaction_hash, direction), '') from chain_transfer`), transfers, "%s", what)
}

func (l *lab) trouble(t *testing.T) string {
	t.Helper()
	return l.Text(t, "select coalesce(trouble, '') from chain_cursor")
}

func platform(t *testing.T) chain.Raw {
	t.Helper()
	return testenv.Must(chain.Read("TRC20", ours))(t)
}

// A transfer is seen at once and final with its confirmations, each way; what
// is sent between others, or nothing, is not.
func TestConfirmations(t *testing.T) {
	l := newLab(t)
	us, them := platform(t), chain.Raw{1}
	l.round(t)
	l.script.send(1, them, us, "10.5")
	l.script.send(2, us, them, "3")
	l.script.send(3, us, us, "1")
	l.script.send(4, them, chain.Raw{2}, "7")
	l.script.send(5, them, us, "0")
	l.round(t)
	l.want(t, "1 in 10.5 seen, 2 out 3 seen, 3 in 1 seen, 3 out 1 seen", "at once")
	l.script.mine(15, 0)
	l.round(t)
	l.want(t, "1 in 10.5 final, 2 out 3 seen, 3 in 1 seen, 3 out 1 seen", "the first has 20")
	l.script.mine(1200, 0)
	l.script.send(6, them, us, "2")
	l.round(t)
	l.want(t, "1 in 10.5 final, 2 out 3 final, 3 in 1 final, 3 out 1 final, 6 in 2 seen", "after a long gap")
	testenv.Want(t, l.Text(t, "select to_address from chain_transfer where direction = 'in' limit 1"), ours, "the address")
}

// What vanishes before it is final is gone, and comes again in another block.
// What vanishes afterwards is lost, however deep, and what still stands stays.
func TestReorganisations(t *testing.T) {
	l := newLab(t)
	us, them := platform(t), chain.Raw{1}
	l.round(t)
	l.script.send(1, them, us, "1")
	l.script.mine(40, 0)
	l.script.send(2, them, us, "2")
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2 seen", "at first")
	l.script.fork(1, 1)
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2 gone", "its block is another")
	l.script.send(2, them, us, "2.5")
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2.5 seen", "included again")
	l.script.mine(600, 1)
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2.5 final", "final")
	l.script.fork(610, 2)
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2.5 lost", "deeper than its confirmations")
	l.script.send(2, them, us, "2.5")
	l.script.mine(20, 2)
	l.round(t)
	l.want(t, "1 in 1 final, 2 in 2.5 final", "it has come after all, and is one still")
	l.script.fork(680, 3)
	l.round(t)
	l.want(t, "1 in 1 lost, 2 in 2.5 lost", "to the beginning")
}

// While one node lies, is silent, lags behind or answers with rubbish, nothing
// is taken for true, and it is said why.
func TestNodesThatDiffer(t *testing.T) {
	l := newLab(t)
	us, them := platform(t), chain.Raw{1}
	l.round(t)
	l.script.send(1, them, us, "100")
	answer := func(method, document string) {
		l.breaks(1, func(w http.ResponseWriter, body string, next http.Handler, r *http.Request) {
			if strings.Contains(body, method) {
				_, _ = io.WriteString(w, document)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	rewrite := func(from, to string) { l.rewrites(1, "", from, to) }
	hundred, million := fmt.Sprintf("%064x", 100_000_000), fmt.Sprintf("%064x", 1_000_000_000_000)
	for name, fault := range map[string]func(){
		"another amount": func() { rewrite(hundred, million) },
		"hides it":       func() { answer("eth_getLogs", `{"result":[]}`) },
		"no receipt":     func() { answer("eth_getTransactionReceipt", `{"result":null}`) },
		"failed":         func() { rewrite(`"status":"0x1"`, `"status":"0x0"`) },
		"another token":  func() { rewrite("a614f803b6fd780986a42c78ec9c7f77e6ded13c", strings.Repeat("ab", 20)) },
		"behind":         func() { answer("eth_blockNumber", `{"result":"0x3"}`) },
		"no block":       func() { answer("eth_getBlockByNumber", `{"result":null}`) },
		"no number":      func() { answer("eth_blockNumber", `{"result":null}`) },
		"rubbish":        func() { answer("eth_getLogs", `<html>`) },
		"an error":       func() { answer("eth_getLogs", `{"error":{"code":-32005,"message":"secret-key"}}`) },
		"endless":        func() { answer("eth_getLogs", strings.Repeat("x", 17<<20)) },
		"silent": func() {
			l.breaks(1, func(_ http.ResponseWriter, _ string, _ http.Handler, r *http.Request) { <-r.Context().Done() })
		},
	} {
		fault()
		l.round(t)
		l.want(t, "", name)
		testenv.Check(t, l.trouble(t) != "", "%s: no trouble is told", name)
		testenv.Want(t, l.Count(t, "select count(*) from chain_node where trouble like '%secret%'"), 0, "%s: keys told", name)
	}
	since := l.Text(t, "select trouble_since::text from chain_cursor")
	l.clock.Advance(time.Hour)
	l.round(t)
	testenv.Want(t, l.Text(t, "select trouble_since::text from chain_cursor"), since, "since when")
	l.mends(1)
	l.round(t)
	l.want(t, "1 in 100 seen", "they agree")
	testenv.Want(t, l.trouble(t), "", "what is wrong now")
	testenv.Want(t, l.Count(t, "select count(*) from chain_node where trouble = ''"), 2, "nodes that agree")

	l.script.mine(1, 0)
	rewrite(l.script.Hash(31), strings.Repeat("cd", 32))
	l.round(t)
	testenv.Want(t, l.trouble(t), "the nodes differ", "on another chain, of which nothing else is known")
}

// What both nodes answer is taken for a transfer of USDT only if it is one, of
// a block of the chain: some nodes answer more than they were asked for.
func TestNodesThatAnswerMore(t *testing.T) {
	l := newLab(t)
	l.round(t)
	l.script.send(1, chain.Raw{1}, platform(t), "100")
	to := platform(t)
	for name, is := range map[string][2]string{
		"an approval":          {"ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", "8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"},
		"another token":        {"a614f803b6fd780986a42c78ec9c7f77e6ded13c", strings.Repeat("ab", 20)},
		"more than there is":   {fmt.Sprintf("%064x", 100_000_000), strings.Repeat("f", 64)},
		"to no address":        {strings.Repeat("0", 24) + hex.EncodeToString(to[:]), "01" + strings.Repeat("0", 22) + hex.EncodeToString(to[:])},
		"of a block that left": {`"blockHash":"0x` + l.script.Hash(30), `"blockHash":"0x` + strings.Repeat("cd", 32)},
	} {
		for node := range l.faults {
			l.rewrites(node, "", is[0], is[1])
		}
		l.round(t)
		l.want(t, "", name)
		testenv.Check(t, l.trouble(t) != "", "%s: no trouble is told", name)
	}
}

// A node that answers null has not read the logs: that is not the same as that
// there are none, which would be the end of what has come meanwhile.
func TestNodesThatAnswerNull(t *testing.T) {
	l := newLab(t)
	l.round(t)
	l.script.send(1, chain.Raw{1}, platform(t), "100")
	l.script.mine(30, 0)
	for node := range l.faults {
		l.breaks(node, func(w http.ResponseWriter, body string, next http.Handler, r *http.Request) {
			if strings.Contains(body, "eth_getLogs") {
				_, _ = io.WriteString(w, `{"result":null}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	l.round(t)
	testenv.Want(t, l.trouble(t), "too few nodes answer", "both answer null")
	for node := range l.faults {
		l.mends(node)
	}
	l.script.mine(1, 0)
	l.round(t)
	l.want(t, "1 in 100 final", "both have read them")
}

// A named transaction has paid what it moved in USDT, if it succeeded, in a
// block of the chain. What moved nothing of that is told.
func TestWhatNamedTransactionsMoved(t *testing.T) {
	l := newLab(t)
	l.round(t)
	l.script.send(1, chain.Raw{1}, chain.Raw{2}, "7")
	l.script.mine(30, 0)
	for name, is := range map[string]struct {
		from, to string
		empty    bool
	}{
		"another token":          {"a614f803b6fd780986a42c78ec9c7f77e6ded13c", strings.Repeat("ab", 20), true},
		"failed":                 {`"status":"0x1"`, `"status":"0x0"`, true},
		"of a block that left":   {l.script.Hash(30), strings.Repeat("cd", 32), false},
		"of another transaction": {hashOf(1), hashOf(2), false},
		"without a status":       {`"status":"0x1"`, `"root":"0x1"`, false},
		"without logs":           {`"logs":[`, `"logs":null,"others":[`, false},
	} {
		for node := range l.faults {
			l.rewrites(node, "eth_getTransactionReceipt", is.from, is.to)
		}
		named := &payments{names: []string{hashOf(1)}}
		w := l.watcher(t)
		w.Named = named
		l.Exec(t, "update chain_cursor set leased_until = now()")
		testenv.NoError(t, w.Round(t.Context()))
		l.want(t, "", name)
		testenv.Want(t, len(named.empty) == 1, is.empty, "%s: told as empty", name)
	}
}

// A network without new blocks is in trouble from then on until there is one:
// the alarm rings for what lasts.
func TestNoNewBlock(t *testing.T) {
	l := newLab(t)
	w := l.watcher(t)
	testenv.NoError(t, w.Round(t.Context()))
	began := ""
	for i := range 4 {
		w.Later(11 * time.Minute)
		l.clock.Advance(11 * time.Minute)
		testenv.NoError(t, w.Round(t.Context()))
		testenv.Want(t, l.trouble(t), "no new block", "round %d", i)
		since := l.Text(t, "select trouble_since::text from chain_cursor")
		if began == "" {
			began = since
		}
		testenv.Want(t, since, began, "since when, round %d", i)
	}
	l.script.mine(1, 0)
	w.Later(time.Minute)
	testenv.NoError(t, w.Round(t.Context()))
	testenv.Want(t, l.trouble(t), "", "once there is one")
}

// Two processes read at once, one of which thinks it has the lease; blocks
// come, vanish and come again at random. What is there in the end is what the
// chain has, each once.
func TestManyReaders(t *testing.T) {
	l := newLab(t)
	us, random := platform(t), rand.New(rand.NewPCG(1, 2))
	watchers := []*chain.Watcher{l.watcher(t), l.watcher(t)}
	number := 0
	for range testenv.Pick(t, 40, 400) {
		switch random.IntN(4) {
		case 0:
			l.script.fork(1+random.IntN(4), number)
		case 1:
			l.script.mine(1+random.IntN(5), number)
		default:
			number++
			l.script.send(number, chain.Raw{1}, us, fmt.Sprint(number))
		}
		l.Exec(t, "update chain_cursor set leased_until = now()")
		for _, err := range testenv.AtOnce(2, func(i int) error { return watchers[i].Round(t.Context()) }) {
			testenv.NoError(t, err)
		}
	}
	l.script.mine(30, number)
	l.round(t)
	l.round(t)
	var there []string
	all, _ := l.script.Transfers(t.Context(), 0, 1<<40)
	for _, s := range all {
		there = append(there, fmt.Sprint(strings.TrimLeft(s.Hash, "0"), " in ", s.Amount, " final"))
	}
	testenv.Check(t, len(there) > 5, "only %d transfers", len(there))
	got := l.Text(t, `select coalesce(string_agg(ltrim(transaction_hash, '0') || ' in ' || amount::real || ' ' || state, ', '
		order by transaction_hash), '') from chain_transfer where state <> 'gone'`)
	testenv.Want(t, got, strings.Join(there, ", "), "final transfers")
}

// payments are named transactions, and those that have moved nothing.
type payments struct{ names, empty []string }

func (p *payments) Hashes(context.Context, string) ([]string, error) {
	return slices.Clone(p.names), nil
}

// Empty has the transaction be asked about no more, as withdrawals do.
func (p *payments) Empty(_ context.Context, _, hash string) error {
	p.names = slices.DeleteFunc(p.names, func(name string) bool { return name == hash })
	p.empty = append(p.empty, hash)
	return nil
}

// A named transaction is seen from whichever address once it is final, and not
// while the nodes differ about it, which keeps nothing else from being read.
func TestNamedTransactions(t *testing.T) {
	l := newLab(t)
	us, them := platform(t), chain.Raw{1}
	named := &payments{names: []string{hashOf(1), hashOf(2), hashOf(9)}}
	round := func() {
		l.Exec(t, "update chain_cursor set leased_until = now()")
		w := l.watcher(t)
		w.Named = named
		testenv.NoError(t, w.Round(t.Context()))
	}
	round()
	l.script.send(1, them, chain.Raw{2}, "7")
	l.script.send(2, them, chain.Raw{2}, "0")
	round()
	l.want(t, "", "not final")
	l.script.mine(30, 0)
	l.script.send(3, them, us, "1")
	l.breaks(1, func(w http.ResponseWriter, body string, next http.Handler, r *http.Request) {
		if strings.Contains(body, hashOf(1)) {
			_, _ = io.WriteString(w, `{"result":null}`)
			return
		}
		next.ServeHTTP(w, r)
	})
	round()
	l.want(t, "3 in 1 seen", "the nodes differ about one")
	testenv.WantAll(t, named.empty, []string{hashOf(2)}, "what has moved nothing, asked about after the other")
	l.mends(1)
	l.script.mine(1, 0)
	round()
	l.want(t, "1 named 7 final, 3 in 1 seen", "they agree")
	sent := l.script.Time(l.script.transfers[0].Block)
	testenv.Want(t, l.Text(t, "select extract(epoch from seen_at)::bigint::text from chain_transfer where direction = 'named'"),
		fmt.Sprint(sent.Unix()), "a named one is as old as its block")
	testenv.WantAll(t, named.empty, []string{hashOf(2)}, "what has moved nothing")
}

// While one process has the lease, another asks no node.
func TestLease(t *testing.T) {
	l := newLab(t)
	testenv.NoError(t, l.watcher(t).Round(t.Context()))
	l.breaks(0, func(http.ResponseWriter, string, http.Handler, *http.Request) { l.asked++ })
	testenv.NoError(t, l.watcher(t).Round(t.Context()))
	testenv.Want(t, l.asked, 0, "questions of a process without the lease")
}
