package directory_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

func TestLook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.merchant.CashboxID
	look := func() directory.Look {
		t.Helper()
		found, err := directory.NewLooks(b.Pools()).Of(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := look(); got != (directory.Look{Merchant: "Merchant"}) {
		t.Errorf("%+v", got)
	}
	key := strconv.FormatInt(id, 10)
	c, err := b.settings.UpdateCashbox(
		t.Context(),
		operator,
		directory.CashboxUpdate{ID: id, PageColor: ptr("#1A6B54")},
	)
	wantChange(t, c, err, "cashbox", key, "page_color", nil, "#1a6b54")
	c, err = b.settings.UpdateCashbox(
		t.Context(),
		operator,
		directory.CashboxUpdate{ID: id, FrameOrigin: ptr("https://Shop.example:8443")},
	)
	wantChange(t, c, err, "cashbox", key, "frame_origin", nil, "https://shop.example:8443")
	// What is not named stays.
	if got := look(); got != (directory.Look{Merchant: "Merchant", Color: "#1a6b54", FrameOrigin: "https://shop.example:8443"}) {
		t.Errorf("%+v", got)
	}
	c, err = b.settings.UpdateCashbox(
		t.Context(),
		operator,
		directory.CashboxUpdate{ID: id, PageColor: ptr(""), FrameOrigin: ptr("")},
	)
	wantChange(t, c, err, "cashbox", key, "frame_origin", "https://shop.example:8443", nil)
	if got := look(); got != (directory.Look{Merchant: "Merchant"}) {
		t.Errorf("%+v", got)
	}
	if _, err := directory.NewLooks(b.Pools()).Of(t.Context(), 1<<40); !errors.Is(err, fault.ErrNotFound) {
		t.Error(err)
	}
	_, err = b.settings.UpdateCashbox(
		t.Context(),
		caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner},
		directory.CashboxUpdate{ID: id, PageColor: ptr("red")},
	)
	if !errors.Is(err, fault.ErrTokenKindNotAllowed) {
		t.Error(err)
	}
}

// Nothing gets into a policy or a stylesheet but an origin and a colour.
func TestLookIsChecked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, color := range []string{"red", "#fff", "1a6b54", "#1a6b5g", "#1a6b54;", " #1a6b54", "#1a6b54ff"} {
		_, err := b.settings.UpdateCashbox(
			t.Context(),
			operator,
			directory.CashboxUpdate{ID: b.merchant.CashboxID, PageColor: &color},
		)
		wantFields(t, err, "pageColor")
	}
	for _, origin := range []string{
		"http://shop.example", "shop.example", "https://", "https://shop.example/", "https://shop.example/path", "https://*.example",
		"https://shop.example; script-src *", "https://shop.example https://other.example", "https://user@shop.example", "'self'", "*",
		"https://shop.example:0", "https://shop.example:123456", "https://-shop.example", "https://shop.example?x", "https://localhost",
		"https://10.0.0.1", "https://shop.example\n", "https://" + strings.Repeat("a.", 130) + "example",
	} {
		_, err := b.settings.UpdateCashbox(
			t.Context(),
			operator,
			directory.CashboxUpdate{ID: b.merchant.CashboxID, FrameOrigin: &origin},
		)
		wantFields(t, err, "frameOrigin")
	}
	_, err := b.settings.UpdateCashbox(t.Context(), operator, directory.CashboxUpdate{
		ID: b.merchant.CashboxID, PageColor: ptr("red"), FrameOrigin: ptr("*"), TraderID: ptr(int64(1 << 40)),
	})
	wantFields(t, err, "pageColor", "frameOrigin", "traderCashboxId")
}
