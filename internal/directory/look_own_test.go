package directory_test

import (
	"errors"
	"slices"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

func userOf(m dbtest.Merchant, role caller.Role) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, ID: 5, MerchantID: m.ID, Role: role}
}

// A merchant's owners and developers change the look of their own cashboxes, and of what was not seen to
// be otherwise. The version changes with every field, and with nothing else.
func TestOwnLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, developer := userOf(b.merchant, caller.Owner), userOf(b.merchant, caller.Developer)
	id := b.merchant.CashboxID
	look := func() directory.OwnLook {
		t.Helper()
		list, err := b.settings.OwnLooks(t.Context(), developer)
		if err != nil || len(list) != 1 || list[0].CashboxID != id {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0]
	}
	seen := []string{look().Version()}
	for name, u := range map[string]directory.LookUpdate{
		"colour": {Color: ptr("#1A6B54")}, "frame": {FrameOrigin: ptr("https://shop.example")},
		"hosts": {ReturnHosts: &[]string{"Shop.example"}}, "events": {PayerEvents: ptr(true)},
	} {
		u.CashboxID, u.Version = id, look().Version()
		after, err := b.settings.UpdateOwnLook(t.Context(), owner, u)
		if err != nil || after.Version() != look().Version() || slices.Contains(seen, after.Version()) {
			t.Errorf("%s: %+v, %v", name, after, err)
		}
		seen = append(seen, after.Version())
		if _, err := b.settings.UpdateOwnLook(t.Context(), owner, u); !errors.Is(err, directory.ErrLookChanged) {
			t.Errorf("%s, with what was seen before: %v", name, err)
		}
	}
	got := look()
	if got.Color != "#1a6b54" || got.FrameOrigin != "https://shop.example" || !got.PayerEvents ||
		!slices.Equal(got.ReturnHosts, []string{"shop.example"}) || got.Merchant != "Merchant" {
		t.Errorf("%+v", got)
	}
	after, err := b.settings.UpdateOwnLook(t.Context(), developer, directory.LookUpdate{CashboxID: id, Color: ptr("")})
	if err != nil || after.Color != "" || after.FrameOrigin != "https://shop.example" {
		t.Errorf("without a version: %+v, %v", after, err)
	}
}

// Others change nothing: not those whose role does not include it, not those who only look, and nobody
// of another merchant, to whom the cashbox is not there.
func TestOwnLookOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	viewer := userOf(b.merchant, caller.Owner)
	viewer.ViewAs = true
	u := directory.LookUpdate{CashboxID: b.merchant.CashboxID, Color: ptr("#123456")}
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
		if _, err := b.settings.UpdateOwnLook(t.Context(), test.who, u); !errors.Is(err, test.want) {
			t.Errorf("%+v: %v, want %v", test.who, err, test.want)
		}
	}
	if _, err := b.settings.OwnLooks(
		t.Context(),
		userOf(b.merchant, caller.Support),
	); !errors.Is(err, fault.ErrRoleNotAllowed) {
		t.Error(err)
	}
	if _, err := b.settings.OwnLooks(t.Context(), viewer); err != nil {
		t.Errorf("who looks as the owner: %v", err)
	}
	list, err := b.settings.OwnLooks(t.Context(), userOf(b.merchant, caller.Owner))
	if err != nil || list[0].Color != "" {
		t.Errorf("%+v, %v", list, err)
	}
}
