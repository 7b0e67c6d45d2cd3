package directory_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

func TestLook(t *testing.T) {
	b := setup(t)
	id := b.merchant.CashboxID
	look := func() directory.Look {
		t.Helper()
		found := must(directory.NewLooks(b.Pools()).Of(ctx, id))(t)
		return found
	}
	if got := look(); got != (directory.Look{Merchant: "Merchant", ReturnAutomatic: true}) {
		t.Errorf("%+v", got)
	}
	key := strconv.FormatInt(id, 10)
	c, err := logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: id, PageColor: new("#1A6B54")}))
	wantChange(t, c, err, "cashbox", key, "page_color", nil, "#1a6b54")
	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: id, FrameOrigin: new("https://Shop.example:8443")}))
	wantChange(t, c, err, "cashbox", key, "frame_origin", nil, "https://shop.example:8443")
	// What is not named stays.
	if got := look(); got != (directory.Look{
		Merchant: "Merchant", Color: "#1a6b54", FrameOrigin: "https://shop.example:8443", ReturnAutomatic: true,
	}) {
		t.Errorf("%+v", got)
	}
	c, err = logged(b.settings.UpdateCashbox(ctx, operator,
		directory.CashboxUpdate{ID: id, PageColor: new(""), FrameOrigin: new("")}))
	wantChange(t, c, err, "cashbox", key, "frame_origin", "https://shop.example:8443", nil)
	if got := look(); got != (directory.Look{Merchant: "Merchant", ReturnAutomatic: true}) {
		t.Errorf("%+v", got)
	}
	if _, err := directory.NewLooks(b.Pools()).Of(ctx, 1<<40); !errors.Is(err, fault.ErrNotFound) {
		t.Error(err)
	}
	_, err = b.settings.UpdateCashbox(ctx, caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner},
		directory.CashboxUpdate{ID: id, PageColor: new("red")})
	if !errors.Is(err, fault.ErrTokenKindNotAllowed) {
		t.Error(err)
	}
}

// Nothing gets into a policy or a stylesheet but an origin and a colour.
func TestLookIsChecked(t *testing.T) {
	b := setup(t)
	for _, color := range []string{"red", "#fff", "1a6b54", "#1a6b5g", "#1a6b54;", " #1a6b54", "#1a6b54ff"} {
		wantFields(t, errOf(b.settings.UpdateCashbox(ctx, operator,
			directory.CashboxUpdate{ID: b.merchant.CashboxID, PageColor: &color})), "pageColor")
	}
	for _, origin := range []string{
		"http://shop.example", "shop.example", "https://", "https://shop.example/", "https://shop.example/path", "https://*.example",
		"https://shop.example; script-src *", "https://shop.example https://other.example", "https://user@shop.example", "'self'", "*",
		"https://shop.example:0", "https://shop.example:123456", "https://-shop.example", "https://shop.example?x", "https://localhost",
		"https://10.0.0.1", "https://shop.example\n", "https://" + strings.Repeat("a.", 130) + "example",
	} {
		wantFields(t, errOf(b.settings.UpdateCashbox(ctx, operator,
			directory.CashboxUpdate{ID: b.merchant.CashboxID, FrameOrigin: &origin})), "frameOrigin")
	}
	wantFields(t, errOf(b.settings.UpdateCashbox(ctx, operator, directory.CashboxUpdate{
		ID: b.merchant.CashboxID, PageColor: new("red"), FrameOrigin: new("*"), TraderID: new(int64(1 << 40)),
	})), "pageColor", "frameOrigin", "traderCashboxId")
}

func userOf(m dbtest.Merchant, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, ID: 5, MerchantID: m.ID, Role: role}
}

// A merchant's owners and developers change the look of their own cashboxes, and of what was not seen to
// be otherwise. The version changes with every field, and with nothing else.
func TestOwnLook(t *testing.T) {
	b := setup(t)
	owner, developer := userOf(b.merchant, caller.Owner), userOf(b.merchant, caller.Developer)
	id := b.merchant.CashboxID
	look := func() directory.OwnLook {
		t.Helper()
		list, err := b.settings.OwnLooks(ctx, developer)
		if err != nil || len(list) != 1 || list[0].CashboxID != id {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0]
	}
	seen := []string{look().Version()}
	for name, u := range map[string]directory.LookUpdate{
		"colour": {Color: new("#1A6B54")}, "frame": {FrameOrigin: new("https://shop.example")},
		"hosts": {ReturnHosts: &[]string{"Shop.example"}}, "events": {PayerEvents: new(true)},
	} {
		u.CashboxID, u.Version = id, look().Version()
		after, err := b.settings.UpdateOwnLook(ctx, owner, u)
		if err != nil || after.Version() != look().Version() || slices.Contains(seen, after.Version()) {
			t.Errorf("%s: %+v, %v", name, after, err)
		}
		seen = append(seen, after.Version())
		if _, err := b.settings.UpdateOwnLook(ctx, owner, u); !errors.Is(err, directory.ErrLookChanged) {
			t.Errorf("%s, with what was seen before: %v", name, err)
		}
	}
	got := look()
	if got.Color != "#1a6b54" || got.FrameOrigin != "https://shop.example" || !got.PayerEvents ||
		!slices.Equal(got.ReturnHosts, []string{"shop.example"}) || got.Merchant != "Merchant" {
		t.Errorf("%+v", got)
	}
	after, err := b.settings.UpdateOwnLook(ctx, developer, directory.LookUpdate{CashboxID: id, Color: new("")})
	if err != nil || after.Color != "" || after.FrameOrigin != "https://shop.example" {
		t.Errorf("without a version: %+v, %v", after, err)
	}
}

// Others change nothing: not those whose role does not include it, not those who only look, and nobody
// of another merchant, to whom the cashbox is not there.
func TestOwnLookOfOthers(t *testing.T) {
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	viewer := userOf(b.merchant, caller.Owner)
	viewer.ViewAs = true
	u := directory.LookUpdate{CashboxID: b.merchant.CashboxID, Color: new("#123456")}
	for _, test := range []struct {
		who  caller.Caller
		want error
	}{
		{userOf(b.merchant, caller.Finance), fault.ErrRoleNotAllowed},
		{userOf(b.merchant, caller.Support), fault.ErrRoleNotAllowed},
		{operator, fault.ErrTokenKindNotAllowed},
		{b.merchant.Caller, fault.ErrTokenKindNotAllowed},
		{viewer, fault.ErrViewOnly},
		{userOf(other, caller.Owner), fault.ErrNotFound},
	} {
		if _, err := b.settings.UpdateOwnLook(ctx, test.who, u); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, want %v", test.who, err, test.want)
		}
	}
	if _, err := b.settings.OwnLooks(ctx, userOf(b.merchant, caller.Support)); !errors.Is(err, fault.ErrRoleNotAllowed) {
		t.Error(err)
	}
	if _, err := b.settings.OwnLooks(ctx, viewer); err != nil {
		t.Errorf("who looks as the owner: %v", err)
	}
	list, err := b.settings.OwnLooks(ctx, userOf(b.merchant, caller.Owner))
	if err != nil || list[0].Color != "" {
		t.Errorf("%+v, %v", list, err)
	}
}
