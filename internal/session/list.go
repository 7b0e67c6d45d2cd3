package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

type User struct {
	ID      int64       `json:"id"`
	Kind    caller.Kind `json:"kind"`
	Role    caller.Role `json:"role"`
	Login   string      `json:"login"`
	Enabled bool        `json:"enabled"`
	// MerchantID or TraderID is the merchant or trader whose user they are,
	// and OfName is its name. MerchantIDs are the merchants of a cabinet
	// user.
	MerchantID  *int64  `json:"merchant_id"`
	TraderID    *int64  `json:"trader_id"`
	OfName      string  `json:"-"`
	MerchantIDs []int64 `json:"merchant_ids"`
	// HasPassword says that they have accepted an invitation or were given
	// a password.
	HasPassword bool `json:"has_password"`
	HasTOTP     bool `json:"has_totp"`
	// FactorLockedAt is when too many wrong codes locked the second factor,
	// or nil.
	FactorLockedAt *time.Time `json:"factor_locked_at"`
	Passkeys       int        `json:"passkeys"`
	// AwaitsUntil is when their wait for an owner's answer ends, or nil.
	AwaitsUntil *time.Time `json:"awaits_until"`
	// Sessions is how many open sessions they have, and SeenAt when one was
	// last used, or zero.
	Sessions  int       `json:"-"`
	SeenAt    time.Time `json:"-"`
	CreatedAt time.Time `json:"created_at"`
	// Version identifies the state that was read; a change passes it as
	// UserUpdate.Seen.
	Version string `json:"-"`
}

// UserSearch asks for a page of users, the newest first. Zero fields do not
// filter.
type UserSearch struct {
	db.Page
	// Text is part of a login, or an id.
	Text                 string
	On                   *bool
	Kind                 caller.Kind
	MerchantID, TraderID int64
}

const maxSearch = 200

// Users lists users for an operator. The cursor is nil on the last page.
func (s *Service) Users(ctx context.Context, who caller.Caller, search UserSearch) ([]User, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	f.MaxLength("search", search.Text, maxSearch)
	params := db.UserListParams{
		Now: s.now(), Kind: optional.Of(string(search.Kind)), Search: optional.Of(strings.TrimSpace(search.Text)), SwitchedOn: search.On,
		MerchantID: optional.Of(search.MerchantID), TraderID: optional.Of(search.TraderID),
	}
	if id, err := strconv.ParseInt(strings.TrimSpace(search.Text), 10, 64); err == nil {
		params.SearchID = &id
	}
	return db.ListPage(ctx, s.lists, f, search.Page, "list users", func(q *db.Queries, before int64, rows int32) ([]User, error) {
		params.BeforeID, params.Page = before, rows
		return users(ctx, q, params)
	}, func(u User) int64 { return u.ID })
}

// User reads a user for an operator.
func (s *Service) User(ctx context.Context, who caller.Caller, id int64) (User, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return User{}, err
	}
	list, err := users(ctx, s.reads, db.UserListParams{Now: s.now(), BeforeID: id + 1, ID: &id, Page: 1})
	if err != nil {
		return User{}, fmt.Errorf("read user: %w", err)
	}
	if len(list) == 0 {
		return User{}, fault.ErrNotFound
	}
	return list[0], nil
}

// users decodes users from the JSON of their rows, which has no password and no
// secret. Sessions and SeenAt count only sessions that are open.
func users(ctx context.Context, q *db.Queries, params db.UserListParams) ([]User, error) {
	rows, err := q.UserList(ctx, params)
	if err != nil {
		return nil, err
	}
	list := make([]User, 0, len(rows))
	for _, row := range rows {
		u := User{OfName: row.OfName, Sessions: int(row.Sessions)}
		if u.Version, err = db.DecodeSetting(row.Setting, &u); err != nil {
			return nil, err
		}
		if row.Sessions > 0 {
			u.SeenAt = row.SeenAt
		}
		list = append(list, u)
	}
	return list, nil
}

// Logins are the logins of users, for an operator.
func (s *Service) Logins(ctx context.Context, who caller.Caller, ids []int64) (map[int64]string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := s.reads.UserLogins(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read logins: %w", err)
	}
	logins := make(map[int64]string, len(rows))
	for _, row := range rows {
		logins[row.ID] = row.Login
	}
	return logins, nil
}
