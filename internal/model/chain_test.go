package model_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/chain"
	"gateway.example/internal/chain/simulated"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

const (
	// modelNetwork is the network that is watched, and modelOurs the
	// platform's address on it.
	modelNetwork = "TRC20"
	modelOurs    = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"
	// modelFinal is how many blocks a transfer needs, its own among them.
	modelFinal = 20
	// modelSeenFor is for how long a transfer looks for its deposit.
	modelSeenFor = time.Hour
	// modelSeenLate is how late a transfer may be seen whose deposit was
	// confirmed by hand.
	modelSeenLate = 7 * 24 * time.Hour
)

var (
	modelOursRaw, _ = chain.Read(modelNetwork, modelOurs)
	modelForeign    = chain.Raw{7, 7}
)

// modelChain is a network as it is. What the gateway has of it, it has to learn
// from two nodes.
type modelChain struct {
	// hashes are those of the blocks, by number.
	hashes []string
	sent   []*modelTransfer
}

// modelTransfer is a transfer that was sent. Its block is 0 where it was in one
// that is no more.
type modelTransfer struct {
	modelStepped
	simulated.Transfer
	units int64
	// state is what the gateway knows of one to or from its address, "" for
	// nothing yet, and since when. named is that it has learned of one as
	// the transaction that pays a withdrawal.
	state string
	seen  time.Time
	named bool
	// deposit is what it is for, and credited that this was confirmed by
	// it.
	deposit  *modelDeposit
	credited bool
}

// Head implements simulated.Chain.
func (c *modelChain) Head(context.Context) (int64, error) { return c.head(), nil }

func (c *modelChain) head() int64 { return int64(len(c.hashes)) - 1 }

// Hash implements simulated.Chain.
func (c *modelChain) Hash(number int64) string { return c.hashes[number] }

// Time implements simulated.Chain.
func (c *modelChain) Time(int64) time.Time { return time.Time{} }

// Transfers implements simulated.Chain.
func (c *modelChain) Transfers(_ context.Context, from, to int64) ([]simulated.Transfer, error) {
	var list []simulated.Transfer
	for _, t := range c.sent {
		if t.Block > 0 && t.Block >= from && t.Block <= to {
			list = append(list, t.Transfer)
		}
	}
	return list, nil
}

// mine adds blocks.
func (c *modelChain) mine(count int) {
	for range count {
		c.hashes = append(c.hashes, modelDigest("block", len(c.hashes), len(c.sent), c.last()))
	}
}

// last is the hash of the newest block, on which the next one builds.
func (c *modelChain) last() string {
	if len(c.hashes) == 0 {
		return ""
	}
	return c.hashes[len(c.hashes)-1]
}

func modelDigest(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

// transfer puts a transfer into a new block.
func (c *modelChain) transfer(step int, from, to chain.Raw, units int64) *modelTransfer {
	c.mine(1)
	t := &modelTransfer{modelStepped: modelStepped{step}, units: units, Transfer: simulated.Transfer{
		Block: c.head(), Hash: modelDigest("transaction", step, len(c.sent)), From: from, To: to, Amount: decimal.New(units, -8),
	}}
	c.sent = append(c.sent, t)
	return t
}

func (t *modelTransfer) comes() bool { return t.To == modelOursRaw }
func (t *modelTransfer) goes() bool  { return t.From == modelOursRaw }

// stands reports whether the gateway takes it for a transfer that is on the
// network.
func (t *modelTransfer) stands() bool { return t.state == "seen" || t.state == "final" }

// send is somebody's sending USDT to the platform: mostly what a deposit waits
// for, now and then twice, or crumbs.
func (w *modelWalk) send(s modelStep) {
	units := int64(1+s.n[1]%7) * 1_000_000
	d := pickRecord(w, s.n[0], w.model.deposits, func(d *modelDeposit) bool { return d.status == "pending" && d.address == modelOurs })
	if d != nil && s.n[2]%6 > 0 {
		units = d.amount / 100 * 100 // the token has six decimals
	}
	t := w.chain.transfer(s.id, modelForeign, modelOursRaw, max(units, 100))
	w.tell("sent in", t.units, " ", t.Hash)
}

// fork has other blocks take the place of the newest ones. What the platform
// sends comes into one of them; what others send may vanish, and come again
// with a later fork.
func (w *modelWalk) fork(s modelStep) {
	c := w.chain
	from := c.head() - int64(s.n[0]%(modelFinal/2))
	c.hashes = append(c.hashes[:from], modelDigest("fork", s.id, c.hashes[from-1]))
	// More than it replaces, so that the nodes follow it.
	c.mine(s.n[0]%(modelFinal/2) + 1)
	w.tell("network forked", from)
	for i, t := range c.sent {
		switch vanishes := t.comes() && (s.n[1]+i)%2 == 0; {
		case t.Block >= from && vanishes:
			t.Block = 0
		case t.Block >= from, t.Block == 0 && (s.n[2]+i)%3 == 0:
			t.Block = c.head()
		}
	}
}

// follow begins a watcher, as a start of the program does. The lease of the one
// before is over by then.
func (w *modelWalk) follow() {
	network, _ := chain.Find(modelNetwork)
	client := &http.Client{Transport: simulated.Transport{Handler: simulated.Handler(network, w.chain)}}
	w.watcher = given(chain.NewWatcher(w.pool, w.clock, client, network.Still(), []string{"http://a.test", "http://b.test"}))
	w.watcher.Named = w.withdrawals
	w.exec("update chain_cursor set leased_until = now()")
	must(w.watcher.Round(w.ctx))
	w.learn()
}

// watch is a round of the gateway's work, after some blocks: it reads the
// network, completes the withdrawals whose transfers it has seen, and matches
// deposits. What breaks off is made again by the next round.
func (w *modelWalk) watch(s modelStep) {
	// Mostly as many blocks as make a transfer of the newest one final, or
	// one too few.
	w.chain.mine(pickModel([]int{1 + s.n[2]%(modelFinal+4), modelFinal - 1, modelFinal - 2}, s.n[0]))
	w.touch(w.chain)
	w.tell("watched", "to block ", w.chain.head())
	ctx, injury := w.injured()
	err := errors.Join(w.watcher.Round(ctx), w.withdrawals.Settle(ctx), w.accounts.Match(ctx))
	switch {
	case injury.aborted():
		w.aborted(injury, err)
	case injury.lost():
		w.tell("lost watch")
		wantUnknown(err)
	default:
		must(err)
	}
	must(w.watcher.Round(w.ctx))
	w.learn()
	must(testenv.AtOnce(1+s.n[1]%3, func(int) error { return w.withdrawals.Settle(w.ctx) })...)
	w.settled()
	for matched := -1; matched != w.matched(); { // one match can let the next find more
		matched = w.matched()
		must(w.accounts.Match(w.ctx))
		w.adopt()
	}
	w.wantMatched()
}

// learn is what a round tells the gateway.
func (w *modelWalk) learn() {
	final := w.chain.head() - modelFinal + 1
	pays := map[string]bool{}
	for _, l := range w.model.leaves {
		if l.status == "handed_over" && l.stopped == "" {
			pays[l.hash] = true
		}
	}
	for _, t := range w.chain.sent {
		if t.Block == 0 {
			if t.state == "seen" {
				t.state = "gone"
			}
			continue
		}
		t.named = t.named || pays[t.Hash] && t.Block <= final
		if !t.comes() && !t.goes() {
			continue
		}
		if t.state == "" {
			t.seen = w.model.now
		}
		if t.state != "final" {
			t.state = "seen"
		}
		if t.Block <= final {
			t.state = "final"
		}
	}
}

// matched tells how far matching has come.
func (w *modelWalk) matched() int {
	count := 0
	for _, t := range w.chain.sent {
		if t.deposit != nil {
			count += 1 + int(t.deposit.id)<<8
		}
	}
	return count
}

// adopt takes from the database which transfer is for which deposit, where that
// may be, and what was confirmed.
func (w *modelWalk) adopt() {
	found := map[string]bool{}
	rows := given(w.check.Query(w.ctx, `select t.transaction_hash, d.deposit_id, d.credited is not null
		from deposit_transfer d join chain_transfer t on t.id = d.transfer_id where d.deposit_id is not null`))
	var hash string
	var id int64
	var credited bool
	each(rows, func() {
		found[hash] = true
		i := slices.IndexFunc(w.chain.sent, func(t *modelTransfer) bool { return t.Hash == hash })
		if i < 0 {
			fail("transfer %s was never sent", hash)
		}
		of := slices.IndexFunc(w.model.deposits, func(d *modelDeposit) bool { return d.id == id })
		w.attached(w.chain.sent[i], w.model.deposits[of], credited)
	}, &hash, &id, &credited)
	for _, t := range w.chain.sent {
		if t.deposit != nil && !found[t.Hash] {
			if t.credited || t.stands() && t.deposit.status != "rejected" {
				fail("transfer %s is for deposit %d no more", t.Hash, t.deposit.id)
			}
			t.deposit = nil
		}
	}
}

func (w *modelWalk) attached(t *modelTransfer, d *modelDeposit, credited bool) {
	if t.deposit != d {
		if !t.stands() || t.credited || !d.fits(t) || w.counted(t) {
			fail("transfer %s, %s, is for deposit %d, %s", t.Hash, t.state, d.id, d.status)
		}
		t.deposit = d
	}
	if credited && !t.credited {
		if t.state != "final" || d.status != "pending" {
			fail("deposit %d, %s, is confirmed by transfer %s, %s", d.id, d.status, t.Hash, t.state)
		}
		w.touch(d)
		w.tell("deposit confirmed by chain", d.id)
		t.credited = true
		w.model.carry(d, "confirmed", "chain", nil)
	}
}

// fits reports whether a transfer can be for a pending deposit.
func (d *modelDeposit) fits(t *modelTransfer) bool { return d.status == "pending" && d.suits(t) }

func (d *modelDeposit) suits(t *modelTransfer) bool {
	return d.network == modelNetwork && d.address == modelOurs && d.amount == t.units && !d.created.After(t.seen)
}

// counted reports whether a transfer may be the one that a deposit was
// confirmed by, by hand.
func (w *modelWalk) counted(t *modelTransfer) bool {
	return slices.ContainsFunc(w.model.deposits, func(d *modelDeposit) bool {
		return d.status == "confirmed" && d.suits(t) && !d.at.Before(t.seen.Add(-modelSeenLate)) &&
			!slices.ContainsFunc(w.chain.sent, func(t *modelTransfer) bool { return t.deposit == d })
	})
}

// wantMatched wants nothing left that matching should have done: a final
// transfer confirms its deposit, and none that stands alone for one waits.
func (w *modelWalk) wantMatched() {
	has := map[*modelDeposit]bool{}
	for _, t := range w.chain.sent {
		if d := t.deposit; d != nil {
			if has[d] || d.status == "rejected" || d.status == "pending" && t.state != "seen" {
				fail("deposit %d has transfer %s, %s, and is %s", d.id, t.Hash, t.state, d.status)
			}
			has[d] = true
		}
	}
	for _, t := range w.chain.sent {
		if !t.comes() || !t.stands() || t.deposit != nil || !t.seen.After(w.model.now.Add(-modelSeenFor)) {
			continue
		}
		free := those(w.model.deposits, func(d *modelDeposit) bool { return d.fits(t) && !has[d] })
		if len(free) == 1 && !w.counted(t) {
			fail("transfer %s is for deposit %d alone, and for none", t.Hash, free[0].id)
		}
	}
}

// look compares what the gateway has of the network with what is there, and
// what is outside by the ledger with what came and was paid: nothing came
// twice, was paid twice or was lost.
func (c *modelChain) look(w *modelWalk, b *pgx.Batch) {
	want, outside := map[string]string{}, w.model.outside
	for _, t := range c.sent {
		if t.state != "" {
			want[t.Hash] = map[bool]string{true: "in ", false: "out "}[t.comes()] + t.state
		}
	}
	lookAtAll(b, "transfer", "select transaction_hash, direction || ' ' || state from chain_transfer where direction <> 'named'", nil, want)
	for _, d := range w.model.deposits {
		if d.status == "confirmed" && d.moves[len(d.moves)-1].actor != "chain" {
			outside += d.amount
		}
	}
	for _, t := range c.sent {
		if t.credited {
			outside += t.units
		}
	}
	for _, t := range c.sent {
		for _, l := range w.model.leaves {
			if l.status == "completed" && l.paidBy(t) {
				outside -= t.units
			}
		}
	}
	if external := -w.model.accounts[ledger.Available(ledger.External, 0)]; external != outside {
		fail("outside are %d by the ledger, %d by the network", external, outside)
	}
}

// sign is the signer outside: they pay what a list says, once, now and then
// wrongly, from the platform's address or another, and report the transaction.
func (w *modelWalk) sign(s modelStep, l *modelLeave) {
	handed := l.status == "handed_over"
	if handed && (l.pays == nil || l.stopped != "" && l.hash == l.pays.Hash) {
		units := decimal.RequireFromString(l.line.Amount).Shift(8).IntPart()
		to := given(chain.Read(modelNetwork, l.line.Address))
		if s.n[1]%5 == 0 {
			units -= 100
		}
		l.pays = w.chain.transfer(s.id, pickModel([]chain.Raw{modelOursRaw, modelForeign}, s.n[2]), to, units)
		w.tell("signed", l.id, " pays ", units)
	}
	hash := modelDigest("nothing", s.id)
	if l.pays != nil {
		hash = l.pays.Hash
	}
	ctx, injury := w.injured()
	_, err := w.withdrawals.ReportHash(ctx, modelOperator, l.id, strings.ToUpper(hash))
	if w.judged(injury, err, unless(handed, "withdrawal_not_handed_over")) {
		l.hash, l.stopped = hash, ""
	}
}

// paidBy reports whether a transfer is what was to be paid.
func (l *modelLeave) paidBy(t *modelTransfer) bool { return t.Hash == l.hash && t.units == l.amount }

// known reports whether the gateway has what the transfer has moved.
func (t *modelTransfer) known() bool { return t.named || t.goes() && t.state == "final" }

// settled is what the watcher makes of the transfers that it has seen.
func (w *modelWalk) settled() {
	for _, l := range w.model.leaves {
		if l.status != "handed_over" || l.stopped != "" || l.pays == nil || l.hash != l.pays.Hash || !l.pays.known() {
			continue
		}
		if w.touch(l); l.paidBy(l.pays) {
			w.moveLeave(l, "completed", "system", nil)
			continue
		}
		w.tell("leave stopped", l.id)
		l.stopped = usdtText(l.pays.units) + " to " + l.address
	}
}

// failLeave is two operators' word that a withdrawal was not paid. They know
// what the signer has done, but for what the gateway has seen itself.
func (w *modelWalk) failLeave(s modelStep, l *modelLeave) {
	d := withdrawal.Decision{ID: l.id, Reason: "never sent", Hash: l.hash, Mismatch: l.stopped}
	want := unless(l.status == "handed_over", "withdrawal_not_handed_over")
	if want == "" && l.pays != nil && l.pays.units == l.amount {
		if !l.paidBy(l.pays) || !l.pays.goes() || !l.pays.stands() {
			return
		}
		want = "withdrawal_paid"
	}
	if s.n[1]%7 == 0 && l.status == "handed_over" {
		d.Hash, want = "another", "withdrawal_hash_changed"
	}
	ctx, injury := w.injured()
	err := w.bySecond(ctx, func(s *withdrawal.Service) error { return testenv.ErrOf(s.Fail(ctx, modelSecond, d)) })
	if w.judged(injury, err, want) {
		w.moveLeave(l, "failed", modelSecond.Actor(), &d.Reason)
	}
}
