package waits_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/reporttest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/waits"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// Everybody is told what waits for them, and of money only who sees it; what is
// more than 99 is told as that.
func TestWaits(t *testing.T) {
	b := reporttest.New(t)
	for _, of := range []int64{b.Shop.ID, b.Other.ID} {
		b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key, created_at, status_at)
			select $1, $2, 5, 'TRC20', 'T', gen_random_uuid(), now(), now() from generate_series(1, 99)`, of, b.Shop.CashboxID)
	}
	service := waits.New(b.Pools(), b.Clock)
	for name, test := range map[string]struct {
		who  caller.Caller
		want string
	}{
		"an operator":          {reporttest.Operator, "map[deposits.pending:99+]"},
		"a merchant's finance": {reporttest.MerchantUser(b.Shop, caller.Finance), "map[deposits.waiting:99]"},
		"a merchant's support": {reporttest.MerchantUser(b.Shop, caller.Support), "map[]"},
		"a trader":             {reporttest.TraderUser(b.SBP, caller.Desk), "map[]"},
		"a program":            {b.Shop.Caller, "map[]"},
	} {
		found := testenv.Must(service.For(t.Context(), test.who))(t)
		texts := map[waits.Queue]string{}
		for queue, count := range found {
			texts[queue] = count.Text()
		}
		testenv.Want(t, fmt.Sprint(texts), test.want, "%s", name)
	}
	testenv.Want(t, waits.Count{}.Text(), "", "what does not wait")
}
