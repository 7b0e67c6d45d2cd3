package bankmessage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
)

// Mode says what messages do for a requisite.
type Mode string

// With Off, messages do nothing. With ShadowMode, what they would have
// confirmed is stored and compared with what the trader did. With On, they
// confirm payments.
const (
	Off        Mode = "off"
	ShadowMode Mode = "shadow"
	On         Mode = "on"
)

var Modes = []Mode{Off, ShadowMode, On}

// Rule says what messages do for a requisite.
type Rule struct {
	RequisiteID, DeviceID int64
	// Bank is the bank whose messages are about it. Account has the last
	// four digits of the account, or "".
	Bank, Account string
	Mode          Mode
	// Most is the largest amount that messages may confirm; larger amounts
	// are confirmed by a person.
	Most  decimal.Decimal
	Since time.Time
	// StoppedBy is a message that was contradicted. Nothing is confirmed
	// without a person until somebody has looked.
	StoppedBy *int64
	Tally     Tally
}

// Tally compares what messages would have done with what the trader did, since
// the requisite has its mode.
type Tally struct {
	// Right and Wrong count the payments that would have been confirmed and
	// have ended, by how they did.
	Right, Wrong int64
	// Completed counts the payments that were completed, and Told those of
	// them about which there was a message.
	Completed, Told int64
}

// Precision is the percentage of the payments that would have been confirmed
// rightly; nil if there were none.
func (t Tally) Precision() *int64 { return percent(t.Right, t.Right+t.Wrong) }

// Recall is the percentage of the completed payments about which there was a
// message; nil if there were none.
func (t Tally) Recall() *int64 { return percent(t.Told, t.Completed) }

func percent(part, whole int64) *int64 {
	if whole == 0 {
		return nil
	}
	return new(part * 100 / whole) //nolint:mnd // percent
}

// NewRule is a rule that a trader sets. Most is an amount in the requisite's
// currency.
type NewRule struct {
	RequisiteID, DeviceID int64
	Bank, Account         string
	Mode                  Mode
	Most                  string
}

// SetRule sets what messages do for a requisite of the caller's trader, and
// records that in the log of settings.
func (s *Service) SetRule(ctx context.Context, who caller.Caller, n NewRule) error {
	needed := caller.TraderRequisites
	if n.Mode == On {
		needed = caller.TraderPhones
	}
	if err := who.Need(needed); err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	f.Check(slices.Contains(Modes, n.Mode), "messageMode", "must be off, shadow or on")
	most, err := money.Parse(n.Most, money.FiatDecimals)
	if err != nil {
		f.Add("most", "%s", err.Error())
	}
	f.Check(n.Account == "" || len(n.Account) == 4 && isNumber(n.Account), "account", "must be four digits")
	own, err := s.q.RequisiteOwn(ctx, db.RequisiteOwnParams{ID: n.RequisiteID, TraderID: who.TraderID})
	if db.NoRows(err) {
		return cmp.Or(f.Err(), error(fault.ErrNotFound))
	} else if err != nil {
		return fmt.Errorf("read requisite: %w", err)
	}
	known := func(b Bank) bool { return b.Code == n.Bank && b.Currency == own.Currency }
	f.Check(slices.ContainsFunc(Banks(), known), "bank", "must be a bank of the requisite's currency whose messages are known")
	devices, err := s.ListDevices(ctx, who)
	if err != nil {
		return err
	}
	f.Check(slices.ContainsFunc(devices, func(d Device) bool { return d.ID == n.DeviceID && d.RevokedAt == nil }),
		"deviceId", "must be a device of yours")
	if err := f.Err(); err != nil {
		return err
	}
	put := db.RequisiteMessagePutParams{
		RequisiteID: n.RequisiteID, TraderID: who.TraderID, DeviceID: n.DeviceID, Bank: n.Bank, Mode: string(n.Mode),
		Most: most, Since: s.clock.Now(),
	}
	if n.Account != "" {
		put.Account = &n.Account
	}
	return s.change(ctx, s.pools.Calls, who, n.RequisiteID, true, func(q *db.Queries) error { return q.RequisiteMessagePut(ctx, put) })
}

// Looked lets messages confirm again for a requisite that was stopped because a
// message was contradicted.
func (s *Service) Looked(ctx context.Context, who caller.Caller, requisiteID int64) error {
	if err := who.Need(caller.TraderPhones); err != nil {
		return err
	}
	return s.change(ctx, s.pools.Calls, who, requisiteID, false, func(q *db.Queries) error {
		return q.RequisiteMessageLooked(ctx, requisiteID)
	})
}

// change changes a rule of the caller's trader, and records that in the log of
// settings.
func (s *Service) change(
	ctx context.Context, in db.Beginner, who caller.Caller, requisiteID int64, mayBeNew bool, apply func(q *db.Queries) error,
) error {
	c := db.SettingChange{
		At: s.clock.Now(), Actor: who.Actor(), Subject: "requisite_message", SubjectKey: strconv.FormatInt(requisiteID, 10),
	}
	_, err := db.ChangeSetting(ctx, in, c, db.Setting{
		Read: func(q *db.Queries) ([]byte, error) {
			return q.RequisiteMessageState(ctx, db.RequisiteMessageStateParams{
				RequisiteID: requisiteID, TraderID: who.TraderID,
			})
		},
		Apply: apply, New: mayBeNew, Whole: true,
	})
	return err
}

// Rules lists the rules of the requisites of the caller's trader, with their
// tallies.
func (s *Service) Rules(ctx context.Context, who caller.Caller) ([]Rule, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, err
	}
	rows, err := s.q.RequisiteMessageList(ctx, who.TraderID)
	if err != nil {
		return nil, fmt.Errorf("list what messages do: %w", err)
	}
	tallies, err := s.q.RequisiteMessageTallies(ctx, who.TraderID)
	if err != nil {
		return nil, fmt.Errorf("count what messages did: %w", err)
	}
	of := make(map[int64]Tally, len(tallies))
	for _, t := range tallies {
		of[t.RequisiteID] = Tally{Right: t.RightOnes, Wrong: t.WrongOnes, Completed: t.Completed, Told: t.Told}
	}
	list := make([]Rule, 0, len(rows))
	for _, row := range rows {
		r := Rule{
			RequisiteID: row.RequisiteID, DeviceID: row.DeviceID, Bank: row.Bank, Mode: Mode(row.Mode), Most: row.Most,
			Since: row.Since, StoppedBy: row.StoppedBy, Tally: of[row.RequisiteID],
		}
		if row.Account != nil {
			r.Account = *row.Account
		}
		list = append(list, r)
	}
	return list, nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
