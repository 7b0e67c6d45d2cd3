package session_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

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

// authData is the authenticator's own word: the site, that somebody was there, and a counter.
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
func (a *authenticator) assert(t testing.TB, options []byte, userID string) []byte {
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
			"userHandle": b64([]byte(userID)),
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
	testenv.Need(t, len(codes) == 10 && opened.Session.State == session.Whole && opened.Session.Factors.Passkeys == 1 &&
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
	answer := key.assert(t, options, "")
	whole := testenv.Must(o.GiveFactor(ctx, in.Session, session.Factor{Assertion: answer}))(t)
	testenv.Check(t, whole.Session.State == session.Whole && !o.live(t, in.Cookie), "state %s", whole.Session.State)
	// The same answer again, in this session or in another, is none.
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, whole.Session, session.Factor{Assertion: answer})), "factor_not_begun")
	other := o.signIn(t, "root", "")
	testenv.Must(o.BeginAssertion(ctx, other.Session))(t)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, other.Session, session.Factor{Assertion: answer})), "factor_wrong")
	// That challenge is used up by the wrong answer.
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, other.Session, session.Factor{Assertion: answer})), "factor_not_begun")
}

// An answer is taken from the user's own key, for this site, with a counter that goes on.
func TestPasskeyRefused(t *testing.T) {
	o := newOffice(t)
	_, key := o.withPasskey(t, "root")
	_, strangers := o.withPasskey(t, "stranger")
	in := o.signIn(t, "root", "")
	give := func(a *authenticator, change func(*authenticator)) error {
		options := testenv.Must(o.BeginAssertion(ctx, in.Session))(t)
		copied := *a
		change(&copied)
		_, err := o.GiveFactor(ctx, in.Session, session.Factor{Assertion: copied.assert(t, options, "")})
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

// A challenge for a proof does not add a key, nor the other way round, and somebody's key is not
// another's.
func TestPasskeyCeremonies(t *testing.T) {
	o := newOffice(t)
	root, key := o.withPasskey(t, "root")
	options := testenv.Must(o.BeginAssertion(ctx, root.Session))(t)
	refused(t, testenv.ErrOf2(o.FinishPasskey(ctx, root.Session, "second", newAuthenticator(t).register(t, options))), "factor_not_begun")
	options = testenv.Must(o.BeginPasskey(ctx, root.Session))(t)
	refused(t, testenv.ErrOf(o.GiveFactor(ctx, root.Session, session.Factor{Assertion: key.assert(t, options, "")})), "factor_not_begun")
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

// Where the portals' address is a number, there are no passkeys.
func TestNoPasskeysAtANumber(t *testing.T) {
	c := config
	c.PortalURL = "http://127.0.0.1:8082"
	service := testenv.Must(session.New(newPeople(t).Pools(), nil, nil, c))(t)
	testenv.Want(t, service.Passkeys(), false, "passkeys at a number")
	refused(t, testenv.ErrOf(service.BeginAssertion(ctx, session.Session{})), "passkeys_unavailable")
}
