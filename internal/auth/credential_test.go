package auth_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	doctor "gateway.example/internal/signature"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// setup is a database of its own. It has the test run beside others.
func setup(t *testing.T) *dbtest.DB {
	t.Helper()
	t.Parallel()
	return dbtest.New(t)
}

// signing is a merchant and what its requests are judged by.
func signing(t *testing.T) (*dbtest.DB, dbtest.Merchant, *auth.Keys) {
	t.Helper()
	d := setup(t)
	return d, d.NewMerchant(t, dbtest.MerchantOpts{}), keysOf(d)
}

func keysOf(d *dbtest.DB) *auth.Keys {
	return auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
}

func body(content string) auth.ReadBody {
	return func() ([]byte, error) { return []byte(content), nil }
}

// unread fails the test when the body is asked for.
func unread(t *testing.T) auth.ReadBody {
	t.Helper()
	return func() ([]byte, error) {
		t.Helper()
		t.Error("the body was read")
		return nil, errors.New("read")
	}
}

// signature is the documented one: the hex HMAC-SHA256 of what is signed under
// the raw secret.
func signature(secret, signed string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return hex.EncodeToString(mac.Sum(nil))
}

// headers signs the body for the merchant.
func headers(m dbtest.Merchant, signed string) http.Header {
	header := http.Header{}
	header.Set("X-Merchant-Key-Id", m.KeyID)
	header.Set("X-Merchant-Secret", m.Secret)
	header.Set("Signature", signature(m.Secret, signed))
	return header
}

// with returns a copy of the headers in which one is another; empty takes it
// away.
func with(header http.Header, name, value string) http.Header {
	changed := header.Clone()
	changed.Del(name)
	if value != "" {
		changed.Set(name, value)
	}
	return changed
}

// request is a call with these headers.
func request(t *testing.T, header http.Header) *http.Request {
	t.Helper()
	r := testenv.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/payments?from=1", nil))(t)
	r.Header = header
	return r
}

var refused = dbtest.WantRefusal

var (
	linkKey    = bytes.Repeat([]byte{7}, 32)
	olderKey   = bytes.Repeat([]byte{8}, 32)
	strangeKey = bytes.Repeat([]byte{9}, 32)
	linked     = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")
)

func links(t testing.TB, keys ...[]byte) *auth.Links {
	t.Helper()
	return testenv.Must(auth.NewLinks(keys...))(t)
}

// The contract's formula: base64url of the uuid and the first 16 bytes of
// HMAC-SHA256 of the uuid under the link key.
func TestLinkToken(t *testing.T) {
	t.Parallel()
	mac := hmac.New(sha256.New, linkKey)
	mac.Write(linked[:])
	want := base64.RawURLEncoding.EncodeToString(append(linked[:], mac.Sum(nil)[:16]...))
	l := links(t, linkKey)
	got := l.Token(linked)
	testenv.Check(t, got == want && got == l.Token(linked), "token %s; want %s", got, want)
	id, err := l.Parse(want)
	testenv.Check(t, err == nil && id == linked, "read back %s, %v", id, err)
}

func TestLinkRotation(t *testing.T) {
	t.Parallel()
	old := links(t, olderKey).Token(linked)
	both := links(t, linkKey, olderKey)
	for name, token := range map[string]string{"new": both.Token(linked), "old": old} {
		id, err := both.Parse(token)
		testenv.Check(t, err == nil && id == linked, "the %s key's token: %s, %v", name, id, err)
	}
	testenv.Want(t, both.Token(linked), links(t, linkKey).Token(linked), "new tokens must be the newest key's")
	testenv.WantError(t, testenv.ErrOf(links(t, linkKey).Parse(old)), auth.ErrLink, "a dropped key's token")
}

func TestLinkKeys(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][][]byte{
		"none": nil, "empty": {{}}, "short": {linkKey[:31]}, "long": {append(linkKey[:32:32], 1)}, "second short": {linkKey, {1}},
	} {
		testenv.Check(t, testenv.ErrOf(auth.NewLinks(keys...)) != nil, "%s: accepted", name)
	}
}

// Every bit of a token counts, those that base64 leaves over included.
func TestLinkForged(t *testing.T) {
	t.Parallel()
	l := links(t, linkKey, olderKey)
	token := l.Token(linked)
	raw := testenv.Must(base64.RawURLEncoding.DecodeString(token))(t)
	for bit := range len(raw) * 8 {
		flipped := bytes.Clone(raw)
		flipped[bit/8] ^= 1 << (bit % 8)
		testenv.WantError(t, testenv.ErrOf(l.Parse(base64.RawURLEncoding.EncodeToString(flipped))), auth.ErrLink, "bit %d", bit)
	}
	for i := range len(token) {
		for c := range 256 {
			if forged := token[:i] + string([]byte{byte(c)}) + token[i+1:]; forged != token {
				if _, err := l.Parse(forged); !errors.Is(err, auth.ErrLink) {
					t.Fatalf("byte %#x at %d: %v", c, i, err)
				}
			}
		}
	}
	for name, forged := range map[string]string{
		"empty": "", "cut": token[:len(token)-1], "longer": token + "A", "padded": token + "=", "twice": token + token,
		"uuid alone": base64.RawURLEncoding.EncodeToString(linked[:]), "strange key": links(t, strangeKey).Token(linked),
		"standard base64": base64.StdEncoding.EncodeToString(raw), "line break": token[:10] + "\n" + token[10:], "the uuid": linked.String(),
	} {
		testenv.WantError(t, testenv.ErrOf(l.Parse(forged)), auth.ErrLink, "%s", name)
	}
}

// Each link key gives a key for another purpose: what the older one made stays
// good while both are listed.
func TestDeriveAll(t *testing.T) {
	t.Parallel()
	older, newer := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	before, newest := testenv.Must(auth.NewLinks(older))(t), testenv.Must(auth.NewLinks(newer))(t)
	both := testenv.Must(auth.NewLinks(newer, older))(t)
	keys := both.DeriveAll("cookie", 64)
	testenv.Check(t, len(keys) == 2 && bytes.Equal(keys[0], newest.DeriveAll("cookie", 64)[0]) &&
		bytes.Equal(keys[1], before.DeriveAll("cookie", 64)[0]) && !bytes.Equal(keys[0], keys[1]) &&
		!bytes.Equal(keys[0], both.DeriveAll("another", 64)[0]), "derived %x", keys)
}

// portal is a merchant's user.
func portal(m dbtest.Merchant) caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 5, MerchantID: m.ID}
}

func TestMerchantKeys(t *testing.T) {
	d := setup(t)
	ctx := context.Background()
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	signed := keysOf(d)
	made, secret := testenv.Must2(keys.Create(ctx, portal(m),
		auth.NewCredential{CashboxID: m.CashboxID, Name: " Shop ", Scopes: []string{"payouts", "payments"}}))(t)
	who := testenv.Must(signed.Merchant(request(t, headers(dbtest.Merchant{KeyID: made.KeyID, Secret: secret}, "{}")), body("{}")))(t)
	testenv.Check(t, who.MerchantID == m.ID && *who.CashboxID == m.CashboxID &&
		slices.Equal(who.Scopes, []string{"payments", "payouts"}) && made.Name == "Shop", "the new key is %+v", who)
	second, otherSecret := testenv.Must2(keys.Create(ctx, portal(m), auth.NewCredential{CashboxID: m.CashboxID, Name: "Shop"}))(t)
	testenv.Check(t, second.KeyID != made.KeyID && otherSecret != secret &&
		slices.Equal(second.Scopes, []string{"payments"}), "the second key: %+v", second)
	list, legacy := testenv.Must2(keys.List(ctx, portal(m), m.CashboxID))(t)
	var ids []int64
	for _, key := range list {
		ids = append(ids, key.ID)
	}
	testenv.Check(t, slices.Equal(ids, []int64{second.ID, made.ID, m.Caller.ID}) &&
		legacy == (auth.Legacy{HasActiveNewCredential: true}), "listed %v, %+v", ids, legacy)
	// Another merchant can end none of them, nor reach the cashbox.
	refused(t, testenv.ErrOf(keys.Revoke(ctx, portal(other), other.CashboxID, made.ID)), fault.NotFound, "not_found")
	refused(t, testenv.ErrOf(keys.Revoke(ctx, portal(other), m.CashboxID, made.ID)), fault.Forbidden, "cashbox_access_denied")
	for _, id := range []int64{made.ID, second.ID, m.Caller.ID} {
		testenv.Check(t, !testenv.Must(keys.Revoke(ctx, portal(m), m.CashboxID, id))(t).Active(), "%d is still active", id)
	}
	_, legacy, err := keys.List(ctx, portal(m), m.CashboxID)
	testenv.Check(t, err == nil && legacy == (auth.Legacy{}), "with none left: %+v, %v", legacy, err)
	// Each change is kept, with who made it; none tells the secret or its
	// hash.
	var changes, telling int
	testenv.NoError(t, d.Pool.QueryRow(ctx, `select count(*) filter (where actor = 'merchant_portal:5'),
		count(*) filter (where after ? 'secret_hash' or before ? 'secret_hash') from setting_change where subject = 'api_key'`).Scan(&changes, &telling))
	testenv.Check(t, changes == 5 && telling == 0, "%d changes kept, %d tell the hash", changes, telling)
}

// What the legacy block says, key by key.
func TestLegacy(t *testing.T) {
	d := setup(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{Unbound: true})
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	want := func(want auth.Legacy) {
		t.Helper()
		_, got, err := keys.List(t.Context(), portal(m), m.CashboxID)
		testenv.Check(t, err == nil && got == want, "%+v, %v; want %+v", got, err, want)
	}
	want(auth.Legacy{Exists: true, FallbackEnabled: true})
	d.Exec(t, "update merchant set api_enabled = false where id = $1", m.ID)
	want(auth.Legacy{Exists: true})
	made, _ := testenv.Must2(keys.Create(t.Context(), portal(m), auth.NewCredential{CashboxID: m.CashboxID, Name: "x"}))(t)
	want(auth.Legacy{Exists: true, HasActiveNewCredential: true, CanBeRemoved: true})
	testenv.Must(keys.Revoke(t.Context(), portal(m), m.CashboxID, made.ID))(t)
	want(auth.Legacy{Exists: true})
	testenv.Must(keys.Revoke(t.Context(), portal(m), m.CashboxID, m.Caller.ID))(t)
	want(auth.Legacy{})
	// A key of no merchant is nobody's, and none is bound to a cashbox
	// without its merchant.
	testenv.Check(t, testenv.ErrOf(d.Pool.Exec(t.Context(), "update api_key set merchant_id = null")) != nil, "a key of a cashbox lost its merchant")
}

// A request is looked at for whoever has the secret, and for nobody else.
func TestDiagnose(t *testing.T) {
	d := setup(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	gone := d.NewMerchant(t, dbtest.MerchantOpts{})
	d.Exec(t, "update api_key set revoked_at = now() where key_id = $1", gone.KeyID)
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	developer := func(id int64) caller.Caller {
		return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Developer, MerchantID: id}
	}
	body := `{"a":1}`
	for name, c := range map[string]struct {
		who    caller.Caller
		header http.Header
		want   doctor.Mistake
	}{
		"right":                {developer(m.ID), headers(m, body), doctor.Right},
		"line break":           {developer(m.ID), headers(m, body+"\n"), doctor.LineBreak},
		"wrong secret":         {developer(m.ID), with(headers(m, body), "X-Merchant-Secret", other.Secret), doctor.Unproven},
		"another's, all right": {developer(m.ID), headers(other, body), doctor.Unproven},
		"revoked":              {developer(gone.ID), headers(gone, body), doctor.KeyRevoked},
		"revoked, another's":   {developer(m.ID), headers(gone, body), doctor.Unproven},
		"no signature":         {developer(m.ID), with(headers(m, body), "Signature", ""), doctor.HeaderMissing},
	} {
		read, found, err := keys.Diagnose(t.Context(), c.who, auth.Sample{Header: c.header, Body: []byte(body)})
		testenv.Check(t, err == nil && found.Mistake == c.want, "%s: %+v, %v; want %s", name, found, err, c.want)
		testenv.Want(t, read.Header.Get("X-Merchant-Secret"), "", "%s: the secret comes back", name)
	}
	// What is given apart replaces what is in the text, and the secret is
	// taken from wherever it is.
	apart := auth.Sample{
		Request: "POST /a\nX-Merchant-Key-Id: " + m.KeyID + "\nX-Api-Key: " + m.Secret + "\nSignature: 00\n\n{}",
		Header:  http.Header{"Signature": {signature(m.Secret, body)}}, Body: []byte(body), Secret: m.Secret,
	}
	read, found, err := keys.Diagnose(t.Context(), developer(m.ID), apart)
	testenv.Check(t, err == nil && found.Mistake == doctor.Right && read.Path == "/a" &&
		read.Header.Get("X-Api-Key") == "", "given apart: %+v, %+v, %v", found, read, err)
	refused(t, testenv.ErrOf2(keys.Diagnose(t.Context(), developer(m.ID), auth.Sample{Request: "?"})), fault.Invalid, "validation_failed")
	support := developer(m.ID)
	support.Role = caller.Support
	refused(t, testenv.ErrOf2(keys.Diagnose(t.Context(), support, apart)), fault.Forbidden, "role_not_allowed")
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	t.Parallel()
	keys := auth.NewMerchantKeys(dbtest.New(t).Pool, dbtest.Vault(), auth.DefaultHeaders())
	dbtest.WantKinds(t, keys, map[string]string{
		"merchant_portal": "Create List Revoke SetLimits Diagnose",
	})
}

// A key that has an end signs until then, and one that has networks from those
// alone. Who has not its secret learns of neither.
func TestKeysAreBound(t *testing.T) {
	d, m, _ := signing(t)
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	made, secret := testenv.Must2(keys.Create(t.Context(), portal(m), auth.NewCredential{
		CashboxID: m.CashboxID, Name: "bound", Limits: auth.Limits{
			ExpiresAt: &soon, Networks: " 203.0.113.7/24, 198.51.100.1,2001:db8:1::5 ", PayoutDailyLimit: "100000",
		},
	}))(t)
	list, _ := testenv.Must2(keys.List(t.Context(), portal(m), m.CashboxID))(t)
	got := list[0]
	testenv.Check(t, got.ExpiresAt.Equal(soon) && got.PayoutDailyLimit.Decimal.String() == "100000" &&
		slices.Equal(got.Networks, []string{"203.0.113.0/24", "198.51.100.1/32", "2001:db8:1::/64"}), "kept %+v", got.Bounds)
	header := headers(dbtest.Merchant{KeyID: made.KeyID, Secret: secret}, "{}")
	from := func(address string) error {
		signed := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{
			Address: func(context.Context) string { return address },
		})
		_, err := signed.Merchant(request(t, header), body("{}"))
		return err
	}
	for _, address := range []string{"203.0.113.255", "198.51.100.1", "2001:db8:1::/64"} {
		testenv.NoError(t, from(address))
	}
	for _, address := range []string{"203.0.114.1", "198.51.100.2", "2001:db8:2::/64", "", "nowhere"} {
		refused(t, from(address), fault.Forbidden, "key_address_not_allowed")
	}
	d.Exec(t, "update api_key set expires_at = now() where id = $1", made.ID)
	refused(t, from("203.0.113.1"), fault.Forbidden, "key_expired")
	header.Set("X-Merchant-Secret", "another")
	refused(t, from("203.0.114.1"), fault.Forbidden, "invalid_signature")

	past := time.Now().Add(-time.Minute)
	for _, test := range []struct {
		field string
		wrong auth.Limits
	}{
		{"expires_at", auth.Limits{ExpiresAt: &past}}, {"payout_daily_limit", auth.Limits{PayoutDailyLimit: "much"}},
		{"allowed_networks", auth.Limits{Networks: "203.0.113.0/24, shop.example"}}, {"allowed_networks", auth.Limits{Networks: ","}},
		{"allowed_networks", auth.Limits{Networks: "2001:db8::/80"}}, {"allowed_networks", auth.Limits{Networks: "10.0.0.0/33"}},
		{"allowed_networks", auth.Limits{Networks: "::ffff:192.0.2.0/120"}},
	} {
		_, _, err := keys.Create(t.Context(), portal(m), auth.NewCredential{CashboxID: m.CashboxID, Name: "wrong", Limits: test.wrong})
		dbtest.WantFields(t, err, test.field)
		dbtest.WantFields(t, testenv.ErrOf(keys.SetLimits(t.Context(), portal(m), m.CashboxID, made.ID, test.wrong)), test.field)
	}
}

// What a key is good for is changed later, narrower and wider, by those who may
// make keys. It is in the log, and a revoked key is not brought back.
func TestLimitsOfAKey(t *testing.T) {
	d := setup(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	made, _ := testenv.Must2(keys.Create(t.Context(), portal(m), auth.NewCredential{CashboxID: m.CashboxID, Name: "later"}))(t)
	set := func(who caller.Caller, id int64, l auth.Limits) (auth.Credential, error) {
		return keys.SetLimits(t.Context(), who, m.CashboxID, id, l)
	}
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	bound := auth.Limits{ExpiresAt: &soon, Networks: "203.0.113.7", PayoutDailyLimit: "10"}
	got := testenv.Must(set(portal(m), made.ID, bound))(t)
	testenv.Check(t, got.ExpiresAt.Equal(soon) && slices.Equal(got.Networks, []string{"203.0.113.7/32"}) &&
		got.PayoutDailyLimit.Decimal.String() == "10" && got.Name == "later", "bound %+v", got)
	// An end that is over can be moved, and all bounds can go.
	d.Exec(t, "update api_key set expires_at = now() - interval '1 hour' where id = $1", made.ID)
	got = testenv.Must(set(portal(m), made.ID, auth.Limits{}))(t)
	testenv.Check(t, got.ExpiresAt == nil && got.Networks != nil && len(got.Networks) == 0 &&
		!got.PayoutDailyLimit.Valid && got.Active(), "unbound %+v", got)
	const logged = `select count(*) from setting_change where subject = 'api_key' and subject_key = $1::text and actor = $2
		and before->>'payout_daily_limit' is distinct from after->>'payout_daily_limit' and not (after ? 'secret_hash')`
	testenv.Want(t, d.Count(t, logged, strconv.FormatInt(made.ID, 10), portal(m).Actor()), 2, "changes are in the log, want 2")

	stale, support := portal(m), portal(m)
	stale.Stale, support.Role = true, caller.Support
	refused(t, testenv.ErrOf(set(stale, made.ID, bound)), fault.Forbidden, "factor_needed")
	refused(t, testenv.ErrOf(set(support, made.ID, bound)), fault.Forbidden, "role_not_allowed")
	refused(t, testenv.ErrOf(set(portal(other), made.ID, bound)), fault.Forbidden, "cashbox_access_denied")
	refused(t, testenv.ErrOf(keys.SetLimits(t.Context(), portal(other), other.CashboxID, made.ID, bound)), fault.NotFound, "not_found")
	d.Exec(t, "update api_key set cashbox_id = null where id = $1", made.ID)
	dbtest.WantFields(t, testenv.ErrOf(set(portal(m), made.ID, bound)), "payout_daily_limit") // of a legacy key
	testenv.Must(keys.Revoke(t.Context(), portal(m), m.CashboxID, made.ID))(t)
	refused(t, testenv.ErrOf(set(portal(m), made.ID, auth.Limits{})), fault.NotFound, "not_found")
}
