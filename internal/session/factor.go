package session

import (
	"cmp"
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
	"gateway.example/internal/notify"
	"gateway.example/internal/optional"
	"gateway.example/internal/vault"
)

// Factor is a proof of identity. One of its fields is set.
type Factor struct {
	// Code is a code of an authenticator app, or a recovery code.
	Code string
	// Assertion is a passkey's answer, as navigator.credentials.get returns
	// it, in JSON.
	Assertion []byte
	// Password is for users without a second factor.
	Password string
}

// GiveFactor completes a sign-in, or renews the proof of a signed-in user. The
// session gets a new token, and the old one stops working.
func (s *Service) GiveFactor(ctx context.Context, session Session, f Factor) (Opened, error) {
	if err := fault.Decoded(ctx).Err(); err != nil {
		return Opened{}, err
	}
	if session.State == AwaitsEnrolment {
		return Opened{}, errSecondFactorRequired
	}
	if err := session.needOwn(); err != nil { // a wrong factor would count against the user who is viewed
		return Opened{}, err
	}
	var opened Opened
	under := ofFactor(session)
	if f.Assertion != nil { // a passkey's answer cannot be guessed, so wrong ones lock nobody out
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

// prover prepares the check of a factor, which is made while the user is
// locked.
func (s *Service) prover(ctx context.Context, session Session, f Factor) (change, error) {
	switch {
	case f.Assertion != nil:
		return s.assertion(ctx, session, f.Assertion)
	case f.Password != "" && session.State == Complete:
		return s.password(ctx, session, f.Password)
	}
	return func(q *db.Queries, user lockedUser) error {
		if !hasFactor(user) {
			return fault.ErrFactorMissing
		}
		return s.takeCode(ctx, q, user, f.Code)
	}, nil
}

// password checks the password of a user without a second factor.
func (s *Service) password(ctx context.Context, session Session, password string) (change, error) {
	_, hash, err := s.byPassword(ctx, session.Caller.Login, password)
	if err != nil {
		return nil, wrongFactor(err)
	}
	return func(_ *db.Queries, user lockedUser) error {
		if hasFactor(user) || optional.Value(user.PasswordHash) != hash {
			return errWrongFactor
		}
		return nil
	}, nil
}

// wrongFactor is the error for a wrong password, which counts as a guess.
func wrongFactor(err error) error {
	if guessed(err) {
		return guess{error: errWrongFactor}
	}
	return err
}

// change is made in the transaction that renews a session, with its user
// locked.
type change func(q *db.Queries, user lockedUser) error

// renew makes a change and gives the session a new token, in one transaction.
func (s *Service) renew(ctx context.Context, session Session, prove change) (Opened, error) {
	token, now := auth.RandomToken(), s.wallNow()
	err := s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		if err := prove(q, user); err != nil {
			return err
		}
		return renewed(q.SessionRenew(ctx, db.SessionRenewParams{
			ID: session.ID, Hash: []byte(session.hash), NewHash: auth.HashSecret(token), State: string(Complete),
			FactorAt: &now, Now: now, ExpiresAt: session.CreatedAt.Add(life),
		}))
	})
	if err != nil {
		return Opened{}, err
	}
	return s.opened(ctx, token, session.Door)
}

// renewed checks that the session still has the token by which it was found.
func renewed(rows int64, err error) error {
	if err != nil {
		return fmt.Errorf("renew session: %w", err)
	}
	if rows == 0 {
		return fault.ErrUnauthenticated
	}
	return nil
}

// lockedUser is a user whose factors nobody else can change until the
// transaction ends.
type lockedUser struct {
	db.UserLockRow
	Passkeys int64
}

// lockUser locks a user who may sign in. Without one there is no row.
func lockUser(ctx context.Context, q *db.Queries, id int64) (user lockedUser, err error) {
	if user.UserLockRow, err = q.UserLock(ctx, id); err == nil {
		user.Passkeys, err = q.PasskeyCount(ctx, id)
	}
	return user, err
}

// locked runs a function while nobody else can change the user's factors. A
// session that ended while this waited for the user can change nothing.
func (s *Service) locked(ctx context.Context, session Session, do change) error {
	if err := session.needOwn(); err != nil {
		return err
	}
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		user, err := lockUser(ctx, q, session.Caller.ID)
		if err != nil {
			return db.Missing(err, fault.ErrUnauthenticated, "lock user")
		}
		holds, err := q.SessionHolds(ctx, db.SessionHoldsParams{ID: session.ID, Hash: []byte(session.hash)})
		if err != nil {
			return fmt.Errorf("look at the session: %w", err)
		}
		if !holds {
			return fault.ErrUnauthenticated
		}
		return do(q, user)
	})
}

// mayEnrol checks that the session may add a factor. Either its sign-in waits
// for the user's first factor, or the sign-in is complete and the last proof is
// fresh, so that a stolen session cannot add one. Once the user has a factor,
// an incomplete sign-in may not add another, so that somebody with only the
// password cannot add theirs.
func (s *Service) mayEnrol(session Session, user lockedUser) error {
	switch {
	case session.State == AwaitsFactor:
		return errSecondFactorRequired
	case session.State == AwaitsEnrolment && !hasFactor(user):
		return nil
	case session.State != Complete:
		return fault.ErrUnauthenticated
	case session.now(user).stale(s.now()):
		return fault.ErrFactorNeeded
	}
	return nil
}

// mayChange checks that the session may remove factors or renew recovery codes.
func (s *Service) mayChange(session Session) error {
	if err := session.needOwn(); err != nil {
		return err
	}
	if session.State == Complete && session.stale(s.now()) {
		return fault.ErrFactorNeeded
	}
	return session.NeedComplete()
}

// now is the session with the user's current factors, because another session
// may have added one meanwhile.
func (f Session) now(user lockedUser) Session {
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

// takeCode accepts a code once: a code of the authenticator app for each of its
// time steps, or a recovery code.
func (s *Service) takeCode(ctx context.Context, q *db.Queries, user lockedUser, code string) error {
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
	return fault.Doing("end a row of wrong codes", q.UserFactorRight(ctx, user.ID))
}

//rule:which code of an authenticator is good
func (s *Service) useCode(ctx context.Context, q *db.Queries, user lockedUser, code string) error {
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

// matchingStep finds the time step of a code, near the present time and after
// the last step that was used.
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
	// codeAlphabet has no two characters that look alike.
	codeAlphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
	codeHalf     = 5
)

// newCode makes a code like 7KMQR-2XWAB, of almost 50 random bits: for
// recovery, or for an invitation.
func newCode() string {
	letters := make([]byte, 0, 2*codeHalf+1)
	for len(letters) < cap(letters) {
		if len(letters) == codeHalf {
			letters = append(letters, '-')
		}
		raw := [1]byte{}
		_, _ = rand.Read(raw[:]) // never fails
		// Values above the last multiple of the alphabet's length would
		// make the first letters more likely.
		if int(raw[0]) < 256/len(codeAlphabet)*len(codeAlphabet) {
			letters = append(letters, codeAlphabet[int(raw[0])%len(codeAlphabet)])
		}
	}
	return string(letters)
}

func hashCode(userID int64, code string) []byte {
	code = strings.ToUpper(strings.ReplaceAll(strings.Join(strings.Fields(code), ""), "-", ""))
	hash := sha256.Sum256([]byte(strconv.FormatInt(userID, 10) + ":" + code))
	return hash[:]
}

func takeRecoveryCode(ctx context.Context, q *db.Queries, userID int64, code string) error {
	rows, err := q.RecoveryCodeTake(ctx, db.RecoveryCodeTakeParams{UserID: userID, Hash: hashCode(userID, code)})
	if err != nil {
		return fmt.Errorf("use up the recovery code: %w", err)
	}
	if rows == 0 {
		return guess{error: errWrongFactor}
	}
	return nil
}

// putRecoveryCodes replaces all recovery codes of a user whom the caller has
// locked. Only hashes are stored: the codes are nowhere but in the answer.
func putRecoveryCodes(ctx context.Context, q *db.Queries, userID int64) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		codes[i] = newCode()
		hashes[i] = hashCode(userID, codes[i])
	}
	if err := q.RecoveryCodeDeleteAll(ctx, userID); err != nil {
		return nil, fmt.Errorf("forget recovery codes: %w", err)
	}
	if err := q.RecoveryCodeInsert(ctx, db.RecoveryCodeInsertParams{UserID: userID, Hashes: hashes}); err != nil {
		return nil, fmt.Errorf("insert recovery codes: %w", err)
	}
	return codes, nil
}

// RenewRecoveryCodes gives a user ten new recovery codes, which are shown only
// here. The old ones stop working.
func (s *Service) RenewRecoveryCodes(ctx context.Context, session Session) ([]string, error) {
	if err := cmp.Or(s.mayChange(session), fault.Decoded(ctx).Err()); err != nil {
		return nil, err
	}
	var codes []string
	err := s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		if !hasFactor(user) {
			return fault.ErrFactorMissing
		}
		err := s.mayChange(session.now(user))
		if err == nil {
			codes, err = putRecoveryCodes(ctx, q, user.ID)
		}
		if err != nil {
			return err
		}
		if err := q.UserFactorAnew(ctx, user.ID); err != nil {
			return fmt.Errorf("end the lock of the codes before: %w", err)
		}
		return s.say(ctx, q, notify.FactorChanged, user.ID)
	})
	return codes, err
}

// mayLose checks that the user may remove one of the given number of factors.
func (s *Service) mayLose(session Session, user lockedUser, has int64) error {
	if err := s.mayChange(session.now(user)); err != nil {
		return err
	}
	if has <= 1 && s.compulsory(caller.Kind(user.Kind)) {
		return errLastFactor
	}
	return nil
}

// factorCount is how many second factors a user has.
func factorCount(user lockedUser) int64 {
	if user.TotpSecret != nil {
		return user.Passkeys + 1
	}
	return user.Passkeys
}

// afterLoss deletes the recovery codes of a user who has no factor left.
func afterLoss(ctx context.Context, q *db.Queries, user lockedUser, had int64) error {
	if had > 1 {
		return nil
	}
	return fault.Doing("forget recovery codes", q.RecoveryCodeDeleteAll(ctx, user.ID))
}

// enrol adds a factor and gives the session a new token. The first factor
// brings recovery codes. If it completes the sign-in, that is logged as with
// any other factor.
func (s *Service) enrol(ctx context.Context, session Session, add change) (opened Opened, codes []string, err error) {
	opened, err = s.renew(ctx, session, func(q *db.Queries, user lockedUser) error {
		if err := s.mayEnrol(session, user); err != nil {
			return err
		}
		if err := add(q, user); err != nil {
			return err
		}
		if codes, err = enrolled(ctx, q, session, user); err != nil || session.State == Complete {
			return err
		}
		return s.logEvent(ctx, q, session.event(outcomeFactorGiven))
	})
	if err != nil {
		return Opened{}, nil, err
	}
	return opened, codes, nil
}

// enrolled completes adding a factor. If it is the first one, it creates
// recovery codes and ends the user's other sign-ins that wait for a first
// factor.
func enrolled(ctx context.Context, q *db.Queries, session Session, user lockedUser) ([]string, error) {
	if hasFactor(user) {
		return nil, nil
	}
	err := q.SessionEndUnenrolled(ctx, db.SessionEndUnenrolledParams{UserID: user.ID, ExceptID: session.ID})
	if err != nil {
		return nil, fmt.Errorf("end sessions: %w", err)
	}
	return putRecoveryCodes(ctx, q, user.ID)
}
