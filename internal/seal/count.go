package seal

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// count adds up what a day's transfers moved.
type count struct {
	kinds    map[string]KindTotal
	balances map[[2]string]decimal.Decimal
}

// countFrom continues from the balances at the end of the day before.
func countFrom(before Totals) count {
	c := count{map[string]KindTotal{}, map[[2]string]decimal.Decimal{}}
	for _, b := range before.Balances {
		c.balances[[2]string{b.Owner, b.Account}] = b.Amount
	}
	return c
}

func (c count) add(t db.Transfer) {
	k := c.kinds[t.Kind]
	c.kinds[t.Kind] = KindTotal{t.Kind, k.Transfers + 1, k.Amount.Add(t.Amount)}
	c.move(t.DebitAccount, t.Amount.Neg())
	c.move(t.CreditAccount, t.Amount)
}

func (c count) move(account int64, amount decimal.Decimal) {
	a := ledger.AccountOf(account)
	of := [2]string{a.Owner.String(), accountName(a)}
	c.balances[of] = c.balances[of].Add(amount)
}

func (c count) totals() Totals {
	t := Totals{Kinds: []KindTotal{}, Balances: []BalanceTotal{}}
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		t.Kinds = append(t.Kinds, c.kinds[kind])
	}
	byName := func(a, b [2]string) int { return slices.CompareFunc(a[:], b[:], strings.Compare) }
	for _, of := range slices.SortedFunc(maps.Keys(c.balances), byName) {
		t.Balances = append(t.Balances, BalanceTotal{of[0], of[1], c.balances[of]})
	}
	return t
}
