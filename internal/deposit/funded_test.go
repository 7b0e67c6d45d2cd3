package deposit_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// lettered is a transaction's hash with letters in it.
func lettered(number int) string { return "ab" + hash(number)[2:] }

// brings has a transaction bring a transfer, in one of its places.
func (n network) brings(t *testing.T, number, place int, amount string) (id int64) {
	t.Helper()
	n.Get(t, &id, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('TRC20', $1, $2, 'in', 95, 'b', 'f', $3, $4, 'final', $5, $5) returning id`,
		lettered(number), place, tron, amount, n.clock.Now())
	return id
}

// A transfer on a network is credited once: to a trader by an operator who
// refers to its transaction, in whatever form, or to a merchant for a deposit.
func TestTransfersOfTraders(t *testing.T) {
	n := newNetwork(t)
	settings := directory.NewSettings(n.Pools(), n.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	trader := n.NewTrader(t, dbtest.TraderOpts{}).ID
	fund := func(amount, reference string) error {
		return testenv.ErrOf(settings.FundTrader(t.Context(), operator, directory.Funding{TraderID: trader, Amount: amount, Reference: reference}))
	}
	link := func(number int) string {
		return "https://tronscan.example/#/transaction/" + strings.ToUpper(lettered(number))
	}

	funded := n.asks(t, 1, "25.5")
	testenv.NoError(t, fund("25.5", link(71)))
	came := n.brings(t, 71, 0, "25.5")
	n.match(t)
	n.want(t, funded, "pending none", "the trader's transfer")
	assign := func(transfer, id int64) error {
		return testenv.ErrOf(n.service.Assign(t.Context(), operator, transfer, id))
	}
	dbtest.WantCode(t, assign(came, funded), "transfer_taken")

	attached := n.asks(t, 2, "40")
	n.brings(t, 72, 0, "40")
	n.match(t)
	n.want(t, attached, "pending "+lettered(72)+" 6 false", "the merchant's transfer")
	dbtest.WantFields(t, fund("40", "0x"+lettered(72)), "reference")

	// Also while the network has it no more: it may come back.
	testenv.Must(n.service.Confirm(t.Context(), operator, attached))(t)
	n.Exec(t, "update chain_transfer set state = 'lost' where transaction_hash = $1", lettered(72))
	n.match(t)
	dbtest.WantFields(t, fund("40", lettered(72)), "reference")
	n.Exec(t, "update chain_transfer set state = 'final' where transaction_hash = $1", lettered(72))

	// One transaction may bring both.
	n.brings(t, 72, 1, "7")
	n.match(t)
	testenv.NoError(t, fund("7", lettered(72)))
	dbtest.WantFields(t, fund("7", link(72)), "reference")
	n.WantHas(t, map[ledger.Account]string{ledger.Available(ledger.Trader, trader): "32.5"})
	testenv.NoError(t, testenv.ErrOf(settings.WithdrawTrader(t.Context(), operator,
		directory.Funding{TraderID: trader, Amount: "1", Reference: link(72)})))

	// Whoever comes second waits for the first.
	second := n.brings(t, 73, 0, "60")
	n.match(t)
	raced := n.asks(t, 3, "60")
	tx := n.Beside(t)
	_, err := directory.InsertFunding(t.Context(), db.New(tx), db.TraderFundingInsertParams{
		TraderID: trader, Amount: decimal.NewFromInt(60), Reference: lettered(73), CreatedAt: n.clock.Now(),
	})
	testenv.NoError(t, err)
	assigned := make(chan error, 1)
	go func() { assigned <- assign(second, raced) }()
	n.AwaitBlocked(t)
	testenv.NoError(t, tx.Commit(t.Context()))
	dbtest.WantCode(t, <-assigned, "transfer_taken")

	// So does what is seen only after the first has looked for it.
	unseen := n.asks(t, 4, "80")
	tx = n.Beside(t)
	_, err = directory.InsertFunding(t.Context(), db.New(tx), db.TraderFundingInsertParams{
		TraderID: trader, Amount: decimal.NewFromInt(80), Reference: lettered(74), CreatedAt: n.clock.Now(),
	})
	testenv.NoError(t, err)
	n.brings(t, 74, 0, "80")
	matched := make(chan error, 1)
	go func() { matched <- n.service.Match(t.Context()) }()
	n.AwaitBlocked(t)
	testenv.NoError(t, tx.Commit(t.Context()))
	testenv.NoError(t, <-matched)
	n.want(t, unseen, "pending none", "credited to the trader")
}
