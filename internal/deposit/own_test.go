package deposit_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/caller"
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
