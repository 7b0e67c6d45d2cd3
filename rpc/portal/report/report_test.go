package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/attest"
	"gateway.example/internal/books"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	"gateway.example/internal/timeline"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	rpcreport "gateway.example/rpc/portal/report"
)

// 1000 RUB at 100 and a markup of 5%: what a trader is told of it over the
// wire, and what they are not.
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
	service := rpcreport.New(rpcreport.Services{
		Reports: report.New(d.Pools(), clock, payments, nil), Timelines: timeline.New(d.Pools(), clock, payments),
		Books: books.New(d.Pools(), clock, nil),
	})
	ctx := caller.With(t.Context(), caller.Caller{Kind: caller.Trader, ID: 3, TraderID: trader.ID, Role: caller.Owner})

	timeline := testenv.Must(service.GetPaymentTimeline(ctx,
		&portalv1.GetPaymentTimelineRequest{PaymentId: fmt.Sprint(p.ID)}))(t)
	lines := timeline.GetData()
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

	list := testenv.Must(service.ListPayments(ctx, &portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{MinAmount: "999.99", Status: []string{"pending"}},
	}))(t)
	got := list.GetData()
	testenv.Check(t, len(got) == 1 && got[0].GetId() == p.ID && got[0].OrderId == nil &&
		got[0].ProfitUsdt == nil && got[0].GetAmountUsdt() == "9.52380952", "the list is %v", got)
	statement := testenv.Must(service.GetStatement(ctx, &portalv1.GetStatementRequest{Limit: 1}))(t)
	m := statement
	line := m.GetData()[0]
	testenv.Check(t, m.GetOpeningBalance() == "0.00000000" && m.GetClosingBalance() == "990.20000000" &&
		m.NextCursor != nil && line.GetBalance() == "990.20000000" && line.GetSubjectUuid() == p.UUID.String() &&
		line.GetDirection() == "debit", "the statement is %v", m)
	payins := testenv.Must(service.ListPayins(ctx, &portalv1.ReportServiceListPayinsRequest{}))(t)
	testenv.Want(t, len(payins.GetData()), 0, "payouts")
	_, err := service.GetPayinTimeline(ctx,
		&portalv1.GetPayinTimelineRequest{PayinId: p.UUID.String()})
	dbtest.WantCode(t, err, "not_found")
	// Every wrong field is named.
	_, err = service.ListPayments(ctx, &portalv1.ReportServiceListPaymentsRequest{
		Filter: &portalv1.ReportFilter{MinAmount: "x", Limit: 101},
	})
	refusal := fault.As(err)
	for _, field := range []string{"filter.minAmount", "limit"} {
		testenv.Check(t, refusal != nil && refusal.Fields[field] != nil, "%s is not named: %v", field, refusal)
	}
}

// A deposit of 25 USDT, before and after its day is sealed, and the day as
// operators see it.
func TestProofOfADeposit(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	clock := &dbtest.Clock{}
	shop := d.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{caller.ScopeDeposits}})
	deposits := deposit.New(d.Pools(), clock, foureyes.Rules{})
	made := testenv.Must(deposits.Create(t.Context(), shop.Caller, deposit.Request{
		Amount: "25", Network: "TRC20", Address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
		IdempotencyKey: "7c0d4d5e-55f4-4d18-a66c-60b90aef3c55",
	}))(t)
	operator := caller.Caller{Kind: caller.Operator, ID: 7, Role: caller.Treasury}
	testenv.Must(deposits.Confirm(t.Context(), operator, made.Deposit.ID))(t)
	signer := testenv.Must(attest.New(d.Pool, bytes.Repeat([]byte{7}, 32)))(t)
	service := rpcreport.ProofService{Proofs: seal.New(d.Pools(), seal.Services{Deposits: deposits, Signer: signer})}
	owner := caller.With(t.Context(),
		caller.Caller{Kind: caller.MerchantPortal, ID: 5, MerchantID: shop.ID, Role: caller.Owner})
	get := func() *portalv1.ProofResponse {
		t.Helper()
		answer := testenv.Must(service.GetDepositProof(owner,
			&portalv1.GetDepositProofRequest{DepositId: made.Deposit.ID}))(t)
		return answer
	}
	early := get()
	w := early.GetWaiting()
	testenv.Check(t, early.GetProven() == 0 && len(w) == 1 &&
		w[0].GetSealedAfter().AsTime().Equal(time.Date(2026, 11, 21, 0, 10, 0, 0, time.UTC)),
		"before its day is sealed: %v", early)
	clock.Advance(24 * time.Hour)
	testenv.NoError(t, seal.NewSealer(d.Pool, clock, signer).Run(t.Context()))
	sealed := get()
	proof, err := seal.ParseProof(sealed.GetFile())
	testenv.Check(t, err == nil && sealed.GetProven() == 1 && len(sealed.GetWaiting()) == 0 && proof.Transfers[0].Index == 0,
		"%v, %v", sealed, err)
	list := testenv.Must(service.ListSealedDays(caller.With(t.Context(), operator),
		&portalv1.ListSealedDaysRequest{}))(t)
	days := list.GetData()
	if len(days) != 1 || days[0].GetDay() != "2026-11-20" || days[0].GetTransfers() != 1 || days[0].GetEntries() != 2 ||
		days[0].GetState() != "valid" || days[0].GetRoot() != proof.Pages[0].Root.String() {
		t.Fatalf("%v", days)
	}
	kind, balance := days[0].GetKinds()[0], days[0].GetBalances()[0]
	testenv.Check(t, kind.GetKind() == "deposit" && kind.GetAmount() == "25.00000000" &&
		balance.GetOwner() == ledger.Cashbox.String() && balance.GetAmount() == "25.00000000", "%v, %v", kind, balance)
}
