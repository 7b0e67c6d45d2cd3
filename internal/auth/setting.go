package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// NewUser is a user to be made.
type NewUser struct {
	Kind            caller.Kind
	Login, Password string
	MerchantID      *int64
	TraderID        *int64
	// MerchantIDs are a cabinet user's: among their payments the user sees those made for them.
	MerchantIDs []int64
}

const (
	minPassword = 12
	maxPassword = 255
	maxLogin    = 255
	// maxMerchants is more than any player has.
	maxMerchants = 100
)

// Create makes a user, on an operator's word. What the log of settings keeps of them does not
// include the password.
func (u *Users) Create(ctx context.Context, who caller.Caller, n NewUser) (db.SettingChange, error) {
	c, err := userChange(who, 0)
	if err != nil {
		return c, err
	}
	if err := n.validate(ctx); err != nil {
		return c, err
	}
	hash, err := HashPassword(n.Password)
	if err != nil {
		return c, fmt.Errorf("hash password: %w", err)
	}
	return db.CreateSetting(ctx, u.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			id, err := InsertUser(ctx, q, n, hash, c.At)
			return id, n.insertError(err)
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.UserSetting(ctx, id) },
	})
}

// InsertUser writes a user, and the merchants among whose payments they see theirs. The hash is what
// HashPassword returns: it takes longer than a transaction should wait.
func InsertUser(ctx context.Context, q *db.Queries, n NewUser, hash string, at time.Time) (int64, error) {
	id, err := q.UserInsert(ctx, db.UserInsertParams{
		Kind: string(n.Kind), Login: n.Login, PasswordHash: hash, MerchantID: n.MerchantID, TraderID: n.TraderID,
		CreatedAt: at,
	})
	if err == nil && len(n.MerchantIDs) > 0 {
		err = q.UserLink(ctx, db.UserLinkParams{UserID: id, MerchantIds: n.MerchantIDs})
	}
	return id, err
}

func (n NewUser) insertError(err error) error {
	switch {
	case err == nil:
		return nil
	case db.IsUniqueViolation(err):
		return fault.Fields{"login": {"is taken"}}.Err()
	case db.IsForeignKeyViolation(err) && n.Kind == caller.Cabinet:
		return fault.Fields{"merchantIds": {"one of them is no merchant"}}.Err()
	case db.IsForeignKeyViolation(err):
		return fault.Fields{"merchantId": {"no such merchant or trader"}}.Err()
	}
	return fmt.Errorf("insert user: %w", err)
}

// validate puts the merchants in order, each once.
func (n *NewUser) validate(ctx context.Context) error {
	f := fault.Decoded(ctx)
	switch n.Kind {
	case caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator:
	default:
		f.Add("kind", "must be cabinet, merchant_portal, trader or operator")
	}
	f.Check(
		n.Login != "" && utf8.RuneCountInString(n.Login) <= maxLogin,
		"login",
		"must be 1 to %d characters",
		maxLogin,
	)
	// A payment names its payer by login or by id: the two must not be mistaken for each other.
	f.Check(strings.Trim(n.Login, "0123456789") != "" || n.Login == "", "login", "must not be a number")
	checkPassword(f, n.Password)
	f.Check(
		(n.Kind == caller.MerchantPortal) == (n.MerchantID != nil),
		"merchantId",
		"goes with kind merchant_portal, and only with it",
	)
	f.Check((n.Kind == caller.Trader) == (n.TraderID != nil), "traderId", "goes with kind trader, and only with it")
	f.Check(
		(n.Kind == caller.Cabinet) == (len(n.MerchantIDs) > 0),
		"merchantIds",
		"goes with kind cabinet, and only with it",
	)
	f.Check(len(n.MerchantIDs) <= maxMerchants, "merchantIds", "must be at most %d", maxMerchants)
	slices.Sort(n.MerchantIDs)
	n.MerchantIDs = slices.Compact(n.MerchantIDs)
	return f.Err()
}

func checkPassword(f fault.Fields, password string) {
	length := utf8.RuneCountInString(password)
	f.Check(
		length >= minPassword && length <= maxPassword,
		"password",
		"must be %d to %d characters",
		minPassword,
		maxPassword,
	)
}

// UserUpdate changes the fields that are set.
type UserUpdate struct {
	ID       int64
	Enabled  *bool
	Password *string
}

// Update switches a user off or on, or changes their password. Either ends their sessions.
func (u *Users) Update(ctx context.Context, who caller.Caller, update UserUpdate) (db.SettingChange, error) {
	c, err := userChange(who, update.ID)
	if err != nil {
		return c, err
	}
	params := db.UserUpdateParams{ID: update.ID, Enabled: update.Enabled}
	if update.Password != nil {
		f := fault.Decoded(ctx)
		checkPassword(f, *update.Password)
		if err := f.Err(); err != nil {
			return c, err
		}
		hash, err := HashPassword(*update.Password)
		if err != nil {
			return c, fmt.Errorf("hash password: %w", err)
		}
		params.PasswordHash = &hash
	}
	return u.changeUser(ctx, c, update.ID, func(q *db.Queries) error { return q.UserUpdate(ctx, params) })
}

// RevokeTokens ends every session of a user.
func (u *Users) RevokeTokens(ctx context.Context, who caller.Caller, id int64) (db.SettingChange, error) {
	c, err := userChange(who, id)
	if err != nil {
		return c, err
	}
	c.Subject = "token"
	return u.changeUser(ctx, c, id, func(*db.Queries) error { return nil })
}

func (u *Users) changeUser(
	ctx context.Context,
	c db.SettingChange,
	id int64,
	apply func(*db.Queries) error,
) (db.SettingChange, error) {
	return db.ChangeSetting(ctx, u.pool, c, db.Setting{
		Read: func(q *db.Queries) ([]byte, error) { return q.UserSetting(ctx, id) },
		Apply: func(q *db.Queries) error {
			_, err := q.TokenRevokeAll(ctx, id)
			return errors.Join(err, apply(q))
		},
	})
}

func userChange(who caller.Caller, id int64) (db.SettingChange, error) {
	if err := who.NeedOperator(); err != nil {
		return db.SettingChange{}, err
	}
	return db.SettingChange{
		At: time.Now().UTC(), Actor: who.Actor(), Subject: "app_user", SubjectKey: strconv.FormatInt(id, 10),
	}, nil
}
