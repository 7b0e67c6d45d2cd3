package acceptance

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// A frontend of operators reads the directory and changes what it has read: typed, and never what
// somebody else has changed meanwhile.
func (p *platform) directoryByCalls(t *testing.T) {
	ctx := t.Context()
	merchants := called(t, p.operator.ListMerchants, &portalv1.ListMerchantsRequest{Search: new("SHO")})
	if list := merchants.GetData(); len(list) != 1 || list[0].GetId() != p.merchant || !list[0].GetApiEnabled() ||
		list[0].GetMaxOpenPayments() != 5000 {
		t.Fatalf("merchants %v", list)
	}
	read := merchants.GetData()[0]
	for i, want := range []string{"", "setting_changed"} {
		changed, err := p.operator.UpdateMerchant(ctx, connect.NewRequest(&portalv1.UpdateMerchantRequest{
			MerchantId: p.merchant, RatePercent: new("4.5"), MaxOpenPayments: new(int32(10 + i)),
			Version: &read.Version,
		}))
		if want != "" {
			wantFault(t, "", err, connect.CodeAlreadyExists, want)
			continue
		}
		noError(t, err)
		if now := changed.Msg.GetData(); now.GetRatePercent() != "4.5" || now.GetVersion() == read.GetVersion() {
			t.Errorf("the merchant is %v", now)
		}
	}
	box := called(t, p.operator.GetCashbox, &portalv1.GetCashboxRequest{MerchantCashboxId: p.box})
	if m := box.GetMethods(); len(m) != 1 || m[0].GetMethod() != "sbp" || m[0].GetMarginPercent() != "5" ||
		m[0].GetClaimSeconds() != 900 || box.GetData().GetMerchantName() != "Shop" {
		t.Errorf("the cashbox is %v", box)
	}
	p.readTrader(t)
	p.readRequisite(t)
	users := called(t, p.operator.ListUsers, &portalv1.ListUsersRequest{Kind: new("trader")})
	if list := users.GetData(); len(list) != 1 || list[0].GetLogin() != "trader" || list[0].GetRole() != "owner" ||
		list[0].GetOfName() != "Trader" || !list[0].GetHasPassword() {
		t.Errorf("users %v", list)
	}
	limits := called(t, p.operator.ListPlatformLimits, &portalv1.ListPlatformLimitsRequest{})
	if list := limits.GetData(); len(list) != 1 || list[0].GetMinAmount() != "100.00" {
		t.Errorf("limits %v", list)
	}
	// An operator is told of every wrong field at once.
	wrong := &portalv1.CreateCashboxRequest{Name: strings.Repeat("x", 101), Currency: "XXX"}
	invalid(t, "a wrong cashbox", p.operator.CreateCashbox, wrong, "currency", "merchantId", "name")
	none := called(t, p.operator.ListCashboxes, &portalv1.OperatorServiceListCashboxesRequest{SwitchedOn: new(false)})
	if len(none.GetData()) != 0 {
		t.Errorf("cashboxes that are off: %v", none.GetData())
	}
}

// readTrader gives the trader a processor and takes it away.
func (p *platform) readTrader(t *testing.T) {
	t.Helper()
	secret := strings.Repeat("processor", 3)
	keepSecret(secret)
	set := called(t, p.operator.SetTraderAcquirer, &portalv1.SetTraderAcquirerRequest{
		TraderId: p.trader, Url: "https://cards.example", KeyId: "k", Secret: secret,
	})
	if now := set.GetData(); now.GetUrl() != "https://cards.example" || !now.GetPresent() {
		t.Errorf("the processor is %v", now)
	}
	called(t, p.operator.RemoveTraderAcquirer, &portalv1.RemoveTraderAcquirerRequest{TraderId: p.trader})
	refuses(t, "", p.operator.RemoveTraderAcquirer, &portalv1.RemoveTraderAcquirerRequest{TraderId: p.trader},
		connect.CodeNotFound, "not_found")
	trader := called(t, p.operator.GetTrader, &portalv1.GetTraderRequest{TraderId: p.trader})
	if got := trader; got.GetBalance().GetAvailableUsdt() != "0.00000000" || len(got.GetAcquirers()) != 1 ||
		got.GetAcquirers()[0].GetPresent() || got.GetData().GetSharePercent() != "1" {
		t.Errorf("the trader is %v", got)
	}
}

// readRequisite reads a requisite without its value, and with it: that is kept.
func (p *platform) readRequisite(t *testing.T) {
	t.Helper()
	list := called(t, p.operator.ListRequisites, &portalv1.ListRequisitesRequest{Search: new("4567")})
	if len(list.GetData()) != 1 || list.GetData()[0].GetMasked() != "•••• 4567" {
		t.Fatalf("requisites %v", list.GetData())
	}
	id := list.GetData()[0].GetId()
	updated := called(t, p.operator.UpdateRequisite, &portalv1.UpdateRequisiteRequest{
		RequisiteId: id,
		Limits: &portalv1.RequisiteLimits{
			DailyCount: new(int32(7)),
			WorkFrom:   new("09:00"),
			WorkUntil:  new("18:30"),
		},
	})
	if l := updated.GetData().GetLimits(); l.GetDailyCount() != 7 || l.GetWorkUntil() != "18:30" {
		t.Errorf("limits %v", l)
	}
	logged := called(t, p.operator.ListSettingChanges, &portalv1.ListSettingChangesRequest{Subject: new("requisite")})
	if strings.Contains(logged.String()+updated.String(), "+79001234567") {
		t.Error("the log of settings has the whole requisite")
	}
	whole := called(t, p.operator.RevealRequisite, &portalv1.RevealRequisiteRequest{RequisiteId: id})
	reads := called(t, p.operator.ListSensitiveReads, &portalv1.ListSensitiveReadsRequest{})
	if list := reads.GetData(); whole.GetValue() != "+79001234567" || len(list) != 1 ||
		list[0].GetLogin() != "root" || list[0].GetSubject() != "requisite" || list[0].GetRequestId() == "" {
		t.Errorf("%q, read by %v", whole.GetValue(), list)
	}
}
