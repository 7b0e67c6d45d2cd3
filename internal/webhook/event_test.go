package webhook

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

const nowhere = "https://shop.example/hook"

// feed reads one page of a merchant's feed.
func (b *bundle) feed(t *testing.T, page FeedPage) ([]Record, *string) {
	t.Helper()
	list, cursor := testenv.Must2(b.events.List(t.Context(), b.merchant.User(caller.Owner), page))(t)
	return list, cursor
}

func ids(list []Record) []uuid.UUID {
	out := make([]uuid.UUID, 0, len(list))
	for _, record := range list {
		out = append(out, record.ID)
	}
	return out
}

func TestFeedShowsWhatIsKept(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, func(w http.ResponseWriter, nth int) {
		w.WriteHeader([]int{500, 200}[min(nth, 2)-1])
		_, _ = w.Write([]byte{'o', 'k', 0xff})
	})
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	b.hurry(t)
	b.await(t, id, 2)
	list, _ := b.feed(t, FeedPage{})
	got := list[0]
	testenv.Check(t, len(list) == 1 && got.ID == id && got.MerchantID == b.merchant.ID && got.Type == "payment.status.updated" &&
		got.URL == r.URL && string(got.Body) == sampleBody && got.CreatedAt.Equal(b.clock.Now()) &&
		got.Status == statusDelivered, "%+v", got)
	testenv.Check(t, len(got.Attempts) == 2 && *got.Attempts[0].StatusCode == 500 &&
		*got.Attempts[1].StatusCode == 200 && string(got.Attempts[1].Answer) == "ok\xff" &&
		got.Attempts[1].Error == nil && got.Attempts[0].At.Equal(b.clock.Now()), "%+v", got.Attempts)
}

// Pages go to the end, and the last cursor goes on from there, also after a
// page with nothing on it.
func TestFeedPages(t *testing.T) {
	b := setup(t)
	none, no := b.feed(t, FeedPage{})
	testenv.Check(t, len(none) == 0 && no == nil, "an empty feed has %v, %v", none, no)
	b.written(t, b.newMerchant(t), nowhere)
	b.number(t)
	var want []uuid.UUID
	for range 7 {
		want = append(want, b.insert(t, nowhere))
	}
	limit := int32(3)
	var got []uuid.UUID
	var cursor *string
	for _, size := range []int{3, 3, 1, 0, 0} {
		list, next := b.feed(t, FeedPage{Paging: Paging{Limit: &limit, Cursor: cursor}})
		testenv.Need(t, len(list) == size && next != nil, "a page of %d; want %d", len(list), size)
		got, cursor = append(got, ids(list)...), next
	}
	testenv.WantAll(t, got, want, "the feed")
	later := b.insert(t, nowhere)
	list, _ := b.feed(t, FeedPage{Paging: Paging{Cursor: cursor}})
	testenv.WantAll(t, ids(list), []uuid.UUID{later}, "then")
}

func TestFeedByStatus(t *testing.T) {
	b := setup(t)
	want := map[string][]uuid.UUID{}
	for range 2 {
		for _, status := range []string{statusDead, statusPending, statusDelivered} {
			id := b.insert(t, nowhere)
			b.setStatus(t, id, status)
			want[status] = append(want[status], id)
		}
	}
	for status, list := range want {
		got, _ := b.feed(t, FeedPage{Status: &status})
		testenv.WantAll(t, ids(got), list, "%s", status)
	}
}

func (b *bundle) setStatus(t *testing.T, id uuid.UUID, status string) {
	t.Helper()
	b.Exec(t, "update webhook_event set status = $2 where id = $1", id, status)
}

func TestFeedRefuses(t *testing.T) {
	b := setup(t)
	own := b.merchant.User(caller.Owner)
	for field, pages := range map[string][]FeedPage{
		"limit":  {{Paging: Paging{Limit: new(int32)}}, {Paging: Paging{Limit: new(int32(101))}}},
		"status": {{Status: new("sent")}, {Status: new("")}},
		"cursor": { // the last but one is of before events had numbers
			{Paging: Paging{Cursor: new("")}}, {Paging: Paging{Cursor: new("x17")}}, {Paging: Paging{Cursor: new("0")}},
			{Paging: Paging{Cursor: new("AAAAAAAAAvoAAAAAAAAAEQ")}}, {Paging: Paging{Cursor: new("9223372036854775808")}},
		},
	} {
		for _, page := range pages {
			dbtest.WantFields(t, testenv.ErrOf2(b.events.List(t.Context(), own, page)), field)
		}
	}
	found := fault.Fields{"limit": {"must be a number"}}
	dbtest.WantFields(t, testenv.ErrOf2(b.events.List(fault.WithDecoded(t.Context(), found), own, FeedPage{})), "limit")
}

// Operators see the dead events of all, the newest first, or of one merchant.
func TestListDead(t *testing.T) {
	b := setup(t)
	other := b.newMerchant(t)
	var all, theirs []uuid.UUID
	for i := range 6 {
		merchant := []dbtest.Merchant{b.merchant, other}[i%2]
		id := b.written(t, merchant, fmt.Sprintf("%s/%d", nowhere, i))
		b.number(t)
		b.setStatus(t, id, statusDead)
		all = append([]uuid.UUID{id}, all...)
		if i%2 == 1 {
			theirs = append([]uuid.UUID{id}, theirs...)
		}
	}
	b.insert(t, nowhere)
	operator, limit := operator, int32(4)
	first, cursor := testenv.Must2(b.events.ListDead(t.Context(), operator, DeadPage{Paging: Paging{Limit: &limit}}))(t)
	testenv.Need(t, cursor != nil, "there is no cursor")
	second, end := testenv.Must2(b.events.ListDead(t.Context(), operator, DeadPage{Paging: Paging{Limit: &limit, Cursor: cursor}}))(t)
	got := append(ids(first), ids(second)...)
	testenv.Check(t, slices.Equal(got, all) && len(first) == 4 && end == nil, "%v; want %v", got, all)
	list, _ := testenv.Must2(b.events.ListDead(t.Context(), operator, DeadPage{MerchantID: &other.ID}))(t)
	testenv.Check(t, slices.Equal(ids(list), theirs) && list[0].MerchantID == other.ID,
		"%v; want %v", ids(list), theirs)
	dbtest.WantFields(t, testenv.ErrOf2(b.events.ListDead(t.Context(), operator, DeadPage{Paging: Paging{Limit: new(int32), Cursor: new("x")}})), "limit", "cursor")
}

// A key reads the same feed as its merchant's portal, by the index of its
// numbers, if it has the scope.
func TestFeedByKey(t *testing.T) {
	b := setup(t)
	other := b.newMerchant(t)
	var own []uuid.UUID
	for range 3 {
		own = append(own, b.add(t, nowhere))
		b.addFor(t, other, nowhere)
	}
	b.relayAll(t)
	key := b.merchant.Caller
	key.Scopes = []string{caller.ScopePayments}
	var got []uuid.UUID
	page := FeedPage{Paging: Paging{Limit: new(int32(2))}}
	for range 3 {
		list, cursor := testenv.Must2(b.events.Feed(t.Context(), key, page))(t)
		got, page.Cursor = append(got, ids(list)...), cursor
	}
	testenv.Check(t, slices.Equal(got, own) && page.Cursor != nil, "read %v, want %v", got, own)
	key.Scopes = []string{caller.ScopePayouts, caller.ScopeDeposits}
	testenv.WantError(t, testenv.ErrOf2(b.events.Feed(t.Context(), key, FeedPage{})), fault.ErrScopeRequired, "without the scope")
	b.many(t, 1000, 20000, "'delivered'")
	b.WantPlan(t, "the feed", func(q *db.Queries) error {
		_, err := q.WebhookEventFeed(t.Context(),
			db.WebhookEventFeedParams{MerchantID: b.merchant.ID, AfterNumber: 15000, Page: 50})
		return err
	}, "Index Scan using webhook_event_other_feed_idx", "number > ")
}

// many makes events of these numbers, each in a status by its number n.
func (b *bundle) many(t *testing.T, from, to int, status string) {
	t.Helper()
	b.Exec(t, `insert into webhook_event
		(merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status, number)
		select $1, gen_random_uuid(), $2, 'payment.status.updated', 'payment', n, 1, 'https://shop.example', '{}', now(), `+status+`, n
		from generate_series($3::int, $4::int) n`, b.merchant.ID, b.merchant.CashboxID, from, to)
	b.Exec(t, "analyze webhook_event")
}

// Asking for the few events in one status reads those, and not all the others a
// merchant has.
func TestFeedByStatusReadsOnlyThose(t *testing.T) {
	b := setup(t)
	b.many(t, 1, 5000, "case when n % 1000 = 0 then 'dead' else 'delivered' end")
	b.Exec(t, "update webhook_relay set last_number = 5000")
	pool := b.Open(t, 1, db.ForCommands)
	events := NewEvents(db.OnePool(pool), b.vault, b.clock)
	dead, pending, limit := statusDead, statusPending, int32(3)
	before := dbtest.RowsRead(t, pool, "webhook_event")
	for range 10 { // more often than a plan is made anew for each call
		page := FeedPage{Paging: Paging{Limit: &limit}, Status: &dead}
		var found int
		for range 3 {
			list, cursor := testenv.Must2(events.List(t.Context(), b.merchant.User(caller.Owner), page))(t)
			found, page.Cursor = found+len(list), cursor
			for _, event := range list {
				testenv.Want(t, event.Status, dead, "the event is")
			}
		}
		testenv.Want(t, found, 5, "found")
		list, _, err := events.List(t.Context(), b.merchant.User(caller.Owner), FeedPage{Status: &pending})
		testenv.Check(t, err == nil && len(list) == 0, "pending: %d, %v", len(list), err)
	}
	rows := dbtest.RowsRead(t, pool, "webhook_event") - before
	testenv.Check(t, rows <= 200, "read %d rows for the same five, ten times", rows)
}

// A cursor beyond the last event is of the time before a restore. Going on from
// it would leave out what comes next, so it is refused.
func TestFeedRefusesCursorBeyond(t *testing.T) {
	b := setup(t)
	events := NewEvents(b.Pools(), b.vault, b.clock)
	for last, want := range []string{"cursor", ""} {
		b.Exec(t, "update webhook_relay set last_number = $1", last)
		cursor, status := "1", statusDead
		for _, page := range []FeedPage{{Paging: Paging{Cursor: &cursor}}, {Paging: Paging{Cursor: &cursor}, Status: &status}} {
			_, next, err := events.List(t.Context(), b.merchant.User(caller.Owner), page)
			var found *fault.Error
			if errors.As(err, &found); want == "" && (err != nil || *next != cursor) ||
				want != "" && (found == nil || len(found.Fields[want]) != 1) {
				t.Errorf("after number %d the cursor 1 is answered with %v", last, err)
			}
		}
	}
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.events, map[string]string{
		"merchant_key":             "Feed",
		"operator":                 "ListDead",
		"merchant_portal":          "List Get Latest OldSecrets RotateSecret",
		"merchant_portal operator": "Replay ReplayProgress Replays StopReplay",
	})
}

// Names of holders are taken out of events that are settled, and nothing else:
// an order id that looks like the field stays.
func TestHoldersAreErased(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	bodies := []string{
		`{"data":{"orderId":"\"payerRequisites\":{\"cardLast4\":\"1111\",\"cardHolder\":\"X\"}","payerRequisites":{"cardLast4":"1111","cardHolder":"ANNA"}}}`,
		`{"data":{"payerRequisites":{"cardLast4":"1111"}}}`,
		`{"data":{"payerRequisites":{"cardLast4":"1111","cardHolder":"ANNA"}},"meta":{"sequence":3}}`,
	}
	d.Exec(t, `with e as (
			insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status)
			select 1, ('00000000-0000-7000-8000-00000000000' || place)::uuid, 1, 'payment.status.updated', 'payment', 7, place,
				'https://shop.example/', convert_to(body, 'UTF8'), now(), case place when 3 then 'pending' else 'dead' end
			from unnest($1::text[]) with ordinality as b (body, place) returning *
		)
		insert into webhook_holder (merchant_id, event_id, payment_id) select merchant_id, id, subject_id from e where sequence <> 2`,
		bodies)
	d.Exec(t, `insert into payment_card (merchant_id, payment_id, cashbox_id, brand, last4, created_at)
		values (1, 7, 1, 'visa', '1111', now())`)
	testenv.NoError(t, EraseHolders(t.Context(), d.Pool))
	for i, want := range []string{
		`{"data":{"orderId":"\"payerRequisites\":{\"cardLast4\":\"1111\",\"cardHolder\":\"X\"}","payerRequisites":{"cardLast4":"1111"}}}`,
		bodies[1], bodies[2],
	} {
		testenv.Want(t, d.Text(t, "select convert_from(body, 'UTF8') from webhook_event where sequence = $1", i+1), want, "a body")
	}
	testenv.Want(t, d.Count(t, "select count(*) from webhook_holder"), 1, "events that wait")
}
