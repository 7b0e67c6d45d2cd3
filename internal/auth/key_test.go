package auth_test

import (
	"bytes"
	"crypto/sha256"
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
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{
		Scopes: []string{"payments", "payouts"}, RatePercent: decimal.NewNullDecimal(decimal.RequireFromString("2.5")),
	})
	who, err := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{}).
		Merchant(request(t, headers(m, order)), body(order))
	noError(t, err)
	if !who.RatePercent.Decimal.Equal(m.Caller.RatePercent.Decimal) {
		t.Errorf("rate %s", who.RatePercent.Decimal)
	}
	who.RatePercent = m.Caller.RatePercent // equal numbers need not be equal structures
	if !reflect.DeepEqual(who, m.Caller) {
		t.Errorf("caller %+v; want %+v", who, m.Caller)
	}
}

// The documented order: signature, key id, secret, and then one answer for everything that is wrong.
func TestMerchantRefused(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	revoked := d.NewMerchant(t, dbtest.MerchantOpts{})
	noError(t, d.Queries().KeyRevoke(t.Context(), db.KeyRevokeParams{ID: revoked.Caller.ID, Now: &dbtest.Start}))
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
	good := headers(m, order)
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
		// The right secret's hash is no secret: a leaked table must not sign.
		"hash for a secret": {with(good, "X-Merchant-Secret", string(hash(m.Secret))), fault.Forbidden, "invalid_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			who, err := keys.Merchant(request(t, test.header), body(order))
			refused(t, err, test.kind, test.code)
			if !reflect.DeepEqual(who, caller.Caller{}) {
				t.Errorf("let in as %+v", who)
			}
		})
	}
}

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// An unknown key, a wrong secret and a revoked key look the same, to the last letter.
func TestOneAnswerForAll(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, revoked := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	noError(t, d.Queries().KeyRevoke(t.Context(), db.KeyRevokeParams{ID: revoked.Caller.ID, Now: &dbtest.Start}))
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
	answers := map[string]bool{}
	for _, header := range []http.Header{
		with(headers(m, order), "X-Merchant-Key-Id", "nobody"), with(headers(m, order), "X-Merchant-Secret", "wrong"),
		headers(revoked, order), headers(revoked, "another"),
	} {
		_, err := keys.Merchant(request(t, header), body(order))
		answers[fmt.Sprintf("%+v", *fault.As(err))] = true
	}
	testenv.Want(t, len(answers), 1, "answers: %v", answers)
}

func TestBodyIsReadLast(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{Secret: "app"})
	for _, name := range []string{"Signature", "X-Merchant-Key-Id", "X-Merchant-Secret"} {
		if _, err := keys.Merchant(request(t, with(headers(m, order), name, "")), unread(t)); err == nil {
			t.Errorf("let in without %s", name)
		}
	}
	if _, err := keys.Application(t.Context(), http.Header{}, unread(t), noPayment); err == nil {
		t.Error("the application was let in without a signature")
	}
	unreadable := errors.New("too large")
	_, err := keys.Merchant(request(t, headers(m, order)), func() ([]byte, error) { return nil, unreadable })
	if !errors.Is(err, unreadable) {
		t.Errorf("error %v; want the body's own", err)
	}
}

// What was signed may be the raw bytes or a canonical form of the body, the hex in either case.
func TestSignedForms(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
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
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	names := auth.Headers{KeyID: "X-Shop-Key", Secret: "X-Shop-Secret", Signature: "X-Shop-Signature"}
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), names, auth.Config{Secret: "app"})
	header := http.Header{}
	header.Set("x-shop-key", m.KeyID)
	header.Set("x-shop-secret", m.Secret)
	header.Set("x-shop-signature", signature(m.Secret, order))
	must(keys.Merchant(request(t, header), body(order)))(t)
	_, err := keys.Merchant(request(t, headers(m, order)), body(order))
	refused(t, err, fault.Unauthenticated, "signature_required")
	must(keys.Application(t.Context(), http.Header{"X-Shop-Signature": {signature("app", order)}}, body(order),
		noPayment))(t)
	_, err = keys.Application(t.Context(), http.Header{"Signature": {signature("app", order)}}, body(order), noPayment)
	refused(t, err, fault.Unauthenticated, "signature_required")
}

func TestApplication(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
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

// A key revoked on one replica is refused by all within a second; one made is accepted as soon.
func TestRevokedWithinASecond(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	replicas := []*auth.Keys{
		auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{}),
		auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{}),
	}
	for _, keys := range replicas {
		must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
	}
	noError(t, d.Queries().KeyRevoke(t.Context(), db.KeyRevokeParams{ID: m.Caller.ID, Now: &dbtest.Start}))
	began := time.Now()
	for _, keys := range replicas {
		var err error
		testenv.Until(t, "the key is refused", func() bool {
			_, err = keys.Merchant(request(t, headers(m, order)), body(order))
			return err != nil
		})
		refused(t, err, fault.Forbidden, "invalid_signature")
	}
	if took := time.Since(began); testenv.Whole() && took > time.Second {
		t.Errorf("still let in %s after it was revoked", took)
	}
}

// Keys' last use is written on the wall clock, at most once a minute over all replicas.
func TestLastUsed(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	lastUsed := func() time.Time {
		row := must(d.Queries().KeyGet(t.Context(), m.KeyID))(t)
		if row.LastUsedAt == nil {
			return time.Time{}
		}
		return *row.LastUsedAt
	}
	use := func(keys *auth.Keys, times int) {
		for range times {
			must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
		}
	}
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
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
	use(auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{}), 3)
	if again := lastUsed(); !again.Equal(first) {
		t.Errorf("written again after %s", again.Sub(first))
	}
	d.Exec(t, "update api_key set last_used_at = now() - interval '61 seconds'")
	use(auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{}), 1)
	if age := time.Since(lastUsed()); age > time.Minute {
		t.Errorf("not written again after a minute: %s", age)
	}
}

// Of a secret only its SHA-256 is kept.
func TestSecretIsNotStored(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	row := must(d.Queries().KeyGet(t.Context(), m.KeyID))(t)
	if !bytes.Equal(row.SecretHash, hash(m.Secret)) {
		t.Errorf("kept %x; want the secret's SHA-256", row.SecretHash)
	}
	d.StoredNowhere(t, m.Secret)
}

// Made-up key ids are refused like any other and lock out nobody.
func TestManyUnknownKeys(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
	for i := range 300 {
		_, err := keys.Merchant(request(t, with(headers(m, order), "X-Merchant-Key-Id", strings.Repeat("k", i+1))),
			body(order))
		refused(t, err, fault.Forbidden, "invalid_signature")
	}
	must(keys.Merchant(request(t, headers(m, order)), body(order)))(t)
}
