package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/fault"
)

// RecordSetting writes a change into the log of settings, in the caller's
// transaction: who changed what, when, and the state before and after, as JSON
// without secrets. Before is nil for something new.
func RecordSetting(ctx context.Context, q *Queries, c SettingChange) error {
	_, err := recordSetting(ctx, q, c)
	return err
}

func recordSetting(ctx context.Context, q *Queries, c SettingChange) (SettingChange, error) {
	id, err := q.SettingChangeInsert(ctx, SettingChangeInsertParams{
		At: c.At, Actor: c.Actor, Subject: c.Subject, SubjectKey: c.SubjectKey, Before: c.Before, After: c.After,
		Reason: c.Reason,
	})
	if err != nil {
		return c, fmt.Errorf("record setting: %w", err)
	}
	c.ID = id
	return c, nil
}

// NotThere is the version of a setting that does not exist yet.
const NotThere = "new"

// versionBytes are enough to distinguish two states of a setting.
const versionBytes = 16

// breaks matches a trader's break in their settings.
var breaks = regexp.MustCompile(`"on_break": (true|false)`)

// VersionOf is a version of a setting: it changes whenever anything of the
// setting does, with the exception of a trader's break. Traders take and end
// breaks all day, which must not void what operators are about to set.
func VersionOf(setting []byte) string {
	if setting == nil {
		return NotThere
	}
	sum := sha256.Sum256(breaks.ReplaceAll(setting, nil))
	return hex.EncodeToString(sum[:versionBytes])
}

// DecodeSetting decodes a state from the log of settings, and sets its version.
func DecodeSetting(setting []byte, into any) (version string, err error) {
	if err := json.Unmarshal(setting, into); err != nil {
		return "", fmt.Errorf("read setting: %w", err)
	}
	return VersionOf(setting), nil
}

// ErrSettingChanged refuses a change of a setting that is no longer as the
// caller has seen it.
var ErrSettingChanged = fault.New(fault.Conflict, "setting_changed",
	"It has changed since you read it. Nothing was overwritten: read it again.")

// Changed is the new state of a setting and the change that led to it.
type Changed[T any] struct {
	SettingChange
	Now T
}

// Settled decodes the new state after a successful change.
func Settled[T any](c SettingChange, err error, read func() (T, error)) (Changed[T], error) {
	done := Changed[T]{SettingChange: c}
	if err == nil {
		done.Now, err = read()
	}
	return done, err
}

// Setting says how a setting is read under a lock, and how it is changed.
type Setting struct {
	Read  func(q *Queries) ([]byte, error)
	Apply func(q *Queries) error
	// May refuses a change that was applied and is not recorded yet; then
	// it is undone. Nil refuses none.
	May func(q *Queries, c SettingChange) error
	// New allows a setting that does not exist yet. Without it the error is
	// then fault.ErrNotFound.
	New bool
	// Whole says that Read shows everything that Apply may change: if Read
	// shows no difference, nothing is recorded. A password, for example,
	// changes without a trace in Read.
	Whole bool
	// Seen is the version that the caller has seen; "" is any. If the
	// setting has another version, the error is ErrSettingChanged.
	Seen string
}

// ChangeSetting changes a setting and records it with its states before and
// after, in one transaction. If nothing changed, nothing is recorded and the
// returned ID is 0.
func ChangeSetting(ctx context.Context, b Beginner, c SettingChange, s Setting) (SettingChange, error) {
	err := InTx(ctx, b, func(_ pgx.Tx, q *Queries) error {
		var err error
		c.Before, err = s.Read(q)
		if NoRows(err) && s.New {
			// There is no row to lock. Whoever else is about to
			// make it is waited for.
			if err := q.SettingTurn(ctx, c.Subject+" "+c.SubjectKey); err != nil {
				return fmt.Errorf("wait for a first setting: %w", err)
			}
			c.Before, err = s.Read(q)
		}
		if err != nil && !NoRows(err) {
			return fmt.Errorf("read setting: %w", err)
		}
		if err != nil && !s.New {
			return fault.ErrNotFound
		}
		if s.Seen != "" && s.Seen != VersionOf(c.Before) {
			return ErrSettingChanged
		}
		if err := s.Apply(q); err != nil {
			return fmt.Errorf("change setting: %w", err)
		}
		if c.After, err = s.Read(q); err != nil {
			return fmt.Errorf("read setting: %w", err)
		}
		if s.May != nil {
			if err := s.May(q, c); err != nil {
				return err
			}
		}
		if s.Whole && bytes.Equal(c.Before, c.After) {
			return nil
		}
		c, err = recordSetting(ctx, q, c)
		return err
	})
	return c, err
}

// Set changes columns of the row with an id. The names of the table and the
// columns must be declared in internal/setting; they never come from a caller.
func (q *Queries) Set(ctx context.Context, table string, id int64, columns map[string]any) error {
	if len(columns) == 0 {
		return nil
	}
	args, assigned := []any{id}, make([]string, 0, len(columns))
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		args = append(args, columns[name])
		assigned = append(assigned, fmt.Sprintf("%s = $%d", pgx.Identifier{name}.Sanitize(), len(args)))
	}
	_, err := q.db.Exec(ctx, "update "+pgx.Identifier{table}.Sanitize()+" set "+strings.Join(assigned, ", ")+
		" where id = $1", args...)
	return err
}

// Put changes columns of the row with a key, or inserts the row; then columns
// that are not given have the schema's defaults. The names must be declared in
// internal/setting, as for Set.
func (q *Queries) Put(ctx context.Context, table string, key, columns map[string]any) error {
	var names, places, kept []string
	var args []any
	put := func(values map[string]any) []string {
		sorted := slices.Sorted(maps.Keys(values))
		for i, name := range sorted {
			args = append(args, values[name])
			sorted[i] = pgx.Identifier{name}.Sanitize()
			names, places = append(names, sorted[i]), append(places, fmt.Sprintf("$%d", len(args)))
		}
		return sorted
	}
	keys := put(key)
	for _, name := range put(columns) {
		kept = append(kept, name+" = excluded."+name)
	}
	_, err := q.db.Exec(ctx, fmt.Sprintf("insert into %s (%s) values (%s) on conflict (%s) do update set %s",
		pgx.Identifier{table}.Sanitize(), strings.Join(names, ", "), strings.Join(places, ", "), strings.Join(keys, ", "),
		strings.Join(kept, ", ")), args...)
	return err
}

// Creation says how a setting with an id is inserted and read.
type Creation struct {
	// Insert returns the id. Its error is returned unchanged.
	Insert func(q *Queries) (int64, error)
	Read   func(q *Queries, id int64) ([]byte, error)
}

// CreateSetting makes a setting and records it under its id, in one
// transaction.
func CreateSetting(ctx context.Context, b Beginner, c SettingChange, n Creation) (SettingChange, error) {
	err := InTx(ctx, b, func(_ pgx.Tx, q *Queries) error {
		id, err := n.Insert(q)
		if err != nil {
			return err
		}
		c.SubjectKey = strconv.FormatInt(id, 10)
		if c.After, err = n.Read(q, id); err != nil {
			return fmt.Errorf("read setting: %w", err)
		}
		c, err = recordSetting(ctx, q, c)
		return err
	})
	return c, err
}
