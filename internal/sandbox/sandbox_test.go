package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/limit"
	"gateway.example/internal/requisite"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func loadKey(t testing.TB, dir string) Key {
	t.Helper()
	return testenv.Must(LoadKey(dir))(t)
}

// The same data directory gives the same secrets at every start, another
// directory others.
func TestKeyIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, again, other := loadKey(t, dir), loadKey(t, dir), loadKey(t, t.TempDir())
	testenv.Check(t, first.ExternalPaymentsSecret() == again.ExternalPaymentsSecret() &&
		first.token("operator") == again.token("operator"), "a second start has other secrets")
	testenv.Check(t, first.ExternalPaymentsSecret() != other.ExternalPaymentsSecret() &&
		first.fingerprint() != other.fingerprint(), "two sandboxes share secrets")
	info := testenv.Must(os.Stat(filepath.Join(dir, keyFile)))(t)
	testenv.Want(t, info.Mode().Perm(), 0o600, "mode")
	noKeyLeftBehind(t, dir)
}

func noKeyLeftBehind(t *testing.T, dir string) {
	t.Helper()
	files := testenv.Must(os.ReadDir(dir))(t)
	testenv.Want(t, len(files), 1, "files, a half-made key among them")
}

// Each purpose has a secret of its own: none may give away another.
func TestPurposesDiffer(t *testing.T) {
	t.Parallel()
	key := loadKey(t, t.TempDir())
	seen := map[string]bool{string(key.root): true}
	for _, secret := range []string{
		key.ExternalPaymentsSecret(), key.merchantSecret("a"), key.merchantSecret("b"), key.webhookSecret("a"), key.password("a"),
		key.token("a"), string(key.Bytes("vault")), string(key.Bytes("links")), key.fingerprint(),
	} {
		testenv.Check(t, !seen[secret] && len(secret) >= 16, "%q is used twice or too short", secret)
		seen[secret] = true
	}
	testenv.Check(t, strings.HasPrefix(key.webhookSecret("a"), "whsec_"),
		"a webhook secret must have the form merchants are given")
}

// Replicas that start together on a new directory must agree.
func TestKeyRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]Key, 20)
	testenv.NoError(t, testenv.AtOnce(len(keys), func(i int) (err error) {
		keys[i], err = LoadKey(dir)
		return err
	})...)
	for _, key := range keys {
		testenv.Need(t, len(key.root) == keySize && bytes.Equal(key.root, keys[0].root), "two keys were made")
	}
	noKeyLeftBehind(t, dir)
}

// A damaged key must not quietly become another sandbox's.
func TestDamagedKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600))
	_, err := LoadKey(dir)
	testenv.Check(t, err != nil && !strings.Contains(err.Error(), "short") && strings.Contains(err.Error(), keyFile),
		"error %v", err)
	testenv.Check(t, testenv.ErrOf(LoadKey(filepath.Join(dir, "missing"))) != nil, "a directory that does not exist has a key")
}

// queue queues a delivery that is due in an hour.
func (s seeded) queue(t *testing.T) {
	t.Helper()
	s.Exec(t, `with d as (
			insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
			values (1, gen_random_uuid(), 'shop.example', now() + interval '1 hour', 0) returning merchant_id, host, due_at
		)
		insert into webhook_endpoint (merchant_id, host, due_at) select * from d`)
}

func (s seeded) dueIn(t *testing.T, table string) time.Duration {
	t.Helper()
	var at time.Time
	s.Get(t, &at, "select due_at from "+table)
	return time.Until(at)
}

// wantNear wants a time to be so far ahead.
func wantNear(t *testing.T, at time.Time, want time.Duration, what string) {
	t.Helper()
	ahead := time.Until(at)
	testenv.Check(t, near(ahead, want), "%s: %s ahead, want %s", what, ahead, want)
}

func near(got, want time.Duration) bool { return (got - want).Abs() < 20*time.Second }

// Advancing moves the clock and brings deliveries as much closer, since those
// keep real time. Endpoints are looked at again at once.
func TestAdvance(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	wantNear(t, c.Now(), 0, "a new clock")
	s.queue(t)
	now := testenv.Must(c.Advance(t.Context(), 1800))(t)
	wantNear(t, now, 30*time.Minute, "ahead")
	due := s.dueIn(t, "webhook_delivery")
	testenv.Check(t, near(due, 30*time.Minute), "the delivery is due in %s", due)
	due = s.dueIn(t, "webhook_endpoint")
	testenv.Check(t, due <= 0, "the endpoint is looked at in %s", due)
	// Steps add up, and none is a step too.
	for _, seconds := range []int64{0, 600} {
		now = testenv.Must(c.Advance(t.Context(), seconds))(t)
	}
	wantNear(t, now, 40*time.Minute, "ahead after three steps")
}

// Deliverers change deliveries in any order: who holds one is waited for by an
// advance that holds none.
func TestAdvanceBesideDeliverer(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	s.queue(t)
	s.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
		select merchant_id, gen_random_uuid(), host, due_at, 0 from webhook_delivery`)
	var events []string
	s.Get(t, &events, "select array_agg(event_id::text order by ctid) from webhook_delivery")
	const attempt = "update webhook_delivery set attempts = attempts + 1 where event_id = $1"
	deliverer := testenv.Must(pgx.ConnectConfig(t.Context(), s.Pool.Config().ConnConfig))(t)
	defer func() { _ = deliverer.Close(context.WithoutCancel(t.Context())) }()
	advanced := make(chan error, 1)
	testenv.NoError(t, db.InTx(t.Context(), deliverer, func(tx pgx.Tx, _ *db.Queries) error {
		if _, err := tx.Exec(t.Context(), attempt, events[1]); err != nil {
			return err
		}
		go func() {
			_, err := c.Advance(t.Context(), 1800)
			advanced <- err
		}()
		testenv.Until(t, "an endpoint is woken", func() bool { return s.dueIn(t, "webhook_endpoint") <= 0 })
		_, err := tx.Exec(t.Context(), attempt, events[0])
		return err
	}))
	testenv.NoError(t, <-advanced)
	var late int
	s.Get(t, &late, "select count(*) from webhook_delivery where due_at > now() + interval '31 minutes' or attempts <> 1")
	testenv.Want(t, late, 0, "deliveries not brought forward, or not attempted")
}

func TestAdvanceRefused(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	for _, seconds := range []int64{-1, -1 << 63, 1<<63 - 1, 3_153_600_001} {
		_, err := c.Advance(t.Context(), seconds)
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Kind == fault.Invalid && f.Fields["seconds"] != nil, "%d seconds: %v", seconds, err)
	}
	wantNear(t, c.Now(), 0, "a refused step moved the clock")
}

// Replicas follow, and a start finds the clock where it was left. Advance
// answers once the replicas had time to notice.
func TestFollow(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	replica := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	ctx, stop := context.WithCancel(t.Context())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		replica.Follow(ctx)
	}()
	testenv.Must(c.Advance(t.Context(), 86_400))(t)
	testenv.Until(t, "the replica is a day ahead", func() bool { return near(time.Until(replica.Now()), 24*time.Hour) })
	stop()
	<-followed
	later := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	wantNear(t, later.Now(), 24*time.Hour, "after a start the clock")
}

// However often it is advanced, the clock never gets further than its offset
// can be counted.
func TestAdvanceHasAnEnd(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	const century = 100 * 365 * 24 * 3600
	testenv.Must(c.Advance(t.Context(), century))(t)
	_, err := c.Advance(t.Context(), 1)
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Fields.Wrong("seconds"), "a second more than a century: %v", err)
	testenv.Want(t, c.Ahead(), century*time.Second, "ahead")
}

// seeded is a sandbox's database with what its file tells.
type seeded struct {
	*dbtest.DB
	key   Key
	vault *vault.Vault
	info  Info
}

// seed has the test run beside others.
func seed(t *testing.T) seeded {
	t.Helper()
	t.Parallel()
	s := seeded{DB: dbtest.New(t), key: loadKey(t, t.TempDir())}
	s.vault = testenv.Must(vault.New(s.key.Bytes("vault")))(t)
	testenv.NoError(t, Seed(t.Context(), s.Pool, s.key, s.vault, dbtest.Requisites()))
	testenv.NoError(t, s.info.Describe(t.Context(), s.Queries(), s.key, s.vault))
	return s
}

// Who has changed a webhook secret finds the new one in the file: the inbox and
// "gateway listen" verify with it, and the old one soon signs nothing more.
func TestChangedWebhookSecret(t *testing.T) {
	s := seed(t)
	legacy := slices.IndexFunc(s.info.LegacyKeys, func(k LegacyKey) bool { return k.MerchantCashboxID != nil })
	testenv.Need(t, legacy >= 0, "no legacy key has a cashbox: %+v", s.info.LegacyKeys)
	changed := map[int64]string{}
	for _, id := range []int64{s.info.Cashboxes[0].MerchantCashboxID, *s.info.LegacyKeys[legacy].MerchantCashboxID} {
		changed[id] = signing.NewSecret()
		testenv.NoError(t, s.Queries().CashboxSetWebhookSecret(t.Context(), db.CashboxSetWebhookSecretParams{
			ID: id, WebhookSecret: signing.SealSecret(s.vault, id, changed[id]),
		}))
	}
	testenv.NoError(t, s.info.Describe(t.Context(), s.Queries(), s.key, s.vault))
	for _, box := range s.info.Signers() {
		want, isChanged := changed[box.MerchantCashboxID]
		if !isChanged {
			want = s.key.webhookSecret(box.KeyID)
		}
		testenv.Check(t, box.WebhookSecret == want, "cashbox %d: the file has another secret", box.MerchantCashboxID)
	}
}

// What the file promises about the first cashbox and those after it.
func TestCashboxes(t *testing.T) {
	s := seed(t)
	first := s.info.Cashboxes[0]
	testenv.Check(t, first.Currency == "RUB" && first.TraderCashboxID != nil &&
		slices.Equal(first.Scopes, []string{"payments", "deposits", "payouts"}), "the first cashbox: %+v", first)
	balance := s.Balance(t, ledger.Available(ledger.Cashbox, first.MerchantCashboxID))
	testenv.Check(t, balance.IsPositive(), "the first cashbox has %s USDT", balance)
	testenv.Want(t, s.Balance(t, ledger.Reserved(ledger.Cashbox, first.MerchantCashboxID)).String(), "0", "reserved of the first")
	listed := map[string]bool{}
	for i, box := range s.info.Cashboxes {
		for _, method := range box.Methods {
			listed[box.Currency+" "+method] = true
			listed["the first "+method] = listed["the first "+method] || i == 0
		}
		listed[box.Currency] = true
		listed["without a bridge"] = listed["without a bridge"] || box.TraderCashboxID == nil
		listed["payments only"] = listed["payments only"] || box.Currency == "RUB" && slices.Equal(box.Scopes, []string{"payments"})
	}
	for _, wanted := range []string{
		"RUB", "AZN", "TRY", "MNT", "without a bridge", "payments only", "the first sbp", "the first sim", "the first card",
		"RUB mtstpay", "AZN quasi_ecom", "TRY quasi_ecom",
	} {
		testenv.Want(t, listed[wanted], true, "a cashbox: %s", wanted)
	}
}

// What is there to pay by and with: of each query, what it counts is no less
// than that.
func TestRoom(t *testing.T) {
	s := seed(t)
	for what, c := range map[string]struct {
		least int
		sql   string
	}{
		"merchants": {2, "select count(*) from merchant"},
		// One equal amount of 1,000 open payments needs one requisite
		// each.
		"requisites for a payment of 5,000 of each method": {1000, `select min(n) from (select count(r.id) as n
			from unnest(array['sbp', 'sim', 'card']) m left join requisite r on r.method = m and r.currency = 'RUB' and enabled
			and 5000 between min_amount and max_amount group by m) counts`},
		"room above the platform's limits": {1, "select 10000000 - max(max_amount)::bigint from platform_limit"},
		// Any number of cards may be open on one desk.
		"desks of each card method": {1, `select min(n) from (select count(r.id) as n
			from (values ('RUB', 'mtstpay'), ('AZN', 'quasi_ecom'), ('TRY', 'quasi_ecom')) m (currency, method)
			left join requisite r on (r.currency, r.method) = (m.currency, m.method) and enabled and sealed is null
			and open_payments is null and holder is null and bank is null group by m) counts`},
	} {
		n := s.Count(t, c.sql)
		testenv.Check(t, n >= c.least, "%s: %d, want %d", what, n, c.least)
	}
	// At the seeded rate of 92.50, 1,000 × 5,000 RUB hold at most 5,000,000
	// / 92.50 = 54,054.1 USDT.
	first := int64(s.Count(t, "select min(trader_id) from requisite where currency = 'RUB'"))
	balance := s.Balance(t, ledger.Available(ledger.Trader, first))
	testenv.Check(t, balance.IntPart() >= 54_055, "a trader has %s USDT", balance)
	for what, c := range map[string]struct {
		want int
		sql  string
	}{
		"rates that go stale":         {0, "select count(*) from rate where stale_at <> 'infinity'"},
		"reads of a checkout":         {200, "select calls from rate_limit where name = 'checkout_reads'"},
		"writes of a checkout":        {600, "select calls from rate_limit where name = 'checkout_writes'"},
		"cards of a checkout":         {100, "select calls from rate_limit where name = 'checkout_cards'"},
		"banks for payers of roubles": {3, "select count(*) from bank where currency = 'RUB' and 'sbp' = any(methods)"},
		"banks with a link":           {2, "select count(*) from bank where link <> ''"},
		// Every RUB cashbox pays out by sbp and c2c for a day, the
		// others not at all; every trader can.
		"cashboxes that pay out otherwise": {0, `select count(*) from cashbox b where (currency = 'RUB') <> (2 =
			(select count(*) from cashbox_payout_method where cashbox_id = b.id and enabled and validity_seconds = 86400
			and method in ('sbp', 'c2c')))`},
		"traders who cannot pay out": {0, `select count(*) from trader t where 2 <> (select count(*) from trader_payout_method
			where trader_id = t.id and enabled and currency = 'RUB' and method in ('sbp', 'c2c'))`},
	} {
		testenv.Want(t, s.Count(t, c.sql), c.want, "%s", what)
	}
}

// The keys and webhook secrets in the file are those the gateway goes by.
func TestSecretsAreTrue(t *testing.T) {
	s := seed(t)
	for _, box := range s.info.Cashboxes {
		row := testenv.Must(s.Queries().KeyGet(t.Context(), box.KeyID))(t)
		testenv.Check(t, slices.Equal(row.SecretHash, auth.HashSecret(box.Secret)) &&
			*row.CashboxID == box.MerchantCashboxID, "%s: the key does not fit", box.KeyID)
		var sealed []byte
		s.Get(t, &sealed, "select webhook_secret from cashbox where id = $1", box.MerchantCashboxID)
		opened, err := s.vault.Open(sealed, signing.SecretPlace(box.MerchantCashboxID))
		testenv.Check(t, err == nil && string(opened) == box.WebhookSecret,
			"%s: the webhook secret does not fit: %v", box.KeyID, err)
	}
}

func TestUsers(t *testing.T) {
	s := seed(t)
	service := testenv.Must(session.New(s.Pools(), s.vault, limit.New(s.Pool), session.Config{
		PortalURL: "http://127.0.0.1:8082", CookieKeys: [][]byte{make([]byte, session.CookieKeySize)},
	}))(t)
	kinds := map[string]int{}
	for _, user := range s.info.Users {
		kinds[user.Kind]++
		who, err := service.Bearer(t.Context(), "Bearer "+user.Token)
		testenv.Check(t, err == nil && string(who.Kind) == user.Kind && who.Login == user.Login,
			"%s's token: %+v, %v", user.Login, who, err)
		token, err := service.Login(t.Context(), session.Credentials{Login: user.Login, Password: user.Password},
			session.Origin{})
		testenv.Check(t, err == nil && string(token.Kind) == user.Kind,
			"%s's password: %s, %v", user.Login, token.Kind, err)
	}
	for _, kind := range []string{"cabinet", "merchant_portal", "trader", "operator"} {
		testenv.Check(t, kinds[kind] != 0, "no user of kind %s", kind)
	}
	traders := s.Count(t, "select count(*) from trader")
	testenv.Check(t, kinds["trader"] == traders, "%d users for %d traders", kinds["trader"], traders)
}

// Requisites are made up, yet of the form that their method's type asks for.
// Each is there once, and desks that take cards have no value.
func TestRequisitesAreWellFormed(t *testing.T) {
	s := seed(t)
	rows := testenv.Must(s.Pool.Query(t.Context(), `select r.id, r.method, r.sealed, m.requisite_type
		from requisite r join method m on m.method = r.method and m.currency = r.currency`))(t)
	type row struct {
		ID     int64
		Method string
		Sealed []byte
		Type   *string
	}
	list := testenv.Must(pgx.CollectRows(rows, pgx.RowToStructByPos[row]))(t)
	seen := map[[2]string]bool{}
	for _, r := range list {
		if r.Type == nil {
			testenv.Want(t, len(r.Sealed), 0, "a desk of %s has a value of bytes", r.Method)
			continue
		}
		value := testenv.Must(dbtest.Requisites().Open(r.ID, r.Sealed))(t)
		testenv.Check(t, !seen[[2]string{r.Method, value}], "%s %s comes twice", r.Method, value)
		seen[[2]string{r.Method, value}] = true
		testenv.Want(t, requisite.Of(*r.Type).Wrong(value), "", "%s %s", r.Method, value)
	}
	testenv.Check(t, len(seen) != 0, "nothing was made up")
}

// A second start finds everything there; replicas that start together seed
// once; a strange key is refused.
func TestSeedOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	key := loadKey(t, t.TempDir())
	v := testenv.Must(vault.New(key.Bytes("vault")))(t)
	testenv.NoError(t, testenv.AtOnce(4, func(int) error { return Seed(t.Context(), d.Pool, key, v, dbtest.Requisites()) })...)
	testenv.Want(t, d.Count(t, "select count(*) from merchant"), 3, "merchants")
	err := Seed(t.Context(), d.Pool, loadKey(t, t.TempDir()), v, nil)
	testenv.Check(t, errors.Is(err, ErrOtherKey), "another sandbox's key: %v", err)
	d.Audit(t)
}

// The file is whole, private and by the documented names.
func TestInfoFile(t *testing.T) {
	s := seed(t)
	dir := t.TempDir()
	testenv.NoError(t, s.info.Write(dir))
	testenv.NoError(t, s.info.Write(dir))
	read := testenv.Must(Read(dir))(t)
	testenv.Check(t, reflect.DeepEqual(read, s.info), "what is read is not what was written")
	path := filepath.Join(dir, "sandbox.json")
	stat := testenv.Must(os.Stat(path))(t)
	files, _ := os.ReadDir(dir)
	testenv.Check(t, stat.Mode().Perm() == 0o600 && len(files) == 1, "mode %o, %d files", stat.Mode().Perm(), len(files))
	content := testenv.Must(os.ReadFile(path))(t)
	var raw map[string]any
	testenv.NoError(t, json.Unmarshal(content, &raw))
	box, user := raw["cashboxes"].([]any)[0].(map[string]any), raw["users"].([]any)[0].(map[string]any)
	for names, object := range map[string]map[string]any{
		"base_url pay_url portal_url ops_url external_payments_secret cashboxes users":           raw,
		"merchantCashboxId traderCashboxId currency methods key_id secret scopes webhook_secret": box,
		"kind login password token": user,
	} {
		for _, name := range strings.Fields(names) {
			_, there := object[name]
			testenv.Check(t, there, "no %s", name)
		}
	}

	testenv.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	testenv.Check(t, testenv.ErrOf(Read(dir)) != nil, "half a file was read")
}
