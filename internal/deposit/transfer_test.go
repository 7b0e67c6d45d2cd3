package deposit_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/chain/simulated"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/testenv"
)

// A transfer is for the only deposit that it fits, which was there before it.
// Where several fit, or none, an operator says which. What vanishes is taken
// back, and what is final confirms nothing by itself.
func TestTransfersFindDeposits(t *testing.T) {
	n := newNetwork(t)
	alone, one, two := n.asks(t, 1, "25.5"), n.asks(t, 2, "40"), n.asks(t, 3, "40")
	n.comes(t, 1, "25.5", "seen")
	n.comes(t, 2, "40", "seen")
	n.comes(t, 3, "7", "final")
	n.comes(t, 4, "25.500001", "seen")
	n.clock.Advance(time.Second)
	late := n.asks(t, 4, "7")
	n.match(t)
	n.want(t, alone, "pending hash1 6 false", "the only one")
	n.want(t, one, "pending none", "one of two")
	n.want(t, late, "pending none", "requested when it had come")
	testenv.Want(t, n.free(t), "hash4 hash3 hash2 ", "for no deposit")

	assign := func(transfer string, id int64, want string) {
		t.Helper()
		_, err := n.service.Assign(t.Context(), operator, n.transfer(t, transfer), id)
		testenv.Want(t, dbtest.CodeOf(err), want, "assign %s to %d", transfer, id)
	}
	assign("hash3", one, "transfer_differs")
	assign("hash2", two, "")
	assign("hash2", one, "transfer_taken")
	assign("hash1", alone, "transfer_taken")
	assign("hash3", late, "")
	n.comes(t, 1, "25.5", "gone")
	n.match(t)
	n.want(t, alone, "pending none", "vanished")
	n.comes(t, 1, "25.5", "final")
	n.match(t)
	n.match(t)
	n.want(t, alone, "pending hash1 6 false", "in another block")
	n.want(t, two, "pending hash2 6 true", "assigned")
	n.wantBalance(t, "0")

	// An operator decides: what was rejected leaves its transfer, what was
	// confirmed keeps it whatever becomes of it.
	testenv.Must(n.service.Reject(t.Context(), operator, two, new("no")))(t)
	testenv.Must(n.service.Confirm(t.Context(), operator, alone))(t)
	n.match(t)
	n.want(t, two, "rejected none", "rejected")
	assign("hash2", two, "deposit_not_pending")
	n.want(t, alone, "confirmed hash1 6 false", "confirmed")
	n.comes(t, 1, "25.5", "lost")
	n.match(t)
	testenv.Want(t, n.free(t), "hash4 ", "hash2 went to the only one that was left")
	n.want(t, one, "pending hash2 6 false", "the only one that is left")
	n.wantBalance(t, "25.5")
}

// Networks share the form of their addresses: a transfer is for a deposit of
// its own network. Nor does a confirmed deposit stand in its way that is of
// another network or address, of long ago, or of after it.
func TestWhatStandsInTheWay(t *testing.T) {
	n := newNetwork(t)
	n.Exec(t, `insert into chain_cursor (network, start_number, block_number, block_hash, head_number, leased_until)
		select unnest(array['ERC20', 'BEP20']), 1, 1, 'b', 100, now()`)
	const ours, former = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
	number := 0
	asks := func(network, address string) int64 {
		t.Helper()
		number++
		r := request(number)
		r.Network, r.Address = network, address
		id := n.create(t, r).ID
		n.clock.Advance(time.Second)
		return id
	}
	confirmed := func(network, address string) {
		t.Helper()
		testenv.Must(n.service.Confirm(t.Context(), operator, asks(network, address)))(t)
	}
	confirmed("ERC20", ours)
	n.clock.Advance(99 * 24 * time.Hour)
	confirmed("BEP20", ours)
	confirmed("ERC20", former)
	other, fits := asks("BEP20", ours), asks("ERC20", ours)
	n.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('ERC20', 'hash1', 0, 'in', 95, 'b', 'f', $1, 25.5, 'seen', $2, $2)`, ours, n.clock.Now())
	n.clock.Advance(time.Second)
	confirmed("ERC20", ours)
	n.match(t)
	n.want(t, fits, "pending hash1 6 false", "of the network and the address")
	n.want(t, other, "pending none", "of another network")
	dbtest.WantCode(t, testenv.ErrOf(n.service.Assign(t.Context(), operator, n.transfer(t, "hash1"), other)), "transfer_differs")
}

// What may have been the transfer of a deposit that was confirmed by hand,
// before or after it was seen, is for no other deposit, whoever names it. An
// operator says which it was.
func TestConfirmedByHand(t *testing.T) {
	for name, late := range map[string]bool{"seen before": false, "seen after": true} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			n.service.ConfirmSeen = true
			one := n.asks(t, 1, "40")
			two := n.asks(t, 2, "40")
			if late {
				testenv.Must(n.service.Confirm(t.Context(), operator, one))(t)
			}
			n.comes(t, 1, "40", "final")
			n.match(t)
			if !late {
				testenv.Must(n.service.Confirm(t.Context(), operator, one))(t)
			}
			n.match(t)
			testenv.Must(n.service.Name(t.Context(), n.merchant.Caller, two, strings.Repeat("0", 64)))(t)
			n.Exec(t, "update deposit_claim set transaction_hash = 'hash1' where deposit_id = $1", two)
			n.match(t)
			n.want(t, two, "pending none", "the other")
			n.wantBalance(t, "40")
			testenv.Must(n.service.Assign(t.Context(), operator, n.transfer(t, "hash1"), one))(t)
			n.comes(t, 2, "40", "final")
			n.match(t)
			n.match(t)
			n.want(t, one, "confirmed hash1 6 true", "said by an operator")
			n.want(t, two, "confirmed hash2 6 false", "by its own")
			n.wantBalance(t, "80")
			dbtest.WantCode(t, testenv.ErrOf(n.service.Assign(t.Context(), operator, n.transfer(t, "hash2"), one)), "transfer_taken")
		})
	}
}

// What comes after a deposit was confirmed by a transfer that has vanished may
// be the same USDT, sent again. It is for no other deposit.
func TestConfirmedByWhatVanished(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	one := n.asks(t, 1, "40")
	n.comes(t, 1, "40", "seen")
	n.match(t)
	testenv.Must(n.service.Confirm(t.Context(), operator, one))(t)
	n.match(t)
	two := n.asks(t, 2, "40")
	n.comes(t, 1, "40", "gone")
	n.comes(t, 2, "40", "final")
	n.match(t)
	n.match(t)
	n.want(t, two, "pending none", "the other")
	n.want(t, one, "confirmed hash1 0 false", "what has vanished has no confirmations")
	n.wantBalance(t, "40")
}

// What goes from one of the platform's addresses to another is no deposit.
func TestMovedWithinThePlatform(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	id := n.asks(t, 1, "40")
	n.comes(t, 1, "40", "final")
	n.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) select network, transaction_hash, log_index, 'out', block_number, block_hash,
		from_address, to_address, amount, state, seen_at, state_at from chain_transfer`)
	n.match(t)
	n.match(t)
	n.want(t, id, "pending none", "not for it")
	testenv.Want(t, n.free(t), "", "for no deposit")
	n.wantBalance(t, "0")
}

// Told to, the gateway confirms what is final and was not assigned by hand,
// each once however many of its processes do, and in a day no more than one
// operator may.
func TestConfirmSeen(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	n.service.FourEyes = foureyes.Rules{On: true, Above: decimal.RequireFromString("55.5")}
	first, second, third, byHand := n.asks(t, 1, "25.5"), n.asks(t, 2, "30"), n.asks(t, 3, "20"), n.asks(t, 4, "1")
	n.comes(t, 1, "25.5", "seen")
	n.match(t)
	n.want(t, first, "pending hash1 6 false", "not final")
	n.comes(t, 1, "25.5", "final")
	n.comes(t, 2, "30", "final")
	n.clock.Advance(time.Second)
	testenv.NoError(t, testenv.AtOnce(4, func(int) error { return n.service.Match(t.Context()) })...)
	n.match(t)
	n.want(t, first, "confirmed hash1 6 false", "final")
	n.want(t, second, "confirmed hash2 6 false", "final")
	n.wantBalance(t, "55.5")
	moves := testenv.Must(n.service.History(t.Context(), n.merchant.Caller, first))(t)
	testenv.Want(t, moves[len(moves)-1].Actor, "chain", "who confirmed it")

	n.comes(t, 3, "20", "final")
	n.match(t)
	n.want(t, third, "pending hash3 6 false", "more than one operator may")
	n.clock.Advance(25 * time.Hour)
	n.match(t)
	n.want(t, third, "confirmed hash3 6 false", "a day later")

	n.comes(t, 4, "1", "seen")
	n.Exec(t, "insert into deposit_transfer (transfer_id, actor, at) select id, 'chain', now() from chain_transfer where transaction_hash = 'hash4'")
	testenv.Must(n.service.Assign(t.Context(), operator, n.transfer(t, "hash4"), byHand))(t)
	n.comes(t, 4, "1", "final")
	n.match(t)
	n.want(t, byHand, "pending hash4 6 true", "assigned by hand")
	n.wantBalance(t, "75.5")

	n.service.FourEyes = foureyes.Rules{}
	decided := n.asks(t, 5, "3")
	n.comes(t, 5, "3", "seen")
	n.match(t)
	testenv.Must(n.service.Confirm(t.Context(), operator, decided))(t)
	n.comes(t, 5, "3", "final")
	n.match(t)
	n.want(t, decided, "confirmed hash5 6 false", "confirmed before it was final")
	n.wantBalance(t, "78.5")
}

// blocks are a network whose blocks tell when they were made.
type blocks struct {
	made []time.Time
	sent []simulated.Transfer
}

func (b *blocks) Head(context.Context) (int64, error) { return int64(len(b.made) - 1), nil }

func (b *blocks) Hash(number int64) string { return hash(int(number)) }

func (b *blocks) Time(number int64) time.Time { return b.made[number] }

func (b *blocks) Transfers(_ context.Context, from, to int64) (found []simulated.Transfer, _ error) {
	for _, t := range b.sent {
		if t.Block >= from && t.Block <= to {
			found = append(found, t)
		}
	}
	return found, nil
}

func (b *blocks) mine(count int, at time.Time) {
	for range count {
		b.made = append(b.made, at)
	}
}

func (b *blocks) send(t *testing.T, number int, amount string, at time.Time) {
	t.Helper()
	b.mine(1, at)
	b.sent = append(b.sent, simulated.Transfer{
		Block: int64(len(b.made) - 1), Hash: hash(number), From: chain.Raw{1}, To: testenv.Must(chain.Read("TRC20", tron))(t),
		Amount: decimal.RequireFromString(amount),
	})
}

// What came while no node answered is for whom had asked before it came,
// however long ago, and not for whom has read of it elsewhere meanwhile and
// asked then.
func TestTransfersOfAnOutage(t *testing.T) {
	n := network{newDesk(t)}
	n.Exec(t, "insert into receiving_address (network, address) values ('TRC20', $1)", tron)
	n.service.ConfirmSeen = true
	b := &blocks{}
	b.mine(100, n.clock.Now())
	tron, _ := chain.Find("TRC20")
	client := &http.Client{Transport: simulated.Transport{Handler: simulated.Handler(tron, b)}}
	watcher := testenv.Must(chain.NewWatcher(n.Pool, n.clock, client, tron, []string{"http://node"}))(t)
	testenv.NoError(t, watcher.Round(t.Context()))

	before := n.asks(t, 1, "50")
	b.send(t, 1, "50", n.clock.Now())
	b.send(t, 2, "70", n.clock.Now())
	n.clock.Advance(2 * time.Hour)
	after := n.asks(t, 2, "70")
	b.mine(20, n.clock.Now())
	testenv.NoError(t, watcher.Round(t.Context()))
	n.match(t)
	n.want(t, before, "confirmed "+hash(1)+" 22 false", "asked before")
	n.want(t, after, "pending none", "asked after")
	testenv.Want(t, n.free(t), hash(2)+" ", "for no deposit")
}

// A transfer whose block was replaced before anybody looked for its deposit is
// found once it is in another block, however many came meanwhile. If it brings
// another amount in the next one, it is the deposit's no more.
func TestTransferComesBack(t *testing.T) {
	n := newNetwork(t)
	asked := n.asks(t, 1, "40")
	n.comes(t, 1, "40", "gone")
	n.match(t)
	n.want(t, asked, "pending none", "while it is gone")
	n.Exec(t, "select setval(pg_get_serial_sequence('chain_transfer', 'id'), 100000)")
	n.comes(t, 2, "30", "seen")
	n.match(t)
	n.comes(t, 1, "40", "seen")
	n.match(t)
	n.want(t, asked, "pending hash1 6 false", "once it is back")
	n.service.ConfirmSeen = true
	n.comes(t, 1, "39", "final")
	n.match(t)
	n.match(t)
	n.want(t, asked, "pending none", "once it brings less")
	n.wantBalance(t, "0")
}

// What comes to an address that the platform has given up is confirmed by
// nobody but an operator: somebody else may have its key, and send the same
// USDT again and again.
func TestFormerAddressConfirmsNothing(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	before := n.asks(t, 1, "40")
	const later = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"
	testenv.Must(n.service.SetReceiving(t.Context(), operator, deposit.Receiving{Network: "TRC20", Address: later}))(t)
	after := n.asks(t, 2, "30")
	n.comes(t, 1, "40", "final")
	n.comes(t, 2, "30", "final")
	n.match(t)
	n.want(t, before, "pending hash1 6 false", "requested before the change")
	n.want(t, after, "pending hash2 6 false", "requested after the change")
	n.wantBalance(t, "0")
	testenv.Must(n.service.Confirm(t.Context(), operator, before))(t)
	n.match(t)
	n.want(t, before, "confirmed hash1 6 false", "by an operator")
	n.wantBalance(t, "40")
}

// What is final in the same moment is added up, too.
func TestConfirmSeenTogether(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	n.service.FourEyes = foureyes.Rules{On: true, Above: decimal.NewFromInt(60)}
	n.asks(t, 1, "40")
	n.asks(t, 2, "40.5")
	n.comes(t, 1, "40", "final")
	n.comes(t, 2, "40.5", "final")
	n.match(t)
	n.match(t)
	testenv.Want(t, n.Count(t, "select count(*) from deposit where status = 'confirmed'"), 1, "confirmed")
}

// So is what two processes confirm at once.
func TestConfirmSeenByTwo(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	n.service.FourEyes = foureyes.Rules{On: true, Above: decimal.NewFromInt(60)}
	n.asks(t, 1, "40")
	n.asks(t, 2, "40.5")
	n.comes(t, 2, "40.5", "seen")
	n.comes(t, 1, "40", "seen")
	n.match(t)
	n.comes(t, 1, "40", "final")
	first := n.Beside(t)
	process := n.service.Approved(first)
	process.FourEyes = n.service.FourEyes
	testenv.NoError(t, process.Match(t.Context()))
	n.comes(t, 2, "40.5", "final")
	second := make(chan error)
	go func() { second <- n.service.Match(t.Context()) }()
	n.AwaitBlocked(t)
	testenv.NoError(t, first.Commit(t.Context()))
	testenv.NoError(t, <-second)
	testenv.Want(t, n.Count(t, "select count(*) from deposit where status = 'confirmed'"), 1, "confirmed")
}

// Crumbs that anybody can send do not stand before what a deposit waits for.
func TestCrumbsHideNoTransfer(t *testing.T) {
	n := newNetwork(t)
	waits := n.asks(t, 1, "25.5")
	n.comes(t, 1, "25.5", "seen")
	n.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at)
		select 'TRC20', 'crumb' || c, 0, 'in', 95, 'b', 'f', $1, 0.01, 'seen', $2, $2 from generate_series(1, 300) c`, tron, n.clock.Now())
	n.match(t)
	n.want(t, waits, "pending hash1 6 false", "behind 300 crumbs")
}

// What waits for its network or an operator is left alone from round to round,
// however much there is of it.
func TestWaitingDepositsAreNotTouched(t *testing.T) {
	n := newNetwork(t)
	waits := n.asks(t, 1, "25.5")
	n.comes(t, 1, "25.5", "final")
	n.match(t)
	locked := func() string { return n.Text(t, "select xmax::text from deposit where id = $1", waits) }
	before := locked()
	n.match(t)
	testenv.Want(t, locked(), before, "who locked the deposit last")
	n.comes(t, 1, "25.5", "gone")
	n.match(t)
	testenv.Check(t, locked() != before, "a transfer that has vanished was left alone")
}

// hash is that of a transaction that a merchant can name.
func hash(number int) string { return fmt.Sprintf("%064d", number) }

// The platform's address is set by two operators, shown to merchants, and taken
// for a deposit of their portal that names none. A key names its own, and one
// that was never the platform's is told apart.
func TestReceiving(t *testing.T) {
	d := newDesk(t)
	const former, later = "0x52908400098527886E0F7030069857D2E4169EE7", "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
	set := func(r deposit.Receiving, want string) {
		t.Helper()
		testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(d.service.SetReceiving(t.Context(), operator, r))), want, "%+v", r)
	}
	user := d.merchant.User(caller.Finance)
	shown := func(who caller.Caller) string {
		t.Helper()
		found := map[string]string{}
		for _, r := range testenv.Must(d.service.ReceivingAddresses(t.Context(), who))(t) {
			found[r.Network] = r.Address
		}
		return fmt.Sprint(found)
	}
	ask := func(who caller.Caller, number int) (deposit.Deposit, error) {
		r := request(number)
		r.CashboxID, r.Network, r.Address = &d.merchant.CashboxID, "ERC20", ""
		created, err := d.service.Create(t.Context(), who, r)
		return created.Deposit, err
	}
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(ask(user, 1))), "validation_failed", "a deposit to nowhere")

	set(deposit.Receiving{Network: "ERC20", Address: tron}, "validation_failed")
	set(deposit.Receiving{Network: "SOLANA", Address: tron}, "validation_failed")
	set(deposit.Receiving{Network: "ERC20", Address: former, Seen: "new"}, "")
	set(deposit.Receiving{Network: "ERC20", Address: later, Seen: "new"}, "setting_changed")
	set(deposit.Receiving{Network: "TRC20", Address: tron}, "validation_failed") // the contract of the token
	const ours = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"
	set(deposit.Receiving{Network: "TRC20", Address: ours}, "")
	testenv.Want(t, shown(user), "map[ERC20:"+former+" TRC20:"+ours+"]", "shown to a merchant")

	first := testenv.Must(ask(user, 2))(t)
	testenv.Want(t, first.Address, former, "the deposit's address")
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(ask(d.merchant.Caller, 3))), "validation_failed", "a key's deposit without an address")

	set(deposit.Receiving{Network: "ERC20", Address: later}, "")
	set(deposit.Receiving{Network: "TRC20", Address: ""}, "")
	testenv.Want(t, shown(user), "map[ERC20:"+later+"]", "shown to a merchant after the change")
	testenv.Want(t, shown(operator), "map[ERC20:"+later+" TRC20:]", "shown to an operator")

	second, third := request(4), request(5)
	second.Network, second.Address = "ERC20", "0x8617e340b3d01fa5f11f306f4090fd50e238070d"
	third.Network, third.Address = "ERC20", "0xde709f2102306220921060314715629080e2fb77"
	for i, of := range []deposit.Deposit{first, d.create(t, second), d.create(t, third)} {
		known, present, err := d.service.Ours(t.Context(), operator, of)
		testenv.Want(t, fmt.Sprint(known, present, err), fmt.Sprint(i < 2, i == 1, nil), "%s is the platform's, and still is", of.Address)
	}

	d.service.FourEyes = foureyes.Rules{On: true}
	_, err := d.service.SetReceiving(t.Context(), operator, deposit.Receiving{Network: "ERC20", Address: former})
	wanted := new(foureyes.SecondOperatorError)
	testenv.Check(t, errors.As(err, &wanted) && wanted.Action == foureyes.SetReceiving,
		"one operator sets an address: %v", err)
}
