package auth_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

const order = `{"orderId":"1","amount":100.10}`

func TestMerchant(t *testing.T) {
	d := setup(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{
		Scopes: []string{"payments", "payouts"}, RatePercent: decimal.NewNullDecimal(decimal.RequireFromString("2.5")),
	})
	who := testenv.Must(keysOf(d).Merchant(request(t, headers(m, order)), body(order)))(t)
	testenv.Check(t, who.RatePercent.Decimal.Equal(m.Caller.RatePercent.Decimal), "rate %s", who.RatePercent.Decimal)
	who.RatePercent = m.Caller.RatePercent // equal numbers need not be equal structures
	testenv.Check(t, reflect.DeepEqual(who, m.Caller), "caller %+v; want %+v", who, m.Caller)
}

// The documented order: signature, key id, secret, and then one answer for
// everything that is wrong: an unknown key, a wrong secret and a revoked key
// look the same, to the last letter.
func TestMerchantRefused(t *testing.T) {
	d := setup(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	revoked := d.NewMerchant(t, dbtest.MerchantOpts{})
	testenv.NoError(t, d.Queries().KeyRevoke(t.Context(), db.KeyRevokeParams{ID: revoked.Caller.ID, Now: &dbtest.Start}))
	keys := keysOf(d)
	good := headers(m, order)
	_, err := keys.Merchant(request(t, with(good, "X-Merchant-Key-Id", "nobody")), body(order))
	one := *fault.As(err)
	for name, test := range map[string]struct {
		header http.Header
		kind   fault.Kind
		code   string
	}{
		"no header":            {http.Header{}, fault.Unauthenticated, "signature_required"},
		"no signature":         {with(good, "Signature", ""), fault.Unauthenticated, "signature_required"},
		"signature alone":      {http.Header{"Signature": {"00"}}, fault.Forbidden, "merchant_key_id_required"},
		"no key id":            {with(good, "X-Merchant-Key-Id", ""), fault.Forbidden, "merchant_key_id_required"},
		"no secret":            {with(good, "X-Merchant-Secret", ""), fault.Forbidden, "merchant_secret_required"},
		"unknown key":          {with(good, "X-Merchant-Key-Id", "nobody"), fault.Forbidden, "invalid_signature"},
		"no UTF-8 in a key id": {with(good, "X-Merchant-Key-Id", "\xff"), fault.Forbidden, "invalid_signature"},
		"NUL in the key id":    {with(good, "X-Merchant-Key-Id", "a\x00b"), fault.Forbidden, "invalid_signature"},
		"another's key":        {with(good, "X-Merchant-Key-Id", other.KeyID), fault.Forbidden, "invalid_signature"},
		"another's secret":     {with(good, "X-Merchant-Secret", other.Secret), fault.Forbidden, "invalid_signature"},
		"secret in part":       {with(good, "X-Merchant-Secret", m.Secret[:4]), fault.Forbidden, "invalid_signature"},
		"another body's":       {headers(m, order+"x"), fault.Forbidden, "invalid_signature"},
		"the empty string's":   {headers(m, ""), fault.Forbidden, "invalid_signature"},
		"no hex":               {with(good, "Signature", "zz"), fault.Forbidden, "invalid_signature"},
		"half a signature":     {with(good, "Signature", good.Get("Signature")[:32]), fault.Forbidden, "invalid_signature"},
		"too long":             {with(good, "Signature", good.Get("Signature")+"00"), fault.Forbidden, "invalid_signature"},
		"base64":               {with(good, "Signature", "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), fault.Forbidden, "invalid_signature"},
		"revoked key":          {headers(revoked, order), fault.Forbidden, "invalid_signature"},
		"revoked, other body":  {headers(revoked, "another"), fault.Forbidden, "invalid_signature"},
		// The right secret's hash is no secret: a leaked table must not
		// sign.
		"hash for a secret": {with(good, "X-Merchant-Secret", string(hash(m.Secret))), fault.Forbidden, "invalid_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, err := keys.Merchant(request(t, test.header), body(order))
			refused(t, err, test.kind, test.code)
			// Who has proved key and secret is told more.
			proven := test.header.Get("X-Merchant-Key-Id") == m.KeyID && test.header.Get("X-Merchant-Secret") == m.Secret
			if test.code == "invalid_signature" && !proven {
				testenv.Check(t, reflect.DeepEqual(*fault.As(err), one), "%+v, want %+v", *fault.As(err), one)
			}
			testenv.Check(t, reflect.DeepEqual(who, caller.Caller{}), "let in as %+v", who)
		})
	}
}

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func TestBodyIsReadLast(t *testing.T) {
	d, m, _ := signing(t)
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{Secret: "app"})
	for _, name := range []string{"Signature", "X-Merchant-Key-Id", "X-Merchant-Secret"} {
		testenv.Check(t, testenv.ErrOf(keys.Merchant(request(t, with(headers(m, order), name, "")), unread(t))) != nil,
			"let in without %s", name)
	}
	testenv.Check(t, testenv.ErrOf(keys.Application(t.Context(), http.Header{}, unread(t), noPayment)) != nil,
		"the application was let in without a signature")
	unreadable := errors.New("too large")
	_, err := keys.Merchant(request(t, headers(m, order)), func() ([]byte, error) { return nil, unreadable })
	testenv.Check(t, errors.Is(err, unreadable), "error %v; want the body's own", err)
}

// What was signed may be the raw bytes or a canonical form of the body, the hex
// in either case.
func TestSignedForms(t *testing.T) {
	_, m, keys := signing(t)
	const sent = "{ \"amount\" : 100.10,\n \"callbackUri\":\"https:\\/\\/a.example\\/\\u0436\" }"
	for name, test := range map[string]struct {
		sent, signed string
		accepted     bool
	}{
		"raw":                     {sent, sent, true},
		"canonical":               {sent, `{"amount":100.10,"callbackUri":"https://a.example/ж"}`, true},
		"canonical, short number": {sent, `{"amount":100.1,"callbackUri":"https://a.example/ж"}`, true},
		"another field order":     {sent, `{"callbackUri":"https://a.example/ж","amount":100.10}`, false},
		"slashes escaped":         {sent, `{"amount":100.10,"callbackUri":"https:\/\/a.example\/ж"}`, false},
		"number as a string":      {sent, `{"amount":"100.10","callbackUri":"https://a.example/ж"}`, false},
		"nothing":                 {"", "", true},
		"white space only":        {"", " ", false},
		"not JSON, raw":           {"{", "{", true},
	} {
		header := headers(m, test.signed)
		for _, spelling := range []string{header.Get("Signature"), strings.ToUpper(header.Get("Signature"))} {
			_, err := keys.Merchant(request(t, with(header, "Signature", spelling)), body(test.sent))
			testenv.Want(t, err == nil, test.accepted, "%s: %v: accepted", name, err)
		}
	}
}

func TestConfiguredHeaders(t *testing.T) {
	d, m, _ := signing(t)
	names := auth.Headers{KeyID: "X-Shop-Key", Secret: "X-Shop-Secret", Signature: "X-Shop-Signature"}
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), names, auth.Config{Secret: "app"})
	header := http.Header{}
	header.Set("x-shop-key", m.KeyID)
	header.Set("x-shop-secret", m.Secret)
	header.Set("x-shop-signature", signature(m.Secret, order))
	testenv.Must(keys.Merchant(request(t, header), body(order)))(t)
	refused(t, testenv.ErrOf(keys.Merchant(request(t, headers(m, order)), body(order))), fault.Unauthenticated, "signature_required")
	testenv.Must(keys.Application(t.Context(), http.Header{"X-Shop-Signature": {signature("app", order)}}, body(order), noPayment))(t)
	_, err := keys.Application(t.Context(), http.Header{"Signature": {signature("app", order)}}, body(order), noPayment)
	refused(t, err, fault.Unauthenticated, "signature_required")
}

func TestApplication(t *testing.T) {
	d := setup(t)
	good := signature("app", order)
	for name, test := range map[string]struct {
		secret, signature string
		kind              fault.Kind
		code              string
	}{
		"missing":                {"app", "", fault.Unauthenticated, "signature_required"},
		"missing, not set up":    {"", "", fault.Unauthenticated, "signature_required"},
		"not set up":             {"", good, fault.Unavailable, "external_payments_secret_not_configured"},
		"signed by nothing":      {"", signature("", order), fault.Unavailable, "external_payments_secret_not_configured"},
		"wrong secret":           {"app", signature("other", order), fault.Forbidden, "invalid_signature"},
		"wrong body":             {"app", signature("app", "{}"), fault.Forbidden, "invalid_signature"},
		"no hex":                 {"app", "signature", fault.Forbidden, "invalid_signature"},
		"right":                  {"app", good, 0, ""},
		"right, upper-case":      {"app", strings.ToUpper(good), 0, ""},
		"right, canonical short": {"app", signature("app", `{"orderId":"1","amount":100.1}`), 0, ""},
	} {
		keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{Secret: test.secret})
		header := http.Header{}
		if test.signature != "" {
			header.Set("Signature", test.signature)
		}
		who, err := keys.Application(t.Context(), header, body(order), noPayment)
		if test.code != "" {
			refused(t, err, test.kind, test.code)
		} else if err != nil || who.Kind != caller.Application {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
}

// A key revoked on one replica is refused by all within a second; one made is
// accepted as soon.
func TestRevokedWithinASecond(t *testing.T) {
	d, m, _ := signing(t)
	replicas := []*auth.Keys{keysOf(d), keysOf(d)}
	for _, keys := range replicas {
		testenv.Must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
	}
	testenv.NoError(t, d.Queries().KeyRevoke(t.Context(), db.KeyRevokeParams{ID: m.Caller.ID, Now: &dbtest.Start}))
	use := func(keys *auth.Keys) error {
		return testenv.ErrOf(keys.Merchant(request(t, headers(m, order)), body(order)))
	}
	// Who goes on calling does not keep it alive.
	for began := time.Now(); time.Since(began) < time.Second; time.Sleep(10 * time.Millisecond) {
		for _, keys := range replicas {
			_ = use(keys)
		}
	}
	for _, keys := range replicas {
		refused(t, use(keys), fault.Forbidden, "invalid_signature")
	}
}

// Keys' last use is written on the wall clock, at most once a minute over all
// replicas.
func TestLastUsed(t *testing.T) {
	d, m, _ := signing(t)
	lastUsed := func() time.Time {
		row := testenv.Must(d.Queries().KeyGet(t.Context(), m.KeyID))(t)
		if row.LastUsedAt == nil {
			return time.Time{}
		}
		return *row.LastUsedAt
	}
	use := func(keys *auth.Keys, times int) {
		for range times {
			testenv.Must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
		}
	}
	keys := keysOf(d)
	_, err := keys.Merchant(request(t, with(headers(m, order), "Signature", "00")), body(order))
	if refused(t, err, fault.Forbidden, "invalid_signature"); !lastUsed().IsZero() {
		t.Error("a refused request counts as a use")
	}
	use(keys, 1)
	first := lastUsed()
	if age := time.Since(first); age < 0 || age > testenv.Patience {
		t.Fatalf("used %s ago", age)
	}
	use(keys, 3)
	use(keysOf(d), 3)
	again := lastUsed()
	testenv.Check(t, again.Equal(first), "written again after %s", again.Sub(first))
	d.Exec(t, "update api_key set last_used_at = now() - interval '61 seconds'")
	use(keysOf(d), 1)
	age := time.Since(lastUsed())
	testenv.Check(t, age <= time.Minute, "not written again after a minute: %s", age)
}

// Of a secret only its SHA-256 is kept.
func TestSecretIsNotStored(t *testing.T) {
	d, m, _ := signing(t)
	row := testenv.Must(d.Queries().KeyGet(t.Context(), m.KeyID))(t)
	testenv.Check(t, bytes.Equal(row.SecretHash, hash(m.Secret)), "kept %x; want the secret's SHA-256", row.SecretHash)
	d.StoredNowhere(t, m.Secret)
}

// Made-up key ids are refused like any other and lock out nobody.
func TestManyUnknownKeys(t *testing.T) {
	_, m, keys := signing(t)
	for i := range 300 {
		_, err := keys.Merchant(request(t, with(headers(m, order), "X-Merchant-Key-Id", strings.Repeat("k", i+1))), body(order))
		refused(t, err, fault.Forbidden, "invalid_signature")
	}
	testenv.Must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
}

// What stands in the header of the key id is logged if it is a known one, or of
// the form of ours: a secret may stand there by mistake.
func TestLoggedKeyID(t *testing.T) {
	_, m, keys := signing(t)
	made := "mk_" + strings.Repeat("0a", 12)
	logged := func(id string) string { return keys.LoggableID(http.Header{"X-Merchant-Key-Id": {id}}) }
	testenv.Want(t, logged(made)+logged(m.Secret)+logged(made+"0"), made, "before a call")
	testenv.Must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
	refused(t, testenv.ErrOf(keys.Merchant(request(t, with(headers(m, order), "X-Merchant-Key-Id", m.Secret)), body(order))), fault.Forbidden, "invalid_signature")
	testenv.Want(t, logged(m.KeyID)+logged(m.Secret), m.KeyID, "after one by each")
}

// noPayment is of calls that name none.
func noPayment([]byte) (int64, string) { return 0, "" }

// signedV2 is a Signature-V2 as the contract has it: the HMAC of "t.uuid.body".
func signedV2(secret string, at int64, uuid, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(fmt.Sprint(at) + "." + uuid + "." + body))
	return fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil)))
}

const (
	ownUUID   = "01890a5d-ac96-774b-bcce-b302099a8057"
	otherUUID = "01890a5d-ac96-774b-bcce-b302099a8058"
	noUUID    = "01890a5d-ac96-774b-bcce-b302099a8059"
	callback  = `{"status":"completed"}`
)

// withPayments is a database with payment 7, of ownUUID, and payment 8, of
// otherUUID.
func withPayments(t *testing.T) *dbtest.DB {
	t.Helper()
	d := dbtest.New(t)
	for id, uuid := range map[int]string{7: ownUUID, 8: otherUUID} {
		d.Exec(t, `insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount,
				callback_uri, status, status_at, expires_at, created_at, trader_id, base_rate, rate_source, rate_unavailable, markup_percent,
				markup_source, trader_share_percent, hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt)
			values (1, $1, $2, 1, 'order', 'mtstpay', 'RUB', 100, 'https://shop.example', 'pending', now(), now(), now(), 1, 100, 'test',
				false, 0, 'configuration', 0, 1, 1, 0, 0, 0)`, id, uuid)
	}
	return d
}

// The application signs a time, the payment and the body. What was signed for
// another time, payment or body proves nothing, and neither does half a
// signature beside a right one of the other kind.
func TestSignatureV2(t *testing.T) {
	t.Parallel()
	d, now := withPayments(t), time.Now().Unix()
	good, plain := signedV2("app", now, ownUUID, callback), signature("app", callback)
	ofOld := strings.TrimPrefix(signedV2("app", now-60, ownUUID, callback), fmt.Sprintf("t=%d", now-60))
	for name, test := range map[string]struct {
		v1, v2  string
		payment any // its id or uuid
		onlyV2  bool
		code    string
	}{
		"right":                        {"", good, 7, false, ""},
		"right, demanded":              {"", good, 7, true, ""},
		"upper-case":                   {"", fmt.Sprintf("t=%d,v1=", now) + strings.ToUpper(good[strings.Index(good, "v1=")+3:]), 7, false, ""},
		"both":                         {plain, good, 7, false, ""},
		"both, demanded":               {plain, good, 7, true, ""},
		"almost old":                   {"", signedV2("app", now-290, ownUUID, callback), 7, false, ""},
		"almost future":                {"", signedV2("app", now+290, ownUUID, callback), 7, false, ""},
		"old":                          {"", signedV2("app", now-302, ownUUID, callback), 7, false, "invalid_signature"},
		"future":                       {"", signedV2("app", now+310, ownUUID, callback), 7, false, "invalid_signature"},
		"another time":                 {"", fmt.Sprintf("t=%d", now) + ofOld, 7, false, "invalid_signature"},
		"another payment":              {"", good, 8, false, "invalid_signature"},
		"another payment's":            {"", signedV2("app", now, otherUUID, callback), 7, false, "invalid_signature"},
		"another body":                 {"", signedV2("app", now, ownUUID, "{}"), 7, false, "invalid_signature"},
		"another secret":               {"", signedV2("key", now, ownUUID, callback), 7, false, "invalid_signature"},
		"truncated":                    {"", good[:len(good)-2], 7, false, "invalid_signature"},
		"no time":                      {"", good[strings.Index(good, "v1="):], 7, false, "invalid_signature"},
		"a time that is none":          {"", "t=soon" + good[strings.Index(good, ","):], 7, false, "invalid_signature"},
		"a negative time":              {"", signedV2("app", -now, ownUUID, callback), 7, false, "invalid_signature"},
		"an endless time":              {"", "t=99999999999999999999" + good[strings.Index(good, ","):], 7, false, "invalid_signature"},
		"no hex":                       {"", fmt.Sprintf("t=%d,v1=%s", now, strings.Repeat("x", 64)), 7, false, "invalid_signature"},
		"two signatures":               {"", good + good[strings.Index(good, ","):], 7, false, "invalid_signature"},
		"no payment":                   {"", good, 9, false, "invalid_signature"},
		"no payment, proved besides":   {plain, good, 9, false, ""},
		"no payment, demanded":         {plain, good, 9, true, "invalid_signature"},
		"by uuid":                      {"", good, ownUUID, true, ""},
		"by another uuid":              {"", good, otherUUID, true, "invalid_signature"},
		"by a uuid of none":            {"", signedV2("app", now, noUUID, callback), noUUID, true, ""},
		"wrong beside a right one":     {plain, signedV2("key", now, ownUUID, callback), 7, false, "invalid_signature"},
		"old beside a right one":       {plain, signedV2("app", now-302, ownUUID, callback), 7, false, "invalid_signature"},
		"right beside a wrong one":     {signature("key", callback), good, 7, false, "invalid_signature"},
		"the other kind":               {plain, "", 7, false, ""},
		"the other kind, not demanded": {plain, "", 7, true, "signature_required"},
		"none":                         {"", "", 7, false, "signature_required"},
		"none, demanded":               {"", "", 7, true, "signature_required"},
	} {
		keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{Secret: "app", OnlyV2: test.onlyV2})
		header := http.Header{}
		header.Set("Signature", test.v1)
		header.Set("Signature-V2", test.v2)
		who, err := keys.Application(t.Context(), header, body(callback), func([]byte) (int64, string) {
			id, _ := test.payment.(int)
			uuid, _ := test.payment.(string)
			return int64(id), uuid
		})
		f := fault.As(err)
		testenv.Check(t, (test.code == "" ||
			f != nil && f.Code == test.code && !strings.Contains(f.Message, good[len(good)-64:])) &&
			(test.code != "" || err == nil && who.Kind == caller.Application),
			"%s: %+v, %v; want %q", name, who.Kind, err, test.code)
	}
	keys := keysOf(d)
	header := http.Header{"Signature-V2": {signedV2("", now, ownUUID, callback)}}
	_, err := keys.Application(t.Context(), header, body(callback), func([]byte) (int64, string) { return 7, "" })
	refused(t, err, fault.Unavailable, "external_payments_secret_not_configured")
}

// The canonical text, letter by letter as documented.
func TestAppealText(t *testing.T) {
	t.Parallel()
	got := auth.AppealText("why\nso", "a b.pdf", 1234)
	testenv.Check(t, got == "appeal-v1\nwhy\nso\na b.pdf\n1234", "%q", got)
}

// Key and secret are enough to begin, and nothing less is.
func TestBegin(t *testing.T) {
	_, m, keys := signing(t)
	good := headers(m, "whatever")
	testenv.Want(t, testenv.Must(keys.Begin(request(t, good)))(t).Key(), m.Caller.ID, "key")
	refused(t, testenv.ErrOf(keys.Begin(request(t, with(good, "Signature", "")))), fault.Unauthenticated, "signature_required")
	for code, name := range map[string]string{
		"merchant_key_id_required": "X-Merchant-Key-Id", "merchant_secret_required": "X-Merchant-Secret",
	} {
		refused(t, testenv.ErrOf(keys.Begin(request(t, with(good, name, "")))), fault.Forbidden, code)
		wrong := with(good, name, "x")
		refused(t, testenv.ErrOf(keys.Begin(request(t, wrong))), fault.Forbidden, "invalid_signature")
		// Nor is the body of any other request read for it.
		refused(t, testenv.ErrOf(keys.Merchant(request(t, wrong), unread(t))), fault.Forbidden, "invalid_signature")
	}
	for name, signs := range map[string]bool{"Signature": true, "X-Merchant-Key-Id": true, "X-Merchant-Secret": true, "Authorization": false} {
		testenv.Want(t, keys.Signed(http.Header{name: {"x"}}), signs, "%s alone signs", name)
	}
}
