package portal_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
)

// week is a merchant's: one payment of 1,000 is paid after 90 seconds and one fails, and there is a
// deposit to be confirmed.
func (b *bundle) week(t testing.TB) {
	t.Helper()
	paid, failed := b.create(t, "1000"), b.create(t, "500")
	b.clock.Advance(90 * time.Second)
	_, err := b.payments.Confirm(t.Context(), b.asTrader(), paid.ID)
	noError(t, err)
	_, err = b.payments.Cancel(t.Context(), b.asTrader(), failed.ID, nil)
	noError(t, err)
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, amount, network, address, idempotency_key,
		created_at, status_at) values ($1, $2, 5, 'TRC20', 'T', gen_random_uuid(), now(), now())`,
		b.merchant.ID,
		b.merchant.CashboxID)
	noError(t, report.NewHours(b.Pool, prometheus.NewRegistry()).Count(context.Background()))
}

// A merchant begins at its overview, which shows figures, and queues only where something waits.
func TestOverviewPage(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.user(t, "merchant-owner", caller.MerchantPortal, caller.Owner, b.merchant.ID)
	p := b.nobody()
	if a := p.post(t, "/sign-in", "login", "merchant-owner", "password", password); a.to() != "/merchant" {
		t.Errorf("a merchant's user is led to %q", a.to())
	}
	if text := p.get(t, "/merchant").text(); !strings.Contains(text, "No payments today") ||
		strings.Contains(text, "What waits") || strings.Contains(text, "Endpoints that fail") {
		t.Errorf("without payments: %s", text)
	}
	b.week(t)
	a := p.get(t, "/merchant")
	text := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(a.text())
	wantIn(t, "the page", text, "Deposits waiting for confirmation: 1", "Payments2 a week ago: 0",
		"Success rate50 % a week ago: –", "1 min 45 s",
		"Total9.52380952 Available9.52380952 Held0.00000000", "By cashbox")
	page := a.page(t)
	want(t, "charts", page.Find("svg[role=img]").Length(), 2)
	want(t, "hours in the table beside the charts", page.Find("figure details tbody tr").Length(),
		1)
	want(t, "there is inline style", page.Find("[style]").Length(), 0)
	wantIn(t, "in Russian", p.get(t, "/merchant?lang=ru").text(), "Последние семь дней")
}

// Support sees how payments go, and no money.
func TestOverviewWithoutMoney(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	b.week(t)
	a := b.as(t, caller.Support).get(t, "/merchant")
	if text := a.text(); a.code != http.StatusOK || !strings.Contains(text, "Success rate") ||
		strings.Contains(text, "Balance") || strings.Contains(text, "Deposits") || strings.Contains(text, "000.00") {
		t.Errorf("%d: %s", a.code, text)
	}
}
