package payment_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// told has the merchant of a cashbox told what payers say.
func (b *bundle) told(t *testing.T, cashboxID int64) {
	t.Helper()
	b.Exec(t, "update cashbox set payer_events = true where id = $1", cashboxID)
}

// patience sets how long payments of a cashbox wait at least once their payers say that they have
// paid.
func (b *bundle) patience(t *testing.T, cashboxID int64, seconds int) {
	t.Helper()
	b.Exec(t, "update cashbox_method set claim_seconds = $1 where cashbox_id = $2", seconds, cashboxID)
}

// stands is what must not change without a reason.
func (b *bundle) stands(t *testing.T, p payment.Payment) string {
	t.Helper()
	var row string
	err := b.Pool.QueryRow(t.Context(), "select to_jsonb(p)::text from payment p where id = $1", p.ID).Scan(&row)
	noError(t, err)
	return row
}

// The first claim is kept, gives the transfer fifteen minutes to arrive, and is told to a merchant
// who asked for it. A repeat changes nothing, also after the payment has ended.
func TestClaim(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	if p.ClaimedAt != nil {
		t.Errorf("claimed at %s before anybody said so", p.ClaimedAt)
	}
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	now := b.clock.Now()
	claimed, err := b.payments.Claim(t.Context(), p.UUID)
	if err != nil || claimed.Status != payment.Pending || claimed.ClaimedAt == nil || !claimed.ClaimedAt.Equal(now) ||
		!claimed.ExpiresAt.Equal(now.Add(15*time.Minute)) || claimed.EventSequence != 1 ||
		!claimed.StatusAt.Equal(p.StatusAt) {
		t.Fatalf("%+v, %v", claimed, err)
	}
	b.wantEvent(t, p, "event_claimed.json")
	read, err := b.payments.Get(t.Context(), merchant.Caller, p.UUID.String())
	if err != nil || !read.ClaimedAt.Equal(now) || !read.ExpiresAt.Equal(claimed.ExpiresAt) {
		t.Errorf("read %v, %s, %v", read.ClaimedAt, read.ExpiresAt, err)
	}
	before := b.stands(t, p)
	b.clock.Advance(time.Minute)
	again, err := b.payments.Claim(t.Context(), p.UUID)
	if err != nil || !again.ClaimedAt.Equal(now) || b.stands(t, p) != before {
		t.Errorf("a repeat: %v, %v", again.ClaimedAt, err)
	}
	// It expires when it says it does, not when it was to at first.
	b.clock.Advance(13 * time.Minute)
	b.wantExpired(t, 0)
	if _, err := b.payments.Confirm(t.Context(), trader.Caller, p.ID); err != nil {
		t.Fatal(err)
	}
	if again, err = b.payments.Claim(t.Context(), p.UUID); err != nil || again.Status != payment.Completed {
		t.Errorf("a repeat after the end: %s, %v", again.Status, err)
	}
	// The claim and the change that follows it are numbered without a gap.
	right := b.Count(t, `select count(*) from webhook_event e join (values
			(1, 'payment.payer.claimed', 'PENDING'), (2, 'payment.status.updated', 'COMPLETED')) as w (sequence, type, status)
			on e.sequence = w.sequence and e.type = w.type and convert_from(e.body, 'UTF8')::json #>> '{data,status}' = w.status
		where e.subject_id = $1`, p.ID)
	if n := b.Count(t, "select count(*) from webhook_event"); n != 2 || right != 2 {
		t.Errorf("%d events, %d of them right, want 2", n, right)
	}
	b.Audit(t)
}

// A claimed payment still expires: fifteen minutes after the claim, and not before.
func TestClaimedPaymentExpires(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(14*time.Minute + 59*time.Second)
	if _, err := b.payments.Claim(t.Context(), p.UUID); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(14*time.Minute + 59*time.Second)
	b.wantExpired(t, 0)
	b.clock.Advance(time.Second)
	b.wantExpired(t, 1)
	b.Audit(t)
}

// The setting moves the expiry only ahead: one that is later anyway stays.
func TestClaimNeverShortens(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	for name, c := range map[string]struct {
		seconds int
		after   time.Duration
		want    time.Duration // of the creation
	}{
		"short":               {1, 5 * time.Minute, 15 * time.Minute},
		"just as long":        {600, 5 * time.Minute, 15 * time.Minute},
		"a second longer":     {601, 5 * time.Minute, 15*time.Minute + time.Second},
		"longest":             {86_400, 0, 24 * time.Hour},
		"short, near the end": {1, 14*time.Minute + 59500*time.Millisecond, 15*time.Minute + 500*time.Millisecond},
	} {
		b.patience(t, merchant.CashboxID, c.seconds)
		p := b.create(t, merchant.Caller, request(name))
		b.clock.Advance(c.after)
		claimed, err := b.payments.Claim(t.Context(), p.UUID)
		if err != nil || !claimed.ExpiresAt.Equal(p.CreatedAt.Add(c.want)) {
			t.Errorf("%s: expires %s after its creation, want %s, %v", name, claimed.ExpiresAt.Sub(p.CreatedAt), c.want,
				err)
		}
	}
	// Nobody asked to be told.
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 0, "events")
}

// Payers who press twice at once have said so once.
func TestParallelClaims(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	b.told(t, merchant.CashboxID)
	p := b.create(t, merchant.Caller, request("order-1"))
	errs := make([]error, 10)
	var race sync.WaitGroup
	for i := range errs {
		race.Go(func() { _, errs[i] = b.payments.Claim(context.Background(), p.UUID) })
	}
	race.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if n := b.Count(
		t, "select count(*) from webhook_event where type = 'payment.payer.claimed' and sequence = 1",
	); n != 1 {
		t.Errorf("%d claims are told of", n)
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 1, "events")
	if got := b.row(t, p); got.EventSequence != 1 {
		t.Errorf("the last event is number %d", got.EventSequence)
	}
}

// A payer claims while the trader confirms: the payment is completed either way, and its events
// follow each other without a gap.
func TestClaimAgainstTrader(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	b.told(t, merchant.CashboxID)
	for i := range 20 {
		p := b.create(t, merchant.Caller, request(string(rune('a'+i))))
		var claimed, confirmed error
		var race sync.WaitGroup
		race.Go(func() { _, claimed = b.payments.Claim(context.Background(), p.UUID) })
		race.Go(func() { _, confirmed = b.payments.Confirm(context.Background(), trader.Caller, p.ID) })
		race.Wait()
		want := 2
		if claimed != nil {
			wantCode(t, claimed, "payment_not_pending")
			want = 1
		}
		now, err := b.payments.ByUUID(t.Context(), p.UUID)
		if err != nil || confirmed != nil || now.Status != payment.Completed ||
			(now.ClaimedAt != nil) != (claimed == nil) {
			t.Errorf("%s, claimed at %v: %v, %v", now.Status, now.ClaimedAt, confirmed, err)
		}
		if n := b.Count(
			t, `select count(*) from webhook_event where subject_id = $1 and sequence <= $2`, p.ID, want,
		); n != want {
			t.Errorf("%d events, want %d", n, want)
		}
	}
	b.Audit(t)
}

// A claim comes too late once the time is over, before the sweep too, and once the payment is not
// pending. A card payment has no claim, and neither has a link that is none.
func TestClaimRefused(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 10})
	b.told(t, merchant.CashboxID)
	for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
		p := b.create(t, merchant.Caller, request(status))
		b.set(t, p.ID, status)
		before := b.stands(t, p)
		_, err := b.payments.Claim(t.Context(), p.UUID)
		wantCode(t, err, "payment_not_pending")
		testenv.Want(t, b.stands(t, p), before, "%s: the refused claim has changed something", status)
	}
	p := b.create(t, merchant.Caller, request("cancelled by the payer"))
	if _, err := b.payments.CancelByPayer(t.Context(), p.UUID); err != nil {
		t.Fatal(err)
	}
	_, err := b.payments.Claim(t.Context(), p.UUID)
	wantCode(t, err, "payment_not_pending")
	p = b.create(t, merchant.Caller, request("late"))
	b.clock.Advance(15 * time.Minute)
	before := b.stands(t, p)
	_, err = b.payments.Claim(t.Context(), p.UUID)
	wantCode(t, err, "payment_not_pending")
	if b.stands(t, p) != before {
		t.Error("the late claim has changed something")
	}
	_, err = b.payments.Claim(t.Context(), uuid.New())
	wantCode(t, err, "not_found")

	b.SetRate(t, "AZN", "2", true)
	cards := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"quasi_ecom"}})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1, Currency: "AZN", Method: "quasi_ecom"})
	r := request("card")
	r.Currency, r.Method = "AZN", new("quasi_ecom")
	p = b.create(t, cards.Caller, r)
	before = b.stands(t, p)
	_, err = b.payments.Claim(t.Context(), p.UUID)
	wantCode(t, err, "not_found")
	if b.stands(t, p) != before {
		t.Error("the claim of a card payment has changed something")
	}
	if n := b.Count(t, "select count(*) from webhook_event where type = 'payment.payer.claimed'"); n != 0 {
		t.Errorf("%d claims are told of", n)
	}
}

// Where payers go back to is an address that a browser opens, of any host as long as the cashbox
// names none.
func TestReturnURL(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	if p := b.create(t, merchant.Caller, request("without")); p.ReturnURL != nil {
		t.Errorf("returns to %s", *p.ReturnURL)
	}
	for _, address := range []string{
		"https://shop.example/", "https://shop.example", "https://shop.example:8443/thanks?order=1#top", "https://10.0.0.1/",
	} {
		r := request(address)
		r.ReturnURL = &address
		p := b.create(t, merchant.Caller, r)
		read, err := b.payments.Get(t.Context(), merchant.Caller, p.UUID.String())
		if err != nil || p.ReturnURL == nil || *p.ReturnURL != address || *read.ReturnURL != address {
			t.Errorf("%s: %v, read as %v, %v", address, p.ReturnURL, read.ReturnURL, err)
		}
	}
	for _, address := range []string{
		"", "shop.example", "/thanks", "//shop.example/", "http://shop.example/", "http://127.0.0.1/", "javascript:alert(1)",
		"data:text/html,x", "https://", "https://user:pass@shop.example/", "https:shop.example",
		"https://shop.example/" + text(1024),
	} {
		r := request("wrong")
		r.ReturnURL = &address
		_, err := b.payments.Create(t.Context(), merchant.Caller, r)
		wantFields(t, err, "returnUrl")
	}
	if n := b.Count(t, "select count(*) from payment_key where order_id = 'wrong'"); n != 0 {
		t.Error("a refusal has taken the order id")
	}
}

// Where the cashbox names hosts, payers go back to those alone, whatever their case and port.
func TestReturnHosts(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites())
	allow := func(hosts ...string) {
		t.Helper()
		_, err := settings.UpdateCashbox(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1},
			directory.CashboxUpdate{ID: merchant.CashboxID, ReturnHosts: &hosts})
		noError(t, err)
	}
	create := func(order, address string) (payment.Created, error) {
		r := request(order)
		r.ReturnURL = &address
		return b.payments.Create(t.Context(), merchant.Caller, r)
	}
	first := must[payment.Created](t)(create("first", "https://elsewhere.example/"))
	allow("shop.example", "Pay.Shop.example", "Магазин.рф")
	for _, address := range []string{
		"https://shop.example/thanks", "https://SHOP.example:8443/", "https://pay.shop.example/",
		"https://магазин.рф/", "https://xn--80aairftm.xn--p1ai/thanks",
	} {
		if _, err := create(address, address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"https://elsewhere.example/", "https://shop.example.evil.example/", "https://evilshop.example/",
		"https://www.shop.example/", "https://evil.example/?shop.example", "https://evil.example/#shop.example",
	} {
		_, err := create("refused", address)
		wantFields(t, err, "returnUrl")
	}
	// A payment without a return address needs no host, and a repeat is judged by nothing but its
	// order id: it is the payment as it was made.
	b.create(t, merchant.Caller, request("none"))
	for _, address := range []string{"https://shop.example/", "https://refused.example/"} {
		again, err := create("first", address)
		if err != nil || !again.Replay || len(again.Mismatch) != 0 ||
			*again.Payment.ReturnURL != *first.Payment.ReturnURL {
			t.Errorf("a repeat that returns to %s: %+v, %v", address, again, err)
		}
	}
	allow()
	if _, err := create("refused", "https://elsewhere.example/"); err != nil {
		t.Errorf("any host again: %v", err)
	}
}
