package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
)

// Invited finds the user of an invitation's token. It does not use the invitation up.
func (s *Service) Invited(ctx context.Context, token string) (login string, err error) {
	login, err = s.reads.InvitationLogin(ctx, db.InvitationLoginParams{Hash: auth.HashSecret(token), Now: s.now()})
	return login, db.Missing(err, errNoInvitation, "read invitation")
}

// AcceptInvitation sets the invited user's password and signs them in. An invitation can be accepted
// once.
func (s *Service) AcceptInvitation(ctx context.Context, token, password string, from Origin) (Opened, error) {
	f := fault.Decoded(ctx)
	checkPassword(f, "password", password)
	if err := f.Err(); err != nil {
		return Opened{}, err
	}
	// Hashing is slow, so it is not done for made-up tokens.
	if _, err := s.Invited(ctx, token); err != nil {
		return Opened{}, err
	}
	hash, err := HashPassword(password)
	if err != nil {
		return Opened{}, fmt.Errorf("hash password: %w", err)
	}
	bearer, now := auth.RandomToken(), s.wallNow()
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		user, err := acceptInvitation(ctx, q, token, hash, now)
		if err != nil {
			return err
		}
		return s.begin(ctx, q, user, entrance{from: from, door: Web}, bearer, now)
	})
	if err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, bearer, Web)
}

// acceptInvitation uses up an invitation, ends all sessions of the user, and removes the channels on which they
// were notified.
func acceptInvitation(ctx context.Context, q *db.Queries, token, hash string, now time.Time) (db.UserLockRow, error) {
	id, err := q.InvitationTake(ctx, db.InvitationTakeParams{Hash: auth.HashSecret(token), Now: now})
	if err != nil {
		return db.UserLockRow{}, db.Missing(err, errNoInvitation, "take invitation")
	}
	user, err := q.UserLock(ctx, id)
	if err != nil { // no row: the user was switched off meanwhile
		return db.UserLockRow{}, db.Missing(err, errNoInvitation, "lock user")
	}
	if err := q.UserSetPassword(ctx, db.UserSetPasswordParams{ID: id, PasswordHash: &hash}); err != nil {
		return db.UserLockRow{}, fmt.Errorf("set password: %w", err)
	}
	if err := errors.Join(
		q.SessionEndAll(ctx, id),
		notify.Forget(id).Run(ctx, q),
		q.OperatorSetUpAgain(ctx, db.OperatorSetUpAgainParams{ID: id, At: now}),
	); err != nil {
		return db.UserLockRow{}, fmt.Errorf("end sessions: %w", err)
	}
	return user, nil
}
