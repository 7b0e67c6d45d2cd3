package payment_test

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// The golden bodies are written by hand from the contract; only what is random is filled in.
func TestEventOfACompletedPayment(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request(`order <1> & "co"`))
	b.clock.Advance(5*time.Minute + 123*time.Millisecond)
	must(b.payments.Confirm(context.Background(), trader.Caller, p.ID))(t)
	b.wantEvent(t, p, "event_completed.json")
}

func TestEventOfAnExpiredPayment(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	r := request("order-1")
	r.Amount = "10.5"
	p := b.create(t, merchant.Caller, r)
	b.clock.Advance(15 * time.Minute)
	b.wantExpired(t, 1)
	b.wantEvent(t, p, "event_expired.json")
}

func (b *bundle) wantEvent(t *testing.T, p payment.Payment, golden string) {
	t.Helper()
	var id uuid.UUID
	var url string
	var body []byte
	err := b.Pool.QueryRow(context.Background(), "select id, url, body from webhook_event where merchant_id = $1 and cashbox_id = $2",
		p.MerchantID, p.CashboxID).
		Scan(&id, &url, &body)
	if err != nil || url != "https://shop.example/hook" || id.Version() != 7 {
		t.Fatalf("event %s to %s: %v", id, url, err)
	}
	want := string(must(os.ReadFile("testdata/" + golden))(t))
	want = strings.NewReplacer("{eventId}", id.String(), "{uuid}", p.UUID.String(), "{id}", strconv.FormatInt(p.ID, 10)).
		Replace(want)
	if got, want := decode(t, string(body)), decode(t, want); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", body, want)
	}
}

// decode keeps numbers as they are written: an id must not turn into a string.
func decode(t *testing.T, body string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// Each event tells what came before it and its place in the row.
func TestEventsFollowEachOther(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	for _, status := range []string{"completed", "completed", "appeal", "pending", "cancelled", "cancelled", "failed"} {
		b.set(t, p.ID, status)
	}
	n := b.Count(t, `select count(*) from webhook_event e join (values
			(1, 'PENDING', 'COMPLETED'), (2, 'COMPLETED', 'APPEAL'), (3, 'APPEAL', 'PENDING'), (4, 'PENDING', 'CANCELLED'),
			(5, 'CANCELLED', 'FAILED')) as w (sequence, before, after) on e.sequence = w.sequence
		where convert_from(e.body, 'UTF8')::json #>> '{meta,previousStatus}' = w.before
			and convert_from(e.body, 'UTF8')::json #>> '{data,status}' = w.after
			and (convert_from(e.body, 'UTF8')::json #>> '{meta,sequence}')::int = w.sequence`)
	testenv.Want(t, n, 5, "events that are right")
	b.wantEvents(t, p, 5)
}
