package report_test

import (
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
	"gateway.example/internal/timeline"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	rpcreport "gateway.example/rpc/portal/report"
)

// 1000 RUB at 100 and a markup of 5%: what a trader is told of it over the wire, and what they are not.
func TestReportOfATrader(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	clock := &dbtest.Clock{}
	d.SetRate(t, "RUB", "100", true)
	shop := d.NewMerchant(t, dbtest.MerchantOpts{})
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "1000", SharePercent: "2", Requisites: 1})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), d.Pool, 0, nil))(t)
	payments := testenv.Must(payment.New(d.Pools(), clock, outbound.NewAddresses(false), settings,
		payment.Config{Requisites: dbtest.Requisites(), Markup: decimal.NewFromInt(5), ExternalSecret: true}))(t)
	method := "sbp"
	created := testenv.Must(payments.Create(t.Context(), shop.Caller, payment.Request{
		OrderID: "order-1", Amount: "1000", Currency: "RUB", CallbackURI: "https://shop.example/hook", Method: &method,
	}))(t)
	p := created.Payment
	service := rpcreport.New(rpcreport.Rooms{
		Reports: report.New(d.Pools(), clock, payments, nil), Timelines: timeline.New(d.Pools(), clock, payments),
		Books: books.New(d.Pools(), clock, nil),
	})
	ctx := caller.With(t.Context(), caller.Caller{Kind: caller.Trader, ID: 3, TraderID: trader.ID, Role: caller.Owner})

	timeline := testenv.Must(service.GetPaymentTimeline(ctx,
		connect.NewRequest(&portalv1.GetPaymentTimelineRequest{PaymentId: fmt.Sprint(p.ID)})))(t)
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
	r := lines[0].GetRequest()
	testenv.Check(t, r.GetAmount() == "1000.00" && r.OrderId == nil && r.CallbackUri == nil, "the request is %v", r)
	rate := lines[2].GetRate()
	testenv.Check(t, rate.GetHoldUsdt() == "9.80000000" && rate.BaseRate == nil && rate.MarkupPercent == nil &&
		rate.SpotUsdt == nil, "the rate is %v", rate)
	first := lines[4].GetTransfer()
	testenv.Check(t, first.GetDirection() == "debit" && first.GetAmount() == "9.80000000" &&
		first.GetAccount().GetPurpose() == "available" && first.GetOther() == nil, "the first transfer is %v", first)

	list := testenv.Must(service.ListPayments(ctx, connect.NewRequest(&portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{MinAmount: "999.99", Status: []string{"pending"}},
	})))(t)
	got := list.Msg.GetData()
	testenv.Check(t, len(got) == 1 && got[0].GetId() == p.ID && got[0].OrderId == nil &&
		got[0].ProfitUsdt == nil && got[0].GetAmountUsdt() == "9.52380952", "the list is %v", got)
	statement := testenv.Must(service.GetStatement(ctx, connect.NewRequest(&portalv1.GetStatementRequest{Limit: 1})))(t)
	m := statement.Msg
	line := m.GetData()[0]
	testenv.Check(t, m.GetOpeningBalance() == "0.00000000" && m.GetClosingBalance() == "990.20000000" &&
		m.NextCursor != nil && line.GetBalance() == "990.20000000" && line.GetSubjectUuid() == p.UUID.String() &&
		line.GetDirection() == "debit", "the statement is %v", m)
	payins := testenv.Must(service.ListPayins(ctx, connect.NewRequest(&portalv1.ReportServiceListPayinsRequest{})))(t)
	testenv.Want(t, len(payins.Msg.GetData()), 0, "payouts")
	_, err := service.GetPayinTimeline(ctx,
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
