package portal_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/inforce"
	"gateway.example/internal/ledger"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/portal"
)

// traderDesk is the service for a trader with a requisite and 19.6 USDT, at 100
// RUB per USDT.
func traderDesk(t *testing.T) (portalv1connect.TraderServiceHandler, *dbtest.DB, dbtest.Trader) {
	t.Helper()
	d := dbtest.New(t)
	d.SetRate(t, "RUB", "100", true)
	clock := &dbtest.Clock{}
	trader := d.NewTrader(t, dbtest.TraderOpts{USDT: "19.6", Requisites: 1, MinAmount: "1000", MaxAmount: "5000"})
	keeper := testenv.Must(inforce.NewKeeper(t.Context(), d.Pool, time.Second, nil))(t)
	addresses := outbound.NewAddresses(false)
	payments := testenv.Must(payment.New(d.Pools(), clock, addresses, keeper, payment.Config{Requisites: dbtest.Requisites()}))(t)
	payouts := payout.New(d.Pools(), clock, dbtest.Vault(), addresses, foureyes.Rules{})
	settings := directory.NewSettings(d.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	return &portal.TraderService{Payments: payments, Payouts: payouts, Settings: settings}, d, trader
}

// says calls a procedure as a role of the trader, and wants its answer.
func says[Req, Res any](
	t *testing.T, trader dbtest.Trader, role caller.Role,
	call func(context.Context, *Req) (*Res, error), req *Req, want string,
) {
	t.Helper()
	who := trader.Caller
	who.Role = role
	res := testenv.Must(call(caller.With(t.Context(), who), req))(t)
	message, _ := any(res).(proto.Message)
	wanted := proto.Clone(message)
	proto.Reset(wanted)
	testenv.NoError(t, protojson.Unmarshal([]byte(want), wanted))
	testenv.Check(t, proto.Equal(message, wanted), "%s, want %s", protojson.Format(message), want)
}

func TestTraderDesk(t *testing.T) {
	t.Parallel()
	s, d, trader := traderDesk(t)
	d.Fund(t, ledger.Reserved(ledger.Trader, trader.ID), "2.5")
	says(t, trader, caller.Desk, s.SetBreak, &portalv1.SetBreakRequest{OnBreak: true}, `{"onBreak": true}`)
	says(t, trader, caller.Owner, s.GetDesk, &portalv1.GetDeskRequest{},
		`{"onBreak": true, "availableUsdt": "19.60000000", "reservedUsdt": "2.50000000"}`)
	says(t, trader, caller.Desk, s.GetDesk, &portalv1.GetDeskRequest{}, `{"onBreak": true}`)
	says(t, trader, caller.Owner, s.ExplainRequisites, &portalv1.ExplainRequisitesRequest{}, `{"data": [{
		"requisiteId": "1", "currency": "RUB", "method": "sbp", "amount": "1000.00", "drops": [{"rule": "trader_break"}],
		"holdUsdt": "10.00000000", "availableUsdt": "19.60000000"}]}`)
	says(t, trader, caller.Owner, s.SetBreak, &portalv1.SetBreakRequest{}, `{}`)
	d.Exec(t, `update requisite set daily_count = 3, daily_sum = 2000.50, own_open_payments = 1,
		own_min_amount = 2000`)
	d.Exec(t, `insert into requisite_day values (1, '2026-11-20', 3, 1500.25)`)
	d.Exec(t, `insert into requisite_slot select id, 2000, 7, 'infinity', hash from requisite where id = 1`)
	says(t, trader, caller.Owner, s.ExplainRequisites, &portalv1.ExplainRequisitesRequest{RequisiteId: proto.Int64(1)}, `{
		"data": [{"requisiteId": "1", "currency": "RUB", "method": "sbp", "amount": "2000.00", "drops": [
			{"rule": "daily_count", "limit": "3", "used": "3", "freeAt": "2026-11-20T21:00:00Z"},
			{"rule": "daily_sum", "limit": "2000.50", "used": "1500.25", "freeAt": "2026-11-20T21:00:00Z"},
			{"rule": "open_limit", "limit": "1", "used": "1"}, {"rule": "slot_taken", "used": "2000.00"},
			{"rule": "trader_short", "limit": "20.00000000", "used": "19.60000000"}
		], "holdUsdt": "20.00000000", "availableUsdt": "19.60000000"}]}`)
}

func TestTraderRequisites(t *testing.T) {
	t.Parallel()
	s, _, trader := traderDesk(t)
	limits := &portalv1.OwnRequisiteLimits{
		MinAmount: proto.String("1500"), MaxAmount: proto.String("4000"), DailyCount: proto.Int32(4),
		DailySum: proto.String("9000.5"), OpenPayments: proto.Int32(2), WorkFrom: proto.String("09:00"),
		WorkUntil: proto.String("18:30"), TimeZone: proto.String("Asia/Baku"),
	}
	const requisite = `{
		"id": "1", "currency": "RUB", "method": "sbp", "value": "+79000010000", "masked": "•••• 0000", "holder": "Ivan Petrov",
		"bank": "Sample Bank", "enabledByOperator": true,
		"operatorLimits": {"minAmount": "1000.00", "maxAmount": "5000.00", "timeZone": "Europe/Moscow"},
		"ownLimits": {"minAmount": "1500.00", "maxAmount": "4000.00", "dailyCount": 4, "dailySum": "9000.50",
			"openPayments": 2, "workFrom": "09:00", "workUntil": "18:30", "timeZone": "Asia/Baku"},
		"effectiveLimits": {"minAmount": "1500.00", "maxAmount": "4000.00", "dailyCount": 4, "dailySum": "9000.50",
			"openPayments": 2},
		"use": {"day": "2026-11-20", "sum": "0.00"}}`
	says(t, trader, caller.Owner, s.UpdateRequisite, &portalv1.TraderServiceUpdateRequisiteRequest{
		RequisiteId: 1, Enabled: proto.Bool(false), Limits: limits,
	}, `{"data": `+requisite+`}`)
	says(t, trader, caller.Desk, s.ListRequisites, &portalv1.TraderServiceListRequisitesRequest{},
		`{"data": [`+requisite+`]}`)
}

// Amounts keep every digit, which a float would not; counts and what is not
// there stay what they are.
func TestSettingKeepsDigits(t *testing.T) {
	t.Parallel()
	got := testenv.Must(portal.Object([]byte(
		`{"max_amount": 123456789012345678.10, "margin_percent": 7.0100, "validity_seconds": 900, "min_amount": null}`)))(t)
	fields := got.GetFields()
	testenv.Want(t, fields["max_amount"].GetStringValue(), "123456789012345678.10", "max_amount")
	testenv.Want(t, fields["margin_percent"].GetStringValue(), "7.0100", "margin_percent")
	n := fields["validity_seconds"].GetNumberValue()
	testenv.Check(t, n == 900 && fields["min_amount"].AsInterface() == nil, "%v", got)
}
