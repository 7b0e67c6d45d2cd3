package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
)

const (
	maxPasskeys    = 20
	maxPasskeyName = 100
)

type Passkey struct {
	// ID is the credential's id, in base64url.
	ID     string
	Name   string
	UsedAt *time.Time
}

// challenge is a WebAuthn ceremony in progress. A ceremony that adds a passkey
// cannot be used as a proof, nor the other way round.
type challenge struct {
	Adds bool                 `json:"adds"`
	Data webauthn.SessionData `json:"data"`
}

// holder presents a user to the WebAuthn library.
type holder struct {
	id    int64
	login string
	keys  []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (h holder) WebAuthnID() []byte { return []byte("user:" + strconv.FormatInt(h.id, 10)) }

// WebAuthnName implements webauthn.User.
func (h holder) WebAuthnName() string { return h.login }

// WebAuthnDisplayName implements webauthn.User.
func (h holder) WebAuthnDisplayName() string { return h.login }

// WebAuthnCredentials implements webauthn.User.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holder is the user of a session with all of their passkeys, of which there
// may be none. Without an address that passkeys can be bound to, it is
// errNoPasskeys.
func (s *Service) holder(ctx context.Context, q *db.Queries, session Session) (holder, error) {
	if s.passkeys == nil {
		return holder{}, errNoPasskeys
	}
	h := holder{id: session.Caller.ID, login: session.Caller.Login}
	rows, err := q.PasskeyList(ctx, h.id)
	if err != nil {
		return h, fmt.Errorf("list passkeys: %w", err)
	}
	for _, row := range rows {
		var key webauthn.Credential
		if err := json.Unmarshal(row.Credential, &key); err != nil {
			return h, fmt.Errorf("read a passkey: %w", err)
		}
		h.keys = append(h.keys, key)
	}
	return h, nil
}

// BeginAssertion asks for one of the user's passkeys. It returns the options
// for navigator.credentials.get, in JSON.
func (s *Service) BeginAssertion(ctx context.Context, session Session) ([]byte, error) {
	if err := session.needOwn(); err != nil {
		return nil, err
	}
	h, err := s.holder(ctx, s.reads, session)
	if err != nil {
		return nil, err
	}
	if len(h.keys) == 0 {
		return nil, fault.ErrFactorMissing
	}
	options, data, err := s.passkeys.BeginLogin(h)
	if err != nil {
		return nil, fmt.Errorf("ask for a passkey: %w", err)
	}
	return s.ceremony(ctx, session, challenge{Data: *data}, options)
}

// ceremony stores a challenge until it is answered, and encodes the options for
// the browser.
func (s *Service) ceremony(ctx context.Context, session Session, c challenge, options any) ([]byte, error) {
	kept, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the challenge: %w", err)
	}
	err = renewed(s.q.SessionChallenge(ctx, db.SessionChallengeParams{
		ID: session.ID, Hash: []byte(session.hash), Challenge: kept,
	}))
	if err != nil {
		return nil, err
	}
	return json.Marshal(options)
}

// takeChallenge reads the ceremony in progress and deletes it, so that it is
// used at most once, whether the answer is right or wrong.
func (s *Service) takeChallenge(ctx context.Context, session Session, adds bool) (webauthn.SessionData, error) {
	kept, err := s.q.SessionTakeChallenge(ctx, db.SessionTakeChallengeParams{
		ID: session.ID, Hash: []byte(session.hash),
	})
	if err != nil {
		return webauthn.SessionData{}, db.Missing(err, errNotBegun, "take the challenge")
	}
	var c challenge
	if err := json.Unmarshal(kept, &c); err != nil {
		return webauthn.SessionData{}, fmt.Errorf("read the challenge: %w", err)
	}
	if c.Adds != adds {
		return webauthn.SessionData{}, errNotBegun
	}
	return c.Data, nil
}

// assertion checks a passkey's answer.
func (s *Service) assertion(ctx context.Context, session Session, answer []byte) (change, error) {
	asked, err := s.takeChallenge(ctx, session, false)
	if err != nil {
		return nil, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return nil, guess{error: errWrongFactor}
	}
	return func(q *db.Queries, user lockedUser) error {
		h, err := s.holder(ctx, q, session)
		if err != nil {
			return err
		}
		key, err := s.passkeys.ValidateLogin(h, asked, parsed)
		// A counter that does not increase means that somebody has a
		// copy of the authenticator.
		if err != nil || key.Authenticator.CloneWarning {
			return guess{error: errWrongFactor}
		}
		kept, err := json.Marshal(key)
		if err != nil {
			return fmt.Errorf("encode the passkey: %w", err)
		}
		now := s.wallNow()
		_, err = q.PasskeyUsed(ctx, db.PasskeyUsedParams{ID: key.ID, UserID: user.ID, Credential: kept, Now: &now})
		return fault.Doing("note that the passkey was used", err)
	}, nil
}

// BeginPasskey begins to add a passkey. It returns the options for
// navigator.credentials.create, in JSON.
func (s *Service) BeginPasskey(ctx context.Context, session Session) ([]byte, error) {
	err := s.locked(ctx, session, func(_ *db.Queries, user lockedUser) error {
		return s.mayEnrol(session, user)
	})
	if err != nil {
		return nil, err
	}
	h, err := s.holder(ctx, s.reads, session)
	if err != nil {
		return nil, err
	}
	if len(h.keys) >= maxPasskeys {
		return nil, fault.Fields{"name": {fmt.Sprintf("there are %d passkeys already", maxPasskeys)}}.Err()
	}
	options, data, err := s.passkeys.BeginRegistration(h,
		webauthn.WithExclusions(webauthn.Credentials(h.keys).CredentialDescriptors()),
		webauthn.WithResidentKeyRequirement(protocol.ResidentKeyRequirementPreferred))
	if err != nil {
		return nil, fmt.Errorf("begin a passkey: %w", err)
	}
	return s.ceremony(ctx, session, challenge{Adds: true, Data: *data}, options)
}

// FinishPasskey adds the passkey that the browser has made. With a user's first
// second factor it returns recovery codes, which are shown only here.
func (s *Service) FinishPasskey(
	ctx context.Context, session Session, name string, attestation []byte,
) (Opened, []string, error) {
	if err := session.needOwn(); err != nil {
		return Opened{}, nil, err
	}
	f := fault.Decoded(ctx)
	name = f.RequiredText("name", name, maxPasskeyName)
	f.Flaw("name", fault.TextFlaw(name))
	if err := f.Err(); err != nil {
		return Opened{}, nil, err
	}
	asked, err := s.takeChallenge(ctx, session, true)
	if err != nil {
		return Opened{}, nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(attestation)
	if err != nil {
		return Opened{}, nil, errWrongFactor
	}
	return s.enrol(ctx, session, func(q *db.Queries, _ lockedUser) error {
		return s.addPasskey(ctx, q, session, name, asked, parsed)
	})
}

// addPasskey checks what the browser has made against the challenge, and stores
// it for a user whom the caller has locked. A passkey that somebody has already
// gets the same answer as a wrong one.
func (s *Service) addPasskey(
	ctx context.Context, q *db.Queries, session Session, name string,
	asked webauthn.SessionData, parsed *protocol.ParsedCredentialCreationData,
) error {
	h, err := s.holder(ctx, q, session)
	if err != nil {
		return err
	}
	key, err := s.passkeys.CreateCredential(h, asked, parsed)
	if err != nil {
		return errWrongFactor
	}
	kept, err := json.Marshal(key)
	if err != nil {
		return fmt.Errorf("encode the passkey: %w", err)
	}
	err = q.PasskeyInsert(ctx, db.PasskeyInsertParams{
		ID: key.ID, UserID: session.Caller.ID, Name: name, Credential: kept, CreatedAt: s.wallNow(),
	})
	if db.IsUniqueViolation(err) { // an authenticator that is somebody's already
		return errWrongFactor
	}
	if err != nil {
		return fmt.Errorf("insert passkey: %w", err)
	}
	return s.say(ctx, q, notify.FactorChanged, session.Caller.ID)
}

// ListPasskeys lists the user's passkeys, the oldest first.
func (s *Service) ListPasskeys(ctx context.Context, session Session) ([]Passkey, error) {
	if err := session.NeedComplete(); err != nil {
		return nil, err
	}
	rows, err := s.reads.PasskeyList(ctx, session.Caller.ID)
	return db.Each(rows, func(row db.PasskeyListRow) Passkey {
		return Passkey{
			ID:     base64.RawURLEncoding.EncodeToString(row.ID),
			Name:   row.Name,
			UsedAt: row.UsedAt,
		}
	}), fault.Doing("list passkeys", err)
}

// RemovePasskey removes one of the user's passkeys.
func (s *Service) RemovePasskey(ctx context.Context, session Session, id string) error {
	if err := s.mayChange(session); err != nil {
		return err
	}
	raw, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return fault.ErrNotFound
	}
	return s.locked(ctx, session, func(q *db.Queries, user lockedUser) error {
		has := factorCount(user)
		rows, err := q.PasskeyDelete(ctx, db.PasskeyDeleteParams{ID: raw, UserID: user.ID})
		if err != nil {
			return fmt.Errorf("delete passkey: %w", err)
		}
		if rows == 0 {
			return fault.ErrNotFound
		}
		if err := s.say(ctx, q, notify.FactorChanged, user.ID); err != nil {
			return err
		}
		if err := s.mayLose(session, user, has); err != nil {
			return err
		}
		return afterLoss(ctx, q, user, has)
	})
}
