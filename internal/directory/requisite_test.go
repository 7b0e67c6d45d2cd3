package directory_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
)

func TestLimitsOfARequisite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	n := directory.NewRequisite{
		TraderID: b.trader.ID, Currency: "RUB", Method: "card", Value: "2200000000000004", Bank: ptr("Bank"),
		Limits: directory.Limits{
			MinAmount:    ptr("100"),
			MaxAmount:    ptr("5000"),
			TimeZone:     ptr("Asia/Baku"),
			DailyCount:   ptr(int32(7)),
			DailySum:     ptr("90000"),
			OpenPayments: ptr(int32(3)),
			WorkFrom:     ptr("22:00"),
			WorkUntil:    ptr("06:30"),
			Weight:       ptr(int32(4)),
		},
	}
	c, err := b.settings.CreateRequisite(ctx, operator, n)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]any{
		"value": "2200000000000004", "min_amount": 100.0, "max_amount": 5000.0, "time_zone": "Asia/Baku", "daily_count": 7.0,
		"daily_sum": 90000.0, "open_payments": 3.0, "work_from": "22:00:00", "work_until": "06:30:00", "weight": 4.0, "enabled": true,
	} {
		if got := value(t, c.After, field); got != want {
			t.Errorf("%s is %v, want %v", field, got, want)
		}
	}
	id, _ := strconv.ParseInt(c.SubjectKey, 10, 64)
	cleared := directory.Limits{
		DailyCount:   ptr(int32(0)),
		DailySum:     ptr(""),
		OpenPayments: ptr(int32(0)),
		WorkFrom:     ptr(""),
		WorkUntil:    ptr(""),
	}
	c, err = b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Limits: cleared})
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"daily_count", "daily_sum", "open_payments", "work_from", "work_until"} {
		if got := value(t, c.After, field); got != nil {
			t.Errorf("%s is %v after it was cleared", field, got)
		}
	}
	if got := value(t, c.After, "min_amount"); got != 100.0 {
		t.Errorf("min_amount became %v", got)
	}
	_, err = b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{MinAmount: ptr("5000.01")}},
	)
	wantFields(t, err, "limits.minAmount")
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	requisite := func(method, value string) directory.NewRequisite {
		return directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: method, Value: value}
	}
	limited := func(l directory.Limits) error {
		_, err := b.settings.UpdateRequisite(
			ctx,
			operator,
			directory.RequisiteUpdate{ID: b.trader.Requisites[0], Limits: l},
		)
		return err
	}
	create := func(n directory.NewRequisite) error {
		_, err := b.settings.CreateRequisite(ctx, operator, n)
		return err
	}
	percent := func(s string) error {
		_, err := b.settings.UpdateMerchant(ctx, operator, directory.MerchantUpdate{ID: b.merchant.ID, RatePercent: &s})
		return err
	}
	wantFields(t, percent("100.0001"), "ratePercent")
	wantFields(t, percent("1.00001"), "ratePercent")
	wantFields(t, percent("-1"), "ratePercent")
	wantFields(t, create(requisite("card", "2200000000000005")), "value")
	wantFields(t, create(requisite("sbp", "89001234567")), "value")
	wantFields(t, create(requisite("c2c", "2200000000000004")), "method")
	wantFields(
		t,
		create(directory.NewRequisite{TraderID: 1 << 40, Currency: "RUB", Method: "sbp", Value: "+79001234567"}),
		"traderId",
	)
	wantFields(
		t,
		create(
			directory.NewRequisite{
				TraderID: b.trader.ID,
				Currency: "MNT",
				Method:   "iban",
				Value:    "MN120005000000000000",
			},
		),
		"value",
	)
	wantFields(
		t,
		limited(directory.Limits{TimeZone: ptr("Mars/Base"), Weight: ptr(int32(0)), DailyCount: ptr(int32(-1))}),
		"limits.timeZone",
		"limits.weight",
		"limits.dailyCount",
	)
	wantFields(
		t,
		limited(directory.Limits{WorkFrom: ptr("24:00"), WorkUntil: ptr("")}),
		"limits.workFrom",
		"limits.workUntil",
	)
	wantFields(t, limited(directory.Limits{WorkFrom: ptr("09:00"), WorkUntil: ptr("09:00")}), "limits.workUntil")
	wantFields(t, limited(directory.Limits{DailySum: ptr("0")}), "limits.dailySum")
	_, err := b.settings.SetMethod(
		ctx,
		operator,
		directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "iban", ValiditySeconds: 86401},
	)
	wantFields(t, err, "method", "validitySeconds")
	_, err = b.settings.SetPlatformLimit(
		ctx,
		operator,
		directory.NewPlatformLimit{Currency: "XXX", MinAmount: "2", MaxAmount: "1"},
	)
	wantFields(t, err, "currency", "maxAmount")
	_, err = b.settings.UpdateCashbox(
		ctx,
		operator,
		directory.CashboxUpdate{ID: b.merchant.CashboxID, TraderID: ptr(int64(1 << 40))},
	)
	wantFields(t, err, "traderCashboxId")
	if _, err := b.settings.UpdateMerchant(
		ctx,
		operator,
		directory.MerchantUpdate{ID: 1 << 40},
	); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("unknown merchant: %v", err)
	}
	for _, who := range []caller.Caller{b.merchant.Caller, b.trader.Caller, {Kind: caller.Cabinet}, {Kind: caller.Anyone}} {
		if _, err := b.settings.UpdateMerchant(
			ctx,
			who,
			directory.MerchantUpdate{ID: b.merchant.ID},
		); !errors.Is(err, fault.ErrTokenKindNotAllowed) {
			t.Errorf("%s: %v", who.Kind, err)
		}
	}
	var kept int
	if err := b.Pool.QueryRow(ctx, "select count(*) from setting_change").Scan(&kept); err != nil || kept != 0 {
		t.Errorf("%d refused changes were kept (%v)", kept, err)
	}
}

// A desk that takes cards is a requisite without a value, of a trader who has an acquirer.
func TestDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	desk := directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: "mtstpay"}
	wrong := func(n directory.NewRequisite, field string) {
		t.Helper()
		_, err := b.settings.CreateRequisite(ctx, operator, n)
		if f := fault.As(err); f == nil || len(f.Fields) != 1 || !f.Fields.Wrong(field) {
			t.Errorf("%+v: %v, want %s", n, err, field)
		}
	}
	wrong(desk, "traderId")
	if err := b.Queries().
		AcquirerSet(ctx, db.AcquirerSetParams{TraderID: b.trader.ID, URL: "https://cards.example", KeyID: "k", Secret: []byte{}}); err != nil {
		t.Fatal(err)
	}
	withValue, withOpen, elsewhere := desk, desk, desk
	withValue.Value, withOpen.Limits.OpenPayments, elsewhere.Currency = "+79001234567", ptr(int32(3)), "AZN"
	wrong(withValue, "value")
	wrong(withOpen, "limits.openPayments")
	wrong(elsewhere, "method")
	c, err := b.settings.CreateRequisite(ctx, operator, desk)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := strconv.ParseInt(c.SubjectKey, 10, 64)
	_, err = b.settings.UpdateRequisite(
		ctx,
		operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{OpenPayments: ptr(int32(3))}},
	)
	if f := fault.As(err); f == nil || !f.Fields.Wrong("limits.openPayments") {
		t.Errorf("a limit it cannot keep: %v", err)
	}
	// In a sandbox no acquirer is needed.
	b.settings.CardsWithoutAcquirer = true
	desk.TraderID = b.NewTrader(t, dbtest.TraderOpts{}).ID
	if _, err := b.settings.CreateRequisite(ctx, operator, desk); err != nil {
		t.Error(err)
	}
}
