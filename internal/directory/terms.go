package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/foureyes"
)

// termsWindow is how far back terms are compared, so that many small steps count as a large one.
const termsWindow = 24 * time.Hour

// terms checks whether one operator may change what somebody earns: markups, margins and shares, by
// column. A term may differ from its present value, and from that of a day ago, by as many points as
// a rate may by percent. Somebody new may begin with any terms, but setting or clearing a term of
// somebody who exists takes two operators. Nil is not changed.
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
		for _, setting := range [][]byte{now, was} {
			if value == nil || setting == nil {
				continue
			}
			if err := s.near(setting, column, *value); err != nil {
				return err
			}
		}
	}
	return nil
}

// marginNow is what a new margin is compared with. For a new method that is the markup that its
// payments had without it; a new method without a margin changes nothing.
func (s *Settings) marginNow(
	ctx context.Context, q *db.Queries, m CashboxMethod, read func(*db.Queries) ([]byte, error),
) ([]byte, error) {
	setting, err := read(q)
	if !db.NoRows(err) || m.MarginPercent == "" {
		return setting, err
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

// near checks that a term is near its value in a setting.
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
	return s.FourEyes.Away(wanted.Sub(*known).Abs(), s.FourEyes.RatePercent)
}
