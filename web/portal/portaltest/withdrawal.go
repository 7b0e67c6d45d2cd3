package portaltest

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/withdrawal"
)

// addresses are the addresses in owners' address books, by the kind of owner.
var addresses = map[string]string{
	"merchant": "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", "trader": "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy",
}

// Withdrawn makes a withdrawal of 20 USDT of a merchant or a trader.
func (b *Bundle) Withdrawn(t testing.TB, owner string) int64 {
	t.Helper()
	who, r := b.AsTrader(), withdrawal.Request{Amount: "20"}
	if owner == "merchant" {
		who = caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 1, MerchantID: b.Merchant.ID}
		r.CashboxID = &b.Merchant.CashboxID
		b.Fund(t, ledger.Available(ledger.Cashbox, b.Merchant.CashboxID), "21.5")
	} else {
		b.Fund(t, ledger.Available(ledger.Trader, who.TraderID), "21.5")
	}
	b.Exec(t, `insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount) values ('TRC20', true, 1.5, 10, 1000)
		on conflict do nothing`)
	book, err := b.Withdrawals.Addresses(t.Context(), who)
	noError(t, err)
	if len(book) == 0 {
		added, err := b.Withdrawals.AddAddress(t.Context(), who, withdrawal.NewAddress{
			Network: "TRC20", Address: addresses[owner], Label: "Cold wallet",
		})
		noError(t, err)
		b.Exec(t, "update withdrawal_address set usable_at = added_at where id = $1", added.ID)
		book = append(book, added)
	}
	r.AddressID = book[0].ID
	made, err := b.Withdrawals.Request(t.Context(), who, r)
	noError(t, err)
	return made.Withdrawal.ID
}

// HandedOver makes a withdrawal of the merchant that was handed over.
func (b *Bundle) HandedOver(t testing.TB) int64 {
	t.Helper()
	id := b.Withdrawn(t, "merchant")
	_, err := b.Withdrawals.Approve(t.Context(), Admin, id)
	noError(t, err)
	_, err = b.Withdrawals.Export(t.Context(), Admin, 0)
	noError(t, err)
	return id
}
