package directory_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

// owner is the user of a trader who may do everything.
func owner(trader dbtest.Trader) caller.Caller {
	who := trader.Caller
	who.Role = caller.Owner
	return who
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Code != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func limitsText(l directory.RequisiteLimits) string {
	number := func(n *int32) string {
		if n == nil {
			return "-"
		}
		return strconv.Itoa(int(*n))
	}
	amount := func(valid bool, text string) string {
		if !valid {
			return "-"
		}
		return text
	}
	return fmt.Sprintf(
		"%s to %s, %s a day, %s in sum, %s open, %s-%s %s", amount(l.MinAmount.Valid, l.MinAmount.Decimal.String()),
		amount(l.MaxAmount.Valid, l.MaxAmount.Decimal.String()), number(l.DailyCount),
		amount(l.DailySum.Valid, l.DailySum.Decimal.String()), number(l.OpenPayments), l.WorkFrom, l.WorkUntil,
		l.TimeZone,
	)
}

// The operators' limits and the trader's stand beside each other, and the stricter one holds.
func TestOwnLimits(t *testing.T) {
	b := setup(t)
	who, id := owner(b.trader), b.trader.Requisites[0]
	_, err := b.settings.UpdateRequisite(
		t.Context(),
		operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{
			MinAmount: new("100"), MaxAmount: new("5000"), DailyCount: new(int32(7)), OpenPayments: new(int32(3)),
			WorkFrom: new("08:00"), WorkUntil: new("22:00"),
		}},
	)
	noError(t, err)
	own, err := b.settings.UpdateOwnRequisite(
		t.Context(),
		who,
		id,
		directory.OwnUpdate{Enabled: new(false), Limits: directory.OwnLimits{
			MinAmount: new("100"), MaxAmount: new("4999.99"), DailyCount: new(int32(6)), DailySum: new("90000"),
			OpenPayments: new(int32(3)), WorkFrom: new("22:30"), WorkUntil: new("06:00"), TimeZone: new("Asia/Baku"),
		}},
	)
	if err != nil || own.ID != id || own.Enabled {
		t.Fatalf("%+v, %v", own, err)
	}
	b.wantOwn(t, who, id, "false true", "100 to 5000, 7 a day, - in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, 22:30-06:00 Asia/Baku",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, - ")
	// The operator narrows theirs: that holds at once, and the trader's stay as they are.
	_, err = b.settings.UpdateRequisite(t.Context(), operator, directory.RequisiteUpdate{ID: id, Enabled: new(false),
		Limits: directory.Limits{MaxAmount: new("3000"), DailyCount: new(int32(2)), DailySum: new("80000")}})
	noError(t, err)
	b.wantOwn(t, who, id, "false false", "100 to 3000, 2 a day, 80000 in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"100 to 4999.99, 6 a day, 90000 in sum, 3 open, 22:30-06:00 Asia/Baku",
		"100 to 3000, 2 a day, 80000 in sum, 3 open, - ")
	_, err = b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Limits: directory.OwnLimits{
		MinAmount: new(""), MaxAmount: new(""), DailyCount: new(int32(0)), DailySum: new(""),
		OpenPayments: new(int32(0)), WorkFrom: new(""), WorkUntil: new(""), TimeZone: new(""),
	}})
	noError(t, err)
	b.wantOwn(t, who, id, "false false", "100 to 3000, 2 a day, 80000 in sum, 3 open, 08:00-22:00 Europe/Moscow",
		"- to -, - a day, - in sum, - open, - ", "100 to 3000, 2 a day, 80000 in sum, 3 open, - ")
}

func (b *bundle) wantOwn(t *testing.T, who caller.Caller, id int64, switches, set, own, effective string) {
	t.Helper()
	r, err := b.settings.OwnRequisite(t.Context(), who, id)
	noError(t, err)
	for what, pair := range map[string][2]string{
		"switches": {fmt.Sprint(r.Enabled, r.EnabledByOperator), switches}, "set": {limitsText(r.Set), set},
		"own": {limitsText(r.Own), own}, "effective": {limitsText(r.Effective), effective},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %s, want %s", what, pair[0], pair[1])
		}
	}
}

func TestOwnLimitsStayWithinTheOperators(t *testing.T) {
	b := setup(t)
	who, id := owner(b.trader), b.trader.Requisites[0]
	b.Exec(
		t,
		`update requisite set min_amount = 100, max_amount = 5000, daily_count = 7, daily_sum = 9000, open_payments = 3
		where id = $1`,
		id,
	)
	for field, l := range map[string]directory.OwnLimits{
		"limits.minAmount":    {MinAmount: new("99.99")},
		"limits.maxAmount":    {MaxAmount: new("5000.01")},
		"limits.dailyCount":   {DailyCount: new(int32(8))},
		"limits.dailySum":     {DailySum: new("9000.01")},
		"limits.openPayments": {OpenPayments: new(int32(4))},
		"limits.timeZone":     {TimeZone: new("Mars/Base")},
		"limits.workUntil":    {WorkFrom: new("09:00"), WorkUntil: new("09:00")},
	} {
		_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Limits: l})
		wantFields(t, err, field)
	}
	for field, l := range map[string]directory.OwnLimits{
		"limits.minAmount":    {MinAmount: new("5000.01")},
		"limits.maxAmount":    {MaxAmount: new("99.99")},
		"limits.dailyCount":   {DailyCount: new(int32(-1))},
		"limits.dailySum":     {DailySum: new("0")},
		"limits.openPayments": {OpenPayments: new(int32(-1))},
	} {
		_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Limits: l})
		wantFields(t, err, field)
	}
	_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id,
		directory.OwnUpdate{Limits: directory.OwnLimits{MinAmount: new("300"), MaxAmount: new("200")}})
	wantFields(t, err, "limits.maxAmount")
	// The bounds themselves are within.
	_, err = b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Limits: directory.OwnLimits{
		MinAmount: new("100"), MaxAmount: new("5000"), DailyCount: new(int32(7)), DailySum: new("9000"),
		OpenPayments: new(int32(3)),
	}})
	if err != nil {
		t.Error(err)
	}
	b.Exec(
		t,
		"update requisite set sealed = null, hash = null, last4 = null, open_payments = null, own_open_payments = null where id = $1",
		id,
	)
	_, err = b.settings.UpdateOwnRequisite(t.Context(), who, id,
		directory.OwnUpdate{Limits: directory.OwnLimits{OpenPayments: new(int32(1))}})
	wantFields(t, err, "limits.openPayments")
}

// What an operator has switched off, a trader may only leave so, or switch off as well.
func TestOwnSwitch(t *testing.T) {
	b := setup(t)
	who, id := owner(b.trader), b.trader.Requisites[0]
	b.Exec(t, "update requisite set enabled = false where id = $1", id)
	set := func(on bool) error {
		_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Enabled: &on})
		return err
	}
	wantCode(t, "on", set(true), "requisite_off_by_operator")
	noError(t, set(false))
	b.Exec(t, "update requisite set enabled = true where id = $1", id)
	b.wantRequisites(t, " none 0|requisite_off_by_trader none 0")
	noError(t, set(true))
	b.wantRequisites(t, " none 0| none 0")
}

// The log tells who changed what, as it does for operators, and nothing for a change that is none.
func TestOwnChangesAreKept(t *testing.T) {
	b := setup(t)
	who, id := owner(b.trader), b.trader.Requisites[0]
	for range 2 {
		_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id,
			directory.OwnUpdate{Limits: directory.OwnLimits{DailyCount: new(int32(5))}})
		noError(t, err)
		noError(t, b.settings.SetBreak(t.Context(), who, true))
	}
	list, _, err := b.settings.Changes(t.Context(), operator, directory.ChangePage{})
	if err != nil || len(list) != 2 {
		t.Fatalf("%d changes, %v", len(list), err)
	}
	actor := fmt.Sprintf("trader:%d", who.ID)
	for i, want := range []struct {
		subject, key, field string
		before, after       any
	}{
		{"trader", strconv.FormatInt(b.trader.ID, 10), "on_break", false, true},
		{"requisite", strconv.FormatInt(id, 10), "own_daily_count", nil, 5.0},
	} {
		c := list[i]
		if c.Actor != actor || c.Subject != want.subject || c.SubjectKey != want.key || !c.At.Equal(dbtest.Start) {
			t.Errorf("%+v", c)
		}
		if value(t, c.Before, want.field) != want.before || value(t, c.After, want.field) != want.after {
			t.Errorf("%s, then %s", c.Before, c.After)
		}
	}
	if got := value(t, list[1].After, "effective_daily_count"); got != nil {
		t.Error("the log tells what follows from the limits")
	}
}

func TestWhoseRequisites(t *testing.T) {
	b := setup(t)
	other := owner(b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}))
	id := b.trader.Requisites[0]
	update := func(who caller.Caller) error {
		_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id, directory.OwnUpdate{Enabled: new(false)})
		return err
	}
	read := func(who caller.Caller) error {
		_, err := b.settings.OwnRequisite(t.Context(), who, id)
		return err
	}
	wantCode(t, "another's", update(other), "not_found")
	wantCode(t, "another's", read(other), "not_found")
	desk := owner(b.trader)
	desk.Role = caller.Desk
	wantCode(t, "desk", update(desk), "role_not_allowed")
	if err := read(desk); err != nil {
		t.Error(err)
	}
	if err := b.settings.SetBreak(t.Context(), desk, true); err != nil {
		t.Error(err)
	}
	_, err := b.settings.OwnBalance(t.Context(), desk)
	wantCode(t, "desk", err, "role_not_allowed")
	seen := owner(b.trader)
	seen.ViewAs = true
	wantCode(t, "view as", update(seen), "view_only")
	wantCode(t, "view as", b.settings.SetBreak(t.Context(), seen, false), "view_only")
	wantCode(t, "operator", update(operator), "token_kind_not_allowed")
	wantCode(t, "operator", read(operator), "token_kind_not_allowed")
	_, err = b.settings.ListOwnRequisites(t.Context(), operator)
	wantCode(t, "operator", err, "token_kind_not_allowed")
	list, err := b.settings.ListOwnRequisites(t.Context(), seen)
	if err != nil || len(list) != 2 || list[0].ID != id || list[1].ID != b.trader.Requisites[1] || !list[0].Enabled {
		t.Errorf("%+v (%v)", list, err)
	}
}

// A requisite tells what its own day counts. At 21:30 UTC it is the next day in Moscow.
func TestUseOfRequisites(t *testing.T) {
	b := setup(t)
	clock := &dbtest.Clock{}
	clock.Advance(9*time.Hour + 30*time.Minute)
	settings := directory.NewSettings(b.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	id, used := b.trader.Requisites[0], dbtest.Start.Add(9*time.Hour+10*time.Minute)
	b.Exec(t, "insert into requisite_day values ($1, '2026-11-20', 9, 900), ($1, '2026-11-21', 2, 250.50)", id)
	b.Exec(t, "update requisite_day set used_at = $1 where day = '2026-11-21'", used)
	list, err := settings.ListOwnRequisites(t.Context(), owner(b.trader))
	noError(t, err)
	use := list[0].Use
	if use.Day.Format(time.DateOnly) != "2026-11-21" || use.Count != 2 || use.Sum.String() != "250.5" ||
		use.LastUsedAt == nil || !use.LastUsedAt.Equal(used) {
		t.Errorf("%+v", use)
	}
	if use := list[1].Use; use.Count != 0 || use.LastUsedAt != nil || use.OpenPayments != 0 {
		t.Errorf("unused: %+v", use)
	}
	if v := fmt.Sprintf("+7900%03d0000", b.trader.ID); list[0].Value != v || list[0].Masked != "•••• 0000" {
		t.Errorf("%s, %s", list[0].Value, list[0].Masked)
	}
}

func TestBreak(t *testing.T) {
	b := setup(t)
	who := owner(b.trader)
	for _, on := range []bool{true, true, false} {
		noError(t, b.settings.SetBreak(t.Context(), who, on))
		if got, err := b.settings.Break(t.Context(), who); err != nil || got != on {
			t.Errorf("on a break: %v (%v), want %v", got, err, on)
		}
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
	got, err := b.settings.OwnBalance(t.Context(), owner(b.trader))
	if err != nil || got.Available.String() != "12.5" || !got.Reserved.IsZero() {
		t.Errorf("%+v (%v)", got, err)
	}
}

// An operator who narrows a limit while a trader sets their own: whoever comes second is held to what
// the first has set, and the trader's never is the one that holds beyond the operators'.
func TestOwnLimitsAgainstOperators(t *testing.T) {
	b := setup(t)
	who, id := owner(b.trader), b.trader.Requisites[0]
	var running sync.WaitGroup
	for n := range int32(20) {
		running.Go(func() {
			_, err := b.settings.UpdateRequisite(t.Context(), operator,
				directory.RequisiteUpdate{ID: id, Limits: directory.Limits{DailyCount: new(100 - n)}})
			if err != nil {
				t.Error(err)
			}
		})
		running.Go(func() {
			_, err := b.settings.UpdateOwnRequisite(t.Context(), who, id,
				directory.OwnUpdate{Limits: directory.OwnLimits{DailyCount: new(81 + n)}})
			if err != nil && fault.As(err) == nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	row, err := b.Queries().RequisiteOwn(t.Context(), db.RequisiteOwnParams{ID: id, TraderID: b.trader.ID})
	noError(t, err)
	held := *row.DailyCount
	if row.OwnDailyCount != nil {
		held = min(held, *row.OwnDailyCount)
	}
	if row.EffectiveDailyCount == nil || *row.EffectiveDailyCount != held {
		t.Errorf("%v and %v come to %v", *row.DailyCount, row.OwnDailyCount, row.EffectiveDailyCount)
	}
}

// Who looks as a trader sees the last characters of their requisites, as operators do.
func TestWhoLooksAsATraderSeesNoWholeRequisite(t *testing.T) {
	b := setup(t)
	who := owner(b.trader)
	who.ViewAs = true
	list, err := b.settings.ListOwnRequisites(t.Context(), who)
	noError(t, err)
	for _, own := range list {
		if own.Masked == "" || own.Value != own.Masked {
			t.Errorf("%+v", own)
		}
	}
}
