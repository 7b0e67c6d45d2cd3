package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A merchant who requests a deposit is shown where to send it, and an operator which deposits went elsewhere.
func TestReceivingAddress(t *testing.T) {
	const ours, another = "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"
	b, p := portaltest.Operator(t, caller.Admin)
	owner := b.As(t, caller.Owner)
	ask := func(pairs ...string) string {
		return owner.Post(t, "/merchant/deposits", portaltest.Hidden(owner.Page(t, "/merchant/deposits/new"),
			append(pairs, "cashbox", fmt.Sprint(b.Merchant.CashboxID), "amount", "25.5", "network", "TRC20")...)...).To()
	}
	elsewhere := ask("address", another)
	p.Made(t, "/operator/receiving/TRC20", "address", ours)
	wantIn(t, "the addresses", words(p.Page(t, "/operator/receiving").Find("main")), "TRC20 "+ours)
	if page := owner.Page(t, "/merchant/deposits/new"); page.Find("[name=address]").Length() > 0 {
		t.Error("a merchant is asked where they send the USDT, which the platform says")
	}
	closed := owner.Post(t, "/merchant/deposits", portaltest.Hidden(owner.Page(t, "/merchant/deposits/new"),
		"cashbox", fmt.Sprint(b.Merchant.CashboxID), "amount", "25.5", "network", "ERC20")...)
	wantIn(t, "a network without an address", closed.Text(), "takes no deposits by this network any more")
	sent := ask()
	page := owner.Page(t, sent)
	wantIn(t, "what to do", words(page.Find("main")), "Send 25.50 USDT by TRC20 "+ours)
	testenv.Check(t, page.Find(".qr svg").Length() == 1, "there is no QR code of the address")
	const mark = "Not the platform's."
	for path, marked := range map[string]bool{sent: false, elsewhere: true} {
		page := words(p.Page(t, strings.Replace(path, "/merchant/", "/operator/", 1)).Find("main"))
		testenv.Check(t, strings.Contains(page, mark) == marked, "%s: marked %v: %s", path, !marked, page)
	}
}
