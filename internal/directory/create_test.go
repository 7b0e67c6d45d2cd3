package directory_test

import (
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
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

// A name changes for all who read it, is wanted and bounded as that of something new, and stays where
// none is given.
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

// wantEmpty wants a new account, and what is reserved of it, to be there with nothing on them.
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
	b.wantSealed(t, id, secret)
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

// wantSealed wants the secret to be kept in the form it was sealed in for the cashbox's row, and in
// no other.
func (b *bundle) wantSealed(t *testing.T, id int64, secret string) {
	t.Helper()
	var sealed []byte
	b.Get(t, &sealed, "select webhook_secret from cashbox where id = $1", id)
	opened, err := dbtest.Vault().Open(sealed, signing.SecretPlace(id))
	testenv.Check(t, err == nil && string(opened) == secret && strings.HasPrefix(secret, "whsec_") &&
		!strings.Contains(string(sealed), secret), "sealed is %q (%v), the answer %q", opened, err, secret)
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
