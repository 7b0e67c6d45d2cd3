package session_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// Until a compulsory factor is set up, a sign-in is good for setting it up and
// for nothing else.
func TestEnrolment(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Operator, "root", nil, nil)
	in := o.signIn(t, "root", "")
	testenv.Need(t, in.Session.State == session.AwaitsEnrolment && !in.Session.Caller.May(caller.OperatorRead),
		"signed in: %+v", in.Session)
	testenv.Check(t, testenv.ErrOf(o.List(ctx, in.Session.Caller, 0)) != nil, "a sign-in that is not finished lists sessions")
	for name, err := range map[string]error{
		"preferences": testenv.ErrOf(o.SetPreferences(ctx, in.Session, in.Session.Preferences)),
		"password":    testenv.ErrOf(o.ChangePassword(ctx, in.Session, password, "another long password")),
		"codes":       testenv.ErrOf(o.RenewRecoveryCodes(ctx, in.Session)),
		"factor":      testenv.ErrOf(o.GiveFactor(ctx, in.Session, session.Factor{Password: password})),
		"passkeys":    testenv.ErrOf(o.ListPasskeys(ctx, in.Session)),
		"remove":      o.RemoveTOTP(ctx, in.Session),
	} {
		t.Log(name)
		refused(t, err, "second_factor_required")
	}
	refused(t, testenv.ErrOf2(o.ConfirmTOTP(ctx, in.Session, "123456")), "factor_not_begun")
	offer := testenv.Must(o.BeginTOTP(ctx, in.Session))(t)
	refused(t, testenv.ErrOf2(o.ConfirmTOTP(ctx, in.Session, "000000x")), "factor_wrong")
	o.StoredNowhere(t, offer.Secret)
	opened, codes := testenv.Must2(o.ConfirmTOTP(ctx, in.Session, o.code(t, offer.Secret)))(t)
	testenv.Check(t, opened.Session.State == session.Complete && opened.Session.Caller.May(caller.OperatorUsers) &&
		opened.Session.Factors.TOTP && opened.Session.Factors.RecoveryCodes == 10 &&
		opened.Session.ExpiresAt.Sub(opened.Session.CreatedAt) == 12*time.Hour, "enrolled: %+v", opened.Session)
	testenv.Check(t, !o.live(t, in.Cookie) && o.live(t, opened.Cookie), "the cookie from before the factor goes on")
	shape := regexp.MustCompile(`^[2-9A-HJKMNP-Z]{5}-[2-9A-HJKMNP-Z]{5}$`)
	slices.Sort(codes)
	testenv.Check(t, len(slices.Compact(codes)) == 10 &&
		!slices.ContainsFunc(codes, func(c string) bool { return !shape.MatchString(c) }), "recovery codes %v", codes)
	for _, code := range codes {
		o.StoredNowhere(t, code)
	}
}

// Who knows only the password cannot add a factor of theirs once the user has
// one.
func TestNobodyEnrolsBesideTheUser(t *testing.T) {
	o := newOffice(t)
	o.add(t, caller.Operator, "root", nil, nil)
	thief := o.signIn(t, "root", "")
	offer := testenv.Must(o.BeginTOTP(ctx, thief.Session))(t)
	o.enrol(t, o.signIn(t, "root", "").Session)
	testenv.Want(t, o.live(t, thief.Cookie), false, "a sign-in still waits for the first factor")
	refused(t, testenv.ErrOf2(o.ConfirmTOTP(ctx, thief.Session, o.nextCode(t, offer.Secret))), "unauthenticated")
	waiting := o.signIn(t, "root", "")
	testenv.Want(t, waiting.Session.State, session.AwaitsFactor, "state")
	refused(t, testenv.ErrOf(o.BeginTOTP(ctx, waiting.Session)), "second_factor_required")
	refused(t, testenv.ErrOf(o.BeginPasskey(ctx, waiting.Session)), "second_factor_required")
}

// A code of the authenticator app works once, also where several use it at the
// same moment.
func TestCodeOnce(t *testing.T) {
	o, _, secret, _ := withRoot(t)
	code := o.nextCode(t, secret)
	waiting := make([]session.Opened, 5)
	for i := range waiting {
		waiting[i] = o.signIn(t, "root", "")
	}
	dbtest.WantOne(t, testenv.AtOnce(len(waiting), func(i int) error {
		return testenv.ErrOf(o.GiveFactor(ctx, waiting[i].Session, given(code)))
	}), "factor_wrong")
	refused(t, testenv.ErrOf(o.SignIn(ctx, typed("root", code), home)), "invalid_credentials")
	// The step before is over, too; the next is not.
	o.wait(30 * time.Second)
	late := o.signIn(t, "root", "")
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, late.Session, given(code))), "factor_wrong")
	testenv.Must(o.GiveFactor(ctx, late.Session, given(o.code(t, secret))))(t)
}

// Clocks differ by half a minute, and not by a minute.
func TestCodeOfAnotherMinute(t *testing.T) {
	o, _, secret, _ := withRoot(t)
	o.wait(time.Hour)
	for away, good := range map[time.Duration]bool{
		-time.Minute: false, -30 * time.Second: true, 60 * time.Second: false, 30 * time.Second: true,
	} {
		o.Exec(t, "update app_user set totp_step = null where login = 'root'")
		o.wait(away)
		code := o.code(t, secret)
		o.wait(-away)
		_, err := o.SignIn(ctx, typed("root", code), home)
		testenv.Check(t, (err == nil) == good, "%s away: %v", away, err)
	}
}

// A recovery code finishes one sign-in, however it is written, and nobody
// else's.
func TestRecoveryCodeOnce(t *testing.T) {
	o, _, _, codes := withRoot(t)
	_, _, others := o.operator(t, "other")
	give := func(code string) (session.Opened, error) {
		return o.GiveFactor(ctx, o.signIn(t, "root", "").Session, given(code))
	}
	refused(t, testenv.ErrOf(give(others[0])), "factor_wrong")
	opened := testenv.Must(give(" " + codes[0][:5] + " " + codes[0][6:] + " "))(t)
	testenv.Want(t, opened.Session.Factors.RecoveryCodes, 9, "codes are left")
	refused(t, testenv.ErrOf(give(codes[0])), "factor_wrong")
	// A sign-in may bring it at once.
	in := o.signIn(t, "root", codes[1])
	testenv.Check(t, in.Session.State == session.Complete, "state %s", in.Session.State)
	const told = "select count(*) from notify_event where kind = 'factor_changed'"
	before := o.Count(t, told)
	renewed, err := o.RenewRecoveryCodes(ctx, opened.Session)
	testenv.Need(t, err == nil && len(renewed) == 10, "%v, %v", renewed, err)
	testenv.Want(t, o.Count(t, told), before+1, "times that the user is told of new codes")
	refused(t, testenv.ErrOf(give(codes[2])), "factor_wrong")
	testenv.Must(give(renewed[0]))(t)
}

// Wrong codes of a sign-in count against its user and address, and keep nobody
// from another sign-in.
func TestCodesAreCounted(t *testing.T) {
	o, _, secret, _ := withRoot(t)
	in := o.signIn(t, "root", "")
	for range 10 {
		refused(t, testenv.ErrOf(o.GiveFactor(ctx, in.Session, given("00000x"))), "factor_wrong")
	}
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, in.Session, given(o.nextCode(t, secret)))), "rate_limited")
	// Elsewhere the user can still sign in, until twenty wrong codes in a
	// row have locked the factor.
	in = testenv.Must(o.SignIn(ctx, typed("root", ""), session.Origin{Address: "198.51.100.1"}))(t)
	for range 10 {
		refused(t, testenv.ErrOf(o.GiveFactor(ctx, in.Session, given("00000x"))), "factor_wrong")
	}
	o.wait(time.Hour)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, in.Session, given(o.nextCode(t, secret)))), "factor_locked")
}

// What needs a fresh factor needs one of the last five minutes; giving one is a
// new token, and the old one is dead.
func TestStepUp(t *testing.T) {
	o, in, secret, _ := withRoot(t)
	o.wait(5*time.Minute - time.Second)
	testenv.Want(t, testenv.Must(o.Find(ctx, in.Cookie))(t).Caller.Stale, false, "before five minutes are over")
	o.wait(2 * time.Second)
	found := testenv.Must(o.Find(ctx, in.Cookie))(t)
	testenv.WantError(t, found.Caller.Need(caller.OperatorUsers), fault.ErrFactorNeeded, "after more than five minutes")
	for name, err := range map[string]error{
		"begin TOTP":    testenv.ErrOf(o.BeginTOTP(ctx, found)),
		"begin passkey": testenv.ErrOf(o.BeginPasskey(ctx, found)),
		"renew codes":   testenv.ErrOf(o.RenewRecoveryCodes(ctx, found)),
		"remove":        o.RemoveTOTP(ctx, found),
		"remove key":    o.RemovePasskey(ctx, found, "AAAA"),
	} {
		t.Log(name)
		refused(t, err, "factor_needed")
	}
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, found, session.Factor{Password: password})), "factor_wrong")
	again := testenv.Must(o.GiveFactor(ctx, found, given(o.nextCode(t, secret))))(t)
	testenv.Check(t, again.Session.Caller.Need(caller.OperatorUsers) == nil && again.Session.ID == in.Session.ID &&
		again.Session.ExpiresAt.Equal(in.Session.ExpiresAt), "after the factor: %+v", again.Session)
	testenv.Check(t, !o.live(t, in.Cookie) && o.live(t, again.Cookie), "the cookie from before the factor goes on")
	// The session as it was found before can do nothing any more.
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, found, given(o.nextCode(t, secret)))), "unauthenticated")
}

// A user without a second factor is fresh after signing in, and again by the
// password.
func TestStepUpByPassword(t *testing.T) {
	o := newOffice(t)
	m := o.NewMerchant(t, dbtest.MerchantOpts{})
	o.add(t, caller.MerchantPortal, "shop", &m.ID, nil)
	in := o.signIn(t, "shop", "")
	testenv.Need(t, in.Session.State == session.Complete && !in.Session.Caller.Stale, "signed in: %+v", in.Session)
	o.wait(5*time.Minute + time.Second)
	found, err := o.Find(ctx, in.Cookie)
	testenv.Need(t, err == nil && found.Caller.Stale, "found %+v, %v", found, err)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, found, session.Factor{Password: "wrong"})), "factor_wrong")
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, found, given("123456"))), "factor_missing")
	again, err := o.GiveFactor(ctx, found, session.Factor{Password: password})
	testenv.Check(t, err == nil && !again.Session.Caller.Stale, "%+v, %v", again.Session, err)
	// A session that was stolen gets no first factor either. It may be
	// taken away again.
	o.wait(5*time.Minute + time.Second)
	refused(t, testenv.ErrOf(o.BeginTOTP(ctx, again.Session)), "factor_needed")
	again = testenv.Must(o.GiveFactor(ctx, again.Session, session.Factor{Password: password}))(t)
	enrolled, _, codes := o.enrol(t, again.Session)
	testenv.Want(t, len(codes), 10, "recovery codes")
	testenv.NoError(t, o.RemoveTOTP(ctx, enrolled.Session))
	found, err = o.Find(ctx, enrolled.Cookie)
	testenv.Check(t, err == nil && !found.Factors.Any() && found.Factors.RecoveryCodes == 0, "left %+v, %v", found.Factors, err)
}

// Where a factor is compulsory the last one stays.
func TestLastFactor(t *testing.T) {
	o, in, _, _ := withRoot(t)
	refused(t, o.RemoveTOTP(ctx, in.Session), "factor_last")
	testenv.Want(t, testenv.Must(o.Find(ctx, in.Cookie))(t).Factors.TOTP, true, "left")
}

// The API's sessions know second factors, too: a token without one is good for
// nothing else.
func TestSecondFactorOfTheAPI(t *testing.T) {
	o, _, secret, _ := withRoot(t)
	token := testenv.Must(o.Login(ctx, typed("root", ""), home))(t)
	testenv.Want(t, token.State, session.AwaitsFactor, "state")
	refused(t, testenv.ErrOf(o.Bearer(ctx, "Bearer "+token.Bearer)), "second_factor_required")
	in := testenv.Must(o.FindBearer(ctx, "Bearer "+token.Bearer))(t)
	opened := testenv.Must(o.GiveFactor(ctx, in, given(o.nextCode(t, secret))))(t)
	testenv.Want(t, opened.Cookie, "", "a token of the API became a cookie")
	testenv.WantError(t, testenv.ErrOf(o.Bearer(ctx, "Bearer "+token.Bearer)), fault.ErrUnauthenticated, "the token from before the factor")
	may := func(bearer string, want error) {
		t.Helper()
		who := testenv.Must(o.Bearer(ctx, "Bearer "+bearer))(t)
		err := who.Need(caller.OperatorUsers)
		testenv.Check(t, errors.Is(err, want), "%+v may change users: %v, want %v", who, err, want)
	}
	may(opened.Bearer, nil)
	o.wait(time.Hour) // there is no idle limit, but the factor is as old as in the browser
	may(opened.Bearer, fault.ErrFactorNeeded)
	in = testenv.Must(o.FindBearer(ctx, "Bearer "+opened.Bearer))(t)
	opened = testenv.Must(o.GiveFactor(ctx, in, given(o.nextCode(t, secret))))(t)
	may(opened.Bearer, nil)
	at, err := o.Login(ctx, session.Credentials{Login: "root", Password: password, Code: o.nextCode(t, secret)}, home)
	testenv.Check(t, err == nil && at.State == session.Complete, "with the code at once: %s, %v", at.State, err)
}

// Once there is a factor, a session that never gave it is not fresh, however
// new it is.
func TestSessionFromBeforeTheFactor(t *testing.T) {
	o := newOffice(t)
	m := o.NewMerchant(t, dbtest.MerchantOpts{})
	o.add(t, caller.MerchantPortal, "shop", &m.ID, nil)
	in, other := o.signIn(t, "shop", ""), o.signIn(t, "shop", "")
	o.enrol(t, in.Session)
	found, err := o.Find(ctx, other.Cookie)
	testenv.Check(t, err == nil && found.Caller.Stale && found.State == session.Complete, "%+v, %v", found, err)
	for name, err := range map[string]error{
		"replaces the factor":   testenv.ErrOf(o.BeginTOTP(ctx, other.Session)),
		"renews recovery codes": testenv.ErrOf(o.RenewRecoveryCodes(ctx, other.Session)),
		"removes the factor":    o.RemoveTOTP(ctx, other.Session),
	} {
		t.Log(name)
		refused(t, err, "factor_needed")
	}
}

// authenticator is a security key in software: ES256, without attestation.
type authenticator struct {
	id      []byte
	key     *ecdsa.PrivateKey
	counter uint32
	origin  string
	site    string
}

func newAuthenticator(t testing.TB) *authenticator {
	t.Helper()
	key := testenv.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return &authenticator{id: id, key: key, origin: "https://portal.example", site: "portal.example"}
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// asked are options as the browser gets them.
type asked struct {
	PublicKey struct {
		Challenge        string           `json:"challenge"`
		AllowCredentials []map[string]any `json:"allowCredentials"`
		ExcludeList      []map[string]any `json:"excludeCredentials"`
	} `json:"publicKey"`
}

func (a *authenticator) clientData(t testing.TB, kind string, options []byte) []byte {
	t.Helper()
	var o asked
	testenv.NoError(t, json.Unmarshal(options, &o))
	data := testenv.Must(json.Marshal(map[string]any{"type": kind, "challenge": o.PublicKey.Challenge, "origin": a.origin}))(t)
	return data
}

// authData is the authenticator's own word: the site, that somebody was there,
// and a counter.
func (a *authenticator) authData(attested []byte) []byte {
	site := sha256.Sum256([]byte(a.site))
	const present, verified, hasKey = 0x01, 0x04, 0x40
	flags := byte(present | verified)
	if attested != nil {
		flags |= hasKey
	}
	data := append(site[:], flags)
	return append(binary.BigEndian.AppendUint32(data, a.counter), attested...)
}

// register answers navigator.credentials.create.
func (a *authenticator) register(t testing.TB, options []byte) []byte {
	t.Helper()
	point := testenv.Must(a.key.PublicKey.Bytes())(t) // 4, x, y
	// A COSE key in CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, point[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 0x20), point[33:]...)
	attested := append(make([]byte, 16), 0, byte(len(a.id)))
	data := a.authData(append(append(attested, a.id...), cose...))
	// {"fmt": "none", "attStmt": {}, "authData": data}.
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	return testenv.Must(json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key",
		"response": map[string]any{
			"clientDataJSON":    b64(a.clientData(t, "webauthn.create", options)),
			"attestationObject": b64(append(object, data...)),
		},
	}))(t)
}

// assert answers navigator.credentials.get.
func (a *authenticator) assert(t testing.TB, options []byte) []byte {
	t.Helper()
	a.counter++
	client := a.clientData(t, "webauthn.get", options)
	hash := sha256.Sum256(client)
	data := a.authData(nil)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature := testenv.Must(ecdsa.SignASN1(rand.Reader, a.key, digest[:]))(t)
	return testenv.Must(json.Marshal(map[string]any{
		"id": b64(a.id), "rawId": b64(a.id), "type": "public-key",
		"response": map[string]any{
			"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature),
			"userHandle": "",
		},
	}))(t)
}

// withPasskey makes an operator whose only factor is a passkey, signed in.
func (o office) withPasskey(t testing.TB, login string) (session.Opened, *authenticator) {
	t.Helper()
	o.add(t, caller.Operator, login, nil, nil)
	in := o.signIn(t, login, "")
	options := testenv.Must(o.BeginPasskey(ctx, in.Session))(t)
	key := newAuthenticator(t)
	opened, codes := testenv.Must2(o.FinishPasskey(ctx, in.Session, " Blue key ", key.register(t, options)))(t)
	testenv.Need(t, len(codes) == 10 && opened.Session.State == session.Complete && opened.Session.Factors.Passkeys == 1 &&
		!o.live(t, in.Cookie), "%d codes, %+v", len(codes), opened.Session)
	return opened, key
}

func TestPasskey(t *testing.T) {
	o := newOffice(t)
	opened, key := o.withPasskey(t, "root")
	list := testenv.Must(o.ListPasskeys(ctx, opened.Session))(t)
	testenv.Check(t, len(list) == 1 && list[0].Name == "Blue key" && list[0].ID == b64(key.id) && list[0].UsedAt == nil,
		"listed %+v", list)
	refused(t, o.RemovePasskey(ctx, opened.Session, list[0].ID), "factor_last")

	in := o.signIn(t, "root", "")
	testenv.Want(t, in.Session.State, session.AwaitsFactor, "state")
	options := testenv.Must(o.BeginAssertion(ctx, in.Session))(t)
	answer := key.assert(t, options)
	whole := testenv.Must(o.GiveFactor(ctx, in.Session, session.Factor{Assertion: answer}))(t)
	testenv.Check(t, whole.Session.State == session.Complete && !o.live(t, in.Cookie), "state %s", whole.Session.State)
	// The same answer again, in this session or in another, is none.
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, whole.Session, session.Factor{Assertion: answer})), "factor_not_begun")
	other := o.signIn(t, "root", "")
	testenv.Must(o.BeginAssertion(ctx, other.Session))(t)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, other.Session, session.Factor{Assertion: answer})), "factor_wrong")
	// That challenge is used up by the wrong answer.
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, other.Session, session.Factor{Assertion: answer})), "factor_not_begun")
}

// An answer is taken from the user's own key, for this site, with a counter
// that goes on.
func TestPasskeyRefused(t *testing.T) {
	o := newOffice(t)
	_, key := o.withPasskey(t, "root")
	_, strangers := o.withPasskey(t, "stranger")
	in := o.signIn(t, "root", "")
	give := func(a *authenticator, change func(*authenticator)) error {
		options := testenv.Must(o.BeginAssertion(ctx, in.Session))(t)
		copied := *a
		change(&copied)
		_, err := o.GiveFactor(ctx, in.Session, session.Factor{Assertion: copied.assert(t, options)})
		return err
	}
	for name, err := range map[string]error{
		"another's":      give(strangers, func(*authenticator) {}),
		"another site's": give(key, func(a *authenticator) { a.site = "evil.example" }),
		"another origin": give(key, func(a *authenticator) { a.origin = "https://evil.example" }),
		"another key": give(key, func(a *authenticator) {
			a.key = newAuthenticator(t).key
		}),
	} {
		t.Log(name)
		refused(t, err, "factor_wrong")
	}
	testenv.NoError(t, give(key, func(a *authenticator) { a.counter = 7 }))
	in = o.signIn(t, "root", "")
	refused(t, give(key, func(a *authenticator) { a.counter = 3 }), "factor_wrong")
}

// A challenge for a proof does not add a key, nor the other way round, and
// somebody's key is not another's.
func TestPasskeyCeremonies(t *testing.T) {
	o := newOffice(t)
	root, key := o.withPasskey(t, "root")
	options := testenv.Must(o.BeginAssertion(ctx, root.Session))(t)
	refused(t, testenv.ErrOf2(o.FinishPasskey(ctx, root.Session, "second", newAuthenticator(t).register(t, options))), "factor_not_begun")
	options = testenv.Must(o.BeginPasskey(ctx, root.Session))(t)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, root.Session, session.Factor{Assertion: key.assert(t, options)})), "factor_not_begun")
	other, _ := o.withPasskey(t, "other")
	options = testenv.Must(o.BeginPasskey(ctx, other.Session))(t)
	refused(t, testenv.ErrOf2(o.FinishPasskey(ctx, other.Session, "copied", key.register(t, options))), "factor_wrong")

	options = testenv.Must(o.BeginPasskey(ctx, other.Session))(t)
	two, codes, err := o.FinishPasskey(ctx, other.Session, "second", newAuthenticator(t).register(t, options))
	testenv.Need(t, err == nil && codes == nil && two.Session.Factors.Passkeys == 2, "%+v, %v, %v", two.Session.Factors, codes, err)
	list := testenv.Must(o.ListPasskeys(ctx, two.Session))(t)
	refused(t, o.RemovePasskey(ctx, root.Session, list[0].ID), "not_found")
	testenv.NoError(t, o.RemovePasskey(ctx, two.Session, list[0].ID))
	found, err := o.Find(ctx, two.Cookie)
	testenv.Check(t, err == nil && found.Factors.Passkeys == 1 &&
		found.Factors.RecoveryCodes == 10, "left %+v, %v", found.Factors, err)
}

// Of two passkeys that are removed at the same time one stays where a factor is
// compulsory: the second removal sees what the first has left.
func TestLastPasskeyStays(t *testing.T) {
	o := newOffice(t)
	in, _ := o.withPasskey(t, "root")
	options := testenv.Must(o.BeginPasskey(ctx, in.Session))(t)
	in, _ = testenv.Must2(o.FinishPasskey(ctx, in.Session, "second", newAuthenticator(t).register(t, options)))(t)
	list := testenv.Must(o.ListPasskeys(ctx, in.Session))(t)
	held := o.Beside(t)
	testenv.Must(held.Exec(ctx, "select 1 from app_user where login = 'root' for update"))(t)
	errs := testenv.AtOnce(3, func(i int) error {
		if i < len(list) {
			return o.RemovePasskey(ctx, in.Session, list[i].ID)
		}
		testenv.Until(t, "two removals that wait", func() bool {
			return o.Count(t, "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") == 2
		})
		return held.Rollback(ctx)
	})
	testenv.NoError(t, errs[2])
	dbtest.WantOne(t, errs[:2], "factor_last")
	testenv.Want(t, testenv.Must(o.Find(ctx, in.Cookie))(t).Factors.Passkeys, 1, "passkeys left")
}

// Where the portals' address is a number, there are no passkeys.
func TestNoPasskeysAtANumber(t *testing.T) {
	c := config
	c.PortalURL = "http://127.0.0.1:8082"
	service := testenv.Must(session.New(newPeople(t).Pools(), nil, nil, c))(t)
	testenv.Want(t, service.Passkeys(), false, "passkeys at a number")
	refused(t, testenv.ErrOf(service.BeginAssertion(ctx, session.Session{})), "passkeys_unavailable")
}
