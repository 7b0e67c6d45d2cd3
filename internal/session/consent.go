package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/optional"
)

// awaits is how long a user whom an operator set up at a merchant or trader may
// only read. It ends earlier if an owner answers.
const awaits = 24 * time.Hour

var (
	errConsentOver = fault.New(fault.Conflict, "consent_over",
		"They do not wait for an owner's answer, or not any more.")
	errConsentOpen = fault.New(fault.Conflict, "consent_open",
		"Somebody waits for the answer of this owner, who is the only one. Switch that user off first.")
)

// place is a user's kind and role, and the merchant or trader whose user they
// are.
type place struct {
	id                   int64
	kind                 caller.Kind
	role                 caller.Role
	enabled              bool
	merchantID, traderID *int64
}

// ofSomebody reports whether the user belongs to a merchant or trader, whose
// owners have to be told about new users.
func (p place) ofSomebody() bool { return ofSomebody(p.kind) }

func ofSomebody(kind caller.Kind) bool { return kind == caller.MerchantPortal || kind == caller.Trader }

func placeOf(ctx context.Context, q *db.Queries, id int64) (place, error) {
	row, err := q.UserPlace(ctx, id)
	if err != nil {
		return place{}, db.Missing(err, fault.ErrNotFound, "read what the user is")
	}
	return place{
		id: id, kind: caller.Kind(row.Kind), role: caller.Role(optional.Value(row.Role)), enabled: row.Enabled,
		merchantID: row.MerchantID, traderID: row.TraderID,
	}, nil
}

// lock prevents concurrent changes of users of the same merchant or trader
// until the transaction ends.
func (p place) lock(ctx context.Context, q *db.Queries) error {
	_, err := q.FellowLock(ctx, db.FellowLockParams{MerchantID: p.merchantID, TraderID: p.traderID})
	return fault.Doing("lock the users", err)
}

// answered reports whether the merchant or trader has other users, who have to
// be told about this one, and how many other owners could answer.
func (p place) answered(ctx context.Context, q *db.Queries, now time.Time) (settled bool, owners int64, err error) {
	settled, err = q.FellowSettled(ctx, db.FellowSettledParams{MerchantID: p.merchantID, TraderID: p.traderID, ID: p.id})
	if err != nil {
		return false, 0, fmt.Errorf("look who is there: %w", err)
	}
	owners, err = p.owners(ctx, q, p.id, now)
	return settled, owners, err
}

// hasMoney reports whether the merchant or trader has USDT that a user could
// take.
func (p place) hasMoney(ctx context.Context, q *db.Queries) (bool, error) {
	var accounts []ledger.Account
	if p.traderID != nil {
		accounts = append(accounts, ledger.Available(ledger.Trader, *p.traderID))
	}
	if p.merchantID != nil {
		cashboxes, err := q.CashboxesOf(ctx, *p.merchantID)
		if err != nil {
			return false, fmt.Errorf("list cashboxes: %w", err)
		}
		for _, one := range cashboxes {
			accounts = append(accounts, ledger.Available(ledger.Cashbox, one.ID))
		}
	}
	for _, account := range accounts {
		has, err := ledger.Balance(ctx, q, account)
		if db.IgnoreNoRows(err) != nil { // nobody's account has no row
			return false, fmt.Errorf("read a balance: %w", err)
		}
		if has.IsPositive() {
			return true, nil
		}
	}
	return false, nil
}

func (p place) owners(ctx context.Context, q *db.Queries, besides int64, now time.Time) (int64, error) {
	owners, err := q.ConsentOwners(ctx, db.ConsentOwnersParams{
		MerchantID: p.merchantID, TraderID: p.traderID, Besides: besides, Before: now.Add(-awaits), Now: now,
	})
	return owners, fault.Doing("count owners", err)
}

// keepsOwner makes an operator's change of a user. It returns errConsentOpen if
// the change would remove the last owner who could answer while another user
// waits for an answer.
func (p place) keepsOwner(ctx context.Context, q *db.Queries, now time.Time, apply func(*db.Queries) error) error {
	if !p.ofSomebody() {
		return apply(q)
	}
	before, err := p.owners(ctx, q, 0, now)
	if err != nil {
		return err
	}
	if err := apply(q); err != nil {
		return err
	}
	left, err := p.owners(ctx, q, 0, now)
	if err != nil || left > 0 || before == 0 {
		return err
	}
	waiting, err := p.waiting(ctx, q, now)
	if err == nil && len(waiting) > 0 {
		return errConsentOpen
	}
	return err
}

// waiting lists the other users who wait for an owner's answer.
func (p place) waiting(ctx context.Context, q *db.Queries, now time.Time) ([]Awaiting, error) {
	rows, err := q.ConsentAwaited(ctx, db.ConsentAwaitedParams{
		MerchantID: p.merchantID, TraderID: p.traderID, Besides: p.id, Now: now,
	})
	if err != nil {
		return nil, fmt.Errorf("list who waits for an owner's answer: %w", err)
	}
	var list []Awaiting
	for _, row := range rows {
		list = append(list, Awaiting{
			ID: row.ID, Login: row.Login, Role: caller.Role(optional.Value(row.Role)), Since: row.Since, Until: row.Until,
		})
	}
	return list, nil
}

// Awaiting is a user of a merchant or trader whom an operator made, invited,
// promoted or switched on. They may only read until an owner answers or until
// Until.
type Awaiting struct {
	ID           int64
	Login        string
	Role         caller.Role
	Since, Until time.Time
}

// Awaited lists the users who wait for the caller's answer. It is empty for
// callers who may not answer. An owner may answer only if they were there
// before, and if no operator has set them up meanwhile.
func (s *Service) Awaited(ctx context.Context, who caller.Caller) ([]Awaiting, error) {
	if !ofSomebody(who.Kind) || who.Role != caller.Owner {
		return nil, nil
	}
	now := s.now()
	list, err := callersPlace(who).waiting(ctx, s.reads, now)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if answers, err := answers(ctx, s.reads, who, now); err != nil || !answers {
		return nil, err
	}
	return list, nil
}

// callersPlace is the place of a caller who is an owner.
func callersPlace(who caller.Caller) place {
	p := place{id: who.ID, kind: who.Kind, role: who.Role}
	if who.MerchantID != 0 {
		p.merchantID = &who.MerchantID
	}
	if who.TraderID != 0 {
		p.traderID = &who.TraderID
	}
	return p
}

// with reports whether two users belong to the same merchant or trader.
func (p place) with(other place) bool {
	same := func(a, b *int64) bool { return a != nil && b != nil && *a == *b }
	return same(p.merchantID, other.merchantID) || same(p.traderID, other.traderID)
}

func answers(ctx context.Context, q *db.Queries, who caller.Caller, now time.Time) (bool, error) {
	answers, err := q.ConsentOwner(ctx, db.ConsentOwnerParams{ID: who.ID, Before: now.Add(-awaits)})
	return answers, fault.Doing("look whether the owner was there before", err)
}

// Consent accepts or refuses a user who waits for the owner's answer. Refusing
// switches the user off, ends their sessions and voids their invitation; it
// needs no fresh second factor, because it only takes away.
func (s *Service) Consent(ctx context.Context, who caller.Caller, id int64, accept bool) error {
	asked := who
	if !accept {
		asked = who.Proved()
	}
	c, err := s.change(asked, id, caller.MerchantTeam, caller.TraderTeam)
	if err := cmp.Or(err, fault.Decoded(ctx).Err()); err != nil {
		return err
	}
	_, err = db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Read: func(q *db.Queries) ([]byte, error) {
			theirs, err := placeOf(ctx, q, id)
			if err != nil {
				return nil, err
			}
			if !callersPlace(who).with(theirs) {
				return nil, fault.ErrNotFound
			}
			if err := theirs.lock(ctx, q); err != nil {
				return nil, err
			}
			return q.UserSetting(ctx, id)
		},
		Apply: func(q *db.Queries) error { return s.consent(ctx, q, who, id, accept) },
	})
	return err
}

// consent decides about a user who waits. The caller has locked the users of
// the merchant or trader. Whether an owner may answer, and whether the user
// still waits, is asked again here; an answer that comes too late is
// errConsentOver.
func (s *Service) consent(ctx context.Context, q *db.Queries, who caller.Caller, id int64, accept bool) error {
	now := s.now()
	if answers, err := answers(ctx, q, who, now); err != nil {
		return err
	} else if !answers {
		return fault.ErrRoleNotAllowed
	}
	waiting, err := callersPlace(who).waiting(ctx, q, now)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(waiting, func(one Awaiting) bool { return one.ID == id }) {
		return errConsentOver
	}
	if accept {
		return q.ConsentGive(ctx, id)
	}
	return errors.Join(q.ConsentRefuse(ctx, id), q.SessionEndAll(ctx, id), q.InvitationDelete(ctx, id))
}
