package portal_test

import (
	"fmt"
	"strconv"
	"testing"

	"gateway.example/internal/caller"
)

// directoryPages are those of the directory, by what they show.
func (b *bundle) directoryPages(t testing.TB, admin *person) map[string]string {
	t.Helper()
	requisite := fmt.Sprintf("/operator/requisites/%d", b.traders[0].Requisites[0])
	trader := fmt.Sprintf("/operator/traders/%d", b.traders[0].ID)
	box := fmt.Sprintf("/operator/cashboxes/%d", b.merchant.CashboxID)
	for i := range 3 {
		admin.made(t, requisite, "dailyCount", strconv.Itoa(20+i), "holder", "A holder with a rather long name")
	}
	admin.made(t, trader+"/processor", "url", "https://cards.example/of/a/rather/long/path/that/goes/on",
		"keyId", "k1", "secret", "0123456789abcdef")
	id := b.user(t, "a.very.long.login.of.somebody@example.com", caller.MerchantPortal, caller.Owner, b.merchant.ID)
	b.user(t, "desk", caller.Trader, caller.Desk, b.traders[0].ID)
	return map[string]string{
		"merchants":     "/operator/merchants",
		"no merchants":  "/operator/merchants?q=nothing&on=0",
		"new merchant":  "/operator/merchants/new",
		"merchant":      fmt.Sprintf("/operator/merchants/%d", b.merchant.ID),
		"cashboxes":     "/operator/cashboxes",
		"new cashbox":   "/operator/cashboxes/new",
		"cashbox":       box,
		"method":        box + "/methods/sbp",
		"payout method": box + "/payouts/sbp",
		"traders":       "/operator/traders",
		"new trader":    "/operator/traders/new",
		"trader":        trader,
		"trader's pay":  trader + "/payouts/RUB/sbp",
		"processor":     trader + "/processor",
		"remove":        trader + "/processor/remove",
		"requisites":    "/operator/requisites",
		"new requisite": "/operator/requisites/new",
		"requisite":     requisite,
		"users":         "/operator/users",
		"new user":      "/operator/users/new",
		"user":          fmt.Sprintf("/operator/users/%d", id),
		"switch off":    fmt.Sprintf("/operator/users/%d/off", id),
		"limits":        "/operator/limits",
		"limit":         "/operator/limits/RUB",
		"banks":         "/operator/banks",
		"new bank":      "/operator/banks/RUB",
	}
}
