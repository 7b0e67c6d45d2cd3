package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/vault"
)

// Factor is a proof of who the user is. One of its fields is set.
type Factor struct {
	// Code is of an authenticator app, or a recovery code.
	Code string
	// Assertion is a passkey's answer, as navigator.credentials.get gives it in JSON.
	Assertion []byte
	// Password is for users who have no second factor.
	Password string
}

// GiveFactor finishes a sign-in, or proves again who the user is. The session goes on with a new
// token, and the old one is dead.
func (s *Service) GiveFactor(ctx context.Context, session Session, f Factor) (Opened, error) {
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Opened{}, err
	}
	if session.State == AwaitsEnrolment {
		return Opened{}, errSecondFactorRequired
	}
	if err := session.needOwn(); err != nil { // a wrong one would count against the viewed user
		return Opened{}, err
	}
	var opened Opened
	under := ofFactor(session)
	if f.Assertion != nil { // nobody guesses a passkey's answer, so wrong ones keep nobody waiting
		under = nil
	}
	err := s.counted(ctx, under, func() error {
		prove, err := s.prover(ctx, session, f)
		if err == nil {
			opened, err = s.renew(ctx, session, s.kept(ctx, session, prove))
		}
		return s.keepFailure(ctx, session.event(outcomeWrongFactor), err)
	})
	return opened, err
}

// prover prepares what is to be settled of a factor while the user is locked.
func (s *Service) prover(ctx context.Context, session Session, f Factor) (change, error) {
	switch {
	case f.Assertion != nil:
		return s.assertion(ctx, session, f.Assertion)
	case f.Password != "" && session.State == Whole:
		return s.password(ctx, session, f.Password)
	}
	return func(q *db.Queries, user db.UserLockRow) error {
		if !hasFactor(user) {
			return fault.ErrFactorMissing
		}
		return s.takeCode(ctx, q, user, f.Code)
	}, nil
}

// password proves by their password who a user is that has no second factor.
func (s *Service) password(ctx context.Context, session Session, password string) (change, error) {
	_, hash, err := s.byPassword(ctx, session.Caller.Login, password)
	if err != nil {
		return nil, wrongFactor(err)
	}
	return func(_ *db.Queries, user db.UserLockRow) error {
		if hasFactor(user) || orEmpty(user.PasswordHash) != hash {
			return errWrongFactor
		}
		return nil
	}, nil
}

// wrongFactor says of a wrong password that it is one, and counts it no less.
func wrongFactor(err error) error {
	if guessed(err) {
		return guess{error: errWrongFactor}
	}
	return err
}

// change is done in the transaction that renews a session, with its user locked.
type change func(q *db.Queries, user db.UserLockRow) error

// renew gives a session a new token once something was proved, in one transaction.
func (s *Service) renew(ctx context.Context, session Session, prove change) (Opened, error) {
	token, now := auth.RandomToken(), s.wallNow()
	err := s.locked(ctx, session, func(q *db.Queries, user db.UserLockRow) error {
		if err := prove(q, user); err != nil {
			return err
		}
		return renewed(q.SessionRenew(ctx, db.SessionRenewParams{
			ID: session.ID, Hash: []byte(session.hash), NewHash: auth.HashSecret(token), State: string(Whole),
			FactorAt: &now, Now: now, ExpiresAt: session.CreatedAt.Add(life),
		}))
	})
	if err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, token, session.Door)
}

// renewed settles that the session was still there, by the token it was found by.
func renewed(rows int64, err error) error {
	if err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	if rows == 0 {
		return fault.ErrUnauthenticated
	}
	return nil
}

// locked does something while nobody else can change the user's factors.
func (s *Service) locked(ctx context.Context, session Session, do change) error {
	if err := session.needOwn(); err != nil {
		return err
	}
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		user, err := q.UserLock(ctx, session.Caller.ID)
		if db.NoRows(err) {
			return fault.ErrUnauthenticated
		}
		if err != nil {
			return fmt.Errorf("lock user: %w", err)
		}
		return do(q, user)
	})
}

// mayEnrol settles that the session may add a factor: the sign-in waits for the user's first, or the session is
// whole and fresh, so that a session that was stolen gets none. That a sign-in waits for the first factor is over
// once there is one, so that nobody who knows only the password adds theirs.
func (s *Service) mayEnrol(session Session, user db.UserLockRow) error {
	switch {
	case session.State == AwaitsFactor:
		return errSecondFactorRequired
	case session.State == AwaitsEnrolment && !hasFactor(user):
		return nil
	case session.State != Whole:
		return fault.ErrUnauthenticated
	case session.now(user).stale(s.now()):
		return fault.ErrFactorNeeded
	}
	return nil
}

// mayChange settles that the session may take factors away or renew recovery codes.
func (s *Service) mayChange(session Session) error {
	if err := session.needOwn(); err != nil {
		return err
	}
	if session.State == Whole && session.stale(s.now()) {
		return fault.ErrFactorNeeded
	}
	return session.NeedWhole()
}

// now is the session with the factors that its user has by now: another session may have set one up
// since this one was found.
func (f Session) now(user db.UserLockRow) Session {
	f.Factors.TOTP, f.Factors.Passkeys = user.TotpSecret != nil, int(user.Passkeys)
	return f
}

const (
	totpDigits = 6
	totpPeriod = 30
)

func totpPlace(userID int64) vault.Place {
	return vault.Place{Table: "app_user", Column: "totp_secret", Row: userID}
}

// takeCode uses up a code: of the authenticator app, whose every step is accepted once, or a
// recovery code.
func (s *Service) takeCode(ctx context.Context, q *db.Queries, user db.UserLockRow, code string) error {
	if user.FactorLockedAt != nil {
		return errFactorLocked
	}
	err := s.useCode(ctx, q, user, code)
	switch {
	case guessed(err):
		return guess{error: errWrongFactor, ofCode: true}
	case err != nil:
		return err
	}
	if err := q.UserFactorRight(ctx, user.ID); err != nil {
		return fmt.Errorf("end a row of wrong codes: %w", err)
	}
	return nil
}

func (s *Service) useCode(ctx context.Context, q *db.Queries, user db.UserLockRow, code string) error {
	code = strings.Join(strings.Fields(code), "")
	if len(code) != totpDigits {
		return takeRecoveryCode(ctx, q, user.ID, code)
	}
	if user.TotpSecret == nil {
		return guess{error: errWrongFactor}
	}
	secret, err := s.vault.Open(user.TotpSecret, totpPlace(user.ID))
	if err != nil {
		return fmt.Errorf("open the TOTP secret: %w", err)
	}
	step, ok := matchingStep(string(secret), code, s.now(), user.TotpStep)
	if !ok {
		return guess{error: errWrongFactor}
	}
	rows, err := q.UserTakeStep(ctx, db.UserTakeStepParams{ID: user.ID, Step: step})
	if err != nil {
		return fmt.Errorf("use up the TOTP step: %w", err)
	}
	if rows == 0 {
		return guess{error: errWrongFactor}
	}
	return nil
}

// matchingStep finds the step, of those about now and after the last one used, whose code it is.
func matchingStep(secret, code string, now time.Time, last *int64) (int64, bool) {
	present := now.Unix() / totpPeriod
	for step := present - 1; step <= present+1; step++ {
		if last != nil && step <= *last {
			continue
		}
		ok, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{
			Digits: totpDigits, Algorithm: otp.AlgorithmSHA1,
		})
		if err == nil && ok {
			return step, true
		}
	}
	return 0, false
}

const (
	recoveryCodes = 10
	// recoveryAlphabet has no two characters that look alike.
	recoveryAlphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
	recoveryHalf     = 5
)

// newRecoveryCode is one like 7KMQR-2XWAB: a bit less than 50 random bits.
func newRecoveryCode() string {
	letters := make([]byte, 0, 2*recoveryHalf+1)
	for len(letters) < cap(letters) {
		if len(letters) == recoveryHalf {
			letters = append(letters, '-')
		}
		raw := [1]byte{}
		_, _ = rand.Read(raw[:]) // never fails
		// Of 256 values, those past the last whole alphabet would make its first letters likelier.
		if int(raw[0]) < 256/len(recoveryAlphabet)*len(recoveryAlphabet) {
			letters = append(letters, recoveryAlphabet[int(raw[0])%len(recoveryAlphabet)])
		}
	}
	return string(letters)
}

func hashRecoveryCode(userID int64, code string) []byte {
	code = strings.ToUpper(strings.ReplaceAll(code, "-", ""))
	hash := sha256.Sum256([]byte(strconv.FormatInt(userID, 10) + ":" + code))
	return hash[:]
}

func takeRecoveryCode(ctx context.Context, q *db.Queries, userID int64, code string) error {
	rows, err := q.RecoveryCodeTake(
		ctx,
		db.RecoveryCodeTakeParams{UserID: userID, Hash: hashRecoveryCode(userID, code)},
	)
	if err != nil {
		return fmt.Errorf("use up the recovery code: %w", err)
	}
	if rows == 0 {
		return guess{error: errWrongFactor}
	}
	return nil
}

// putRecoveryCodes replaces a user's recovery codes by new ones.
func putRecoveryCodes(ctx context.Context, q *db.Queries, userID int64) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		hashes[i] = hashRecoveryCode(userID, codes[i])
	}
	if err := q.RecoveryCodeDeleteAll(ctx, userID); err != nil {
		return nil, fmt.Errorf("forget recovery codes: %w", err)
	}
	if err := q.RecoveryCodeInsert(ctx, db.RecoveryCodeInsertParams{UserID: userID, Hashes: hashes}); err != nil {
		return nil, fmt.Errorf("insert recovery codes: %w", err)
	}
	return codes, nil
}

// RenewRecoveryCodes gives a user ten new recovery codes, shown only here. The old ones are void.
func (s *Service) RenewRecoveryCodes(ctx context.Context, session Session) ([]string, error) {
	if err := s.mayChange(session); err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	var codes []string
	err := s.locked(ctx, session, func(q *db.Queries, user db.UserLockRow) error {
		if !hasFactor(user) {
			return fault.ErrFactorMissing
		}
		err := s.mayChange(session.now(user))
		if err == nil {
			codes, err = putRecoveryCodes(ctx, q, user.ID)
		}
		return err
	})
	return codes, err
}

// mayLose settles that a user may lose one of their factors, of which they have so many.
func (s *Service) mayLose(session Session, user db.UserLockRow, has int64) error {
	if err := s.mayChange(session.now(user)); err != nil {
		return err
	}
	if has <= 1 && s.compulsory(caller.Kind(user.Kind)) {
		return errLastFactor
	}
	return nil
}

// factorCount is how many second factors a user has.
func factorCount(user db.UserLockRow) int64 {
	if user.TotpSecret != nil {
		return user.Passkeys + 1
	}
	return user.Passkeys
}

// afterLoss forgets the recovery codes of a user who has lost their last factor.
func afterLoss(ctx context.Context, q *db.Queries, user db.UserLockRow, had int64) error {
	if had > 1 {
		return nil
	}
	if err := q.RecoveryCodeDeleteAll(ctx, user.ID); err != nil {
		return fmt.Errorf("forget recovery codes: %w", err)
	}
	return nil
}

// enrolled makes a new factor count: the first brings recovery codes, and ends the other sign-ins
// that wait for one to be set up.
func enrolled(ctx context.Context, q *db.Queries, session Session, user db.UserLockRow) ([]string, error) {
	if hasFactor(user) {
		return nil, nil
	}
	err := q.SessionEndUnenrolled(ctx, db.SessionEndUnenrolledParams{UserID: user.ID, ExceptID: session.ID})
	if err != nil {
		return nil, fmt.Errorf("end sessions: %w", err)
	}
	return putRecoveryCodes(ctx, q, user.ID)
}
