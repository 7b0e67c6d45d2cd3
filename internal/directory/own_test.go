package directory_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func limitsText(l directory.RequisiteLimits) string {
	number := func(n *int32) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	amount := func(d decimal.NullDecimal) string {
		if !d.Valid {
			return "-"
		}
		return d.Decimal.String()
	}
	return fmt.Sprintf("%s to %s, %s a day, %s in sum, %s open, %s-%s %s", amount(l.MinAmount), amount(l.MaxAmount),
		number(l.DailyCount), amount(l.DailySum), number(l.OpenPayments), l.WorkFrom, l.WorkUntil, l.TimeZone)
}

// The operators' limits and the trader's stand beside each other, and the
// stricter one holds.
func TestOwnLimits(t *testing.T) {
	b := setup(t)
	who, id := b.trader.Caller, b.trader.Requisites[0]
	testenv.Must(b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Limits: directory.Limits{
		MinAmount: new("100"), MaxAmount: new("5000"), DailyCount: new(int32(7)), OpenPayments: new(int32(3)),
		WorkFrom: new("08:00"), WorkUntil: new("22:00"),
	}}))(t)
	own := testenv.Must(b.settings.UpdateOwnRequisite(ctx, who, id, directory.OwnUpdate{Enabled: new(false), Limits: directory.Limits{
		MinAmount: new("100"), MaxAmount: new("4999.99"), DailyCount: new(int32(6)), DailySum: new("90000"),
		OpenPayments: new(int32(3)), WorkFrom: new("22:30"), WorkUntil: new("06:00"), TimeZone: new("Asia/Baku"),
	}}))(t)
	testenv.Want(t, fmt.Sprint(own.ID, own.Enabled), fmt.Sprint(id, false), "the requisite")
	b.wantOwn(t, who, id, "false true", "100 to 5000, 7 a day, - in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, 22:30-06:00 Asia/Baku",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, - ")
	// The operator narrows theirs: that holds at once, and the trader's
	// stay as they are.
	testenv.Must(b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Enabled: new(false), Reason: "narrowed",
		Limits: directory.Limits{MaxAmount: new("3000"), DailyCount: new(int32(2)), DailySum: new("80000")}}))(t)
	b.wantOwn(t, who, id, "false false", "100 to 3000, 2 a day, 80000 in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, 22:30-06:00 Asia/Baku",
		"100 to 3000, 2 a day, 80000 in sum, 3 open, - ")
	testenv.Must(b.settings.UpdateOwnRequisite(ctx, who, id, directory.OwnUpdate{Limits: directory.Limits{
		MinAmount: new(""), MaxAmount: new(""), DailyCount: new(int32(0)), DailySum: new(""),
		OpenPayments: new(int32(0)), WorkFrom: new(""), WorkUntil: new(""), TimeZone: new(""),
	}}))(t)
	b.wantOwn(t, who, id, "false false", "100 to 3000, 2 a day, 80000 in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"- to -, - a day, - in sum, - open, - ", "100 to 3000, 2 a day, 80000 in sum, 3 open, - ")
}

func (b *bundle) wantOwn(t *testing.T, who caller.Caller, id int64, switches, set, own, effective string) {
	t.Helper()
	r := testenv.Must(b.settings.OwnRequisite(ctx, who, id))(t)
	for what, pair := range map[string][2]string{
		"switches": {fmt.Sprint(r.Enabled, r.EnabledByOperator), switches}, "set": {limitsText(r.Set), set},
		"own": {limitsText(r.Own), own}, "effective": {limitsText(r.Effective), effective},
	} {
		testenv.Want(t, pair[0], pair[1], "%s", what)
	}
}

func TestOwnLimitsStayWithinTheOperators(t *testing.T) {
	b := setup(t)
	who, id := b.trader.Caller, b.trader.Requisites[0]
	b.Exec(t, `update requisite set min_amount = 100, max_amount = 5000, daily_count = 7, daily_sum = 9000, open_payments = 3
		where id = $1`, id)
	set := func(l directory.Limits) error {
		return testenv.ErrOf(b.settings.UpdateOwnRequisite(ctx, who, id, directory.OwnUpdate{Limits: l}))
	}
	for field, wrong := range map[string][]directory.Limits{
		"limits.minAmount":    {{MinAmount: new("99.99")}, {MinAmount: new("5000.01")}},
		"limits.maxAmount":    {{MaxAmount: new("5000.01")}, {MaxAmount: new("99.99")}, {MinAmount: new("300"), MaxAmount: new("200")}},
		"limits.dailyCount":   {{DailyCount: new(int32(8))}, {DailyCount: new(int32(-1))}},
		"limits.dailySum":     {{DailySum: new("9000.01")}, {DailySum: new("0")}},
		"limits.openPayments": {{OpenPayments: new(int32(4))}, {OpenPayments: new(int32(-1))}},
		"limits.timeZone":     {{TimeZone: new("Mars/Base")}},
		"limits.workUntil":    {{WorkFrom: new("09:00"), WorkUntil: new("09:00")}},
	} {
		for _, l := range wrong {
			dbtest.WantFields(t, set(l), field)
		}
	}
	// The bounds themselves are within.
	testenv.NoError(t, set(directory.Limits{
		MinAmount: new("100"), MaxAmount: new("5000"), DailyCount: new(int32(7)), DailySum: new("9000"),
		OpenPayments: new(int32(3)),
	}))
	b.Exec(t, `update requisite set sealed = null, hash = null, last4 = null, open_payments = null, own_open_payments = null
		where id = $1`, id)
	dbtest.WantFields(t, set(directory.Limits{OpenPayments: new(int32(1))}), "limits.openPayments")
}

// What an operator has switched off, a trader may only leave so, or switch off
// as well.
func TestOwnSwitch(t *testing.T) {
	b := setup(t)
	who, id := b.trader.Caller, b.trader.Requisites[0]
	b.Exec(t, "update requisite set enabled = false where id = $1", id)
	set := func(on bool) error {
		return testenv.ErrOf(b.settings.UpdateOwnRequisite(ctx, who, id, directory.OwnUpdate{Enabled: &on}))
	}
	dbtest.WantCode(t, set(true), "requisite_off_by_operator")
	testenv.NoError(t, set(false))
	b.Exec(t, "update requisite set enabled = true where id = $1", id)
	b.wantRequisites(t, " none 0|requisite_off_by_trader none 0")
	testenv.NoError(t, set(true))
	b.wantRequisites(t, " none 0| none 0")
}

// The log tells who changed what, as it does for operators, and nothing for a
// change that is none.
func TestOwnChangesAreKept(t *testing.T) {
	b := setup(t)
	who, id := b.trader.Caller, b.trader.Requisites[0]
	for range 2 {
		testenv.Must(b.settings.UpdateOwnRequisite(ctx, who, id,
			directory.OwnUpdate{Limits: directory.Limits{DailyCount: new(int32(5))}}))(t)
		testenv.NoError(t, b.settings.SetBreak(ctx, who, true))
	}
	list, _ := testenv.Must2(b.settings.Changes(ctx, operator, directory.ChangePage{}))(t)
	testenv.Need(t, len(list) == 2, "%d changes", len(list))
	actor := fmt.Sprintf("trader:%d", who.ID)
	for i, want := range []struct {
		subject, key, field string
		before, after       any
	}{
		{"trader", strconv.FormatInt(b.trader.ID, 10), "on_break", false, true},
		{"requisite", strconv.FormatInt(id, 10), "own_daily_count", nil, 5.0},
	} {
		c := list[i]
		testenv.Check(t, c.Actor == actor && c.Subject == want.subject && c.SubjectKey == want.key && c.At.Equal(dbtest.Start),
			"%+v", c)
		testenv.Check(t, value(t, c.Before, want.field) == want.before && value(t, c.After, want.field) == want.after,
			"%s, then %s", c.Before, c.After)
	}
	testenv.Check(t, value(t, list[1].After, "effective_daily_count") == nil, "the log tells what follows from the limits")
}

func TestWhoseRequisites(t *testing.T) {
	b := setup(t)
	another := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	other, id := another.Caller, b.trader.Requisites[0]
	off := directory.OwnUpdate{Enabled: new(false)}
	update := func(who caller.Caller) error {
		return testenv.ErrOf(b.settings.UpdateOwnRequisite(ctx, who, id, off))
	}
	dbtest.WantCode(t, update(other), "not_found")
	dbtest.WantCode(t, testenv.ErrOf(b.settings.OwnRequisite(ctx, other, id)), "not_found")
	both := []int64{id, another.Requisites[0]}
	dbtest.WantCode(t, testenv.ErrOf(b.settings.UpdateOwnRequisites(ctx, b.trader.Caller, both, off)), "not_found")
	desk := b.trader.Caller
	desk.Role = caller.Desk
	dbtest.WantCode(t, update(desk), "role_not_allowed")
	testenv.Must(b.settings.OwnRequisite(ctx, desk, id))(t)
	testenv.NoError(t, b.settings.SetBreak(ctx, desk, true))
	dbtest.WantCode(t, testenv.ErrOf(b.settings.OwnBalance(ctx, desk)), "role_not_allowed")
	seen := b.trader.Caller
	seen.ViewAs = true
	dbtest.WantCode(t, update(seen), "view_only")
	dbtest.WantCode(t, b.settings.SetBreak(ctx, seen, false), "view_only")
	list, err := b.settings.ListOwnRequisites(ctx, seen)
	testenv.Check(t, err == nil && len(list) == 2 && list[0].ID == id && list[1].ID == b.trader.Requisites[1] && list[0].Enabled,
		"%+v (%v)", list, err)
}

// A requisite tells what its own day counts. At 21:30 UTC it is the next day in
// Moscow.
func TestUseOfRequisites(t *testing.T) {
	b := setup(t)
	clock := &dbtest.Clock{}
	clock.Advance(9*time.Hour + 30*time.Minute)
	settings := directory.NewSettings(b.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	id, used := b.trader.Requisites[0], dbtest.Start.Add(9*time.Hour+10*time.Minute)
	b.Exec(t, "insert into requisite_day values ($1, '2026-11-20', 9, 900), ($1, '2026-11-21', 2, 250.50)", id)
	b.Exec(t, "update requisite_day set used_at = $1 where day = '2026-11-21'", used)
	list := testenv.Must(settings.ListOwnRequisites(ctx, b.trader.Caller))(t)
	use := list[0].Use
	testenv.Check(t, use.Day.Format(time.DateOnly) == "2026-11-21" && use.Count == 2 && use.Sum.String() == "250.5" &&
		use.LastUsedAt != nil && use.LastUsedAt.Equal(used), "%+v", use)
	use = list[1].Use
	testenv.Check(t, use.Count == 0 && use.LastUsedAt == nil && use.OpenPayments == 0, "unused: %+v", use)
	testenv.Want(t, list[0].Value+" "+list[0].Masked, fmt.Sprintf("+7900%03d0000 •••• 0000", b.trader.ID), "the requisite")
}

func TestBreak(t *testing.T) {
	b := setup(t)
	who := b.trader.Caller
	for _, on := range []bool{true, true, false} {
		testenv.NoError(t, b.settings.SetBreak(ctx, who, on))
		got, err := b.settings.Break(ctx, who)
		testenv.Check(t, err == nil && got == on, "on a break: %v (%v), want %v", got, err, on)
		rule := ""
		if on {
			rule = "trader_break"
		}
		b.wantRequisites(t, rule+" none 0|"+rule+" none 0")
	}
}

func TestOwnBalance(t *testing.T) {
	b := setup(t)
	b.Fund(t, ledger.Available(ledger.Trader, b.trader.ID), "12.5")
	got, err := b.settings.OwnBalance(ctx, b.trader.Caller)
	testenv.Check(t, err == nil && got.Available.String() == "12.5" && got.Reserved.IsZero(), "%+v (%v)", got, err)
}

// An operator who narrows a limit while a trader sets their own: whoever comes
// second is held to what the first has set, and the trader's never is the one
// that holds beyond the operators'.
func TestOwnLimitsAgainstOperators(t *testing.T) {
	b := setup(t)
	who, id := b.trader.Caller, b.trader.Requisites[0]
	for i, err := range testenv.AtOnce(40, func(i int) error {
		n := int32(i / 2)
		if i%2 == 0 {
			return testenv.ErrOf(b.settings.UpdateRequisite(ctx, operator,
				directory.RequisiteUpdate{ID: id, Limits: directory.Limits{DailyCount: new(100 - n)}}))
		}
		return testenv.ErrOf(b.settings.UpdateOwnRequisite(ctx, who, id,
			directory.OwnUpdate{Limits: directory.Limits{DailyCount: new(81 + n)}}))
	}) {
		testenv.Check(t, err == nil || i%2 != 0 && fault.As(err) != nil, "%v", err)
	}
	row := testenv.Must(b.Queries().RequisiteOwn(ctx, db.RequisiteOwnParams{ID: id, TraderID: b.trader.ID}))(t)
	held := *row.DailyCount
	if row.OwnDailyCount != nil {
		held = min(held, *row.OwnDailyCount)
	}
	testenv.Check(t, row.EffectiveDailyCount != nil && *row.EffectiveDailyCount == held,
		"%v and %v come to %v", *row.DailyCount, row.OwnDailyCount, row.EffectiveDailyCount)
}

// Who looks as a trader sees the last characters of their requisites, as
// operators do.
func TestWhoLooksAsATraderSeesNoWholeRequisite(t *testing.T) {
	b := setup(t)
	who := b.trader.Caller
	who.ViewAs = true
	list := testenv.Must(b.settings.ListOwnRequisites(ctx, who))(t)
	for _, own := range list {
		testenv.Check(t, own.Masked != "" && own.Value == own.Masked, "%+v", own)
	}
}
