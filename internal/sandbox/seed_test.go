package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/limit"
	"gateway.example/internal/requisite"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// seeded is a sandbox's database with what its file tells.
type seeded struct {
	*dbtest.DB
	key   Key
	vault *vault.Vault
	info  Info
}

func seed(t *testing.T) seeded {
	t.Helper()
	s := seeded{DB: dbtest.New(t), key: loadKey(t, t.TempDir())}
	var err error
	s.vault, err = vault.New(s.key.Bytes("vault"))
	noError(t, err)
	noError(t, Seed(t.Context(), s.Pool, s.key, s.vault, dbtest.Requisites()))
	noError(t, s.info.Describe(t.Context(), s.Queries(), s.key))
	return s
}

// What the file promises about the first cashbox and those after it.
func TestCashboxes(t *testing.T) {
	t.Parallel()
	s := seed(t)
	first := s.info.Cashboxes[0]
	if first.Currency != "RUB" || first.TraderCashboxID == nil ||
		!reflect.DeepEqual(first.Scopes, []string{"payments", "deposits", "payouts"}) {
		t.Errorf("the first cashbox: %+v", first)
	}
	for _, method := range []string{"sbp", "sim", "card"} {
		if !slices.Contains(first.Methods, method) {
			t.Errorf("the first cashbox lacks %s", method)
		}
	}
	if balance := s.Balance(t, ledger.Available(ledger.Cashbox, first.MerchantCashboxID)); !balance.IsPositive() {
		t.Errorf("the first cashbox has %s USDT", balance)
	}
	if reserved := s.Balance(t, ledger.Reserved(ledger.Cashbox, first.MerchantCashboxID)); !reserved.IsZero() {
		t.Errorf("the first cashbox has %s reserved", reserved)
	}
	var currencies []string
	withoutBridge, paymentsOnly := false, false
	for _, box := range s.info.Cashboxes {
		currencies = append(currencies, box.Currency)
		withoutBridge = withoutBridge || box.TraderCashboxID == nil
		paymentsOnly = paymentsOnly || box.Currency == "RUB" && reflect.DeepEqual(box.Scopes, []string{"payments"})
	}
	for _, currency := range []string{"RUB", "AZN", "TRY", "MNT"} {
		if !slices.Contains(currencies, currency) {
			t.Errorf("no cashbox for %s", currency)
		}
	}
	if !withoutBridge || !paymentsOnly {
		t.Errorf("without a bridge: %t; payments only: %t", withoutBridge, paymentsOnly)
	}
	if merchants := s.Count(t, "select count(*) from merchant"); merchants < 2 {
		t.Errorf("%d merchants", merchants)
	}
}

// Every RUB cashbox pays out by sbp and c2c for a day, the others not at all; every trader can.
func TestPayouts(t *testing.T) {
	t.Parallel()
	s := seed(t)
	for _, box := range s.info.Cashboxes {
		want := 0
		if box.Currency == "RUB" {
			want = 2
		}
		methods := s.Count(
			t,
			`select count(*) from cashbox_payout_method where cashbox_id = $1 and enabled and method in ('sbp', 'c2c')
			and validity_seconds = 86400`,
			box.MerchantCashboxID,
		)
		testenv.Want(t, methods, want, "methods by which %s pays out", box.KeyID)
	}
	able := s.Count(t,
		"select count(*) from trader_payout_method where enabled and currency = 'RUB' and method in ('sbp', 'c2c')")
	if traders := s.Count(t, "select count(*) from trader"); able != 2*traders {
		t.Errorf("%d traders can pay by %d methods in all", traders, able)
	}
}

// The keys and webhook secrets in the file are those the gateway goes by.
func TestSecretsAreTrue(t *testing.T) {
	t.Parallel()
	s := seed(t)
	for _, box := range s.info.Cashboxes {
		row, err := s.Queries().KeyGet(t.Context(), box.KeyID)
		noError(t, err)
		if !slices.Equal(row.SecretHash, auth.HashSecret(box.Secret)) || *row.CashboxID != box.MerchantCashboxID {
			t.Errorf("%s: the key does not fit", box.KeyID)
		}
		var sealed []byte
		s.Get(t, &sealed, "select webhook_secret from cashbox where id = $1", box.MerchantCashboxID)
		opened, err := s.vault.Open(sealed, signing.SecretPlace(box.MerchantCashboxID))
		if err != nil || string(opened) != box.WebhookSecret {
			t.Errorf("%s: the webhook secret does not fit: %v", box.KeyID, err)
		}
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	s := seed(t)
	service, err := session.New(s.Pools(), s.vault, limit.New(s.Pool), session.Config{
		PortalURL: "http://127.0.0.1:8082", CookieKeys: [][]byte{make([]byte, session.CookieKeySize)},
	})
	noError(t, err)
	kinds := map[string]int{}
	for _, user := range s.info.Users {
		kinds[user.Kind]++
		who, err := service.Bearer(t.Context(), "Bearer "+user.Token)
		if err != nil || string(who.Kind) != user.Kind || who.Login != user.Login {
			t.Errorf("%s's token: %+v, %v", user.Login, who, err)
		}
		token, err := service.Login(t.Context(), session.Credentials{Login: user.Login, Password: user.Password},
			session.Origin{})
		if err != nil || string(token.Kind) != user.Kind {
			t.Errorf("%s's password: %s, %v", user.Login, token.Kind, err)
		}
	}
	for _, kind := range []string{"cabinet", "merchant_portal", "trader", "operator"} {
		if kinds[kind] == 0 {
			t.Errorf("no user of kind %s", kind)
		}
	}
	if traders := s.Count(t, "select count(*) from trader"); kinds["trader"] != traders {
		t.Errorf("%d users for %d traders", kinds["trader"], traders)
	}
}

// Requisites and USDT for 1,000 open RUB payments of 5,000, also at one equal amount, which need
// one requisite each.
func TestRoomForPayments(t *testing.T) {
	t.Parallel()
	s := seed(t)
	for _, method := range []string{"sbp", "sim", "card"} {
		fit := s.Count(t, `select count(*) from requisite
			where currency = 'RUB' and method = $1 and enabled and 5000 between min_amount and max_amount`, method)
		if fit < 1000 {
			t.Errorf("%d requisites for %s", fit, method)
		}
	}
	// At the seeded rate of 92.50, 1,000 × 5,000 RUB hold at most 5,000,000 / 92.50 = 54,054.1
	// USDT.
	first := int64(s.Count(t, "select min(trader_id) from requisite where currency = 'RUB'"))
	if balance := s.Balance(t, ledger.Available(ledger.Trader, first)); balance.IntPart() < 54_055 {
		t.Errorf("a trader has %s USDT", balance)
	}
	if high := s.Count(t, "select max(max_amount)::bigint from platform_limit"); high >= 10_000_000 {
		t.Errorf("the platform limit is %d", high)
	}
	testenv.Want(t, s.Count(t, "select count(*) from rate where stale_at <> 'infinity'"), 0, "rates go stale")
}

// Desks for 50 open card checkouts of every card method: any number may be open on one. Some of
// each trader's USDT stays.
func TestRoomForCheckouts(t *testing.T) {
	t.Parallel()
	s := seed(t)
	for _, pool := range [][2]string{{"RUB", "mtstpay"}, {"AZN", "quasi_ecom"}, {"TRY", "quasi_ecom"}} {
		desks := s.Count(
			t,
			`select count(*) from requisite where currency = $1 and method = $2 and enabled and sealed is null
			and open_payments is null and holder is null and bank is null`,
			pool[0],
			pool[1],
		)
		if desks == 0 {
			t.Errorf("no desk for %s", pool)
		}
		listed := false
		for _, box := range s.info.Cashboxes {
			listed = listed || box.Currency == pool[0] && slices.Contains(box.Methods, pool[1])
		}
		if !listed {
			t.Errorf("no cashbox lists %s", pool)
		}
	}
	for name, calls := range map[string]int{"checkout_reads": 200, "checkout_writes": 600, "checkout_cards": 100} {
		testenv.Want(t, s.Count(t, "select calls from rate_limit where name = $1", name), calls, "%s", name)
	}
}

// Payers of roubles are offered three banks, two of them by a link.
func TestBanks(t *testing.T) {
	t.Parallel()
	s := seed(t)
	testenv.Want(t, s.Count(t, "select count(*) from bank where currency = 'RUB' and 'sbp' = any(methods)"), 3, "banks")
	testenv.Want(t, s.Count(t, "select count(*) from bank where link <> ''"), 2, "banks with a link")
}

// Requisites are made up, yet of the form that their method's type asks for. Each is there once,
// and desks that take cards have no value.
func TestRequisitesAreWellFormed(t *testing.T) {
	t.Parallel()
	s := seed(t)
	rows, err := s.Pool.Query(t.Context(), `select r.id, r.method, r.sealed, m.requisite_type
		from requisite r join method m on m.method = r.method and m.currency = r.currency`)
	noError(t, err)
	type row struct {
		ID     int64
		Method string
		Sealed []byte
		Type   *string
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	noError(t, err)
	seen := map[[2]string]bool{}
	for _, r := range list {
		if r.Type == nil {
			testenv.Want(t, len(r.Sealed), 0, "a desk of %s has a value of bytes", r.Method)
			continue
		}
		value, err := dbtest.Requisites().Open(r.ID, r.Sealed)
		noError(t, err)
		if seen[[2]string{r.Method, value}] {
			t.Errorf("%s %s comes twice", r.Method, value)
		}
		seen[[2]string{r.Method, value}] = true
		testenv.Want(t, requisite.Of(*r.Type).Wrong(value), "", "%s %s", r.Method, value)
	}
	if len(seen) == 0 {
		t.Error("nothing was made up")
	}
}

// A second start finds everything there; replicas that start together seed once; a strange key is
// refused.
func TestSeedOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	key := loadKey(t, t.TempDir())
	v, err := vault.New(key.Bytes("vault"))
	noError(t, err)
	failed := make([]error, 4)
	var starting sync.WaitGroup
	for i := range failed {
		starting.Go(func() { failed[i] = Seed(t.Context(), d.Pool, key, v, dbtest.Requisites()) })
	}
	starting.Wait()
	noError(t, errors.Join(failed...))
	merchants := d.Count(t, "select count(*) from merchant")
	testenv.Want(t, merchants, 3, "merchants")
	if err := Seed(t.Context(), d.Pool, loadKey(t, t.TempDir()), v, nil); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another sandbox's key: %v", err)
	}
	d.Audit(t)
}

// The file is whole, private and by the documented names.
func TestInfoFile(t *testing.T) {
	t.Parallel()
	s := seed(t)
	dir := t.TempDir()
	noError(t, s.info.Write(dir))
	noError(t, s.info.Write(dir))
	read, err := Read(dir)
	noError(t, err)
	if !reflect.DeepEqual(read, s.info) {
		t.Error("what is read is not what was written")
	}
	path := filepath.Join(dir, "sandbox.json")
	stat, err := os.Stat(path)
	noError(t, err)
	if files, _ := os.ReadDir(dir); stat.Mode().Perm() != 0o600 || len(files) != 1 {
		t.Errorf("mode %o, %d files", stat.Mode().Perm(), len(files))
	}
	content, err := os.ReadFile(path)
	noError(t, err)
	var raw map[string]any
	noError(t, json.Unmarshal(content, &raw))
	hasNames(t, raw, "base_url", "pay_url", "portal_url", "ops_url", "external_payments_secret", "cashboxes", "users")
	hasNames(t, raw["cashboxes"].([]any)[0].(map[string]any), "merchantCashboxId", "traderCashboxId", "currency",
		"methods", "key_id", "secret", "scopes", "webhook_secret")
	hasNames(t, raw["users"].([]any)[0].(map[string]any), "kind", "login", "password", "token")

	noError(t, os.WriteFile(path, []byte("{"), 0o600))
	if _, err := Read(dir); err == nil {
		t.Error("half a file was read")
	}
}

func hasNames(t *testing.T, object map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := object[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
}
