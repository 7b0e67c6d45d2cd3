package deposit_test

import (
	"fmt"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// network is what the gateway has seen of one.
type network struct{ *desk }

func newNetwork(t *testing.T) network {
	t.Helper()
	n := network{newDesk(t)}
	n.Exec(t, `insert into chain_cursor (network, start_number, block_number, block_hash, head_number, leased_until)
		values ('TRC20', 1, 1, 'b', 100, now())`)
	n.Exec(t, "insert into receiving_address (network, address) values ('TRC20', $1)", tron)
	n.bystander(t)
	return n
}

// bystander is another merchant, whose deposits are of the same amounts on
// another network or at another address, and who has named transactions of that
// network with the same hashes. One of them has its transfer. No test is about
// them: they stay as they are.
func (n network) bystander(t *testing.T) {
	t.Helper()
	m := n.newMerchant(t)
	number := 900
	for _, network := range []string{"ERC20", "TRC20"} {
		for _, amount := range []string{"11.11", "25.5", "40", "12", "30", "50", "60", "49"} {
			r := request(number)
			r.Amount, r.Network, r.Address = amount, network, map[string]string{
				"ERC20": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "TRC20": "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm",
			}[network]
			testenv.Must(n.service.Create(t.Context(), m.Caller, r))(t)
			number++
		}
	}
	n.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address, to_address,
		amount, state, seen_at, state_at) values ('ERC20', 'theirs', 0, 'in', 95, 'b', 'f', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 11.11, 'seen', $1, $1)`, dbtest.Start)
	n.match(t)
	n.Exec(t, `update deposit_transfer set merchant_id = d.merchant_id, deposit_id = d.id from deposit d
		where d.merchant_id = $1 and d.amount = 11.11 and d.network = 'ERC20'`, m.ID)
	for number := range 8 {
		n.Exec(t, `insert into deposit_claim (network, transaction_hash, merchant_id, deposit_id, actor, at)
			select network, $2, merchant_id, id, 'key:1', $3 from deposit where merchant_id = $1 and network = 'ERC20' order by id offset $4 limit 1`,
			m.ID, hash(number+1), dbtest.Start, number)
	}
	n.Stays(t, `select (select jsonb_agg(d order by d.id) from deposit d where d.merchant_id = $1)::text
		|| (select jsonb_agg(d order by d.transfer_id) from deposit_transfer d where d.merchant_id = $1)::text
		|| (select jsonb_agg(d order by d.deposit_id) from deposit_claim d where d.merchant_id = $1)::text`, m.ID)
}

// comes has a transfer in a state. Sent again, it is in another one.
func (n network) comes(t *testing.T, number int, amount, state string) {
	t.Helper()
	n.Exec(t, `insert into chain_transfer (network, transaction_hash, log_index, direction, block_number, block_hash, from_address,
		to_address, amount, state, seen_at, state_at) values ('TRC20', $1, 0, 'in', 95, 'b', 'f', $2, $3, $4, $5, $5)
		on conflict (network, transaction_hash, log_index, direction) do update set amount = excluded.amount,
			state = excluded.state`,
		fmt.Sprint("hash", number), tron, amount, state, n.clock.Now())
}

// transfer is the id of one.
func (n network) transfer(t *testing.T, hash string) (id int64) {
	t.Helper()
	n.Get(t, &id, "select id from chain_transfer where transaction_hash = $1", hash)
	return id
}

func (n network) match(t *testing.T) {
	t.Helper()
	testenv.NoError(t, n.service.Match(t.Context()))
}

// asks requests a deposit of an amount, before what comes next.
func (n network) asks(t *testing.T, number int, amount string) int64 {
	t.Helper()
	r := request(number)
	r.Amount = amount
	d := n.create(t, r)
	n.clock.Advance(time.Second)
	return d.ID
}

func (n network) want(t *testing.T, id int64, want, what string) {
	t.Helper()
	d := testenv.Must(n.service.Get(t.Context(), n.merchant.Caller, id))(t)
	got := d.Status + " none"
	if d.Transfer != nil {
		got = fmt.Sprint(d.Status, " ", d.Transfer.Hash, " ", d.Transfer.Confirmations, " ", d.Transfer.ByOperator)
	}
	testenv.Want(t, got, want, "%s", what)
}

func (n network) free(t *testing.T) (hashes string) {
	t.Helper()
	for _, f := range n.unmatched(t) {
		hashes += f.Hash + " "
	}
	return hashes
}
