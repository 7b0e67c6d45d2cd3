// Package session signs users in and keeps them signed in: passwords, second
// factors, invitations, and sessions with a bearer token for the API or a
// cookie for the browser.
package session

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/gorilla/securecookie"
	"golang.org/x/crypto/argon2"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/limit"
	"gateway.example/internal/vault"
)

// How long things last, in real time.
const (
	// life is how long a session lasts at most.
	life = 12 * time.Hour
	// pendingLife is how long a user has to give or set up a second factor.
	pendingLife = 30 * time.Minute
	// idleLife is how long a browser session may be idle, and deskLife how
	// long that of a trader who receives payments.
	idleLife, deskLife = 30 * time.Minute, 12 * time.Hour
	// fresh is how long a second factor counts as fresh.
	fresh = 5 * time.Minute
	// seenEvery is how often the last use of a session is stored at most.
	seenEvery = time.Minute
	// invitationLife is how long an invitation can be accepted.
	invitationLife = 72 * time.Hour
)

// CookieKeySize is the length of a cookie key: half of it signs, half of it
// encrypts.
const CookieKeySize = 64

// cookieName is bound into the sealed value. The pages choose the cookie's real
// name.
const cookieName = "session"

var (
	errSecondFactorRequired = fault.New(fault.Forbidden, "second_factor_required",
		"The sign-in is not finished: give the second factor, or set one up.")
	errFactorLocked = fault.New(fault.Forbidden, "factor_locked",
		"Too many wrong codes were given in a row: the second factor must be reset.")
	errWrongFactor  = fault.New(fault.Refused, "factor_wrong", "The second factor is wrong, or was used already.")
	errNotBegun     = fault.New(fault.Conflict, "factor_not_begun", "Begin again: there is nothing to confirm.")
	errLastFactor   = fault.New(fault.Conflict, "factor_last", "A second factor is compulsory, and this is the last.")
	errNoPasskeys   = fault.New(fault.Conflict, "passkeys_unavailable", "Passkeys do not work at this address.")
	errNoInvitation = fault.New(fault.NotFound, "invitation_invalid",
		"The invitation was accepted, replaced or voided already, or has expired.")
)

// Origin is where a sign-in comes from.
type Origin struct {
	Address string
	// Agent is the browser's or client's name for itself.
	Agent string
	// Device is the cookie of an earlier successful sign-in in this
	// browser; "" is none.
	Device string
}

type Config struct {
	// FourEyes says when setting up an operator takes two.
	FourEyes foureyes.Rules
	// Compulsory requires a second factor of traders and operators.
	Compulsory bool
	// Sandbox allows SignInAs.
	Sandbox bool
	// PortalURL is the address of the portals. Passkeys are bound to it,
	// and links of invitations begin with it.
	PortalURL string
	// CookieKeys seal cookies. Each has CookieKeySize bytes; the newest is
	// first.
	CookieKeys [][]byte
}

// State is what a user still has to give to complete the sign-in.
type State string

const (
	Complete State = "whole"
	// AwaitsFactor says that the password was right, and the second factor
	// is missing.
	AwaitsFactor State = "awaits_factor"
	// AwaitsEnrolment says that the password was right, and a compulsory
	// second factor is not set up yet.
	AwaitsEnrolment State = "awaits_enrolment"
)

// Door is the way in which a session's token is used.
type Door string

const (
	API Door = "api"
	Web Door = "web"
)

// Session is the session of a signed-in user. If it looks as another user, its
// caller, factors and preferences are those of that user; everything else is
// about the user who signed in.
type Session struct {
	ID int64
	// Caller has no role until the sign-in is complete, so it may do
	// nothing.
	Caller  caller.Caller
	State   State
	Door    Door
	Factors Factors

	CreatedAt, SeenAt, ExpiresAt time.Time
	// FactorAt is when the user last gave a factor, if ever.
	FactorAt *time.Time
	// Agent and Address are those of the sign-in.
	Agent, Address string
	// Current marks this session in a list.
	Current     bool
	Preferences Preferences
	// View is nil unless the session looks as another user.
	View *View

	// hash is the hash of the current token. A session that was found by an
	// earlier token can do nothing.
	hash string
}

// Factors are the second factors that a user has set up.
type Factors struct {
	TOTP                    bool
	Passkeys, RecoveryCodes int
}

// Any reports whether the user has a second factor.
func (f Factors) Any() bool { return f.TOTP || f.Passkeys > 0 }

type Preferences struct {
	// Zone is an IANA time zone.
	Zone string
	// Language is en or ru, for traders also one that internal/tongue
	// offers; empty is the browser's.
	Language string
	// Theme is light, dark or system.
	Theme string
	// Shortcuts turns on keyboard shortcuts of one letter.
	Shortcuts bool
}

// Opened is a session with its new token, which is shown only here: a cookie's
// value, or a bearer token.
type Opened struct {
	Cookie, Bearer string
	Session        Session
}

// Service signs users in and finds their sessions.
type Service struct {
	Config
	// proposal is the change that is being approved, and proposedBy the
	// operator who proposed it, or 0.
	proposal, proposedBy int64

	pool db.Beginner
	// q reads and writes; reads only reads.
	q, reads *db.Queries
	// lists is for reads that may take long.
	lists  db.Pool
	vault  *vault.Vault
	limits *limit.Limits
	codecs []securecookie.Codec
	// devices seal the cookies that mark browsers.
	devices []securecookie.Codec
	// passkeys is nil if passkeys cannot be bound to the portals' address.
	passkeys *webauthn.WebAuthn
	// hashing limits how many passwords are compared at the same time: each
	// takes 19 MiB and a processor.
	hashing chan struct{}
	// nobody is a hash that is compared with when a login does not exist,
	// so that the time taken does not reveal that.
	nobody string
	now    func() time.Time
}

func New(pools db.Pools, v *vault.Vault, limits *limit.Limits, c Config) (*Service, error) {
	codecs, err := cookieCodecs(c.CookieKeys, life)
	if err != nil {
		return nil, err
	}
	devices, err := cookieCodecs(c.CookieKeys, DeviceLife)
	if err != nil {
		return nil, err
	}
	passkeys, err := relyingParty(c.PortalURL)
	if err != nil {
		return nil, err
	}
	return &Service{
		pool: pools.Calls, q: db.New(pools.Calls), reads: db.New(pools.Reads), lists: pools.Reads,
		vault: v, limits: limits, Config: c, codecs: codecs, devices: devices, passkeys: passkeys, nobody: nobodys(),
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)), now: time.Now,
	}, nil
}

// nobodys is a random hash that no password has. Computing a hash takes long on
// purpose; comparing with this one takes as long as with any other.
func nobodys() string {
	random := func(size uint32) string {
		bytes := make([]byte, size)
		_, _ = rand.Read(bytes) // it never fails
		return base64.RawStdEncoding.EncodeToString(bytes)
	}
	p := passwordParams
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.Memory, p.Iterations, p.Parallelism,
		random(p.SaltLength), random(p.KeyLength))
}

// cookieCodecs makes a codec of each key, half of it for the signature and half
// for the encryption. The first key seals cookies, and every key opens what it
// has sealed, so that keys can be replaced. A cookie older than life is
// refused.
func cookieCodecs(keys [][]byte, life time.Duration) ([]securecookie.Codec, error) {
	if len(keys) == 0 {
		return nil, errors.New("a cookie key is needed")
	}
	var pairs [][]byte
	for _, key := range keys {
		if len(key) != CookieKeySize {
			return nil, fmt.Errorf("a cookie key must be %d bytes", CookieKeySize)
		}
		pairs = append(pairs, key[:CookieKeySize/2], key[CookieKeySize/2:])
	}
	codecs := securecookie.CodecsFromPairs(pairs...)
	for _, codec := range codecs {
		if cookie, ok := codec.(*securecookie.SecureCookie); ok {
			cookie.MaxAge(int(life.Seconds())).SetSerializer(securecookie.NopEncoder{})
		}
	}
	return codecs, nil
}

// relyingParty sets up passkeys for the domain of the portals. For a numeric
// address there are none.
func relyingParty(portalURL string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(portalURL)
	if err != nil {
		return nil, fmt.Errorf("read the portals' URL: %w", err)
	}
	if u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return nil, nil
	}
	ceremony := webauthn.TimeoutConfig{Enforce: true, Timeout: fresh, TimeoutUVD: fresh}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: "Gateway", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		Timeouts:              webauthn.TimeoutsConfig{Login: ceremony, Registration: ceremony},
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys at %s: %w", u.Host, err)
	}
	return party, nil
}

// Passkeys reports whether passkeys can be used at the portals' address.
func (s *Service) Passkeys() bool { return s.passkeys != nil }

// compulsory reports whether a kind of user must have a second factor.
func (s *Service) compulsory(kind caller.Kind) bool {
	return s.Compulsory && (kind == caller.Trader || kind == caller.Operator)
}

// wallNow is the real time, in the precision that the database stores.
func (s *Service) wallNow() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// printable cleans a text that a stranger sent, so that it can be stored and
// shown.
func printable(text string) string {
	const longest = 255
	kept := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " ")))
	return string(kept[:min(len(kept), longest)])
}
