package directory_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook/signing"
)

// number is the id of what a change made.
func number(t *testing.T, c directory.Change) int64 {
	t.Helper()
	id := testenv.Must(strconv.ParseInt(c.SubjectKey, 10, 64))(t)
	return id
}

func TestCreateMerchant(t *testing.T) {
	b := setup(t)
	long := strings.Repeat("ж", 100)
	c, err := logged(b.settings.CreateMerchant(ctx, operator, directory.NewMerchant{Name: " " + long + "\n"}))
	wantChange(t, c, err, "merchant", c.SubjectKey, "name", "new", long)
	testenv.Check(t, value(t, c.After, "api_enabled") == true && value(t, c.After, "rate_percent") == nil,
		"made %s", c.After)
	c, err = logged(b.settings.CreateMerchant(ctx, operator,
		directory.NewMerchant{Name: "Shop", APIEnabled: new(false), RatePercent: "2.5"}))
	wantChange(t, c, err, "merchant", c.SubjectKey, "rate_percent", "new", 2.5)
	testenv.Want(t, value(t, c.After, "api_enabled"), false, "made %s", c.After)
	// It can be changed by its id, and the log has what it was made with.
	changed, err := logged(b.settings.UpdateMerchant(ctx, operator,
		directory.MerchantUpdate{ID: number(t, c), APIEnabled: new(true)}))
	wantChange(t, changed, err, "merchant", c.SubjectKey, "api_enabled", false, true)
	log, _, err := b.settings.Changes(ctx, operator,
		directory.ChangePage{Subject: new("merchant"), SubjectKey: &c.SubjectKey})
	testenv.Check(t, err == nil && len(log) == 2 && log[1].ID == c.ID && string(log[1].After) == string(c.After),
		"log %+v %v", log, err)
	dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateMerchant(ctx, operator, directory.NewMerchant{Name: " \t", RatePercent: "100.0001"})), "name", "ratePercent")
	dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateMerchant(ctx, operator, directory.NewMerchant{Name: long + "ж"})), "name")
}

// A name changes for all who read it, is wanted and bounded as that of
// something new, and stays where none is given.
func TestRename(t *testing.T) {
	b := setup(t)
	for subject, rename := range map[string]func(name *string) (directory.Change, error){
		"merchant": func(name *string) (directory.Change, error) {
			return b.merchantSet(directory.MerchantUpdate{Name: name})
		},
		"cashbox": func(name *string) (directory.Change, error) {
			return b.boxSet(directory.CashboxUpdate{Name: name})
		},
		"trader": func(name *string) (directory.Change, error) {
			return b.traderSet(directory.TraderUpdate{Name: name})
		},
	} {
		c, err := rename(new(" Another one\n"))
		testenv.Check(t, err == nil && c.Subject == subject && value(t, c.Before, "name") != "Another one" &&
			value(t, c.After, "name") == "Another one", "%s: %+v, %v", subject, c, err)
		c, err = rename(nil)
		testenv.Check(t, err == nil && value(t, c.After, "name") == "Another one",
			"%s without a name: %+v, %v", subject, c, err)
		for _, wrong := range []string{"", " \t", strings.Repeat("ж", 101)} {
			dbtest.WantFields(t, testenv.ErrOf(rename(&wrong)), "name")
		}
	}
}

func TestCreateTrader(t *testing.T) {
	b := setup(t)
	c, err := logged(b.settings.CreateTrader(ctx, operator,
		directory.NewTrader{Name: " Trader ", SharePercent: "1.25", RatePercent: "3"}))
	wantChange(t, c, err, "trader", c.SubjectKey, "share_percent", "new", 1.25)
	testenv.Check(t, value(t, c.After, "name") == "Trader" && value(t, c.After, "rate_percent") == 3.0 &&
		value(t, c.After, "enabled") == true, "made %s", c.After)
	b.wantEmpty(t, ledger.Available(ledger.Trader, number(t, c)))
	c, err = logged(b.settings.CreateTrader(ctx, operator, directory.NewTrader{Name: "Another", SharePercent: "0"}))
	wantChange(t, c, err, "trader", c.SubjectKey, "rate_percent", "new", nil)
	dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateTrader(ctx, operator, directory.NewTrader{RatePercent: "x"})), "name", "sharePercent", "ratePercent")
	dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateTrader(ctx, operator, directory.NewTrader{Name: "Trader", SharePercent: "100.0001"})), "sharePercent")
}

// wantEmpty wants a new account, and what is reserved of it, to be there with
// nothing on them.
func (b *bundle) wantEmpty(t *testing.T, account ledger.Account) {
	t.Helper()
	for _, account.Reserved = range []bool{false, true} {
		testenv.Want(t, b.Balance(t, account).String(), "0", "a new account has")
	}
}

func TestCreateCashbox(t *testing.T) {
	b := setup(t)
	made, secret, err := b.settings.CreateCashbox(ctx, operator, directory.NewCashbox{
		MerchantID: b.merchant.ID, Name: " Shop ", Currency: "AZN", TraderID: b.trader.ID,
	})
	c := made.SettingChange
	wantChange(t, c, err, "cashbox", c.SubjectKey, "currency", "new", "AZN")
	for field, want := range map[string]any{
		"name": "Shop", "merchant_id": float64(b.merchant.ID), "trader_cashbox_id": float64(b.trader.ID), "collect_enabled": true,
		"webhook_secret": nil,
	} {
		testenv.Want(t, value(t, c.After, field), want, "%s is", field)
	}
	id := made.Now.ID
	var sealed []byte // for the cashbox's row, and in no other form
	b.Get(t, &sealed, "select webhook_secret from cashbox where id = $1", id)
	opened, err := dbtest.Vault().Open(sealed, signing.SecretPlace(id))
	testenv.Check(t, err == nil && string(opened) == secret && strings.HasPrefix(secret, "whsec_") &&
		!strings.Contains(string(sealed), secret), "sealed is %q (%v), the answer %q", opened, err, secret)
	b.wantEmpty(t, ledger.Available(ledger.Cashbox, id))
	// It has no method until one is set.
	set, err := logged(b.settings.SetMethod(ctx, operator,
		directory.CashboxMethod{CashboxID: id, Name: "c2c", Enabled: true, ValiditySeconds: 1200}))
	wantChange(t, set, err, "cashbox_method", c.SubjectKey+"/c2c", "enabled", "new", true)

	made, other, err := b.settings.CreateCashbox(ctx, operator,
		directory.NewCashbox{MerchantID: b.merchant.ID, Name: "Shop", Currency: "RUB"})
	c = made.SettingChange
	wantChange(t, c, err, "cashbox", c.SubjectKey, "trader_cashbox_id", "new", nil)
	testenv.Check(t, other != secret, "two cashboxes share a secret")
	leaked := b.Count(t, `select count(*) from setting_change c
		where c::text like '%' || $1 || '%' or c::text like '%webhook_secret"%'`, strings.TrimPrefix(secret, "whsec_"))
	testenv.Want(t, leaked, 0, "rows of the log that tell of the secret")
}

func TestWrongCashbox(t *testing.T) {
	b := setup(t)
	create := func(n directory.NewCashbox) error {
		_, secret, err := b.settings.CreateCashbox(ctx, operator, n)
		testenv.Want(t, secret, "", "%+v: a secret was shown", n)
		return err
	}
	dbtest.WantFields(t, create(directory.NewCashbox{}), "merchantId", "name", "currency")
	dbtest.WantFields(t, create(directory.NewCashbox{
		MerchantID: 1 << 40, Name: strings.Repeat("x", 101), Currency: "XXX", TraderID: 1 << 40,
	}), "merchantId", "name", "currency", "traderCashboxId")
	dbtest.WantFields(t, create(directory.NewCashbox{MerchantID: b.merchant.ID, Name: "Shop", Currency: "rub", TraderID: -1}),
		"currency", "traderCashboxId")
	left := b.Count(t, `select (select count(*) from setting_change) + (select count(*) from merchant) - 1
		+ (select count(*) from trader) - 1 + (select count(*) from cashbox) - 1`)
	testenv.Want(t, left, 0, "rows of refused calls")
}

func TestLimitsOfARequisite(t *testing.T) {
	b := setup(t)
	n := directory.NewRequisite{
		TraderID: b.trader.ID, Currency: "RUB", Method: "card", Value: "2200000000000004", Bank: new("Bank"),
		Limits: directory.Limits{
			MinAmount: new("100"), MaxAmount: new("5000"), TimeZone: new("Asia/Baku"),
			DailyCount: new(int32(7)), DailySum: new("90000"), OpenPayments: new(int32(3)),
			WorkFrom: new("22:00"), WorkUntil: new("06:30"), Weight: new(int32(4)),
		},
	}
	c := testenv.Must(b.settings.CreateRequisite(ctx, operator, n))(t)
	for field, want := range map[string]any{
		"value": "•••• 0004", "min_amount": 100.0, "max_amount": 5000.0, "time_zone": "Asia/Baku", "daily_count": 7.0,
		"daily_sum": 90000.0, "open_payments": 3.0, "work_from": "22:00:00", "work_until": "06:30:00", "weight": 4.0, "enabled": true,
	} {
		testenv.Want(t, value(t, c.After, field), want, "%s is", field)
	}
	id := number(t, c.SettingChange)
	cleared := directory.Limits{
		DailyCount: new(int32(0)), DailySum: new(""), OpenPayments: new(int32(0)), WorkFrom: new(""),
		WorkUntil: new(""),
	}
	c = testenv.Must(b.settings.UpdateRequisite(ctx, operator, directory.RequisiteUpdate{ID: id, Limits: cleared}))(t)
	for _, field := range []string{"daily_count", "daily_sum", "open_payments", "work_from", "work_until"} {
		got := value(t, c.After, field)
		testenv.Check(t, got == nil, "%s is %v after it was cleared", field, got)
	}
	testenv.Want(t, value(t, c.After, "min_amount"), 100.0, "min_amount became")
	dbtest.WantFields(t, testenv.ErrOf(b.settings.UpdateRequisite(ctx, operator,
		directory.RequisiteUpdate{ID: id, Limits: directory.Limits{MinAmount: new("5000.01")}})), "limits.minAmount")
}

func TestWrongSettings(t *testing.T) {
	b := setup(t)
	for _, percent := range []string{"100.0001", "1.00001", "-1"} {
		dbtest.WantFields(t, testenv.ErrOf(b.merchantSet(directory.MerchantUpdate{RatePercent: &percent})), "ratePercent")
	}
	for _, test := range []struct {
		traderID                       int64
		currency, method, value, field string
	}{
		{b.trader.ID, "RUB", "card", "2200000000000005", "value"}, {b.trader.ID, "RUB", "sbp", "89001234567", "value"},
		{b.trader.ID, "RUB", "c2c", "2200000000000004", "method"}, {1 << 40, "RUB", "sbp", "+79001234567", "traderId"},
		{b.trader.ID, "MNT", "iban", "MN120005000000000000", "value"},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateRequisite(ctx, operator, directory.NewRequisite{
			TraderID: test.traderID, Currency: test.currency, Method: test.method, Value: test.value,
		})), test.field)
	}
	for fields, l := range map[string]directory.Limits{
		"limits.timeZone limits.weight limits.dailyCount": {TimeZone: new("Mars/Base"), Weight: new(int32(0)), DailyCount: new(int32(-1))},
		"limits.timeZone":                  {TimeZone: new("Europe//Moscow")}, // a file to Go, and nothing to PostgreSQL
		"limits.workFrom limits.workUntil": {WorkFrom: new("24:00"), WorkUntil: new("")},
		"limits.workUntil":                 {WorkFrom: new("09:00"), WorkUntil: new("09:00")},
		"limits.dailySum":                  {DailySum: new("0")},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.requisiteSet(directory.RequisiteUpdate{Limits: l})), strings.Fields(fields)...)
	}
	dbtest.WantFields(t, testenv.ErrOf(b.settings.SetMethod(ctx, operator,
		directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "iban", ValiditySeconds: 86401})), "method", "validitySeconds")
	dbtest.WantFields(t, testenv.ErrOf(b.settings.SetPlatformLimit(ctx, operator,
		directory.NewPlatformLimit{Currency: "XXX", MinAmount: "2", MaxAmount: "1", Reason: "why"})), "currency", "maxAmount")
	dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{TraderID: new(int64(1 << 40))})), "traderCashboxId")
	dbtest.WantCode(t, testenv.ErrOf(b.settings.UpdateMerchant(ctx, operator, directory.MerchantUpdate{ID: 1 << 40})), "not_found")
	testenv.Want(t, b.Count(t, "select count(*) from setting_change"), 0, "refused changes that are kept")
}

// A desk that takes cards is a requisite without a value, of a trader who has
// an acquirer.
func TestDesk(t *testing.T) {
	b := setup(t)
	desk := directory.NewRequisite{TraderID: b.trader.ID, Currency: "RUB", Method: "mtstpay"}
	wrong := func(n directory.NewRequisite, field string) {
		t.Helper()
		dbtest.WantFields(t, testenv.ErrOf(b.settings.CreateRequisite(ctx, operator, n)), field)
	}
	wrong(desk, "traderId")
	testenv.NoError(t, b.Queries().
		AcquirerSet(ctx, db.AcquirerSetParams{TraderID: b.trader.ID, URL: "https://cards.example", KeyID: "k", Secret: []byte{}}),
	)
	withValue, withOpen, elsewhere := desk, desk, desk
	withValue.Value, withOpen.Limits.OpenPayments, elsewhere.Currency = "+79001234567", new(int32(3)), "AZN"
	wrong(withValue, "value")
	wrong(withOpen, "limits.openPayments")
	wrong(elsewhere, "method")
	c := testenv.Must(b.settings.CreateRequisite(ctx, operator, desk))(t)
	dbtest.WantFields(t, testenv.ErrOf(b.settings.UpdateRequisite(ctx, operator, // a limit it cannot keep
		directory.RequisiteUpdate{ID: number(t, c.SettingChange), Limits: withOpen.Limits})), "limits.openPayments")
	// In a sandbox no acquirer is needed.
	b.settings.CardsWithoutAcquirer = true
	desk.TraderID = b.NewTrader(t, dbtest.TraderOpts{}).ID
	testenv.Must(b.settings.CreateRequisite(ctx, operator, desk))(t)
}

// wantWrong wants a field to be named as wrong, if not alone.
func wantWrong(t *testing.T, err error, field string) {
	t.Helper()
	refusal := fault.As(err)
	testenv.Check(t, refusal != nil && refusal.Fields.Wrong(field), "%v, want %s to be wrong", err, field)
}

// What an operator may set of a bank: nothing that a browser would run, and
// nothing without a source.
func TestSetBankRefuses(t *testing.T) {
	s := setup(t).settings
	who := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	good := directory.Bank{
		Currency: "RUB", Name: "Alpha", Methods: []string{"sbp"},
		Link: "https://alpha.example/pay?to={phone}&sum={amount}", Source: "https://alpha.example/docs", Enabled: true,
	}
	testenv.Must(s.SetBank(ctx, who, good))(t)
	for _, row := range testenv.Rows(t, "banks.txt") {
		bad := good
		bad.Methods = slices.Clone(good.Methods) // what is read is put into the list that is there
		testenv.NoError(t, json.Unmarshal([]byte(row[1]), &bad))
		t.Log(row[0])
		wantWrong(t, testenv.ErrOf(s.SetBank(ctx, who, bad)), row[2])
	}
	for _, picture := range []string{"<svg onload=alert(1)>", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 32<<10)} {
		bad := good
		bad.Logo = []byte(picture)
		wantWrong(t, testenv.ErrOf(s.SetBank(ctx, who, bad)), "logo")
	}
	// The same once more is no change, and a logo stays until there is
	// another.
	good.Logo = []byte("\x89PNG\r\n\x1a\n")
	changed := testenv.Must(s.SetBank(ctx, who, good))(t)
	testenv.Need(t, changed.ID != 0, "%+v", changed)
	good.Logo = nil
	again, err := s.SetBank(ctx, who, good)
	testenv.Check(t, err == nil && again.ID == 0, "the same once more: %+v %v", again, err)
	list, err := s.ListBanks(ctx, who, "RUB")
	testenv.Check(t, err == nil && len(list) == 1 && list[0].LogoHash != "" && list[0].Link == good.Link,
		"%+v %v", list, err)
}
