package acceptance

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// A frontend of operators reads the directory and changes what it has read: typed, and never what
// somebody else has changed meanwhile.
func TestDirectoryByCalls(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	ctx := t.Context()
	p.setTerms(t)
	p.addMerchant(t)

	merchants, err := p.operator.ListMerchants(ctx,
		connect.NewRequest(&portalv1.ListMerchantsRequest{Search: new("SHO")}))
	noError(t, err)
	if list := merchants.Msg.GetData(); len(list) != 1 || list[0].GetId() != p.merchant || !list[0].GetApiEnabled() ||
		list[0].GetMaxOpenPayments() != 5000 {
		t.Fatalf("merchants %v", list)
	}
	read := merchants.Msg.GetData()[0]
	for i, want := range []string{"", "setting_changed"} {
		changed, err := p.operator.UpdateMerchant(ctx, connect.NewRequest(&portalv1.UpdateMerchantRequest{
			MerchantId:      p.merchant,
			RatePercent:     new("4.5"),
			MaxOpenPayments: new(int32(10 + i)),
			Version:         &read.Version,
		}))
		if want != "" {
			wantRefused(t, err, connect.CodeAlreadyExists, want)
			continue
		}
		noError(t, err)
		if now := changed.Msg.GetData(); now.GetRatePercent() != "4.5" || now.GetVersion() == read.GetVersion() {
			t.Errorf("the merchant is %v", now)
		}
	}
	box, err := p.operator.GetCashbox(ctx, connect.NewRequest(&portalv1.GetCashboxRequest{MerchantCashboxId: p.box}))
	noError(t, err)
	if m := box.Msg.GetMethods(); len(m) != 1 || m[0].GetMethod() != "sbp" || m[0].GetMarginPercent() != "5" ||
		m[0].GetClaimSeconds() != 900 || box.Msg.GetData().GetMerchantName() != "Shop" {
		t.Errorf("the cashbox is %v", box.Msg)
	}
	p.readTrader(t)
	p.readRequisite(t)
	users, err := p.operator.ListUsers(ctx, connect.NewRequest(&portalv1.ListUsersRequest{Kind: new("trader")}))
	noError(t, err)
	if list := users.Msg.GetData(); len(list) != 1 || list[0].GetLogin() != "trader" || list[0].GetRole() != "owner" ||
		list[0].GetOfName() != "Trader" || !list[0].GetHasPassword() {
		t.Errorf("users %v", list)
	}
	limits, err := p.operator.ListPlatformLimits(ctx, connect.NewRequest(&portalv1.ListPlatformLimitsRequest{}))
	noError(t, err)
	if list := limits.Msg.GetData(); len(list) != 1 || list[0].GetMinAmount() != "100.00" {
		t.Errorf("limits %v", list)
	}
	none, err := p.operator.ListCashboxes(ctx,
		connect.NewRequest(&portalv1.OperatorServiceListCashboxesRequest{SwitchedOn: new(false)}))
	noError(t, err)
	if len(none.Msg.GetData()) != 0 {
		t.Errorf("cashboxes that are off: %v", none.Msg.GetData())
	}
}

// readTrader gives the trader a processor and takes it away.
func (p *platform) readTrader(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	secret := strings.Repeat("processor", 3)
	keepSecret(secret)
	set, err := p.operator.SetTraderAcquirer(ctx, connect.NewRequest(&portalv1.SetTraderAcquirerRequest{
		TraderId: p.trader, Url: "https://cards.example", KeyId: "k", Secret: secret,
	}))
	noError(t, err)
	if now := set.Msg.GetData(); now.GetUrl() != "https://cards.example" || !now.GetPresent() {
		t.Errorf("the processor is %v", now)
	}
	_, err = p.operator.RemoveTraderAcquirer(ctx,
		connect.NewRequest(&portalv1.RemoveTraderAcquirerRequest{TraderId: p.trader}))
	noError(t, err)
	_, err = p.operator.RemoveTraderAcquirer(ctx,
		connect.NewRequest(&portalv1.RemoveTraderAcquirerRequest{TraderId: p.trader}))
	wantRefused(t, err, connect.CodeNotFound, "not_found")
	trader, err := p.operator.GetTrader(ctx, connect.NewRequest(&portalv1.GetTraderRequest{TraderId: p.trader}))
	noError(t, err)
	if got := trader.Msg; got.GetBalance().GetAvailableUsdt() != "1000.00000000" || len(got.GetAcquirers()) != 1 ||
		got.GetAcquirers()[0].GetPresent() || got.GetData().GetSharePercent() != "1" {
		t.Errorf("the trader is %v", got)
	}
}

// readRequisite reads a requisite without its value, and with it: that is kept.
func (p *platform) readRequisite(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	list, err := p.operator.ListRequisites(ctx,
		connect.NewRequest(&portalv1.ListRequisitesRequest{Search: new("4567")}))
	noError(t, err)
	if len(list.Msg.GetData()) != 1 || list.Msg.GetData()[0].GetMasked() != "•••• 4567" {
		t.Fatalf("requisites %v", list.Msg.GetData())
	}
	id := list.Msg.GetData()[0].GetId()
	updated, err := p.operator.UpdateRequisite(ctx, connect.NewRequest(&portalv1.UpdateRequisiteRequest{
		RequisiteId: id,
		Limits: &portalv1.RequisiteLimits{
			DailyCount: new(int32(7)),
			WorkFrom:   new("09:00"),
			WorkUntil:  new("18:30"),
		},
	}))
	noError(t, err)
	if l := updated.Msg.GetData().GetLimits(); l.GetDailyCount() != 7 || l.GetWorkUntil() != "18:30" {
		t.Errorf("limits %v", l)
	}
	logged, err := p.operator.ListSettingChanges(ctx,
		connect.NewRequest(&portalv1.ListSettingChangesRequest{Subject: new("requisite")}))
	noError(t, err)
	if strings.Contains(logged.Msg.String()+updated.Msg.String(), "+79001234567") {
		t.Error("the log of settings has the whole requisite")
	}
	whole, err := p.operator.RevealRequisite(ctx, connect.NewRequest(&portalv1.RevealRequisiteRequest{RequisiteId: id}))
	noError(t, err)
	reads, err := p.operator.ListSensitiveReads(ctx, connect.NewRequest(&portalv1.ListSensitiveReadsRequest{}))
	noError(t, err)
	if list := reads.Msg.GetData(); whole.Msg.GetValue() != "+79001234567" || len(list) != 1 ||
		list[0].GetLogin() != "root" || list[0].GetSubject() != "requisite" || list[0].GetRequestId() == "" {
		t.Errorf("%q, read by %v", whole.Msg.GetValue(), list)
	}
}
