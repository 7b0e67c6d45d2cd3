package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pquerna/otp/totp"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/vault"
)

// tokenLife is how long a sign-in lasts, on the wall clock.
const tokenLife = 12 * time.Hour

// errInvalidCredentials refuses a sign-in.
var errInvalidCredentials = fault.New(fault.Unauthenticated, "invalid_credentials", "Login, password or code is wrong.")

// guess is a sign-in whose password or code was compared and found wrong.
type guess struct{ error }

// Unwrap gives the refusal.
func (g guess) Unwrap() error { return g.error }

var errGuess = guess{errInvalidCredentials}

// Guessed reports whether a sign-in failed because its password, or its code, was compared and
// found wrong: what whoever guesses them comes by. An unknown login is compared with nobody's
// password.
func Guessed(err error) bool { return errors.As(err, new(guess)) }

// passwordParams are argon2id's, as OWASP advises for a server: 19 MiB, two passes.
var passwordParams = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Users signs users in and knows them again by their tokens.
type Users struct {
	pool  *pgxpool.Pool
	q     *db.Queries
	vault *vault.Vault
	// hashing bounds how many passwords are compared at a time: each takes 19 MiB and a processor.
	hashing chan struct{}
	// nobody is a hash to compare with when a login does not exist, so that the time taken tells
	// nothing of it.
	nobody string
}

// NewUsers makes the room's service.
func NewUsers(pools db.Pools, v *vault.Vault) (*Users, error) {
	nobody, err := HashPassword(randomToken())
	if err != nil {
		return nil, err
	}
	return &Users{
		pool:    pools.Calls,
		q:       db.New(pools.Reads),
		vault:   v,
		nobody:  nobody,
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}, nil
}

// HashPassword returns what is kept of a password.
func HashPassword(password string) (string, error) {
	return argon2id.CreateHash(password, passwordParams)
}

// CreateOperator makes a user who runs the platform.
func CreateOperator(ctx context.Context, q *db.Queries, login, password string) error {
	hash, err := HashPassword(password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	_, err = InsertUser(ctx, q, NewUser{Kind: caller.Operator, Login: login}, hash, time.Now())
	if err != nil {
		return fmt.Errorf("create operator %q: %w", login, err)
	}
	return nil
}

// Credentials are what a user signs in with; Code is needed where a second factor is set up.
type Credentials struct{ Login, Password, Code string }

// Token is a new bearer token, shown only once.
type Token struct {
	Bearer    string
	Kind      caller.Kind
	ExpiresAt time.Time
}

// Check refuses credentials that cannot be anybody's, whatever is kept.
func (c Credentials) Check(ctx context.Context) error {
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

// Login exchanges credentials for a token.
func (u *Users) Login(ctx context.Context, c Credentials) (Token, error) {
	if err := c.Check(ctx); err != nil {
		return Token{}, err
	}
	user, err := u.q.UserByLogin(ctx, c.Login)
	if err != nil && !db.NoRows(err) {
		return Token{}, fmt.Errorf("read user: %w", err)
	}
	found := err == nil
	hash := u.nobody
	if found {
		hash = user.PasswordHash
	}
	switch match, err := u.compare(ctx, c.Password, hash); {
	case err != nil:
		return Token{}, fmt.Errorf("compare password: %w", err)
	case !match || !found:
		return Token{}, errGuess
	}
	if err := u.checkCode(user, c.Code); err != nil {
		return Token{}, err
	}
	return u.issue(ctx, user.ID, caller.Kind(user.Kind))
}

func (u *Users) compare(ctx context.Context, password, hash string) (bool, error) {
	select {
	case u.hashing <- struct{}{}:
		defer func() { <-u.hashing }()
		return argon2id.ComparePasswordAndHash(password, hash)
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (u *Users) checkCode(user db.UserByLoginRow, code string) error {
	if user.TotpSecret == nil {
		return nil
	}
	secret, err := u.vault.Open(user.TotpSecret, vault.Place{Table: "app_user", Column: "totp_secret", Row: user.ID})
	if err != nil {
		return err
	}
	switch {
	case code == "":
		return errInvalidCredentials
	case !totp.Validate(code, string(secret)):
		return errGuess
	}
	return nil
}

func (u *Users) issue(ctx context.Context, userID int64, kind caller.Kind) (Token, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	token := Token{Bearer: randomToken(), Kind: kind, ExpiresAt: now.Add(tokenLife)}
	return token, InsertToken(ctx, u.q, token.Bearer, userID, now, tokenLife)
}

// InsertToken lets a user sign in by a token for so long. Only the token's hash is kept.
func InsertToken(
	ctx context.Context,
	q *db.Queries,
	bearer string,
	userID int64,
	at time.Time,
	life time.Duration,
) error {
	err := q.TokenInsert(ctx, db.TokenInsertParams{
		Hash: HashSecret(bearer), UserID: userID, CreatedAt: at, ExpiresAt: at.Add(life),
	})
	if err != nil {
		return fmt.Errorf("insert token: %w", err)
	}
	return nil
}

const bearerPrefix = "Bearer "

// HasBearer reports whether an Authorization header carries a bearer token at all.
func HasBearer(authorization string) bool {
	return len(authorization) > len(bearerPrefix) && strings.EqualFold(authorization[:len(bearerPrefix)], bearerPrefix)
}

// Bearer authenticates the token of an Authorization header.
func (u *Users) Bearer(ctx context.Context, authorization string) (caller.Caller, error) {
	if !HasBearer(authorization) {
		return caller.Caller{}, fault.ErrUnauthenticated
	}
	hash := HashSecret(authorization[len(bearerPrefix):])
	user, err := u.q.TokenUser(ctx, db.TokenUserParams{Hash: hash, Now: time.Now()})
	if db.NoRows(err) {
		return caller.Caller{}, fault.ErrUnauthenticated
	}
	if err != nil {
		return caller.Caller{}, fmt.Errorf("read token: %w", err)
	}
	c := caller.Caller{Kind: caller.Kind(user.Kind), ID: user.ID, Login: user.Login}
	if user.MerchantID != nil {
		c.MerchantID = *user.MerchantID
	}
	if user.TraderID != nil {
		c.TraderID = *user.TraderID
	}
	c.MerchantIDs = user.MerchantIds
	return c, nil
}

// Prune forgets the tokens that have expired.
func (u *Users) Prune(ctx context.Context) error {
	_, err := u.q.TokenPrune(ctx, time.Now())
	return err
}

func randomToken() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return base64.RawURLEncoding.EncodeToString(raw)
}
