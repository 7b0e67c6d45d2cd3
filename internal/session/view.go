package session

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

const (
	// viewLife is how long an operator may look as another user.
	viewLife  = 30 * time.Minute
	maxReason = 255
	// maxUpdateReason is how long the reason of a user's update may be, as
	// of other settings.
	maxUpdateReason = 500
)

// View is about a session that looks as another user: who looks, until when,
// and why.
type View struct {
	// Login and Preferences are the operator's.
	Login       string
	Preferences Preferences
	Until       time.Time
	Reason      string
}

// needOwn checks that the session does not look as another user.
func (f Session) needOwn() error {
	if f.Caller.ViewAs {
		return fault.ErrViewOnly
	}
	return nil
}

// userID is the id of the user who signed in, also if they look as another.
func (f Session) userID() int64 {
	if f.Caller.ViewAs {
		return f.Caller.Behind
	}
	return f.Caller.ID
}

// ViewAs makes a browser session look as another user, named by id or login,
// for half an hour at most, without changing anything. Its beginning is in the
// log of settings.
func (s *Service) ViewAs(ctx context.Context, session Session, user, reason string) (Session, error) {
	if err := mayView(session); err != nil {
		return session, err
	}
	f := fault.Decoded(ctx)
	f.Required("user", user)
	f.Flaw("user", fault.TextFlaw(user))
	f.MaxLength("user", user, maxLogin)
	reason = f.RequiredText("reason", reason, maxReason)
	f.Flaw("reason", fault.TextFlaw(reason))
	if err := f.Err(); err != nil {
		return session, err
	}
	now := s.wallNow()
	until := now.Add(viewLife)
	if session.ExpiresAt.Before(until) {
		until = session.ExpiresAt
	}
	v := viewing{At: now, Until: until, Reason: reason}
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		var err error
		if v.userID, err = toView(ctx, q, user); err != nil {
			return err
		}
		err = renewed(q.SessionView(ctx, db.SessionViewParams{
			ID:         session.ID,
			Hash:       []byte(session.hash),
			ViewAs:     v.userID,
			ViewUntil:  until,
			ViewReason: reason,
			Now:        now,
		}))
		if err != nil {
			return err
		}
		return v.record(ctx, q, session)
	})
	if err != nil {
		return session, err
	}
	return s.findByHash(ctx, []byte(session.hash), session.Door)
}

// mayView checks that the session may look as another user.
func mayView(session Session) error {
	if err := cmp.Or(session.NeedComplete(), session.needOwn()); err != nil {
		return err
	}
	if session.Door != Web {
		return fault.ErrTokenKindNotAllowed
	}
	return session.Caller.Need(caller.OperatorViewAs)
}

// toView finds the user to look as. It gives the same error for an unknown
// user, one who is switched off, and an operator.
func toView(ctx context.Context, q *db.Queries, user string) (int64, error) {
	params := db.UserToViewParams{Named: user}
	if id, err := strconv.ParseInt(user, 10, 64); err == nil {
		params.ID = &id
	}
	row, err := q.UserToView(ctx, params)
	if db.NoRows(err) {
		return 0, fault.Fields{"user": {"must be a user who is no operator and not switched off"}}.Err()
	}
	return row, fault.Doing("read the user to look as", err)
}

// EndViewAs makes the session the operator's again, and records that in the
// audit log. It does nothing if the session already is.
func (s *Service) EndViewAs(ctx context.Context, session Session) (Session, error) {
	if err := fault.Decoded(ctx).Err(); err != nil {
		return session, err
	}
	now := s.wallNow()
	err := db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		return endView(ctx, q, session, now)
	})
	if err != nil {
		return session, err
	}
	return s.findByHash(ctx, []byte(session.hash), session.Door)
}

func endView(ctx context.Context, q *db.Queries, session Session, now time.Time) error {
	row, err := q.SessionEndView(ctx, db.SessionEndViewParams{ID: session.ID, Hash: []byte(session.hash), Now: &now})
	if db.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end looking as another user: %w", err)
	}
	v := viewing{userID: row.ViewAs, ended: true, At: now, Until: row.ViewUntil, Reason: row.ViewReason}
	return v.record(ctx, q, session)
}

// viewing is the entry in the audit log about a session that begins or ends to
// look as another user.
type viewing struct {
	userID int64
	ended  bool
	// At is the beginning or the end.
	At     time.Time `json:"-"`
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
}

// record writes the entry.
func (v viewing) record(ctx context.Context, q *db.Queries, session Session) error {
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the view: %w", err)
	}
	c := db.SettingChange{
		At: v.At, Actor: fmt.Sprintf("%s:%d", caller.Operator, session.userID()), Subject: "view_as",
		SubjectKey: strconv.FormatInt(v.userID, 10), After: encoded,
	}
	if v.ended {
		c.Before, c.After = encoded, fmt.Appendf(nil, `{"endedAt": %q}`, v.At.Format(time.RFC3339Nano))
	}
	return db.RecordSetting(ctx, q, c)
}

// viewCaller sets the caller of a session that looks as another user. If the
// time is over or that user was switched off, the session is the operator's
// again.
func (s *Service) viewCaller(ctx context.Context, found Session, kept db.Session, now time.Time) (Session, error) {
	if kept.ViewAs == nil || kept.ViewUntil == nil || !kept.ViewUntil.After(now) {
		return found, nil
	}
	row, err := s.reads.UserViewed(ctx, *kept.ViewAs)
	if db.NoRows(err) {
		return found, nil
	}
	if err != nil {
		return Session{}, fmt.Errorf("read the viewed user: %w", err)
	}
	found.View = &View{
		Login:       found.Caller.Login,
		Preferences: found.Preferences,
		Until:       *kept.ViewUntil,
		Reason:      optional.Value(kept.ViewReason),
	}
	behind := found.Caller.ID
	found.Caller = callerFromRow(row.AppUser, row.MerchantIds)
	found.Caller.ViewAs, found.Caller.Behind = true, behind
	found.Preferences, found.Factors = preferencesOf(row.AppUser), factorsOf(row.AppUser, row.Passkeys, row.RecoveryCodes)
	return found, nil
}
