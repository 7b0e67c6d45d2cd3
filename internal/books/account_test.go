package books_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/books"
	"gateway.example/internal/ledger"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
)

// Operators list what owners have and what is held of them, by kind and id, a
// page at a time. For 1000 RUB at 100 RUB per USDT 10 USDT less the trader's 2%
// are held, and for 500 RUB half of that has moved: 500/105 to the cashbox, and
// the rest to the platform.
func TestAccounts(t *testing.T) {
	b := setup(t)
	for _, table := range []string{"merchant", "cashbox", "trader"} {
		b.Exec(t, "update "+table+" set name = $1 || id", table)
	}
	b.Create(t, b.Shop, "order-1")
	b.Confirm(t, b.SIM, b.CreateOf(t, b.Other, "sim", "order-2", "500").ID)
	external, platform := "external 0   -2000 0", "platform 0   0.13809524 0"
	cashboxes := []string{"cashbox 1 merchant1 cashbox1 0 0", "cashbox 2 merchant2 cashbox2 4.76190476 0"}
	traders := []string{"trader 1  trader1 990.2 9.8", "trader 2  trader2 995.1 0"}
	first, second := ledger.Available(ledger.Platform, 0).ID(), ledger.Available(ledger.Trader, 1).ID()
	for name, c := range map[string]struct {
		asked books.AccountFilter
		next  *int64
		want  []string
	}{
		"all":         {books.AccountFilter{}, nil, []string{external, platform, cashboxes[0], traders[0], cashboxes[1], traders[1]}},
		"first page":  {books.AccountFilter{Limit: 2}, &first, []string{external, platform}},
		"second page": {books.AccountFilter{Limit: 2, After: &first}, &second, []string{cashboxes[0], traders[0]}},
		"last page":   {books.AccountFilter{Limit: 2, After: &second}, nil, []string{cashboxes[1], traders[1]}},
		"a kind":      {books.AccountFilter{Owner: "trader"}, nil, traders},
		"an owner":    {books.AccountFilter{Owner: "cashbox", OwnerID: new(int64(2))}, nil, cashboxes[1:]},
	} {
		list, next := testenv.Must2(b.books.Accounts(t.Context(), reporttest.Operator, c.asked))(t)
		var got []string
		for _, h := range list {
			got = append(got, fmt.Sprintf("%s %s %s %s %s", h.Account.Owner.Of(h.Account.OwnerID), h.Merchant, h.Name, h.Available, h.Reserved))
		}
		testenv.WantAll(t, got, c.want, "%s", name)
		testenv.Check(t, (next == nil) == (c.next == nil) && (next == nil || *next == *c.next), "%s: the next page is after %v", name, next)
	}
}
