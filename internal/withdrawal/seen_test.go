package withdrawal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// A withdrawal is complete when the transfer that was named is seen and is what
// was to be paid, once; another one stops it until operators decide.
func TestSeen(t *testing.T) {
	d := newDesk(t, "0")
	d.bystander(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "100"})
	address := d.known(t, trader.Caller, "ERC20", ether)
	ask := func() withdrawal.Withdrawal {
		t.Helper()
		w := testenv.Must(d.service.Request(t.Context(), trader.Caller, withdrawal.Request{
			Amount: "20", AddressID: address.ID,
		}))(t).Withdrawal
		testenv.Must(d.service.Approve(t.Context(), operator, w.ID))(t)
		testenv.Must(d.service.Export(t.Context(), operator, w.ID-1))(t)
		return w
	}
	w := ask()
	dbtest.WantCode(t, testenv.ErrOf(d.service.Complete(t.Context(), operator, withdrawal.Decision{ID: w.ID, Reason: "seen by eye"})), "withdrawal_without_hash")
	dbtest.WantCode(t, testenv.ErrOf(d.service.ReportHash(t.Context(), operator, w.ID, "0x12")), "validation_failed")
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, strings.ToUpper(hash)))(t)
	// What pays another withdrawal, comes in, or is on another network is
	// not what was named.
	for n, near := range []string{"'ERC20', '0x" + strings.Repeat("f", len(hash)) + "', 'out'", "'BEP20', '0x" + hash + "', 'out'", "'ERC20', '0x" + hash + "', 'in'"} {
		d.Exec(t, `insert into chain_transfer (network, transaction_hash, direction, log_index, block_number, block_hash, from_address,
			to_address, amount, state, seen_at, state_at) values (`+near+`, $1, 1, 'b', 'ours', $2, 20, 'final', $3, $3)`, n+10, ether, d.clock.Now())
	}
	testenv.NoError(t, d.service.Settle(t.Context()))
	seenAt := d.clock.Now().Add(-time.Hour)
	see := func(logIndex int, to, amount, state string) string {
		t.Helper()
		d.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash,
			from_address, to_address, amount, state, seen_at, state_at)
			values ('ERC20', '0x' || $1::text, $2, 'out', 1, 'b', 'ours', $3, $4, $5, $6, now())`, hash, logIndex, to,
			decimal.RequireFromString(amount), state, seenAt)
		testenv.NoError(t, d.service.Settle(t.Context()))
		now := testenv.Must(d.service.Get(t.Context(), operator, w.ID))(t)
		if now.Mismatch != nil {
			return string(now.Status) + ": " + *now.Mismatch
		}
		return string(now.Status)
	}
	testenv.Want(t, see(0, ether, "20", "final"), "handed_over: 20.00000000 to "+ether+" at "+
		seenAt.UTC().Format(time.DateTime)+", before the hand-over", "one that paid something else")
	d.Exec(t, "delete from chain_transfer")
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
	seenAt = d.clock.Now()
	testenv.Want(t, see(1, ether, "20", "seen"), "handed_over", "one that is not final")
	testenv.Want(t, see(2, alike, "20", "final"), "handed_over: 20.00000000 to "+alike, "another address")
	again := func() {
		t.Helper()
		testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
	}
	again()
	testenv.Want(t, see(3, ether, "20.000001", "final"), "handed_over: 20.00000000 to "+alike+", 20.00000100 to "+ether, "another amount")
	again()
	testenv.Want(t, see(4, ether, "20", "final"), "completed", "what was to be paid")
	testenv.Want(t, see(5, ether, "20", "final"), "completed", "the same again")
	after := testenv.Must(d.service.Get(t.Context(), trader.Caller, w.ID))(t)
	testenv.Check(t, after.Status == withdrawal.Completed && *after.Hash == "0x"+hash, "%+v", after)
	testenv.Want(t, d.Balance(t, ledger.Available(ledger.Platform, 0)).String(), "1.5", "the fee")
	testenv.Want(t, d.Balance(t, ledger.Available(ledger.Trader, trader.ID)).String(), "78.5", "what is left")

	second := ask()
	testenv.Must(d.service.ReportHash(t.Context(), operator, second.ID, strings.Repeat("c", len(hash))))(t)
	paid := []withdrawal.Seen{{To: ether, Amount: decimal.NewFromInt(20), At: d.clock.Now()}}
	testenv.NoError(t, d.service.See(t.Context(), second.ID, "0x"+strings.Repeat("d", len(hash)), paid))
	testenv.Want(t, testenv.Must(d.service.Get(t.Context(), operator, second.ID))(t).Status, withdrawal.HandedOver,
		"once another transaction has been named")
	dbtest.WantCode(t, testenv.ErrOf(d.service.ReportHash(t.Context(), operator, second.ID, "0x"+hash)), "validation_failed") // it pays the first
	dbtest.WantCode(t, testenv.ErrOf(d.service.Get(t.Context(), d.user, second.ID)), "not_found")
	d.Audit(t)
}

// A transaction that was named for the wrong withdrawal, which then came back
// to its owner, can still be named for the one that it pays. Otherwise that one
// could only be given back, too, though it is paid.
func TestHashOfOneThatFailed(t *testing.T) {
	d := newDesk(t, "100")
	d.bystander(t)
	address := d.known(t, d.user, "ERC20", ether)
	w := d.asked(t, address)
	paid := testenv.Must(d.service.Request(t.Context(), d.user, d.request(address, "30", "")))(t).Withdrawal
	for _, id := range []int64{w.ID, paid.ID} {
		testenv.Must(d.service.Approve(t.Context(), operator, id))(t)
	}
	testenv.Must(d.service.Export(t.Context(), operator, w.ID-1))(t)
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
	d.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('ERC20', '0x' || $1::text, 1, 'out', 1, 'b', 'ours', $2, 30, 'final', $3, $3)`,
		hash, ether, d.clock.Now())
	testenv.NoError(t, d.service.Settle(t.Context()))
	dbtest.WantCode(t, testenv.ErrOf(d.service.ReportHash(t.Context(), operator, paid.ID, hash)), "validation_failed")
	failed := testenv.Must(d.service.Fail(t.Context(), operator, withdrawal.Decision{ID: w.ID, Reason: "not sent"}))(t)
	testenv.Want(t, *failed.Hash, "0x"+hash, "the transaction that was named for the one that failed")
	testenv.Must(d.service.ReportHash(t.Context(), operator, paid.ID, hash))(t)
	testenv.NoError(t, d.service.Empty(t.Context(), "ERC20", "0x"+hash))
	testenv.Want(t, d.Text(t, "select mismatch from withdrawal where id = $1", paid.ID), "0 USDT", "what an empty one moves")
	testenv.Must(d.service.ReportHash(t.Context(), operator, paid.ID, hash))(t)
	testenv.NoError(t, d.service.Settle(t.Context()))
	testenv.Want(t, testenv.Must(d.service.Get(t.Context(), operator, paid.ID))(t).Status, withdrawal.Completed, "the one that is paid")
	d.wantBalance(t, "68.5", "0")
	d.Audit(t)
}

// A withdrawal that the network shows as paid cannot be given back, although
// another transaction was named for it since, or none. A transfer to the same
// address that was named for another withdrawal is that one's, and one from
// before the hand-over is nobody's.
func TestPaidByWhatIsNotNamed(t *testing.T) {
	d := newDesk(t, "100")
	address := d.known(t, d.user, "ERC20", ether)
	w, other := d.asked(t, address), d.asked(t, address)
	for _, id := range []int64{w.ID, other.ID} {
		testenv.Must(d.service.Approve(t.Context(), operator, id))(t)
	}
	testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	fail := func(id int64) error {
		return testenv.ErrOf(d.service.Fail(t.Context(), operator, withdrawal.Decision{ID: id, Reason: "not sent"}))
	}
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
	d.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('ERC20', '0x' || $1::text, 1, 'out', 1, 'b', 'ours', $2, 20, 'seen', $3, $3)`,
		hash, ether, d.clock.Now())
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, strings.Repeat("c", len(hash))))(t)
	dbtest.WantCode(t, fail(w.ID), "withdrawal_paid")
	dbtest.WantCode(t, fail(other.ID), "withdrawal_paid")
	testenv.Must(d.service.ReportHash(t.Context(), operator, w.ID, hash))(t)
	d.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at)
		select network, '0x' || repeat(n, 64), log_index, direction, block_number, block_hash, from_address, case n when '1' then 'x' else to_address end,
			case n when '2' then 21 else amount end, case n when '3' then 'gone' else 'final' end,
			case n when '4' then seen_at - interval '1 hour' else seen_at end, state_at
		from chain_transfer, unnest('{1,2,3,4}'::text[]) n`)
	testenv.NoError(t, fail(other.ID))
	dbtest.WantCode(t, fail(w.ID), "withdrawal_paid")
	d.wantBalance(t, "78.5", "21.5")
	d.Audit(t)
}
