package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/gorilla/securecookie"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/limit"
	"gateway.example/internal/optional"
)

var errInvalidCredentials = fault.New(fault.Unauthenticated, "invalid_credentials", "Login, password or code is wrong.")

// guess is the error after a password or code was compared and was wrong. It
// counts towards the limits. For an unknown login the password is compared with
// a hash that nobody has.
type guess struct {
	error
	// ofCode says that a code was wrong. Too many in a row lock the factor.
	ofCode bool
}

func (g guess) Unwrap() error { return g.error }

func guessed(err error) bool { return errors.As(err, new(guess)) }

// passwordParams are the parameters of argon2id that OWASP recommends for a
// server: 19 MiB, two passes.
var passwordParams = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// HashPassword returns the hash that is stored.
func HashPassword(password string) (string, error) {
	return argon2id.CreateHash(password, passwordParams)
}

// Credentials are what a user signs in with. The code, of an authenticator app
// or a recovery code, may be given later.
type Credentials struct{ Login, Password, Code string }

// check refuses credentials that no user can have.
func (c Credentials) check(ctx context.Context) error {
	fields := fault.Decoded(ctx)
	fields.Required("login", c.Login)
	fields.Required("password", c.Password)
	if err := fields.Err(); err != nil {
		return err
	}
	if utf8.RuneCountInString(c.Login) > maxLogin || utf8.RuneCountInString(c.Password) > maxPassword {
		return errInvalidCredentials
	}
	return nil
}

// Token is a new bearer token, which is shown only once.
type Token struct {
	Bearer    string
	Kind      caller.Kind
	State     State
	ExpiresAt time.Time
}

// Login exchanges credentials for a bearer token. If the sign-in still lacks a
// second factor, the token's State says so, and the token can only be used to
// complete the sign-in.
func (s *Service) Login(ctx context.Context, c Credentials, from Origin) (Token, error) {
	opened, err := s.signIn(ctx, c, from, API)
	if err != nil {
		return Token{}, err
	}
	session := opened.Session
	return Token{
		Bearer: opened.Bearer, Kind: session.Caller.Kind, State: session.State, ExpiresAt: session.ExpiresAt,
	}, nil
}

// SignIn begins a browser session.
func (s *Service) SignIn(ctx context.Context, c Credentials, from Origin) (Opened, error) {
	return s.signIn(ctx, c, from, Web)
}

// SignInAs begins a browser session as the user with a login, without a
// password. Outside a sandbox it finds nobody.
func (s *Service) SignInAs(ctx context.Context, login string, from Origin) (Opened, error) {
	if !s.Sandbox {
		return Opened{}, fault.ErrNotFound
	}
	user, err := s.reads.UserByLogin(ctx, login)
	if db.NoRows(err) || err == nil && user.PasswordHash == nil {
		return Opened{}, fault.ErrNotFound
	}
	if err != nil {
		return Opened{}, fmt.Errorf("read user: %w", err)
	}
	return s.enter(ctx, entrance{userID: user.ID, hash: *user.PasswordHash, from: from, door: Web})
}

// signIn counts every sign-in as a failure until it has succeeded, so that
// parallel attempts gain nothing. A sign-in that is refused before its password
// is compared does not count.
func (s *Service) signIn(ctx context.Context, c Credentials, from Origin, door Door) (Opened, error) {
	if err := c.check(ctx); err != nil {
		return Opened{}, err
	}
	var opened Opened
	under, err := s.ofSignIn(ctx, c.Login, from)
	if err != nil {
		return Opened{}, err
	}
	err = s.counted(ctx, under, func() error {
		userID, hash, err := s.byPassword(ctx, c.Login, c.Password)
		tried := event{userID: userID, door: door, outcome: outcomeWrongPassword, from: from}
		if err != nil {
			return s.keepFailure(ctx, tried, err)
		}
		tried.outcome = outcomeWrongFactor
		opened, err = s.enter(ctx, entrance{userID: userID, hash: hash, code: c.Code, from: from, door: door})
		return s.keepFailure(ctx, tried, err)
	})
	return opened, err
}

// failureOf is a rule and the name under which it counts failures.
type failureOf struct {
	rule limit.Rule
	who  string
}

// counted counts a failure, runs a function, and takes the failure back unless
// the function's error is a guess.
func (s *Service) counted(ctx context.Context, under []failureOf, try func() error) error {
	counted, err := s.countFailure(ctx, under)
	if err != nil {
		return err
	}
	err = try()
	if !guessed(err) {
		err = errors.Join(err, forgive(ctx, counted))
	}
	return err
}

// countFailure counts a failure under every rule, or under none if one of them
// refuses. Unknown logins count too, so that the limits do not reveal which
// logins exist.
func (s *Service) countFailure(ctx context.Context, under []failureOf) ([]limit.Failure, error) {
	var counted []limit.Failure
	for _, by := range under {
		failure, err := s.limits.Fail(ctx, by.rule, by.who, s.wallNow())
		if err != nil {
			return nil, errors.Join(err, forgive(ctx, counted))
		}
		counted = append(counted, failure)
	}
	return counted, nil
}

// forgive takes failures back, even if the call was cancelled meanwhile.
func forgive(ctx context.Context, counted []limit.Failure) error {
	var failed error
	for _, failure := range counted {
		failed = errors.Join(failed, failure.Forgive(context.WithoutCancel(ctx)))
	}
	return failed
}

// knownFor is how long an address from which somebody has signed in counts as
// known.
const knownFor = 90 * 24 * time.Hour

// ofSignIn is what a wrong password counts under. Attempts from a device or
// address of an earlier successful sign-in count separately, so that strangers
// who guess the password do not lock the user out there.
//
//rule:whose failed sign-ins are counted together
func (s *Service) ofSignIn(ctx context.Context, login string, from Origin) ([]failureOf, error) {
	place, err := s.reads.SignInPlace(ctx, db.SignInPlaceParams{
		Login: login, Address: printable(from.Address), Since: s.wallNow().Add(-knownFor),
	})
	if err != nil {
		return nil, fmt.Errorf("read where the user has signed in: %w", err)
	}
	if userID, device := s.device(from.Device); device != "" && userID == place.UserID {
		return []failureOf{{limit.LoginAddressFailures, "device " + device}}, nil
	}
	network := limit.Network(from.Address)
	var under []failureOf
	switch {
	case place.Known:
		under = []failureOf{{limit.LoginAddressFailures, "known " + from.Address + " " + login}}
	case network != "":
		under = []failureOf{{limit.LoginAddressFailures, network + " " + login}, {limit.LoginFailures, login}}
	default:
		under = []failureOf{{limit.LoginAddressFailures, from.Address + " " + login}, {limit.LoginFailures, login}}
	}
	under = append(under, failureOf{limit.AddressLoginFailures, from.Address})
	if network != "" {
		under = append(under, failureOf{limit.NetworkLoginFailures, network})
	}
	return under, nil
}

// ofFactor is what a wrong factor counts under: the user, and not the login,
// which anybody can try. Sessions for which only the password was given count
// separately from complete ones.
func ofFactor(session Session) []failureOf {
	id := strconv.FormatInt(session.userID(), 10)
	if session.State == Complete {
		return []failureOf{{limit.LoginAddressFailures, "user " + id}}
	}
	return []failureOf{
		{limit.LoginAddressFailures, "begun " + id + " " + session.Address},
		{limit.AddressLoginFailures, session.Address},
	}
}

// byPassword finds the user with the login and password, and returns the hash
// that matched. After a wrong password it returns the id of the user with that
// login, or 0.
func (s *Service) byPassword(ctx context.Context, login, password string) (id int64, hash string, err error) {
	user, err := s.reads.UserByLogin(ctx, login)
	if err != nil && !db.NoRows(err) {
		return 0, "", fmt.Errorf("read user: %w", err)
	}
	known := err == nil && user.PasswordHash != nil
	hash = s.nobody
	if known {
		hash = *user.PasswordHash
	}
	switch match, err := s.compare(ctx, password, hash); {
	case err != nil:
		return 0, "", fmt.Errorf("compare password: %w", err)
	case !match || !known:
		return user.ID, "", guess{error: errInvalidCredentials}
	}
	return user.ID, hash, nil
}

func (s *Service) compare(ctx context.Context, password, hash string) (bool, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
		return argon2id.ComparePasswordAndHash(password, hash)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// entrance is a sign-in whose password was right.
type entrance struct {
	userID int64
	// hash is the password's hash. When the session begins, it must still
	// be the user's.
	hash string
	code string
	from Origin
	door Door
}

// enter begins a session. A code that was given is used up.
func (s *Service) enter(ctx context.Context, e entrance) (Opened, error) {
	token, now := auth.RandomToken(), s.wallNow()
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		user, err := lockUser(ctx, q, e.userID)
		if db.NoRows(err) || err == nil && optional.Value(user.PasswordHash) != e.hash {
			return errInvalidCredentials
		}
		if err != nil {
			return fmt.Errorf("lock user: %w", err)
		}
		return s.begin(ctx, q, user, e, token, now)
	})
	if err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, token, e.door)
}

// begin begins a session of a user whom the caller has locked and whose
// password was right. It is complete after a right code, or where the user has
// no factor and needs none. Without a code it waits for the factor, or for the
// first one to be set up, for pendingLife only. After a wrong code there is no
// session.
func (s *Service) begin(
	ctx context.Context, q *db.Queries, user lockedUser, e entrance, token string, now time.Time,
) error {
	params := db.SessionInsertParams{
		Hash: auth.HashSecret(token), UserID: user.ID, Door: string(e.door), State: string(Complete),
		CreatedAt: now, ExpiresAt: now.Add(life), Agent: printable(e.from.Agent), Address: printable(e.from.Address),
	}
	switch {
	case hasFactor(user) && e.code != "":
		switch err := s.takeCode(ctx, q, user, e.code); {
		case guessed(err):
			return guess{error: errInvalidCredentials, ofCode: true}
		case err != nil:
			return err
		}
		params.FactorAt = &now
	case hasFactor(user):
		params.State, params.ExpiresAt = string(AwaitsFactor), now.Add(pendingLife)
	case s.compulsory(caller.Kind(user.Kind)):
		params.State, params.ExpiresAt = string(AwaitsEnrolment), now.Add(pendingLife)
	}
	if err := q.SessionInsert(ctx, params); err != nil {
		return fmt.Errorf("insert session: %w", err)
	}
	return s.logEvent(ctx, q, event{userID: user.ID, door: e.door, outcome: outcomeOf(params.State), from: e.from})
}

func hasFactor(user lockedUser) bool { return user.TotpSecret != nil || user.Passkeys > 0 }

// opened reads the session of a new token.
func (s *Service) opened(ctx context.Context, token string, door Door) (Opened, error) {
	session, err := s.find(ctx, token, door)
	if err != nil {
		return Opened{}, err
	}
	if door == API {
		return Opened{Bearer: token, Session: session}, nil
	}
	cookie, err := securecookie.EncodeMulti(cookieName, []byte(token), s.codecs...)
	if err != nil {
		return Opened{}, fmt.Errorf("seal the cookie: %w", err)
	}
	return Opened{Cookie: cookie, Session: session}, nil
}

// InsertToken makes a bearer token for a user for some time. Only its hash is
// stored.
func InsertToken(
	ctx context.Context,
	q *db.Queries,
	bearer string,
	userID int64,
	at time.Time,
	life time.Duration,
) error {
	err := q.SessionInsert(ctx, db.SessionInsertParams{
		Hash: auth.HashSecret(bearer), UserID: userID, Door: string(API), State: string(Complete),
		CreatedAt: at, ExpiresAt: at.Add(life),
	})
	return fault.Doing("insert token", err)
}
