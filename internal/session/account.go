package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones must be known also where the machine has none

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/optional"
	"gateway.example/internal/tongue"
)

// ChangePassword changes the user's password. It ends their other sessions, and
// gives this one a new token.
func (s *Service) ChangePassword(ctx context.Context, session Session, old, next string) (Opened, error) {
	if err := cmp.Or(session.NeedComplete(), session.needOwn()); err != nil {
		return Opened{}, err
	}
	f := fault.Decoded(ctx)
	f.Required("oldPassword", old)
	checkPassword(f, "newPassword", next)
	if err := f.Err(); err != nil {
		return Opened{}, err
	}
	var opened Opened
	err := s.counted(ctx, ofFactor(session), func() error {
		_, hash, err := s.byPassword(ctx, session.Caller.Login, old)
		if err != nil {
			return err
		}
		newHash, err := HashPassword(next)
		if err != nil {
			return fmt.Errorf("hash password: %w", err)
		}
		opened, err = s.replacePassword(ctx, session, hash, newHash)
		return err
	})
	return opened, err
}

// replacePassword sets the hash next if the user still has the hash old, so
// that of two changes at the same time one wins. In the same transaction the
// other sessions end and this one gets a new token, which nothing else shows.
func (s *Service) replacePassword(ctx context.Context, session Session, old, next string) (Opened, error) {
	token, now := auth.RandomToken(), s.wallNow()
	err := s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		if optional.Value(user.PasswordHash) != old {
			return errInvalidCredentials
		}
		if err := q.UserSetPassword(ctx, db.UserSetPasswordParams{ID: user.ID, PasswordHash: &next}); err != nil {
			return fmt.Errorf("set password: %w", err)
		}
		if err := s.say(ctx, q, notify.PasswordChanged, user.ID); err != nil {
			return err
		}
		_, err := q.SessionEndOthers(ctx, db.SessionEndOthersParams{UserID: user.ID, ExceptID: session.ID})
		if err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		return renewed(q.SessionRenew(ctx, db.SessionRenewParams{
			ID: session.ID, Hash: []byte(session.hash), NewHash: auth.HashSecret(token), State: string(Complete),
			Now: now, ExpiresAt: session.ExpiresAt,
		}))
	})
	if err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, token, session.Door)
}

// ownSessions checks that the caller is a user whose sign-in is complete. It
// recognizes that by the role: until then it is missing. Cabinet users have no
// role at all.
func ownSessions(who caller.Caller) error {
	switch who.Kind {
	case caller.Cabinet:
		return nil
	case caller.MerchantPortal, caller.Trader, caller.Operator:
		if who.Role == "" {
			return errSecondFactorRequired
		}
		return nil
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Device, caller.Link:
	}
	return fault.ErrTokenKindNotAllowed
}

// mayEnd checks that the caller may end their sessions.
func mayEnd(ctx context.Context, who caller.Caller) error {
	if err := ownSessions(who); err != nil {
		return err
	}
	if who.ViewAs {
		return fault.ErrViewOnly
	}
	return fault.Decoded(ctx).Err()
}

// List lists the caller's sessions in the browser and over the API, the last
// used first. current is the id of this session, which is marked.
func (s *Service) List(ctx context.Context, who caller.Caller, current int64) ([]Session, error) {
	if err := cmp.Or(ownSessions(who), fault.Decoded(ctx).Err()); err != nil {
		return nil, err
	}
	now := s.now()
	rows, err := s.reads.SessionList(ctx, db.SessionListParams{
		UserID: who.ID, Now: now, DeskSince: now.Add(-deskLife), IdleSince: now.Add(-idleLife),
	})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	list := make([]Session, 0, len(rows))
	for _, row := range rows {
		one := fromRow(db.SessionFindRow(row), now)
		one.hash, one.Current = "", one.ID == current
		list = append(list, one)
	}
	return list, nil
}

// EndOne ends one of the caller's sessions.
func (s *Service) EndOne(ctx context.Context, who caller.Caller, id int64) error {
	if err := mayEnd(ctx, who); err != nil {
		return err
	}
	rows, err := s.q.SessionEnd(ctx, db.SessionEndParams{ID: id, UserID: who.ID})
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if rows == 0 {
		return fault.ErrNotFound
	}
	return nil
}

// EndAll ends all of the caller's sessions except exceptID; 0 excepts none.
func (s *Service) EndAll(ctx context.Context, who caller.Caller, exceptID int64) error {
	if err := mayEnd(ctx, who); err != nil {
		return err
	}
	_, err := s.q.SessionEndOthers(ctx, db.SessionEndOthersParams{UserID: who.ID, ExceptID: exceptID})
	return fault.Doing("end sessions", err)
}

func (s *Service) Show(ctx context.Context, session Session) (Session, error) {
	return session, fault.Decoded(ctx).Err()
}

// End ends this session, even if its sign-in is not complete or if it looks as
// another user.
func (s *Service) End(ctx context.Context, session Session) error {
	if err := fault.Decoded(ctx).Err(); err != nil {
		return err
	}
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		if session.Caller.ViewAs {
			if err := endView(ctx, q, session, s.wallNow()); err != nil {
				return err
			}
		}
		_, err := q.SessionEnd(ctx, db.SessionEndParams{ID: session.ID, UserID: session.userID()})
		return fault.Doing("end session", err)
	})
}

// SetPreferences stores the user's preferences.
func (s *Service) SetPreferences(ctx context.Context, session Session, p Preferences) (Session, error) {
	if err := cmp.Or(session.NeedComplete(), session.needOwn()); err != nil {
		return session, err
	}
	f := fault.Decoded(ctx)
	_, err := time.LoadLocation(p.Zone)
	f.Check(err == nil && p.Zone != "" && p.Zone != "Local", "zone", "must be an IANA time zone, such as Europe/Moscow")
	spoken := []string{"en", "ru"}
	if session.Caller.Kind == caller.Trader {
		spoken = append(spoken, tongue.Complete...)
	}
	f.Check(p.Language == "" || slices.Contains(spoken, p.Language), "language", "must be %s or nothing", strings.Join(spoken, ", "))
	f.Check(slices.Contains([]string{"light", "dark", "system"}, p.Theme), "theme", "must be light, dark or system")
	if err := f.Err(); err != nil {
		return session, err
	}
	err = s.q.UserSetPreferences(ctx, db.UserSetPreferencesParams{
		ID: session.Caller.ID, Zone: p.Zone, Language: optional.Of(p.Language), Theme: p.Theme, Shortcuts: p.Shortcuts,
	})
	if err != nil {
		return session, fmt.Errorf("set preferences: %w", err)
	}
	session.Preferences = p
	return session, nil
}
