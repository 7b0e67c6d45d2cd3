package session

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
	"gateway.example/internal/foureyes"
	"gateway.example/internal/notify"
	"gateway.example/internal/optional"
)

type NewUser struct {
	Kind caller.Kind
	// Role is a role of the kind; empty is the one with the most
	// capabilities.
	Role  caller.Role `json:",omitempty"`
	Login string
	// Password may be empty: then the user is invited to set one.
	Password   string `json:",omitempty"`
	MerchantID *int64
	TraderID   *int64
	// MerchantIDs are for a cabinet user, who sees their own payments at
	// these merchants.
	MerchantIDs []int64 `json:",omitempty"`
}

const (
	minPassword = 12
	maxPassword = 255
	maxLogin    = 255
	// maxMerchants is at how many merchants a cabinet user may see
	// payments; it is more than anybody has.
	maxMerchants = 100
)

// Create makes a user, for an operator. A user without a password gets an
// invitation, of which the caller's half is shown only here. The audit log has
// neither the password nor the half.
func (s *Service) Create(
	ctx context.Context, who caller.Caller, n NewUser,
) (done db.Changed[User], half string, err error) {
	c, err := s.change(who, 0, caller.OperatorUsers)
	if err != nil {
		return done, "", err
	}
	if (n.Kind == caller.Operator || n.Kind == caller.Cabinet) && s.FourEyes.On {
		f := fault.Decoded(ctx)
		f.Check(n.Password == "", "password", "operators and payers set their own password: leave it out")
		ctx = fault.WithDecoded(ctx, f)
	}
	c, half, err = s.create(ctx, who, c, n)
	done, err = s.settled(ctx, who, c, err)
	return done, half, err
}

// settled decodes the user from a change.
func (s *Service) settled(
	ctx context.Context, who caller.Caller, c db.SettingChange, err error,
) (db.Changed[User], error) {
	return db.Settled(c, err, func() (u User, err error) {
		if _, err = db.DecodeSetting(c.After, &u); err != nil {
			return u, err
		}
		return s.User(ctx, who, u.ID)
	})
}

// create makes and records a user, for an operator or an owner. Without a
// password it also makes an invitation, and returns the half of it that is the
// caller's. Errors are about fields where the caller can mend them.
func (s *Service) create(
	ctx context.Context, who caller.Caller, c db.SettingChange, n NewUser,
) (db.SettingChange, string, error) {
	if err := n.validate(ctx); err != nil {
		return c, "", err
	}
	hash := ""
	if n.Password != "" {
		var err error
		if hash, err = HashPassword(n.Password); err != nil {
			return c, "", fmt.Errorf("hash password: %w", err)
		}
	}
	half := ""
	c, err := db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			by, err := s.creating(ctx, q, who, c.At, n)
			if err != nil {
				return 0, err
			}
			id, err := InsertUser(ctx, q, n, hash, c.At)
			if err == nil {
				err = by.note(ctx, q, id)
			}
			if err == nil && hash == "" {
				half, err = s.invite(ctx, q, who, id)
			}
			return id, n.insertError(err)
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.UserSetting(ctx, id) },
	})
	if err != nil {
		return c, "", err
	}
	return c, half, nil
}

// creating decides how a user may be created. A user whom an owner invites
// needs no other approval.
func (s *Service) creating(
	ctx context.Context, q *db.Queries, who caller.Caller, at time.Time, n NewUser,
) (setUp, error) {
	if who.Kind != caller.Operator {
		return setUp{}, nil
	}
	u := place{kind: n.Kind, role: n.Role, merchantID: n.MerchantID, traderID: n.TraderID}
	if err := u.lock(ctx, q); err != nil {
		return setUp{}, err
	}
	by, err := s.settingUp(ctx, q, who, u, at, foureyes.SecondOperatorError{Action: foureyes.CreateUser, Params: n})
	if n.Password != "" && (by.until != nil || errors.Is(err, foureyes.ErrSecondOperator)) {
		return setUp{}, errOwnPassword
	}
	return by, err
}

// errOwnPassword refuses a password that an operator sets for a user of a
// merchant or trader.
var errOwnPassword = fault.Fields{"password": {ownPassword}}.Err()

const ownPassword = "users of merchants and traders set their own password: invite them"

// byCommand is the actor of a change that a command on the machine makes.
const byCommand = "command"

// CreateOperator makes an operator, for whoever has access to the database. The
// audit log shows it, and an alarm fires if there were operators already.
func CreateOperator(ctx context.Context, b db.Beginner, login, password string) error {
	hash, err := HashPassword(password)
	if err != nil {
		return fmt.Errorf("hash password: %w", err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	_, err = db.CreateSetting(ctx, b, db.SettingChange{At: now, Actor: byCommand, Subject: "user"}, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			return InsertUser(ctx, q, NewUser{Kind: caller.Operator, Login: login}, hash, now)
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) { return q.UserSetting(ctx, id) },
	})
	if err != nil {
		return fmt.Errorf("create operator %q: %w", login, err)
	}
	return nil
}

// InsertUser stores a user, with the merchants of a cabinet user. The hash is
// from HashPassword, which the caller computes before the transaction because
// it is slow. A user without a hash cannot sign in.
func InsertUser(ctx context.Context, q *db.Queries, n NewUser, hash string, at time.Time) (int64, error) {
	if roles := caller.Roles(n.Kind); n.Role == "" && len(roles) > 0 {
		n.Role = roles[0]
	}
	id, err := q.UserInsert(ctx, db.UserInsertParams{
		Kind: string(n.Kind), Role: optional.Of(string(n.Role)), Login: n.Login, PasswordHash: optional.Of(hash),
		MerchantID: n.MerchantID, TraderID: n.TraderID, CreatedAt: at,
	})
	if err == nil && len(n.MerchantIDs) > 0 {
		err = q.UserLink(ctx, db.UserLinkParams{UserID: id, MerchantIds: n.MerchantIDs})
	}
	return id, err
}

// insertError says why InsertUser failed, in words about the fields. Logins and
// merchants are left to the constraints: what is looked up before can change
// until the insert.
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

// validate checks the user. It also sorts the merchants and removes repeated
// ones.
func (n *NewUser) validate(ctx context.Context) error {
	f := fault.Decoded(ctx)
	switch n.Kind {
	case caller.Cabinet, caller.MerchantPortal, caller.Trader, caller.Operator:
	default:
		f.Add("kind", "must be cabinet, merchant_portal, trader or operator")
	}
	f.Check(n.Login != "" && utf8.RuneCountInString(n.Login) <= maxLogin, "login", "must be 1 to %d characters", maxLogin)
	// A payment names its payer by login or by id, so a login must not look
	// like an id.
	f.Check(strings.Trim(n.Login, "0123456789") != "" || n.Login == "", "login", "must not be a number")
	if n.Password != "" {
		checkPassword(f, "password", n.Password)
	}
	f.Flaw("role", roleFlaw(n.Kind, n.Role))
	f.Check(
		(n.Kind == caller.MerchantPortal) == (n.MerchantID != nil),
		"merchantId",
		"goes with kind merchant_portal, and only with it",
	)
	f.Check((n.Kind == caller.Trader) == (n.TraderID != nil), "traderId", "goes with kind trader, and only with it")
	f.Check((n.Kind == caller.Cabinet) == (len(n.MerchantIDs) > 0), "merchantIds", "goes with kind cabinet, and only with it")
	f.Check(len(n.MerchantIDs) <= maxMerchants, "merchantIds", "must be at most %d", maxMerchants)
	slices.Sort(n.MerchantIDs)
	n.MerchantIDs = slices.Compact(n.MerchantIDs)
	return f.Err()
}

// roleFlaw says what is wrong with a role for a kind of user, or "".
func roleFlaw(kind caller.Kind, role caller.Role) string {
	roles := caller.Roles(kind)
	switch {
	case role == "" || slices.Contains(roles, role):
		return ""
	case len(roles) == 0:
		return "goes with kinds merchant_portal, trader and operator, and only with them"
	}
	words := make([]string, 0, len(roles))
	for _, one := range roles {
		words = append(words, string(one))
	}
	return "must be among " + strings.Join(words, ", ")
}

func checkPassword(f fault.Fields, field, password string) {
	length := utf8.RuneCountInString(password)
	f.Check(length >= minPassword && length <= maxPassword, field, "must be %d to %d characters", minPassword, maxPassword)
}

// UserUpdate changes the fields that are set.
type UserUpdate struct {
	ID       int64
	Enabled  *bool
	Password *string
	Role     *caller.Role
	// Reason is why, for the audit log. It is required from an operator who
	// switches a user off; "" is none.
	Reason string `json:",omitempty"`
	// Seen is the version that the caller has seen; "" makes the change to
	// any version.
	Seen string `json:",omitempty"`
}

// Update switches a user off or on, or changes their password or role. It ends
// their sessions.
func (s *Service) Update(
	ctx context.Context, who caller.Caller, update UserUpdate,
) (done db.Changed[User], err error) {
	c, err := s.change(who, update.ID, caller.OperatorUsers)
	if err != nil {
		return done, err
	}
	params := db.UserUpdateParams{ID: update.ID, Enabled: update.Enabled, Role: optional.Of(string(optional.Value(update.Role)))}
	update.Reason = strings.TrimSpace(update.Reason)
	c.Reason = optional.Of(update.Reason)
	if err := s.checkUpdate(ctx, update); err != nil {
		return done, err
	}
	if update.Password != nil {
		hash, err := HashPassword(*update.Password)
		if err != nil {
			return done, fmt.Errorf("hash password: %w", err)
		}
		params.PasswordHash = &hash
	}
	c, err = s.changeUser(ctx, c, userSeen{update.ID, update.Seen}, func(q *db.Queries, u place) error {
		if update.raises(u) {
			// An approval changes the user as they are now only.
			now, err := q.UserSetting(ctx, update.ID)
			if err != nil {
				return err
			}
			update.Seen = db.VersionOf(now)
			by, err := s.settingUp(ctx, q, who, u, c.At, foureyes.SecondOperatorError{Action: foureyes.UpdateUser, Params: update})
			by.keeps = true
			if err == nil {
				err = by.note(ctx, q, update.ID)
			}
			if err != nil {
				return err
			}
		}
		if update.Password != nil { // the holder of an open invitation must not replace the password
			if err := q.InvitationDelete(ctx, update.ID); err != nil {
				return err
			}
		}
		if err := q.UserUpdate(ctx, params); err != nil {
			return err
		}
		return s.tellUpdated(ctx, q, u, update)
	})
	return s.settled(ctx, who, c, err)
}

// tellUpdated tells a user what was changed of them.
func (s *Service) tellUpdated(ctx context.Context, q *db.Queries, u place, update UserUpdate) error {
	if u.kind == caller.Operator && (update.Enabled != nil || update.Role != nil) {
		if err := s.say(ctx, q, notify.AccessChanged, update.ID); err != nil {
			return err
		}
	}
	if update.Password == nil {
		return nil
	}
	return s.say(ctx, q, notify.PasswordChanged, update.ID)
}

// checkUpdate checks an update before its transaction, by what the user is
// then. The password of a merchant's or trader's user cannot be set here, and
// where two operators are required no user's can.
func (s *Service) checkUpdate(ctx context.Context, update UserUpdate) error {
	f := fault.Decoded(ctx)
	if update.Enabled != nil && !*update.Enabled {
		f.Required("reason", update.Reason)
	}
	f.MaxLength("reason", update.Reason, maxUpdateReason)
	if update.Password != nil {
		checkPassword(f, "password", *update.Password)
	}
	if len(f) > 0 {
		return f.Err()
	}
	u, err := placeOf(ctx, s.reads, update.ID)
	if err != nil {
		return err
	}
	if update.Role != nil {
		f.Required("role", string(*update.Role))
		f.Flaw("role", roleFlaw(u.kind, *update.Role))
	}
	switch {
	case update.Password == nil:
	case u.ofSomebody():
		f.Add("password", ownPassword)
	case s.FourEyes.On:
		f.Add("password", "operators and payers set their own password: invite them")
	}
	return f.Err()
}

func (s *Service) RevokeTokens(ctx context.Context, who caller.Caller, id int64) (done db.Changed[User], err error) {
	c, err := s.change(who, id, caller.OperatorUsers)
	if err != nil {
		return done, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return done, err
	}
	c.Subject = "token"
	c, err = s.changeUser(ctx, c, userSeen{id: id}, func(*db.Queries, place) error { return nil })
	return s.settled(ctx, who, c, err)
}

// userSeen is a user's id and the version that the caller has seen; "" is any.
type userSeen struct {
	id   int64
	seen string
}

// changeUser makes and records a change of a user in one transaction, in which
// no fellow user can change, and ends the user's sessions and what they
// invited. It refuses to take
// away the last owner who could answer while somebody waits for an answer.
func (s *Service) changeUser(
	ctx context.Context,
	c db.SettingChange,
	user userSeen,
	apply func(*db.Queries, place) error,
) (db.SettingChange, error) {
	var u place
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Seen: user.seen,
		Read: func(q *db.Queries) ([]byte, error) {
			var err error
			if u, err = placeOf(ctx, q, user.id); err != nil {
				return nil, err
			}
			if err := u.lock(ctx, q); err != nil {
				return nil, err
			}
			return q.UserSetting(ctx, user.id)
		},
		Apply: func(q *db.Queries) error {
			return u.keepsOwner(ctx, q, c.At, func(q *db.Queries) error {
				return errors.Join(q.SessionEndAll(ctx, user.id), q.InvitationEndBy(ctx, user.id), apply(q, u))
			})
		},
	})
}

// change begins the log entry for a change of a user. The caller needs one of
// the capabilities.
func (s *Service) change(who caller.Caller, id int64, needed ...caller.Capability) (db.SettingChange, error) {
	return db.SettingChange{
		At: s.now().UTC(), Actor: who.Actor(), Subject: "app_user", SubjectKey: strconv.FormatInt(id, 10),
	}, who.Need(needed...)
}
