package operator_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal/operator"
)

// What is set of methods and requisites is what is answered, each number in its
// form.
func TestSettingsByCalls(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	settings := directory.NewSettings(d.Pools(), &dbtest.Clock{}, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	s := operator.New(operator.Services{Settings: settings})
	id := testenv.Must(session.InsertUser(t.Context(), d.Queries(), session.NewUser{
		Kind: caller.Operator, Role: caller.Admin, Login: "admin",
	}, "hash", dbtest.Start))(t)
	ctx := caller.With(t.Context(), caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: id, Login: "admin"})
	box := d.NewMerchant(t, dbtest.MerchantOpts{}).CashboxID
	method := testenv.Must(s.SetCashboxMethod(ctx, &portalv1.SetCashboxMethodRequest{
		MerchantCashboxId: box, Method: "sbp", Enabled: true, MarginPercent: "4.50", ValiditySeconds: 600,
		MinAmount: "10.5", MaxAmount: "2000", ClaimSeconds: new(int32(700)), Cards: new(int32(2)),
		AmountPolicy: new("tolerance"), TolerancePercent: new("1.5"), ToleranceAmount: new("3"),
		DifferenceTo: new("platform"), LateSeconds: new(int32(60)),
	}))(t).GetData()
	testenv.Check(t, proto.Equal(method, &portalv1.CashboxMethod{
		Method: "sbp", Enabled: true, MarginPercent: new("4.5"), ValiditySeconds: 600, MinAmount: new("10.50"),
		MaxAmount: new("2000.00"), ClaimSeconds: 700, Cards: 2, AmountPolicy: "tolerance", TolerancePercent: new("1.5"),
		ToleranceAmount: new("3.00"), DifferenceTo: "platform", LateSeconds: 60, Version: method.GetVersion(),
	}), "method %v", method)
	bare := testenv.Must(s.SetCashboxMethod(ctx, &portalv1.SetCashboxMethodRequest{
		MerchantCashboxId: box, Method: "card", ValiditySeconds: 900,
	}))(t).GetData()
	testenv.Check(t, bare.MarginPercent == nil && bare.MinAmount == nil && bare.GetCards() == 3, "method %v", bare)
	for least, want := range map[*string]*string{nil: nil, new("1.5"): new("1.50")} {
		payouts := testenv.Must(s.SetCashboxPayoutMethod(ctx, &portalv1.SetCashboxPayoutMethodRequest{
			MerchantCashboxId: box, Method: "sbp", Enabled: true, MarkupPercent: "2.50", ValiditySeconds: 3600, MinAmount: least,
		}))(t).GetData()
		testenv.Check(t, proto.Equal(payouts, &portalv1.CashboxPayoutMethod{
			Method: "sbp", Enabled: true, MarkupPercent: "2.5", ValiditySeconds: 3600, MinAmount: want,
			Version: payouts.GetVersion(),
		}), "method of payouts %v", payouts)
	}
	d.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	listed := testenv.Must(s.ListRequisites(ctx, &portalv1.ListRequisitesRequest{}))(t).GetData()
	requisite := testenv.Must(s.UpdateRequisite(ctx, &portalv1.UpdateRequisiteRequest{
		RequisiteId: listed[0].GetId(), Limits: &portalv1.RequisiteLimits{
			MinAmount: new("1"), MaxAmount: new("2"), DailyCount: new(int32(3)), DailySum: new("4"),
			OpenPayments: new(int32(5)), WorkFrom: new("06:00"), WorkUntil: new("07:00"), TimeZone: new("Europe/Berlin"),
			Weight: new(int32(8)),
		},
	}))(t).GetData()
	testenv.Check(t, requisite.GetWeight() == 8 && proto.Equal(requisite.GetLimits(), &portalv1.OwnRequisiteLimits{
		MinAmount: new("1.00"), MaxAmount: new("2.00"), DailyCount: new(int32(3)), DailySum: new("4.00"),
		OpenPayments: new(int32(5)), WorkFrom: new("06:00"), WorkUntil: new("07:00"), TimeZone: new("Europe/Berlin"),
	}), "requisite %v", requisite)
}
