package portal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/portal"
)

// The procedures of reports let in traders, merchants' users and operators, and nobody else.
func TestReportAccess(t *testing.T) {
	t.Parallel()
	want := []caller.Kind{caller.Trader, caller.MerchantPortal, caller.Operator}
	for _, procedure := range []string{
		portalv1connect.ReportServiceGetPaymentTimelineProcedure, portalv1connect.ReportServiceGetPayinTimelineProcedure,
		portalv1connect.ReportServiceListPaymentsProcedure, portalv1connect.ReportServiceListPayinsProcedure,
		portalv1connect.ReportServiceGetStatementProcedure,
	} {
		if got := rpc.Access(procedure); !slices.Equal(got, want) {
			t.Errorf("%s lets in %v", procedure, got)
		}
	}
}

// 1000 RUB at 100 and a markup of 5%: what a trader is told of it over the wire, and what they are not.
func TestReportOfATrader(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	clock := &dbtest.Clock{}
	d.SetRate(t, "RUB", "100", true)
	shop := d.NewMerchant(t, dbtest.MerchantOpts{})
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1})
	settings, err := directory.NewKeeper(t.Context(), d.Pool, 0, nil)
	testenv.NoError(t, err)
	payments, err := payment.New(d.Pools(), clock, outbound.NewAddresses(false), settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true})
	testenv.NoError(t, err)
	method := "sbp"
	created, err := payments.Create(t.Context(), shop.Caller, payment.Request{
		OrderID: "order-1", Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	})
	testenv.NoError(t, err)
	p := created.Payment
	service := portal.NewReportService(report.New(d.Pools(), clock, payments, nil), nil)
	ctx := caller.With(t.Context(), caller.Caller{Kind: caller.Trader, ID: 3, TraderID: trader.ID, Role: caller.Owner})

	timeline, err := service.GetPaymentTimeline(ctx,
		connect.NewRequest(&portalv1.GetPaymentTimelineRequest{PaymentId: fmt.Sprint(p.ID)}))
	testenv.NoError(t, err)
	lines := timeline.Msg.GetData()
	var kinds []string
	for _, line := range lines {
		kinds = append(kinds, line.GetKind()+" "+line.GetWhat())
	}
	if got := strings.Join(kinds,
		", "); got != "request created, choice requisite_chosen, rate rate_fixed, status status, "+
		"ledger transfer, ledger transfer" {
		t.Fatalf("the lines are %s", got)
	}
	if r := lines[0].GetRequest(); r.GetAmount() != "1000.00" || r.OrderId != nil || r.CallbackUri != nil {
		t.Errorf("the request is %v", r)
	}
	if r := lines[2].GetRate(); r.GetHoldUsdt() != "9.80000000" || r.BaseRate != nil || r.MarkupPercent != nil ||
		r.SpotUsdt != nil {
		t.Errorf("the rate is %v", r)
	}
	if m := lines[4].GetTransfer(); m.GetDirection() != "debit" || m.GetAmount() != "9.80000000" ||
		m.GetAccount().GetPurpose() != "available" || m.GetOther() != nil {
		t.Errorf("the first transfer is %v", m)
	}

	list, err := service.ListPayments(ctx, connect.NewRequest(&portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{MinAmount: "999.99", Status: []string{"pending"}},
	}))
	testenv.NoError(t, err)
	if got := list.Msg.GetData(); len(got) != 1 || got[0].GetId() != p.ID || got[0].OrderId != nil ||
		got[0].ProfitUsdt != nil || got[0].GetAmountUsdt() != "9.52380952" {
		t.Errorf("the list is %v", got)
	}
	statement, err := service.GetStatement(ctx, connect.NewRequest(&portalv1.GetStatementRequest{Limit: 1}))
	testenv.NoError(t, err)
	m := statement.Msg
	if line := m.GetData()[0]; m.GetOpeningBalance() != "0.00000000" || m.GetClosingBalance() != "990.20000000" ||
		m.NextCursor == nil || line.GetBalance() != "990.20000000" || line.GetSubjectUuid() != p.UUID.String() ||
		line.GetDirection() != "debit" {
		t.Errorf("the statement is %v", m)
	}
	payins, err := service.ListPayins(ctx, connect.NewRequest(&portalv1.ReportServiceListPayinsRequest{}))
	testenv.NoError(t, err)
	testenv.Want(t, len(payins.Msg.GetData()), 0, "payouts")
	_, err = service.GetPayinTimeline(ctx,
		connect.NewRequest(&portalv1.GetPayinTimelineRequest{PayinId: p.UUID.String()}))
	dbtest.WantCode(t, err, "not_found")
	// Every wrong field is named.
	_, err = service.ListPayments(ctx, connect.NewRequest(&portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{MinAmount: "x", Limit: 101, From: &timestamppb.Timestamp{Nanos: -1}},
	}))
	refusal := fault.As(err)
	for _, field := range []string{"filter.minAmount", "limit", "filter.from"} {
		testenv.Check(t, refusal != nil && refusal.Fields[field] != nil, "%s is not named: %v", field, refusal)
	}
}
