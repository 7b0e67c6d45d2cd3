package portals_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A deposit is asked for once, however often its form is sent, and followed until it is confirmed.
func TestMerchantDeposits(t *testing.T) {
	b, p := portaltest.Member(t, caller.Finance)
	const address = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	box := fmt.Sprint(b.Merchant.CashboxID)
	form := func(more ...string) []string {
		return hidden(p.Page(t, "/merchant/deposits/new"), append([]string{"cashbox", box, "network", "TRC20"}, more...)...)
	}
	a := p.Post(t, "/merchant/deposits", form("amount", "-1", "address", "nowhere")...)
	page := a.Page(t)
	want(t, "wrong", line(a.Code, page.Find("#address").AttrOr("value", ""), page.Find(".wrong").Length()), "422 nowhere 2")
	fields := form("amount", "25,5", "address", address)
	for range 2 {
		want(t, "asked for", p.Post(t, "/merchant/deposits", fields...).Led(), "303 /merchant/deposits/1 deposit-requested")
	}
	a = p.Post(t, "/merchant/deposits", form("amount", "1", "address", address, "cashbox", "1")...)
	want(t, "the first cashbox counts", a.To(), "/merchant/deposits/2")
	listed := portaltest.List(t, p, "/merchant/deposits", 0, 2, 3, 5)
	want(t, "listed", listed, []string{"2 | 1.00 USDT | TRC20 | Pending", "1 | 25.50 USDT | TRC20 | Pending"})
	testenv.Must(b.Rooms.Deposits.Confirm(t.Context(), portaltest.Admin, 1))(t)
	text := p.Get(t, "/merchant/deposits/1").Text()
	wantIn(t, "its page", text, "Pending → Confirmed", "operator")
	wantNot(t, "its page", text, "operator 1")
	want(t, "confirmed", portaltest.List(t, p, "/merchant/deposits?status=confirmed", 0), []string{"1"})
	want(t, "balance", portaltest.List(t, p, "/merchant/balance", 2, 3, 4, 5),
		[]string{"25.50000000 | 25.50000000 | 0.00000000 | 0.00000000"})
	want(t, "statement", portaltest.List(t, p, "/merchant/statement", 0, 2, 3, 4),
		[]string{"Deposit № 1 | Deposit | +25.50000000 | 25.50000000"})
	want(t, "the file", strings.HasSuffix(strings.TrimSpace(p.Get(t, "/merchant/statement.csv?cashbox="+box).Body), "\nrows,1"), true)
	foreign := b.Stranger(t)
	want(t, "a foreign statement", foreign.Get(t, "/merchant/statement?cashbox="+box).Code, http.StatusNotFound)
	a = foreign.Post(t, "/merchant/deposits", hidden(foreign.Page(t, "/merchant/deposits/new"),
		"cashbox", box, "network", "TRC20", "amount", "1", "address", address)...)
	want(t, "into a foreign cashbox", a.Code, http.StatusNotFound)
	want(t, "all there are", len(rows(p.Page(t, "/merchant/deposits"))), 2)
	b.Audit(t)
}
