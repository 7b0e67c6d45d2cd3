package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/setting"
)

// revision is a change of somebody's settings, which may include terms.
type revision struct {
	of setting.Subject
	id int64
	// update is the whole change, which the action of the subject makes
	// once it is approved. on is the switch in it, or nil.
	update       any
	on           *bool
	reason, seen string
	// asSeen is the update of a version only, as it is proposed.
	asSeen func(version string) any
	// read reads the present settings, and locks them.
	read func(q *db.Queries) ([]byte, error)
}

// revise makes a revision. A large change of terms requires a second operator.
func (s *Settings) revise(ctx context.Context, who caller.Caller, r revision) (Change, error) {
	c, err := s.change(who, r.of.Needs, r.of.Name, strconv.FormatInt(r.id, 10))
	if err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	columns := r.of.Read(f, r.update)
	c.Reason = because(f, r.reason, r.on)
	if err := f.Err(); err != nil {
		return c, err
	}
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Seen:  r.seen,
		Read:  r.read,
		Apply: func(q *db.Queries) error { return q.Set(ctx, r.of.Name, r.id, columns) },
		May: func(q *db.Queries, c Change) error {
			// An approval changes this state only.
			return s.terms(ctx, q, r.of, c, r.asSeen(db.VersionOf(c.Before)))
		},
	})
}

// termsWindow is how far back terms are compared, so that many small steps add
// up to a large one.
const termsWindow = 24 * time.Hour

// terms checks whether one operator may change the terms of a setting as it was
// changed by an update: internal/setting says which changes take two. A percent
// may differ from its value before, and from its value a day ago, by at most
// the part that a rate may differ by; setting or clearing it requires two
// operators.
func (s *Settings) terms(ctx context.Context, q *db.Queries, of setting.Subject, c Change, update any) error {
	if !s.FourEyes.On {
		return nil
	}
	dayAgo, err := q.SettingBefore(ctx, db.SettingBeforeParams{
		Subject: c.Subject, SubjectKey: c.SubjectKey, Since: c.At.Add(-termsWindow),
	})
	if db.NoRows(err) {
		dayAgo, err = c.Before, nil
	}
	if err != nil {
		return fmt.Errorf("read what the terms were: %w", err)
	}
	was, err1 := columnsOf(dayAgo)
	before, err2 := columnsOf(c.Before)
	after, err3 := columnsOf(c.After)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("read the terms: %w", err)
	}
	for _, one := range of.Settings {
		column := setting.Column(one.Name)
		is, changed := after[column], before[column] != after[column]
		large := one.Kind == setting.Earning && (s.far(before[column], is) || s.far(was[column], is))
		if changed && (one.ByTwo || large) {
			return foureyes.WithAction(foureyes.ErrSecondOperator, of.Action, update)
		}
	}
	return nil
}

// columnsOf reads the state of a setting, with numbers as they are written.
func columnsOf(state []byte) (columns map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(state))
	decoder.UseNumber()
	return columns, decoder.Decode(&columns)
}

// far reports whether a percent is too far from what it was for one operator,
// as a part of that: a few points of an amount are all that anybody earns. From
// 0 that many points are too far. Where one of them is not set, it is.
func (s *Settings) far(was, is any) bool {
	if was == nil && is == nil {
		return false
	}
	from, err1 := decimal.NewFromString(fmt.Sprint(was))
	to, err2 := decimal.NewFromString(fmt.Sprint(is))
	if err1 != nil || err2 != nil {
		return true
	}
	most := s.FourEyes.RatePercent
	if from.IsPositive() {
		most = most.Mul(from).Shift(-2) //nolint:mnd // percent
	}
	return s.FourEyes.Deviating(to.Sub(from).Abs(), most) != nil
}

// newMethod is what the terms of a method that is new to a cashbox are compared
// with: the defaults, and for its margin the markup that its payments had
// without one. Without a margin that does not change.
func (s *Settings) newMethod(ctx context.Context, q *db.Queries, m CashboxMethod) ([]byte, error) {
	state := map[string]any{}
	for _, one := range setting.Method.Settings {
		if one.ByTwo && one.First != "" {
			state[setting.Column(one.Name)] = one.First
		}
	}
	if m.MarginPercent != "" {
		markup, err := q.CashboxMerchantRate(ctx, m.CashboxID)
		if err != nil {
			return nil, err
		}
		if !markup.Valid {
			markup = decimal.NewNullDecimal(s.Markup)
		}
		state["margin_percent"] = markup
	}
	return json.Marshal(state)
}
