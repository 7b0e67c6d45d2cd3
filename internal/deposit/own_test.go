package deposit_test

import (
	"fmt"
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
	"gateway.example/internal/fault"
)

// code is that of a refusal, or "".
func code(err error) string {
	if f := fault.As(err); f != nil {
		return f.Code
	}
	return ""
}

// Users of a merchant's portal read its deposits and balances, and ask for more, as far as their role
// has it; who looks as one of them asks for nothing, and another merchant's find nothing.
func TestOwn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.create(t, request(1)), d.create(t, request(2))
	other := d.newMerchant(t)
	user := func(merchantID int64, role caller.Role) caller.Caller {
		return caller.Caller{Kind: caller.MerchantPortal, Role: role, ID: 5, MerchantID: merchantID}
	}
	looks := user(d.merchant.ID, caller.Owner)
	looks.ViewAs = true
	for name, tried := range map[string]struct {
		who                 caller.Caller
		reads, asks, listed string
	}{
		"owner":     {user(d.merchant.ID, caller.Owner), "", "", "[2 1]"},
		"finance":   {user(d.merchant.ID, caller.Finance), "", "", "[2 1]"},
		"support":   {user(d.merchant.ID, caller.Support), "role_not_allowed", "role_not_allowed", "[]"},
		"developer": {user(d.merchant.ID, caller.Developer), "role_not_allowed", "role_not_allowed", "[]"},
		"viewer":    {looks, "", fault.ErrViewOnly.Code, "[2 1]"},
		"another":   {user(other.ID, caller.Owner), fault.ErrCashboxAccessDenied.Code, fault.ErrCashboxAccessDenied.Code, "[]"},
		"trader":    {caller.Caller{Kind: caller.Trader, Role: caller.Owner}, "token_kind_not_allowed", "token_kind_not_allowed", "[]"},
	} {
		ctx := t.Context()
		page := deposit.OwnPage{}
		list, _, err := d.service.ListOwn(ctx, tried.who, page)
		ids := []int64{}
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		if name != "another" && code(err) != tried.reads || fmt.Sprint(ids) != tried.listed {
			t.Errorf("%s lists %v: %v", name, ids, err)
		}
		if _, err := d.service.History(ctx, tried.who, first.ID); code(err) != tried.reads {
			t.Errorf("%s reads a history: %v", name, err)
		}
		if boxes, err := d.service.Balances(ctx, tried.who); name != "another" && code(err) != tried.reads ||
			len(boxes) > 0 && (len(boxes) != 1 || boxes[0].Balance.CashboxID != boxes[0].ID) {
			t.Errorf("%s reads balances: %v %v", name, boxes, err)
		}
		again := request(2) // of which there is one already
		again.CashboxID = &d.merchant.CashboxID
		if created, err := d.service.Create(ctx, tried.who, again); code(err) != tried.asks ||
			err == nil && (!created.Replay || created.Deposit.ID != second.ID) {
			t.Errorf("%s asks again: %+v %v", name, created, err)
		}
	}
	limit := int32(1)
	page := deposit.OwnPage{CashboxID: &d.merchant.CashboxID}
	page.Limit = &limit
	_, next, err := d.service.ListOwn(t.Context(), user(d.merchant.ID, caller.Owner), page)
	if err != nil || next == nil {
		t.Fatalf("the first page leads to %v: %v", next, err)
	}
	page.Cursor = next
	list, next, err := d.service.ListOwn(t.Context(), user(d.merchant.ID, caller.Owner), page)
	if err != nil || next != nil || len(list) != 1 || list[0].ID != first.ID {
		t.Errorf("the second page has %v and leads to %v: %v", list, next, err)
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
	wrong := deposit.OwnPage{
		Page: deposit.Page{Status: new("waiting")}, IdempotencyKey: new("1"),
		Span: db.Span{From: minute, To: &dbtest.Start},
	}
	wrong.Limit, wrong.Cursor = new(int32(101)), new("x")
	_, _, err := d.service.ListOwn(t.Context(), d.merchant.Caller, wrong)
	wantFields(t, err, "cursor", "idempotencyKey", "limit", "status", "to")
	unable := d.merchant.Caller
	unable.Scopes = []string{caller.ScopePayments, caller.ScopePayouts}
	_, _, err = d.service.ListOwn(t.Context(), unable, deposit.OwnPage{})
	wantFault(t, err, "merchant_scope_required")
}

// A merchant's list of deposits goes by their keys.
func TestOwnPlans(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.create(t, request(1))
	_, err := d.Pool.Exec(t.Context(), `insert into deposit (merchant_id, cashbox_id, status, amount, network, address,
			idempotency_key, created_at, status_at)
		select merchant_id + n % 500, cashbox_id, 'rejected', 10, 'TRC20', 'T', gen_random_uuid(), created_at, status_at
		from deposit, generate_series(1, 20000) n`)
	if err == nil {
		_, err = d.Pool.Exec(t.Context(), "analyze deposit")
	}
	noError(t, err)
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
