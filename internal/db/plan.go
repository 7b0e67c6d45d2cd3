package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"

	"github.com/pressly/goose/v3"

	"gateway.example/schema"
)

// Plan is what Migrate would do to a database.
type Plan struct {
	// Have is the last migration that was made, or 0.
	Have int64
	Due  []Due
}

// Due is a migration that would be made.
type Due struct {
	File string
	// Breaks says that programs which do not know the migration cannot work
	// afterwards, because it does more than add.
	Breaks bool
}

// raisesFloor matches the statement by which a migration says that it does more
// than add.
var raisesFloor = regexp.MustCompile(`(?i)\bupdate\s+schema_floor\b`)

// PlanMigrations tells what Migrate would do. It changes nothing.
func PlanMigrations(ctx context.Context, pool Pool) (Plan, error) {
	var p Plan
	have, err := applied(ctx, pool)
	switch {
	case errors.Is(err, ErrNoGateway):
	case err != nil:
		return p, err
	case len(have) > 0:
		p.Have = have[len(have)-1]
	}
	known, err := migrations()
	if err != nil {
		return p, err
	}
	if p.Have > 0 {
		least, err := floor(ctx, pool, have)
		if err != nil {
			return p, err
		}
		if err := checkNotNewer(have, known, least); err != nil {
			return p, err
		}
	}
	p.Due, err = dueAfter(p.Have)
	return p, err
}

// dueAfter lists the migrations after a number.
func dueAfter(have int64) ([]Due, error) {
	files, err := fs.Glob(schema.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var due []Due
	for _, file := range files {
		number, err := goose.NumericComponent(file)
		if err != nil {
			return due, fmt.Errorf("migration %s: %w", file, err)
		}
		if number <= have {
			continue
		}
		content, err := schema.FS.ReadFile(file)
		if err != nil {
			return due, fmt.Errorf("migration %s: %w", file, err)
		}
		due = append(due, Due{File: file, Breaks: raisesFloor.Match(content)})
	}
	return due, nil
}
