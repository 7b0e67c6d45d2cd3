package session

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pquerna/otp/totp"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/vault"
)

// TOTPOffer is a secret for an authenticator app. It becomes a factor only once
// one of its codes is confirmed.
type TOTPOffer struct {
	// Secret is in base32, for typing.
	Secret string
	// URL is the same as an otpauth: address, for a QR code.
	URL string
}

func pendingPlace(sessionID int64) vault.Place {
	return vault.Place{Table: "session", Column: "totp_pending", Row: sessionID}
}

// BeginTOTP offers the user a secret for their authenticator app. Another call
// offers another secret.
func (s *Service) BeginTOTP(ctx context.Context, session Session) (TOTPOffer, error) {
	if err := fault.Decoded(ctx).Err(); err != nil {
		return TOTPOffer{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Gateway", AccountName: session.Caller.Login})
	if err != nil {
		return TOTPOffer{}, fmt.Errorf("make a TOTP secret: %w", err)
	}
	sealed := s.vault.Seal([]byte(key.Secret()), pendingPlace(session.ID))
	err = s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		if err := s.mayEnrol(session, user); err != nil {
			return err
		}
		return renewed(q.SessionPendTOTP(ctx, db.SessionPendTOTPParams{
			ID: session.ID, Hash: []byte(session.hash), TotpPending: sealed,
		}))
	})
	if err != nil {
		return TOTPOffer{}, err
	}
	return TOTPOffer{Secret: key.Secret(), URL: key.URL()}, nil
}

// ConfirmTOTP sets up the offered secret with one of its codes, and replaces an
// earlier one. With a user's first second factor it returns recovery codes,
// which are shown only here.
func (s *Service) ConfirmTOTP(ctx context.Context, session Session, code string) (Opened, []string, error) {
	if err := session.needOwn(); err != nil {
		return Opened{}, nil, err
	}
	f := fault.Decoded(ctx)
	f.Required("code", code)
	if err := f.Err(); err != nil {
		return Opened{}, nil, err
	}
	return s.enrol(ctx, session, func(q *db.Queries, user lockedUser) error { return s.setTOTP(ctx, q, session, user.ID, code) })
}

// setTOTP stores the secret that the session was offered, if the code is one of
// its codes. The caller has locked the user. The code's time step counts as
// used, so that the same code does not sign in as well.
func (s *Service) setTOTP(ctx context.Context, q *db.Queries, session Session, userID int64, code string) error {
	pending, err := q.SessionPendingTOTP(ctx, db.SessionPendingTOTPParams{ID: session.ID, Hash: []byte(session.hash)})
	switch {
	case db.NoRows(err):
		return fault.ErrUnauthenticated
	case err != nil:
		return fmt.Errorf("read the offered secret: %w", err)
	case pending == nil:
		return errNotBegun
	}
	secret, err := s.vault.Open(pending, pendingPlace(session.ID))
	if err != nil {
		return fmt.Errorf("open the offered secret: %w", err)
	}
	step, ok := matchingStep(string(secret), code, s.now(), nil)
	if !ok {
		return errWrongFactor
	}
	sealed := s.vault.Seal(secret, totpPlace(userID))
	err = q.UserSetTOTP(ctx, db.UserSetTOTPParams{ID: userID, TotpSecret: sealed, TotpStep: &step})
	if err != nil {
		return fmt.Errorf("set the TOTP secret: %w", err)
	}
	if err := q.UserFactorAnew(ctx, userID); err != nil {
		return fmt.Errorf("end the lock of the codes before: %w", err)
	}
	return s.say(ctx, q, notify.FactorChanged, userID)
}

func (s *Service) RemoveTOTP(ctx context.Context, session Session) error {
	if err := cmp.Or(s.mayChange(session), fault.Decoded(ctx).Err()); err != nil {
		return err
	}
	return s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		has := factorCount(user)
		if user.TotpSecret == nil {
			return fault.ErrFactorMissing
		}
		if err := s.mayLose(session, user, has); err != nil {
			return err
		}
		if err := q.UserSetTOTP(ctx, db.UserSetTOTPParams{ID: user.ID}); err != nil {
			return fmt.Errorf("remove the TOTP secret: %w", err)
		}
		if err := s.say(ctx, q, notify.FactorChanged, user.ID); err != nil {
			return err
		}
		return afterLoss(ctx, q, user, has)
	})
}
