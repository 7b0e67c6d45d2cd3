package directory

import (
	"context"
	"encoding/json"
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
	// update is the whole change, which action makes once it is approved. on is the switch in it, or nil.
	update       any
	on           *bool
	reason, seen string
	action       foureyes.Action
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
		Apply: func(q *db.Queries) error {
			if err := s.terms(ctx, q, c, r.read, r.of.Terms(r.update)); err != nil {
				return foureyes.WithAction(err, r.action, r.update)
			}
			return q.Set(ctx, r.of.Name, r.id, columns)
		},
	})
}

// termsWindow is how far back terms are compared, so that many small steps add up to a large one.
const termsWindow = 24 * time.Hour

// terms checks whether one operator may change what somebody earns: markups, margins and shares, by column. A term
// may differ from its present value, and from its value a day ago, by at most as many points as a rate may differ
// by percent. New terms of somebody new may be anything, but setting or clearing a term of somebody who exists
// requires two operators. A nil term is not changed.
func (s *Settings) terms(
	ctx context.Context, q *db.Queries, c Change, read func(*db.Queries) ([]byte, error), to map[string]*string,
) error {
	if !s.FourEyes.On {
		return nil
	}
	now, err := read(q)
	if db.IgnoreNoRows(err) != nil {
		return fmt.Errorf("read the terms: %w", err)
	}
	was, err := q.SettingBefore(ctx, db.SettingBeforeParams{
		Subject: c.Subject, SubjectKey: c.SubjectKey, Since: c.At.Add(-termsWindow),
	})
	if db.IgnoreNoRows(err) != nil {
		return fmt.Errorf("read what the terms were: %w", err)
	}
	for column, value := range to {
		for _, known := range [][]byte{now, was} {
			if value == nil || known == nil {
				continue
			}
			if err := s.near(known, column, *value); err != nil {
				return err
			}
		}
	}
	return nil
}

// marginNow is the setting that a new margin is compared with. For a new method, that is the markup that its
// payments had without a margin. A new method without a margin changes nothing.
func (s *Settings) marginNow(
	ctx context.Context, q *db.Queries, m CashboxMethod, read func(*db.Queries) ([]byte, error),
) ([]byte, error) {
	known, err := read(q)
	if !db.NoRows(err) || m.MarginPercent == "" {
		return known, err
	}
	markup, err := q.CashboxMerchantRate(ctx, m.CashboxID)
	if err != nil {
		return nil, err
	}
	if !markup.Valid {
		markup = decimal.NewNullDecimal(s.Markup)
	}
	return json.Marshal(map[string]decimal.NullDecimal{"margin_percent": markup})
}

// near returns ErrSecondOperator if a term is too far from its value in a setting.
func (s *Settings) near(setting []byte, column, value string) error {
	var columns map[string]json.RawMessage
	var known *decimal.Decimal
	if err := json.Unmarshal(setting, &columns); err != nil {
		return fmt.Errorf("read setting: %w", err)
	}
	if raw, there := columns[column]; there {
		if err := json.Unmarshal(raw, &known); err != nil {
			return fmt.Errorf("read %s: %w", column, err)
		}
	}
	switch {
	case known == nil && value == "":
		return nil
	case known == nil || value == "":
		return foureyes.ErrSecondOperator
	}
	wanted, err := decimal.NewFromString(value)
	if err != nil {
		return fmt.Errorf("read %s: %w", column, err)
	}
	return s.FourEyes.Deviating(wanted.Sub(*known).Abs(), s.FourEyes.RatePercent)
}
