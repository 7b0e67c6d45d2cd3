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
	"gateway.example/internal/testenv"
)

func TestLook(t *testing.T) {
	b := setup(t)
	id := b.merchant.CashboxID
	want := func(want directory.Look) {
		t.Helper()
		want.Merchant, want.ReturnAutomatic = "Merchant", true
		testenv.Want(t, testenv.Must(directory.NewLooks(b.Pools()).Of(ctx, id))(t), want, "look")
	}
	want(directory.Look{})
	key := strconv.FormatInt(id, 10)
	c, err := b.boxSet(directory.CashboxUpdate{PageColor: new("#1A6B54")})
	wantChange(t, c, err, "cashbox", key, "page_color", nil, "#1a6b54")
	c, err = b.boxSet(directory.CashboxUpdate{FrameOrigin: new("https://Shop.example:8443")})
	wantChange(t, c, err, "cashbox", key, "frame_origin", nil, "https://shop.example:8443")
	// What is not named stays.
	want(directory.Look{Color: "#1a6b54", FrameOrigin: "https://shop.example:8443"})
	c, err = b.boxSet(directory.CashboxUpdate{PageColor: new(""), FrameOrigin: new("")})
	wantChange(t, c, err, "cashbox", key, "frame_origin", "https://shop.example:8443", nil)
	want(directory.Look{})
	dbtest.WantCode(t, testenv.ErrOf(directory.NewLooks(b.Pools()).Of(ctx, 1<<40)), "not_found")
}

// Nothing gets into a policy or a stylesheet but an origin and a colour.
func TestLookIsChecked(t *testing.T) {
	b := setup(t)
	for _, color := range []string{"red", "#fff", "1a6b54", "#1a6b5g", "#1a6b54;", " #1a6b54", "#1a6b54ff"} {
		dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{PageColor: &color})), "pageColor")
	}
	for _, origin := range []string{
		"http://shop.example", "shop.example", "https://", "https://shop.example/", "https://shop.example/path", "https://*.example",
		"https://shop.example; script-src *", "https://shop.example https://other.example", "https://user@shop.example", "'self'", "*",
		"https://shop.example:0", "https://shop.example:123456", "https://-shop.example", "https://shop.example?x", "https://localhost",
		"https://10.0.0.1", "https://shop.example\n", "https://" + strings.Repeat("a.", 130) + "example",
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{FrameOrigin: &origin})), "frameOrigin")
	}
	dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{
		PageColor: new("red"), FrameOrigin: new("*"), TraderID: new(int64(1 << 40)),
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
		testenv.Check(t, err == nil && after.Version() == look().Version() && !slices.Contains(seen, after.Version()),
			"%s: %+v, %v", name, after, err)
		seen = append(seen, after.Version())
		_, err = b.settings.UpdateOwnLook(ctx, owner, u)
		testenv.Check(t, errors.Is(err, directory.ErrLookChanged), "%s, with what was seen before: %v", name, err)
	}
	got := look()
	testenv.Check(t, got.Color == "#1a6b54" && got.FrameOrigin == "https://shop.example" && got.PayerEvents &&
		slices.Equal(got.ReturnHosts, []string{"shop.example"}) && got.Merchant == "Merchant", "%+v", got)
	after, err := b.settings.UpdateOwnLook(ctx, developer, directory.LookUpdate{CashboxID: id, Color: new("")})
	testenv.Check(t, err == nil && after.Color == "" && after.FrameOrigin == "https://shop.example",
		"without a version: %+v, %v", after, err)
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
		{viewer, fault.ErrViewOnly},
		{userOf(other, caller.Owner), fault.ErrNotFound},
	} {
		testenv.WantError(t, testenv.ErrOf(b.settings.UpdateOwnLook(ctx, test.who, u)), test.want, "%+v", test.who)
	}
	testenv.WantError(t, testenv.ErrOf(b.settings.OwnLooks(ctx, userOf(b.merchant, caller.Support))), fault.ErrRoleNotAllowed, "support")
	testenv.Must(b.settings.OwnLooks(ctx, viewer))(t) // as the owner
	list, err := b.settings.OwnLooks(ctx, userOf(b.merchant, caller.Owner))
	testenv.Check(t, err == nil && list[0].Color == "", "%+v, %v", list, err)
}
