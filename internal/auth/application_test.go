package auth_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
)

// noPayment is of calls that name none.
func noPayment([]byte) int64 { return 0 }

// signedV2 is a Signature-V2 as the contract has it: the HMAC of "t.uuid.body".
func signedV2(secret string, at int64, uuid, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(fmt.Sprint(at) + "." + uuid + "." + body))
	return fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil)))
}

const (
	ownUUID   = "01890a5d-ac96-774b-bcce-b302099a8057"
	otherUUID = "01890a5d-ac96-774b-bcce-b302099a8058"
	callback  = `{"status":"completed"}`
)

// withPayments is a database with payment 7, of ownUUID, and payment 8, of otherUUID.
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

// The application signs a time, the payment and the body. What was signed for another time, payment or
// body proves nothing, and neither does half a signature beside a right one of the other kind.
func TestSignatureV2(t *testing.T) {
	t.Parallel()
	d, now := withPayments(t), time.Now().Unix()
	good, plain := signedV2("app", now, ownUUID, callback), signature("app", callback)
	ofOld := strings.TrimPrefix(signedV2("app", now-60, ownUUID, callback), fmt.Sprintf("t=%d", now-60))
	for name, test := range map[string]struct {
		v1, v2  string
		payment int64
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
		who, err := keys.Application(t.Context(), header, body(callback), func([]byte) int64 { return test.payment })
		if f := fault.As(err); test.code != "" &&
			(f == nil || f.Code != test.code || strings.Contains(f.Message, good[len(good)-64:])) ||
			test.code == "" && (err != nil || who.Kind != caller.Application) {
			t.Errorf("%s: %+v, %v; want %q", name, who.Kind, err, test.code)
		}
	}
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
	header := http.Header{"Signature-V2": {signedV2("", now, ownUUID, callback)}}
	_, err := keys.Application(t.Context(), header, body(callback), func([]byte) int64 { return 7 })
	refused(t, err, fault.Unavailable, "external_payments_secret_not_configured")
}
