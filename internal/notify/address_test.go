package notify

import "testing"

// Who sees the money of a trader or of a merchant is told of an address that was added to their book, at once and once.
func TestAddressAdded(t *testing.T) {
	far, b := byTelegram(t, "61")
	for kind, owner := range map[string]int64{"trader": b.trader.ID, "merchant": b.newOwner(t, "62")} {
		b.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
			values ($1, $2, 'TRC20', 'T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm', 'x', 'x', $3, $3)`, kind, owner, b.clock.Now())
	}
	b.round(t)
	same(t, far.heard("61"), []string{
		"An address for withdrawals was added. If this was not you, remove it.\nhttps://portal.example/trader/withdrawals/addresses",
	}, "told the trader")
	same(t, far.heard("62"), []string{
		"An address for withdrawals was added. If none of you added it, remove it.\nhttps://portal.example/merchant/withdrawals/addresses",
	}, "told the merchant")
	b.roundLater(t, "1 hour")
	same(t, far.heard("61"), nil, "told once more")
}
