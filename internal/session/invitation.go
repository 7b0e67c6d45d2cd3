package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/notify"
	"gateway.example/internal/optional"
)

// Invite invites a user again, who lost their password or second factors. It removes both, ends their sessions, and
// returns the link, which is shown only here. Whoever proposed an invitation gets its link like this, once another
// operator has approved it, and until it is used or has expired.
func (s *Service) Invite(
	ctx context.Context, who caller.Caller, id int64,
) (done db.Changed[User], link string, err error) {
	c, err := s.change(who, id, caller.OperatorUsers)
	if err != nil {
		return done, "", err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return done, "", err
	}
	c, err = s.changeUser(ctx, c, userSeen{id: id}, func(q *db.Queries, u place) error {
		if link, err = s.approvedLink(ctx, q, who, id); err != nil || link != "" {
			return err
		}
		by, err := s.settingUp(ctx, q, who, u, c.At, foureyes.SecondOperatorError{Action: foureyes.InviteUser, Params: id})
		if err != nil {
			return err
		}
		err = errors.Join(
			by.note(ctx, q, id),
			q.UserForget(ctx, id),
			q.PasskeyDeleteAll(ctx, id),
			q.RecoveryCodeDeleteAll(ctx, id),
		)
		if err != nil {
			return err
		}
		link, err = s.invite(ctx, q, id)
		return err
	})
	done, err = s.settled(ctx, who, c, err)
	return done, link, err
}

// invite makes an invitation and returns its link. Only the hash of its token is stored.
func (s *Service) invite(ctx context.Context, q *db.Queries, userID int64) (link string, err error) {
	token, now := auth.RandomToken(), s.wallNow()
	err = q.InvitationPut(ctx, db.InvitationPutParams{
		Hash: auth.HashSecret(token), UserID: userID, CreatedAt: now, ExpiresAt: now.Add(invitationLife),
		ProposalID: optional.Of(s.proposal),
	})
	if err != nil {
		return "", fmt.Errorf("insert invitation: %w", err)
	}
	if err := s.say(ctx, q, notify.AccessReset, userID); err != nil {
		return "", err
	}
	return s.link(token), nil
}

func (s *Service) link(token string) string {
	return strings.TrimSuffix(s.PortalURL, "/") + "/invitation/" + token
}

// approvedLink is the link of an open invitation that the caller proposed and another operator approved, or "". The
// link that was made with the approval has been shown to nobody: its approver could be the invited one, too.
func (s *Service) approvedLink(ctx context.Context, q *db.Queries, who caller.Caller, userID int64) (string, error) {
	if s.proposal != 0 { // an approval invites anew
		return "", nil
	}
	token := auth.RandomToken()
	given, err := q.InvitationGive(ctx, db.InvitationGiveParams{
		Hash: auth.HashSecret(token), UserID: userID, Now: s.wallNow(), ProposedBy: who.ID,
	})
	if err != nil || given == 0 {
		return "", fault.Doing("give the link of an approved invitation", err)
	}
	return s.link(token), nil
}

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
