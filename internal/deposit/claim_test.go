package deposit_test

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/testenv"
)

// names has the merchant name a transaction for a deposit, and wants a refusal
// of a code, or none.
func (n network) names(t *testing.T, id int64, hash, want string) {
	t.Helper()
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(n.service.Name(t.Context(), n.merchant.Caller, id, hash))), want, "name %s for %d", hash, id)
}

// sends has a final transfer by such a transaction.
func (n network) sends(t *testing.T, number int, amount string) {
	t.Helper()
	n.comes(t, number, amount, "final")
	n.Exec(t, "update chain_transfer set transaction_hash = $2 where transaction_hash = $1", fmt.Sprint("hash", number), hash(number))
}

// The transaction that a merchant names finds what came, of whatever amount,
// and is one deposit's. What it finds is never confirmed by itself, nor as
// another amount, and no deposit of another merchant loses what fits it.
func TestMerchantNamesTransaction(t *testing.T) {
	n := newNetwork(t)
	n.service.ConfirmSeen = true
	less, one, two := n.asks(t, 1, "50"), n.asks(t, 2, "40"), n.asks(t, 3, "40")
	n.names(t, less, "abc", "validation_failed")
	n.names(t, less, " 0x"+hash(9), "")
	n.names(t, one, hash(9), "validation_failed")
	n.names(t, less, hash(1), "")
	n.names(t, two, hash(2), "")
	n.sends(t, 1, "49")
	n.sends(t, 2, "40")
	n.match(t)
	n.want(t, less, "pending "+hash(1)+" 6 false", "another amount")
	n.want(t, two, "pending "+hash(2)+" 6 false", "one of two that fit")
	n.want(t, one, "pending none", "the other one")
	n.match(t)
	n.want(t, less, "pending "+hash(1)+" 6 false", "still")
	n.names(t, less, hash(8), "transfer_taken")
	n.names(t, one, hash(2), "validation_failed")
	n.wantBalance(t, "0")
	testenv.Want(t, dbtest.CodeOf(testenv.ErrOf(n.service.Confirm(t.Context(), operator, less))), "transfer_differs", "confirm another amount")
	testenv.Must(n.service.Confirm(t.Context(), operator, two))(t)
	n.wantBalance(t, "40")
	matched, _ := testenv.Must2(n.service.Matched(t.Context(), operator, db.Page{}))(t)
	testenv.Check(t, len(matched) == 2 && matched[1].DepositID == less && matched[1].ByMerchant, "matched: %+v", matched)

	// Rejected, a deposit leaves transaction and name to the next, which
	// asks for what came. That was requested later, so an operator assigns
	// it.
	testenv.Must(n.service.Reject(t.Context(), operator, less, new("49 came")))(t)
	n.names(t, less, hash(1), "deposit_not_pending")
	n.clock.Advance(time.Second)
	again := n.asks(t, 4, "49")
	n.names(t, again, hash(1), "")
	n.match(t) // takes it from the one that was rejected
	n.match(t)
	n.want(t, again, "pending none", "asked for later than it came")
	testenv.Must(n.service.Assign(t.Context(), operator, n.unmatched(t)[0].ID, again))(t)
	testenv.Must(n.service.Confirm(t.Context(), operator, again))(t)
	n.wantBalance(t, "89")

	// What names another transaction is for nothing else; what brings
	// several transfers is an operator's; a network's own digits beyond the
	// ledger's are not missed.
	named, several, exact := n.asks(t, 7, "60"), n.asks(t, 8, "70"), n.asks(t, 9, "20.12345678")
	n.names(t, named, hash(7), "")
	n.names(t, several, hash(8), "")
	n.sends(t, 6, "60")
	n.sends(t, 8, "71")
	n.comes(t, 80, "5", "final")
	n.Exec(t, "update chain_transfer set transaction_hash = $1, log_index = 1 where transaction_hash = 'hash80'", hash(8))
	n.sends(t, 5, "20.123456789")
	n.match(t)
	n.want(t, named, "pending none", "named another transaction")
	n.want(t, several, "pending none", "named one that brought two")
	n.want(t, exact, "confirmed "+hash(5)+" 6 false", "digits beyond the ledger's")
}

func (n network) unmatched(t *testing.T) []deposit.Transfer {
	t.Helper()
	free, _ := testenv.Must2(n.service.Unmatched(t.Context(), operator, db.Page{}))(t)
	return free
}

// What one merchant names and another's deposit fits is an operator's, who sees
// who has named it: either of them may be lying. So it is with deposits of the
// same amount, however many; and once they have assigned it nothing is left of
// the name.
func TestAnotherMerchantNamesTransaction(t *testing.T) {
	n := newNetwork(t)
	thief := n.newMerchant(t)
	theirs := func(number int, amount, hash string) int64 {
		r := request(number)
		r.Amount = amount
		id := testenv.Must(n.service.Create(t.Context(), thief.Caller, r))(t).Deposit.ID
		if hash != "" {
			testenv.Must(n.service.Name(t.Context(), thief.Caller, id, hash))(t)
		}
		return id
	}
	theirs(6, "13", hash(3))
	same := theirs(7, "30", hash(4))
	for i := range 12 {
		theirs(10+i, "30", "")
	}
	fits, twice := n.asks(t, 5, "12"), n.asks(t, 8, "30")
	n.sends(t, 3, "12")
	n.sends(t, 4, "30")
	n.match(t)
	n.want(t, fits, "pending none", "named by another merchant, who waits for another amount")
	n.want(t, twice, "pending none", "named by another merchant, who waits for as much")
	free := n.unmatched(t)
	testenv.Check(t, len(free) == 2 && free[0].NamedBy == same, "an operator sees who has named it: %+v", free)
	testenv.Must(n.service.Assign(t.Context(), operator, free[0].ID, twice))(t)
	n.names(t, twice, hash(4), "")
	n.names(t, same, hash(4), "cashbox_access_denied") // for another's deposit
}

// What a merchant says of another transaction is their word. It lets nobody
// else's deposit have what may be theirs, as where they sent it again under
// another hash, nor one of their own have what another was confirmed by.
func TestNamingAnotherTransaction(t *testing.T) {
	for name, then := range map[string]func(n network, theirs, own int64){
		"another merchant waits for as much": func(n network, theirs, own int64) {
			n.sends(t, 1, "40")
			n.match(t)
			n.match(t)
			n.want(t, own, "pending none", "named another transaction")
			testenv.Want(t, n.Text(t, "select status from deposit where id = $1", theirs), "pending", "another merchant's")
		},
		"confirmed by hand": func(n network, theirs, own int64) {
			testenv.Must(n.service.Reject(t.Context(), operator, theirs, new("nothing came")))(t)
			another := n.asks(t, 2, "40")
			testenv.Must(n.service.Confirm(t.Context(), operator, own))(t)
			n.sends(t, 1, "40")
			n.match(t)
			n.match(t)
			n.want(t, another, "pending none", "the other one")
			n.wantBalance(t, "40")
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNetwork(t)
			n.service.ConfirmSeen = true
			r := request(1)
			r.Amount = "40"
			theirs := testenv.Must(n.service.Create(t.Context(), n.newMerchant(t).Caller, r))(t).Deposit.ID
			own := n.asks(t, 1, "40")
			n.names(t, own, hash(9), "")
			then(n, theirs, own)
		})
	}
}

// A merchant names transactions of so many pending deposits a day, since each
// is looked for; one that is decided, or was named the day before, leaves its
// place, and another transaction of the same deposit takes none.
func TestNamesAreBounded(t *testing.T) {
	n := newNetwork(t)
	first := n.asks(t, 1, "10")
	n.names(t, first, hash(1), "")
	n.Exec(t, `with made as (
			insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
			select merchant_id, cashbox_id, amount, network, address, gen_random_uuid(), created_at, status_at
			from deposit, generate_series(1, 99) where id = $2 returning merchant_id, id)
		insert into deposit_claim select 'TRC20', 'h' || id, merchant_id, id, 'key:1', $1 from made`, n.clock.Now(), first)
	more := n.asks(t, 2, "10")
	n.names(t, more, hash(2), "deposit_names_full")
	n.names(t, first, hash(3), "")
	testenv.Must(n.service.Reject(t.Context(), operator, first, new("nothing came")))(t)
	n.names(t, more, hash(2), "")
	another := n.asks(t, 3, "10")
	n.names(t, another, hash(4), "deposit_names_full")
	n.clock.Advance(24 * time.Hour)
	n.names(t, another, hash(4), "")
}
