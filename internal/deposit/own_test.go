package deposit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
)

// A user of a merchant's portal reads its deposits and balances, page by page, and asks for more. Who else may, and for whom,
// stands in access.txt and foreign.txt of internal/acceptance.
func TestOwn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.create(t, request(1)), d.create(t, request(2))
	owner := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 5, MerchantID: d.merchant.ID}
	page := deposit.OwnPage{CashboxID: &d.merchant.CashboxID}
	page.Limit = new(int32(1))
	for _, want := range []deposit.Deposit{second, first} {
		list, next, err := d.service.ListOwn(t.Context(), owner, page)
		if err != nil || len(list) != 1 || list[0].ID != want.ID || (next == nil) != (want.ID == first.ID) {
			t.Errorf("a page has %v and leads to %v: %v", list, next, err)
		}
		page.Cursor = next
	}
	must(d.service.History(t.Context(), owner, first.ID))(t)
	boxes := must(d.service.Balances(t.Context(), owner))(t)
	if len(boxes) != 1 || boxes[0].Balance.CashboxID != boxes[0].ID {
		t.Errorf("balances: %v", boxes)
	}
	again := request(2)
	again.CashboxID = &d.merchant.CashboxID
	created := must(d.service.Create(t.Context(), owner, again))(t)
	if !created.Replay || created.Deposit.ID != second.ID {
		t.Errorf("asked again: %+v", created)
	}
}

// A key lists its merchant's deposits by any of the filters, as far as its scope has it.
func TestOwnByKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.create(t, request(1))
	d.clock.Advance(time.Minute)
	second := d.create(t, request(2))
	minute := new(dbtest.Start.Add(time.Minute))
	for name, test := range map[string]struct {
		page deposit.OwnPage
		want []int64
	}{
		"all":             {deposit.OwnPage{}, []int64{second.ID, first.ID}},
		"pending":         {deposit.OwnPage{Page: deposit.Page{Status: new("pending")}}, []int64{second.ID, first.ID}},
		"confirmed":       {deposit.OwnPage{Page: deposit.Page{Status: new("confirmed")}}, nil},
		"since":           {deposit.OwnPage{Span: db.Span{From: minute}}, []int64{second.ID}},
		"before":          {deposit.OwnPage{Span: db.Span{To: minute}}, []int64{first.ID}},
		"by its key":      {deposit.OwnPage{IdempotencyKey: new(first.IdempotencyKey.String())}, []int64{first.ID}},
		"by no one's key": {deposit.OwnPage{IdempotencyKey: new("01890a5d-ac96-774b-bcce-b302099a8057")}, nil},
		"its key, later":  {deposit.OwnPage{IdempotencyKey: new(first.IdempotencyKey.String()), Span: db.Span{From: minute}}, nil},
	} {
		list, cursor, err := d.service.ListOwn(t.Context(), d.merchant.Caller, test.page)
		var got []int64
		for _, one := range list {
			got = append(got, one.ID)
		}
		if err != nil || cursor != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v: %v", name, got, test.want, err)
		}
	}
	if list, _, err := d.service.ListOwn(t.Context(), d.newMerchant(t).Caller, deposit.OwnPage{}); err != nil ||
		len(list) > 0 {
		t.Errorf("another merchant lists %v: %v", list, err)
	}
}

// A merchant's list of deposits goes by their keys.
func TestOwnPlans(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.create(t, request(1))
	d.Exec(t, `insert into deposit (merchant_id, cashbox_id, status, amount, network, address,
			idempotency_key, created_at, status_at)
		select merchant_id + n % 500, cashbox_id, 'rejected', 10, 'TRC20', 'T', gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 20000) n`)
	d.Exec(t, "analyze deposit")
	all := db.DepositListOwnParams{MerchantID: d.merchant.ID, BeforeID: 1 << 62, Page: 51}
	one := all
	one.IdempotencyKey = pgtype.UUID{Bytes: uuid.New(), Valid: true}
	for index, params := range map[string]db.DepositListOwnParams{
		"Index Cond: (merchant_id = ": all, "(idempotency_key = '": one,
	} {
		plan := d.Plan(t, func(q *db.Queries) error { _, err := q.DepositListOwn(t.Context(), params); return err })
		if !strings.Contains(plan, index) || strings.Contains(plan, "Filter: (idempotency_key") {
			t.Errorf("not by %s:\n%s", index, plan)
		}
	}
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	dbtest.WantKinds(t, d.service, map[string]string{
		"merchant_key merchant_portal":          "Create ListOwn",
		"merchant_key merchant_portal operator": "Get History Search",
		"merchant_key":                          "Balance",
		"merchant_portal":                       "Balances",
		"operator":                              "Confirm Reject List SetReceiving Ours",
		"merchant_portal operator":              "ReceivingAddresses",
	})
}
