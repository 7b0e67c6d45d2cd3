package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// errLastOwner keeps a merchant from having no owner.
var errLastOwner = fault.New(fault.Conflict, "team_last_owner",
	"They are the last owner who can sign in: nobody would be left to manage the team.")

// teamMost is more users than any merchant's team has.
const teamMost = 500

// Member is a user of a merchant as the merchant's owner sees them.
type Member struct {
	ID        int64
	Login     string
	Role      caller.Role
	Enabled   bool
	CreatedAt time.Time
	// Invited says that they have no password yet, Factor that they have a
	// second factor.
	Invited, Factor bool
	// Sessions is how many open sessions they have, and SeenAt when one was
	// last used.
	Sessions int
	SeenAt   time.Time
	// AwaitsUntil is until when they wait for an owner's answer, or nil.
	AwaitsUntil *time.Time
}

// Team lists the users of the calling owner's merchant.
func (s *Service) Team(ctx context.Context, who caller.Caller) ([]Member, error) {
	if err := who.Admit(ctx, caller.MerchantTeamRead); err != nil {
		return nil, err
	}
	now := s.now()
	rows, err := s.reads.TeamList(ctx, db.TeamListParams{MerchantID: &who.MerchantID, Now: now, Most: teamMost})
	if err != nil {
		return nil, fmt.Errorf("list the team: %w", err)
	}
	list := make([]Member, 0, len(rows))
	for _, row := range rows {
		if row.AwaitsUntil != nil && !row.AwaitsUntil.After(now) {
			row.AwaitsUntil = nil
		}
		list = append(list, Member{
			ID:        row.ID,
			Login:     row.Login,
			Role:      caller.Role(optional.Value(row.Role)),
			Enabled:   row.Enabled,
			CreatedAt: row.CreatedAt,
			Invited:   !row.HasPassword,
			Factor:    row.HasFactor,
			Sessions:  int(row.Sessions),
			SeenAt:    row.SeenAt,

			AwaitsUntil: row.AwaitsUntil,
		})
	}
	return list, nil
}

// InviteMember makes a user of the owner's merchant, and returns the link to
// set a password, which is shown only here.
func (s *Service) InviteMember(
	ctx context.Context, who caller.Caller, login string, role caller.Role,
) (link string, err error) {
	c, err := s.change(who, 0, caller.MerchantTeam)
	if err != nil {
		return "", err
	}
	f := fault.Decoded(ctx)
	f.Check(role != "", "role", "is required")
	_, link, err = s.create(fault.WithDecoded(ctx, f), who, c, NewUser{
		Kind: caller.MerchantPortal, Role: role, Login: login, MerchantID: &who.MerchantID,
	})
	return link, err
}

// UpdateMember changes the role of a user of the owner's merchant, or switches
// them off or on, and ends their sessions. It cannot set a password.
func (s *Service) UpdateMember(ctx context.Context, who caller.Caller, u UserUpdate) error {
	c, err := s.change(who, u.ID, caller.MerchantTeam)
	if err != nil {
		return err
	}
	params := db.UserUpdateParams{ID: u.ID, Enabled: u.Enabled}
	f := fault.Decoded(ctx)
	if u.Role != nil {
		flaw := roleFlaw(caller.MerchantPortal, *u.Role)
		if *u.Role == "" {
			flaw = "is required"
		}
		f.Flaw("role", flaw)
		params.Role = optional.Of(string(*u.Role))
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.changeMember(ctx, who, c, u.ID, func(q *db.Queries) error { return q.UserUpdate(ctx, params) })
}

func (s *Service) EndMember(ctx context.Context, who caller.Caller, id int64) error {
	c, err := s.change(who, id, caller.MerchantTeam)
	if err != nil {
		return err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return err
	}
	c.Subject = "token"
	return s.changeMember(ctx, who, c, id, func(*db.Queries) error { return nil })
}

// ReinviteMember invites a user of the owner's merchant again, who lost their
// password or second factors. It removes both, ends their sessions, and returns
// the link, which is shown only here.
func (s *Service) ReinviteMember(ctx context.Context, who caller.Caller, id int64) (link string, err error) {
	c, err := s.change(who, id, caller.MerchantTeam)
	if err != nil {
		return "", err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return "", err
	}
	err = s.changeMember(ctx, who, c, id, func(q *db.Queries) error {
		err := errors.Join(q.UserForget(ctx, id), q.PasskeyDeleteAll(ctx, id), q.RecoveryCodeDeleteAll(ctx, id))
		if err != nil {
			return err
		}
		link, err = s.invite(ctx, q, who, id)
		return err
	})
	if err != nil {
		return "", err
	}
	return link, nil
}

// changeMember changes a user of the owner's merchant and ends their sessions
// and what they invited.
// A user of another merchant is not found. It locks the owners first, always in
// the same order, so that the second of two concurrent changes sees the first.
func (s *Service) changeMember(
	ctx context.Context, who caller.Caller, c db.SettingChange, id int64, apply func(*db.Queries) error,
) error {
	_, err := db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Read: func(q *db.Queries) ([]byte, error) {
			if _, err := q.TeamLock(ctx, &who.MerchantID); err != nil {
				return nil, fmt.Errorf("lock owners: %w", err)
			}
			theirs, err := q.TeamHas(ctx, db.TeamHasParams{ID: id, MerchantID: &who.MerchantID})
			if err == nil && !theirs {
				err = fault.ErrNotFound
			}
			if err != nil {
				return nil, err
			}
			return q.UserSetting(ctx, id)
		},
		Apply: func(q *db.Queries) error {
			before, err := q.TeamOwners(ctx, &who.MerchantID)
			if err != nil {
				return err
			}
			if err := errors.Join(q.SessionEndAll(ctx, id), q.InvitationEndBy(ctx, id), apply(q)); err != nil {
				return err
			}
			left, err := q.TeamOwners(ctx, &who.MerchantID)
			if err == nil && left == 0 && before > 0 {
				return errLastOwner
			}
			return err
		},
	})
	return err
}

// TeamChange is a change that a user of a merchant made, or that an operator
// made to such a user; then Login is empty. Before is nil for something new.
type TeamChange struct {
	ID            int64
	At            time.Time
	Login         string
	Subject, Key  string
	Before, After []byte
}

// TeamSession is an open session of a user of a merchant.
type TeamSession struct {
	Login          string
	Door           Door
	CreatedAt      time.Time
	SeenAt         time.Time
	Agent, Address string
}

// teamPage is how many changes a page of the log has.
const teamPage = 50

// TeamLog lists what users of the owner's merchant changed and what operators
// changed about them, the newest first. before is the last id of the previous
// page; 0 begins the list. more says that there are older changes.
func (s *Service) TeamLog(
	ctx context.Context,
	who caller.Caller,
	before int64,
) (list []TeamChange, more bool, err error) {
	if err := who.Admit(ctx, caller.MerchantTeamRead); err != nil {
		return nil, false, err
	}
	if before <= 0 {
		before = math.MaxInt64
	}
	rows, err := s.reads.TeamChanges(ctx, db.TeamChangesParams{
		MerchantID: &who.MerchantID, BeforeID: before, Page: teamPage + 1,
	})
	if err != nil {
		return nil, false, fmt.Errorf("list what the team changed: %w", err)
	}
	if more = len(rows) > teamPage; more {
		rows = rows[:teamPage]
	}
	for _, row := range rows {
		list = append(list, TeamChange{
			ID: row.ID, At: row.At, Login: row.Login, Subject: row.Subject, Key: row.SubjectKey, Before: row.Before,
			After: row.After,
		})
	}
	return list, more, nil
}

// TeamSessions lists the open sessions of users of the owner's merchant, the
// last used first.
func (s *Service) TeamSessions(ctx context.Context, who caller.Caller) ([]TeamSession, error) {
	if err := who.Admit(ctx, caller.MerchantTeamRead); err != nil {
		return nil, err
	}
	rows, err := s.reads.TeamSessions(ctx, db.TeamSessionsParams{
		MerchantID: &who.MerchantID, Now: s.now(), Most: teamMost,
	})
	if err != nil {
		return nil, fmt.Errorf("list the team's sessions: %w", err)
	}
	return db.Each(rows, func(row db.TeamSessionsRow) TeamSession {
		return TeamSession{
			Login: row.Login, Door: Door(row.Door), CreatedAt: row.CreatedAt, SeenAt: row.SeenAt, Agent: row.Agent,
			Address: row.Address,
		}
	}), nil
}
