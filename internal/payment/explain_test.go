package payment_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

// as gives a trader's user a role.
func as(role caller.Role, trader dbtest.Trader) caller.Caller {
	who := trader.Caller
	who.Role = role
	return who
}

func (b *bundle) explain(t *testing.T, who caller.Caller, id int64) payment.RequisiteExplanation {
	t.Helper()
	list, err := b.payments.ExplainForTrader(t.Context(), who, id)
	testenv.Need(t, err == nil && len(list) == 1, "%d explanations: %v", len(list), err)
	return list[0]
}

func dropped(e payment.RequisiteExplanation) string {
	var rules []string
	for _, d := range e.Drops {
		text := string(d.Rule)
		if d.Limit.Valid {
			text += " " + d.Used.Decimal.String() + "/" + d.Limit.Decimal.String()
		}
		rules = append(rules, text)
	}
	return strings.Join(rules, ", ")
}

// The least that the requisite takes is 1000 RUB: 10 USDT at 100, of which the
// trader keeps 2% of spot, 0.2, so that 9.8 would be held.
func TestExplainForTrader(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "19.6", SharePercent: "2", Requisites: 1, MinAmount: "1000"})
	who, id := as(caller.Owner, trader), trader.Requisites[0]
	e := b.explain(t, who, id)
	got := fmt.Sprintln(e.RequisiteID == id, e.Currency, e.Method, e.Amount, e.Hold.Decimal, e.Available.Decimal)
	want := "true RUB sbp 1000 9.8 19.6\n"
	testenv.Check(t, got == want, "%s, want %s", got, want)
	testenv.Check(t, e.Free && e.LastUsedAt == nil && !e.NoRate && !e.OutsidePlatform, "%+v", e)
	testenv.Check(t, !e.Taken, "without merchants somebody takes payments")
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	testenv.Check(t, b.explain(t, who, id).Taken, "nobody takes payments")
	b.create(t, merchant.Caller, request("order-1"))
	b.clock.Advance(time.Minute)
	e = b.explain(t, who, id)
	testenv.Check(t, !e.Free && dropped(e) == "slot_taken" && e.Available.Decimal.String() == "9.8" &&
		e.LastUsedAt.Equal(dbtest.Start), "with an open payment of the amount: %s, %+v", dropped(e), e)
	// Another hundred of the first 9.8 would not be enough: 1010 RUB would
	// hold 9.898.
	b.Exec(t, "update requisite set own_min_amount = 1010")
	if e = b.explain(t, who, id); dropped(e) != "trader_short 9.8/9.898" || e.Free {
		t.Errorf("short: %s", dropped(e))
	}
	b.refused(t, merchant.Caller, "1010", "collect_requisites_not_available")
	// Who may not see the trader's money learns that it is short, and no
	// number.
	e = b.explain(t, as(caller.Desk, trader), id)
	testenv.Check(t, dropped(e) == "trader_short" && !e.Available.Valid && !e.Hold.Valid && !e.Drops[0].Used.Valid,
		"to the desk: %+v", e)
	b.Exec(t, "update trader set on_break = true")
	if e = b.explain(t, who, id); dropped(e) != "trader_break, trader_short 9.8/9.898" {
		t.Errorf("on a break: %s", dropped(e))
	}
}

func (b *bundle) refused(t *testing.T, who caller.Caller, amount, want string) {
	t.Helper()
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Create(t.Context(), who, requestOf("refused-"+amount, amount))), want)
}

// What keeps payments away from everybody's requisites is told, too.
func TestExplainForTraderBesideTheRules(t *testing.T) {
	b := setup(t)
	b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1, MinAmount: "0", MaxAmount: "500"})
	who, id := as(caller.Owner, trader), trader.Requisites[0]
	e := b.explain(t, who, id)
	testenv.Check(t, e.Amount.String() == "1" && e.Free, "the least payment: %+v", e)
	b.Exec(t, "insert into platform_limit values ('RUB', 300, 400)")
	e = b.explain(t, who, id)
	testenv.Check(t, e.Amount.String() == "300" && e.Free && !e.OutsidePlatform, "within the platform's limits: %+v", e)
	b.Exec(t, "update requisite set min_amount = 401")
	e = b.explain(t, who, id)
	testenv.Check(t, e.Amount.String() == "401" && !e.Free && e.OutsidePlatform, "beyond the platform's limits: %+v", e)
	b.Exec(t, "update platform_limit set min_amount = 600, max_amount = 700")
	e = b.explain(t, who, id)
	testenv.Check(t, dropped(e) == "amount_limits 600/500", "below the platform's limits: %s", dropped(e))
	for sql, taken := range map[string]bool{
		"update merchant set api_enabled = %v": false, "update cashbox set collect_enabled = %v": false,
		"update cashbox_method set enabled = %v where method = 'sbp'": false,
		"update cashbox_method set enabled = %v where method = 'sim'": true,
	} {
		b.Exec(t, fmt.Sprintf(sql, false))
		testenv.Want(t, b.explain(t, who, id).Taken, taken, "%s: taken", sql)
		b.Exec(t, fmt.Sprintf(sql, true))
	}
	b.Exec(t, "delete from platform_limit")
	b.Exec(t, "delete from rate")
	e = b.explain(t, who, id)
	testenv.Check(t, e.NoRate && !e.Free && !e.Hold.Valid && dropped(e) == "", "without a rate: %+v", e)
}

// Without an id all of the trader's own are explained.
func TestExplainAllForTrader(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{Requisites: 2})
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	list := testenv.Must(b.payments.ExplainForTrader(t.Context(), as(caller.Owner, trader), 0))(t)
	testenv.Check(t, len(list) == 2 && list[0].RequisiteID == trader.Requisites[0] &&
		list[1].RequisiteID == trader.Requisites[1], "all: %+v", list)
}

// A trader on a break gets no payment, and what is open on them goes on.
func TestBreakKeepsOpenPayments(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	p := b.create(t, merchant.Caller, request("order-1"))
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	who := as(caller.Owner, trader)
	testenv.NoError(t, settings.SetBreak(t.Context(), who, true))
	b.refused(t, merchant.Caller, "1000", "collect_requisites_not_available")
	list := testenv.Must(b.payments.Desk(t.Context(), who))(t)
	testenv.Check(t, len(list) == 1 && list[0].ID == p.ID, "on the desk: %+v", list)
	testenv.Must(b.payments.Confirm(t.Context(), who, p.ID))(t)
	testenv.NoError(t, settings.SetBreak(t.Context(), who, false))
	b.create(t, merchant.Caller, request("order-2"))
	b.Audit(t)
}

// The desk lists what is open, what ends first before the rest, with what the
// payer has sent.
func TestDeskList(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 4})
	who := as(caller.Owner, trader)
	late := b.create(t, merchant.Caller, request("order-1"))
	soon := b.create(t, merchant.Caller, request("order-2"))
	ended := b.create(t, merchant.Caller, request("order-3"))
	b.Exec(t, "update payment set expires_at = expires_at - interval '1 minute' where id = $1", soon.ID)
	b.set(t, ended.ID, "failed")
	testenv.Must(b.payments.Claim(t.Context(), late.UUID))(t)
	for _, name := range []string{"a.png", "b.png"} {
		testenv.NoError(t, b.payments.AddReceipt(t.Context(), late.UUID, name, fileOf(png)))
	}
	list := testenv.Must(b.payments.Desk(t.Context(), who))(t)
	testenv.Check(t, len(list) == 2 && list[0].ID == soon.ID && list[1].ID == late.ID && list[0].Receipts == 0 &&
		list[1].Receipts == 2 && list[0].ClaimedAt == nil && list[1].ClaimedAt.Equal(dbtest.Start), "%+v", list)
	for most, want := range map[int32]int{1: 1, 2: 2, 100: 2} {
		testenv.Want(t, testenv.Must(b.payments.DeskCount(t.Context(), who, most))(t), want, "counted of at most %d", most)
	}
	other := as(caller.Owner, b.NewTrader(t, dbtest.TraderOpts{}))
	testenv.Want(t, len(testenv.Must(b.payments.Desk(t.Context(), other))(t)), 0, "another's desk")
	own := testenv.Must(directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{}).
		ListOwnRequisites(t.Context(), who))(t)
	open := map[int64]int32{}
	for _, r := range own {
		open[r.ID] = r.Use.OpenPayments
	}
	testenv.Check(t, open[*late.RequisiteID] == 1 && open[*soon.RequisiteID] == 1 && open[*ended.RequisiteID] == 0,
		"open on requisites: %v", open)
}

// What a requisite's list says is open is what its limit counts: also a payment
// of which another amount came, as long as nobody has decided.
func TestOpenIsWhatTheLimitCounts(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	who, id := as(caller.Owner, trader), trader.Requisites[0]
	b.Exec(t, "update requisite set open_payments = 1 where id = $1", id)
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	stands := func(limit string, open int32) {
		t.Helper()
		testenv.Want(t, dropped(b.explain(t, who, id)), limit, "drops")
		testenv.Want(t, testenv.Must(settings.OwnRequisite(t.Context(), who, id))(t).Use.OpenPayments, open, "listed as open")
	}
	stands("", 0)
	p := b.create(t, merchant.Caller, request("order-1"))
	stands("open_limit 1/1", 1)
	testenv.Must(b.payments.ConfirmReceived(t.Context(), who, p.ID, new("700")))(t)
	stands("open_limit 1/1", 1)
	b.set(t, p.ID, "completed")
	stands("", 0)
}

// explained is the sum of a payment as operators are told it, a step a line.
func (b *bundle) explained(t *testing.T, id int64) ([]string, rate.Answer) {
	t.Helper()
	answer := testenv.Must(b.sums.Payment(t.Context(), operator, id))(t)
	var lines []string
	for _, step := range answer.Steps {
		lines = append(lines, step.Name+" "+step.Value+": "+step.Formula)
	}
	return lines, answer
}

func (b *bundle) wantSum(t *testing.T, id int64, file string) rate.Answer {
	t.Helper()
	lines, answer := b.explained(t, id)
	want := string(testenv.Must(os.ReadFile("testdata/" + file))(t))
	testenv.Want(t, strings.Join(lines, "\n")+"\n", want, "the sum")
	return answer
}

// 1000/92.35 = 10.828370330…; 92.35 × 1.065 = 98.35275, 1000/98.35275 =
// 10.167483878…; the difference is 0.66088646; 10.82837033 × 1.5% =
// 0.16242555495; the rest of the spread is 0.49846091; 10.82837033 − 0.16242555
// = 10.66594478.
func TestExplainRate(t *testing.T) {
	b := setup(t)
	b.SetRate(t, "RUB", "92.35", true)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Margin: percent("6.5")})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "1.5", Requisites: 1})
	id := b.create(t, merchant.Caller, request("order-1")).ID
	answer := b.wantSum(t, id, "sum_margin.txt")
	testenv.Check(t, answer.PaymentID == id && answer.MarkupSource == "cashbox_method" && answer.RateSource == "test" &&
		answer.RateObservedAt.Equal(dbtest.Start), "%+v", answer)
	for _, unknown := range []int64{0, -1, id + 1} {
		dbtest.WantCode(t, testenv.ErrOf(b.sums.Payment(t.Context(), operator, unknown)), "not_found")
	}
}

// The sum is the stored one: a later rate, margin or share changes nothing of
// it. 1000/100 = 10 and 1000/200 = 5; 60% of 10 is more than the spread of 5,
// so the trader gets all of that.
func TestExplainRateIsOfThePaymentsOwnTime(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Margin: percent("1")})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", SharePercent: "60", Requisites: 1})
	r := request("order-1")
	r.RatePercent = new("100")
	id := b.create(t, merchant.Caller, r).ID
	b.SetRate(t, "RUB", "80", true)
	b.Exec(t, "update trader set share_percent = 1")
	b.Exec(t, "update cashbox_method set margin_percent = 2")
	b.wantSum(t, id, "sum_own_time.txt")
}

// While no rate is fresh the sum is the hold's, at 100: 10 − 0.2. Settled at 80
// it is another, and the hold, 9.8 and not 12.5 − 0.25, is explained as what it
// was.
func TestExplainRateUnavailable(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	b.SetRate(t, "RUB", "100", false)
	id := b.create(t, merchant.Caller, request("order-1")).ID
	first, _ := b.explained(t, id)
	testenv.Want(t, first[0], "baseRate 100.00: fiat per USDT, the last known from test: no rate is fresh, so this sum "+
		"gives the hold only, and is made again at the first fresh rate", "the rate")
	testenv.Want(t, first[8], "hold 9.80000000: spot − spreadTraderUsdt = 10.00000000 − 0.20000000", "the hold")
	b.set(t, id, "completed")
	b.SetRate(t, "RUB", "80", true)
	b.wantSettled(t, 1)
	settled, _ := b.explained(t, id)
	testenv.Want(t, settled[0], "baseRate 80.00: fiat per USDT, from test", "the rate")
	testenv.Want(t, settled[2], "spot 12.50000000: amount / baseRate, rounded down = 1000.00 / 80.00", "spot")
	testenv.Want(t, settled[8], "hold 9.80000000: held at creation at the rate last known then, before the settlement at "+
		"the base rate above", "the hold")
}

// The sum of a payment that is not made is the sum of one that is: 1000/100 =
// 10, and with a markup of 6.5 % the merchant gets 1000/106.5 = 9.389671361…;
// of the difference, 0.61032864, the trader keeps 10 × 1.5 % = 0.15.
func TestQuoteRate(t *testing.T) {
	b := setup(t)
	operator := caller.Caller{Kind: caller.Operator, Role: caller.Auditor, ID: 1}
	question := rate.Question{Currency: "RUB", Amount: "1000", Markup: "6.5", TraderShare: "1.5"}
	answer := testenv.Must(b.sums.Quote(t.Context(), operator, question))(t)
	got := map[string]string{}
	for _, step := range answer.Steps {
		got[step.Name] = step.Value
	}
	for name, value := range map[string]string{
		"baseRate": "100.00", "markupPercent": "6.5", "spot": "10.00000000", "amountUsdt": "9.38967136",
		"profitUsdt": "0.61032864", "traderShare": "0.15000000", "spreadTraderUsdt": "0.15000000",
		"spreadPlatformUsdt": "0.46032864", "hold": "9.85000000",
	} {
		testenv.Want(t, got[name], value, "%s is", name)
	}
	for field, wrong := range map[string]rate.Question{
		"amount":      {Currency: "RUB", Amount: "0.99"},
		"currency":    {Currency: "XXX", Amount: "1000"},
		"markup":      {Currency: "RUB", Amount: "1000", Markup: "101"},
		"traderShare": {Currency: "RUB", Amount: "1000", TraderShare: "-1"},
	} {
		_, err := b.sums.Quote(t.Context(), operator, wrong)
		f := fault.As(err)
		testenv.Check(t, f != nil && len(f.Fields[field]) != 0, "a wrong %s: %v", field, err)
	}
	testenv.Check(t, testenv.ErrOf(
		b.sums.Quote(t.Context(), operator, rate.Question{Currency: "KZT", Amount: "1000"}),
	) != nil, "a currency without a rate is quoted")
}
