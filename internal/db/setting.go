package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/fault"
)

// RecordSetting writes a change into the log of settings, in the transaction of the change itself:
// who changed what, when, and what was before and after, as JSON without secrets. Before is nil for
// something new.
func RecordSetting(ctx context.Context, q *Queries, c SettingChange) error {
	_, err := recordSetting(ctx, q, c)
	return err
}

func recordSetting(ctx context.Context, q *Queries, c SettingChange) (SettingChange, error) {
	id, err := q.SettingChangeInsert(ctx, SettingChangeInsertParams{
		At: c.At, Actor: c.Actor, Subject: c.Subject, SubjectKey: c.SubjectKey, Before: c.Before, After: c.After,
	})
	if err != nil {
		return c, fmt.Errorf("record setting: %w", err)
	}
	c.ID = id
	return c, nil
}

// NotThere is the version of a setting that is not there yet.
const NotThere = "new"

// versionBytes are enough to tell any two states of a setting apart.
const versionBytes = 16

// VersionOf names what a setting reads as. It is another as soon as anything of it has changed.
func VersionOf(setting []byte) string {
	if setting == nil {
		return NotThere
	}
	sum := sha256.Sum256(setting)
	return hex.EncodeToString(sum[:versionBytes])
}

// DecodeSetting reads what the log of settings keeps of one into a room's own type, and names its
// version.
func DecodeSetting(setting []byte, into any) (version string, err error) {
	if err := json.Unmarshal(setting, into); err != nil {
		return "", fmt.Errorf("read setting: %w", err)
	}
	return VersionOf(setting), nil
}

// ErrSettingChanged refuses a change of a setting that is not any more as the caller has seen it.
var ErrSettingChanged = fault.New(fault.Conflict, "setting_changed",
	"It has changed since you read it. Nothing was overwritten: read it again.")

// Setting is how a setting is read, under a lock, and changed.
type Setting struct {
	Read  func(q *Queries) ([]byte, error)
	Apply func(q *Queries) error
	// New admits a setting that is not there yet; otherwise that is fault.ErrNotFound.
	New bool
	// Whole says that Read shows all that Apply may change, so that where it shows no change there
	// is none to record. A password, say, is changed without a trace in what Read shows.
	Whole bool
	// Seen is the version that the caller means to change, or "" for any. Where the setting is at
	// another, that is ErrSettingChanged.
	Seen string
}

// ChangeSetting changes a setting and records it, with what it read before and after, in one
// transaction. Where nothing changed nothing is recorded, and the ID stays 0.
func ChangeSetting(ctx context.Context, b Beginner, c SettingChange, s Setting) (SettingChange, error) {
	err := InTx(ctx, b, func(_ pgx.Tx, q *Queries) error {
		var err error
		if c.Before, err = s.Read(q); err != nil && !NoRows(err) {
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
		if s.Whole && bytes.Equal(c.Before, c.After) {
			return nil
		}
		c, err = recordSetting(ctx, q, c)
		return err
	})
	return c, err
}

// Creation is how a setting that has an id of its own is made, and read once it is there.
type Creation struct {
	// Insert returns the id. Its error is answered as it is.
	Insert func(q *Queries) (int64, error)
	Read   func(q *Queries, id int64) ([]byte, error)
}

// CreateSetting makes a setting and records it under its id, in one transaction.
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
