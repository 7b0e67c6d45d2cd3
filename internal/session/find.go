package session

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/securecookie"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// Find finds a session by the value of its cookie. For any other value it
// returns fault.ErrUnauthenticated. It stores that the session is used.
func (s *Service) Find(ctx context.Context, cookie string) (Session, error) {
	found, err := s.Peek(ctx, cookie)
	if err != nil {
		return Session{}, err
	}
	return found, s.see(ctx, found)
}

// Peek is Find for requests that a page makes without its user. They do not
// count as use of the session, so they do not keep it from ending for idleness.
func (s *Service) Peek(ctx context.Context, cookie string) (Session, error) {
	var token []byte
	if err := securecookie.DecodeMulti(cookieName, cookie, &token, s.codecs...); err != nil {
		return Session{}, fault.ErrUnauthenticated
	}
	return s.find(ctx, string(token), Web)
}

const bearerPrefix = "Bearer "

// HasBearer reports whether an Authorization header has a bearer token at all.
func HasBearer(authorization string) bool {
	return len(authorization) > len(bearerPrefix) && strings.EqualFold(authorization[:len(bearerPrefix)], bearerPrefix)
}

// Bearer finds the complete session of an Authorization header's token.
func (s *Service) Bearer(ctx context.Context, authorization string) (caller.Caller, error) {
	found, err := s.FindBearer(ctx, authorization)
	if err != nil {
		return caller.Caller{}, err
	}
	return found.Caller, found.NeedComplete()
}

// FindBearer is Find for the token of an Authorization header. The session may
// lack its second factor.
func (s *Service) FindBearer(ctx context.Context, authorization string) (Session, error) {
	if !HasBearer(authorization) {
		return Session{}, fault.ErrUnauthenticated
	}
	found, err := s.find(ctx, authorization[len(bearerPrefix):], API)
	if err != nil {
		return Session{}, err
	}
	return found, s.see(ctx, found)
}

// NeedComplete checks that the sign-in is complete.
func (f Session) NeedComplete() error {
	if f.State != Complete {
		return errSecondFactorRequired
	}
	return nil
}

func (s *Service) find(ctx context.Context, token string, door Door) (Session, error) {
	return s.findByHash(ctx, auth.HashSecret(token), door)
}

// findByHash finds the session of a token by the token's hash. One that ended,
// was idle for too long in the browser, or whose user is switched off is as
// unknown as one that never was. A session that looks as another user has that
// user as its caller.
func (s *Service) findByHash(ctx context.Context, hash []byte, door Door) (Session, error) {
	now := s.now()
	row, err := s.reads.SessionFind(ctx, db.SessionFindParams{
		Hash: hash, Door: string(door), Now: now,
		DeskSince: now.Add(-deskLife), IdleSince: now.Add(-idleLife),
	})
	if err != nil {
		return Session{}, db.Missing(err, fault.ErrUnauthenticated, "read session")
	}
	found := fromRow(row, now)
	found.Caller.Factorless = s.Compulsory && !found.Factors.Any()
	return s.viewCaller(ctx, found, row.Session, now)
}

// see stores that a session is used, at most once in seenEvery.
func (s *Service) see(ctx context.Context, found Session) error {
	now := s.now()
	if now.Sub(found.SeenAt) < seenEvery {
		return nil
	}
	err := s.q.SessionSeen(ctx, db.SessionSeenParams{ID: found.ID, Now: now, Before: now.Add(-seenEvery)})
	return fault.Doing("note that the session is used", err)
}

// fromRow is a session and its caller, who has no role until the sign-in is
// complete. Whether they need a second factor and have none, is not known here.
func fromRow(row db.SessionFindRow, now time.Time) Session {
	kept, user := row.Session, row.AppUser
	found := Session{
		ID: kept.ID, State: State(kept.State), Door: Door(kept.Door),
		Factors:   factorsOf(user, row.Passkeys, row.RecoveryCodes),
		CreatedAt: kept.CreatedAt, SeenAt: kept.SeenAt, ExpiresAt: kept.ExpiresAt, FactorAt: kept.FactorAt,
		Agent: kept.Agent, Address: kept.Address,
		Preferences: preferencesOf(user), hash: string(kept.Hash),
	}
	found.Caller = callerFromRow(user, row.MerchantIds)
	if found.State != Complete {
		found.Caller.Role = ""
	}
	if user.AwaitsUntil != nil && user.AwaitsUntil.After(now) {
		found.Caller.AwaitsUntil = *user.AwaitsUntil
	}
	// Over the API only users with a second factor can prove themselves
	// again.
	found.Caller.Stale = found.stale(now) && (found.Door == Web || found.Factors.Any())
	return found
}

func factorsOf(user db.AppUser, passkeys, recoveryCodes int64) Factors {
	return Factors{TOTP: user.TotpSecret != nil, Passkeys: int(passkeys), RecoveryCodes: int(recoveryCodes)}
}

func preferencesOf(user db.AppUser) Preferences {
	return Preferences{Zone: user.Zone, Language: optional.Value(user.Language), Theme: user.Theme, Shortcuts: user.Shortcuts}
}

// callerFromRow is the user as a caller. Without a merchant or trader that id
// is 0.
func callerFromRow(user db.AppUser, merchantIDs []int64) caller.Caller {
	c := caller.Caller{
		Kind: caller.Kind(user.Kind), Role: caller.Role(optional.Value(user.Role)), ID: user.ID, Login: user.Login,
		MerchantIDs: merchantIDs,
	}
	if user.MerchantID != nil {
		c.MerchantID = *user.MerchantID
	}
	if user.TraderID != nil {
		c.TraderID = *user.TraderID
	}
	return c
}

// stale reports whether the user has to prove themselves again: the last second
// factor or, for users without one, the sign-in is older than fresh.
func (f Session) stale(now time.Time) bool {
	var proved time.Time
	switch {
	case f.FactorAt != nil:
		proved = *f.FactorAt
	case !f.Factors.Any():
		proved = f.CreatedAt
	}
	return now.Sub(proved) > fresh
}

// CountedAs is the name under which the session's calls are counted: whoever
// signed in, also where they look as another user. A sign-in that is not
// complete counts by its address: whoever has only a user's password uses up
// nothing of theirs.
func (f Session) CountedAs() string {
	id := strconv.FormatInt(f.userID(), 10)
	if f.State != Complete {
		return "begun " + id + " " + f.Address
	}
	return id
}

type key struct{}

// With returns a context that hands the session on to the handler.
func With(ctx context.Context, found Session) context.Context {
	return context.WithValue(ctx, key{}, found)
}

// From returns the session of a context. Without one it returns an empty
// session, which may do nothing.
func From(ctx context.Context) Session {
	found, _ := ctx.Value(key{}).(Session)
	return found
}
