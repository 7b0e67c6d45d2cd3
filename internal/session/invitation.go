package session

import (
	"cmp"
	"context"
	"crypto/subtle"
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

// Invite invites a user again, who lost their password or second factors. It
// removes both, ends their sessions, and returns the caller's half of the
// invitation, which is shown only here. Whoever proposed an invitation gets its
// link like this, once another operator has approved it, and until it is used
// or has expired.
func (s *Service) Invite(
	ctx context.Context, who caller.Caller, id int64,
) (done db.Changed[User], half string, err error) {
	c, err := s.change(who, id, caller.OperatorUsers)
	if err != nil {
		return done, "", err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return done, "", err
	}
	c, err = s.changeUser(ctx, c, userSeen{id: id}, func(q *db.Queries, u place) error {
		if half, err = s.approvedLink(ctx, q, who, id); err != nil || half != "" {
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
		half, err = s.invite(ctx, q, who, id)
		return err
	})
	done, err = s.settled(ctx, who, c, err)
	return done, half, err
}

// invite makes an invitation, of which only hashes are stored, and returns the
// caller's half: the link, or of an approval the code. That invitation takes
// both, and its link is for whoever proposed it, so that neither of the two
// operators is the invited user.
func (s *Service) invite(ctx context.Context, q *db.Queries, who caller.Caller, userID int64) (half string, err error) {
	token, now := auth.RandomToken(), s.wallNow()
	put := db.InvitationPutParams{
		Hash: auth.HashSecret(token), UserID: userID, CreatedAt: now, ExpiresAt: now.Add(invitationLife),
		InvitedBy: who.ID,
	}
	half = s.link(token)
	if s.proposal != 0 {
		half = newCode()
		put.ProposalID, put.CodeHash = &s.proposal, hashCode(userID, half)
	}
	if err := q.InvitationPut(ctx, put); err != nil {
		return "", fmt.Errorf("insert invitation: %w", err)
	}
	if err := s.say(ctx, q, notify.AccessReset, userID); err != nil {
		return "", err
	}
	return half, nil
}

func (s *Service) link(token string) string {
	return strings.TrimSuffix(s.PortalURL, "/") + "/invitation/" + token
}

// approvedLink is the link of an open invitation that the caller proposed and
// another operator approved, or "". The link that was made with the approval
// has been shown to nobody: its approver could be the invited one, too.
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

// AnotherCode gives whoever approved the invitation of a user another code for
// it, while it is open: the one before was shown once. It is "" for anybody
// else.
func (s *Service) AnotherCode(ctx context.Context, who caller.Caller, proposal, userID int64) (string, error) {
	code := newCode()
	given, err := s.q.InvitationRecode(ctx, db.InvitationRecodeParams{
		CodeHash: hashCode(userID, code), UserID: userID, Now: s.wallNow(), ProposalID: proposal, DecidedBy: &who.ID,
	})
	if err != nil || given == 0 {
		return "", fault.Doing("give another code of an invitation", err)
	}
	return code, nil
}

// Invitation is an open invitation. Approver is who has the code that it takes;
// "" if it takes none.
type Invitation struct{ Login, Approver string }

// Invited finds the invitation of a token. It does not use the invitation up.
func (s *Service) Invited(ctx context.Context, token string) (Invitation, error) {
	row, err := s.reads.InvitationOf(ctx, db.InvitationOfParams{Hash: auth.HashSecret(token), Now: s.now()})
	return Invitation{Login: row.Login, Approver: optional.Value(row.Approver)}, db.Missing(err, errNoInvitation, "read invitation")
}

// Acceptance accepts an invitation: the token of its link, the code if it takes
// one, and the password that the invited user has chosen.
type Acceptance struct{ Token, Code, Password string }

// AcceptInvitation sets the invited user's password and signs them in. An
// invitation can be accepted once.
func (s *Service) AcceptInvitation(ctx context.Context, a Acceptance, from Origin) (Opened, error) {
	f := fault.Decoded(ctx)
	checkPassword(f, "password", a.Password)
	// Hashing is slow, so it is not done for made-up tokens.
	invited, err := s.Invited(ctx, a.Token)
	if err != nil {
		return Opened{}, err
	}
	if invited.Approver != "" {
		f.Required("code", a.Code)
	}
	if err := f.Err(); err != nil {
		return Opened{}, err
	}
	hash, err := HashPassword(a.Password)
	if err != nil {
		return Opened{}, fmt.Errorf("hash password: %w", err)
	}
	bearer, now := auth.RandomToken(), s.wallNow()
	var wrong error // the transaction of a wrong code commits, as it has counted it
	err = db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		invitation, err := q.InvitationLock(ctx, db.InvitationLockParams{Hash: auth.HashSecret(a.Token), Now: now})
		if err != nil {
			return db.Missing(err, errNoInvitation, "lock invitation")
		}
		if wrong, err = s.wrongCode(ctx, q, invitation, a.Code, from); err != nil || wrong != nil {
			return err
		}
		user, err := acceptInvitation(ctx, q, invitation.UserID, hash, now)
		if err != nil {
			return err
		}
		return s.begin(ctx, q, user, entrance{from: from, door: Web}, bearer, now)
	})
	if err := cmp.Or(err, wrong); err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, bearer, Web)
}

// wrongCodesMost is how many wrong codes void an invitation.
const wrongCodesMost = 5

var (
	errWrongCode = fault.Fields{"code": {"is wrong: five wrong codes void the invitation"}}.Err()
	errLastCode  = fault.Fields{"code": {"was wrong five times: the invitation is void, ask for a new one"}}.Err()
)

// wrongCode compares the code of an invitation that is locked. It counts a
// wrong one and returns its refusal; too many void the invitation.
//
//rule:which code of an invitation is good
func (s *Service) wrongCode(
	ctx context.Context, q *db.Queries, i db.InvitationLockRow, code string, from Origin,
) (refusal, err error) {
	if i.CodeHash == nil || subtle.ConstantTimeCompare(i.CodeHash, hashCode(i.UserID, code)) == 1 {
		return nil, nil
	}
	if err := s.logEvent(ctx, q, event{userID: i.UserID, door: Web, outcome: outcomeWrongFactor, from: from}); err != nil {
		return nil, err
	}
	count, err := q.InvitationWrong(ctx, i.UserID)
	switch {
	case err != nil:
		return nil, fmt.Errorf("count a wrong code: %w", err)
	case count < wrongCodesMost:
		return errWrongCode, nil
	}
	return errLastCode, fault.Doing("void the invitation", q.InvitationDelete(ctx, i.UserID))
}

// acceptInvitation uses up an invitation that is locked, ends all sessions of
// the user, and removes the channels on which they were notified.
func acceptInvitation(ctx context.Context, q *db.Queries, id int64, hash string, now time.Time) (lockedUser, error) {
	user, err := lockUser(ctx, q, id)
	if err != nil { // no row: the user was switched off meanwhile
		return lockedUser{}, db.Missing(err, errNoInvitation, "lock user")
	}
	if err := q.UserSetPassword(ctx, db.UserSetPasswordParams{ID: id, PasswordHash: &hash}); err != nil {
		return lockedUser{}, fmt.Errorf("set password: %w", err)
	}
	if err := errors.Join(
		q.InvitationDelete(ctx, id),
		q.SessionEndAll(ctx, id),
		db.Run(ctx, q, notify.Forget(id)),
		q.OperatorSetUpAgain(ctx, db.OperatorSetUpAgainParams{ID: id, At: now}),
	); err != nil {
		return lockedUser{}, fmt.Errorf("end sessions: %w", err)
	}
	return user, nil
}
