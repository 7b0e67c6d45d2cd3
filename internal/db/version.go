package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"gateway.example/schema"
)

// ErrNoGateway says that a database does not exist or was never used by a
// gateway.
var ErrNoGateway = errors.New("no gateway database here")

// ErrBeforeBaseline says that a database has the tables of a development
// version.
var ErrBeforeBaseline = errors.New(
	"the database was made by a development version before the baseline of the schema, " +
		"and there is no way from there to this version: begin with an empty database",
)

// IsNoDatabase reports whether err says that a server has no database of that
// name.
func IsNoDatabase(err error) bool { return hasCode(err, "3D000") }

// CheckSchema reads the version of a database's schema and fails unless it is
// exactly this program's. It changes nothing.
func CheckSchema(ctx context.Context, pool Pool) (version int64, err error) {
	have, err := applied(ctx, pool)
	if err != nil {
		return 0, err
	}
	want, err := migrations()
	if err != nil {
		return 0, err
	}
	if len(have) == 0 {
		return 0, ErrNoGateway
	}
	if err := checkNotNewer(have, want, have[len(have)-1]); err != nil {
		return 0, err
	}
	if !slices.Equal(have, want) {
		return 0, fmt.Errorf(
			"the database has schema %d (%d migrations), this program %d (%d): gateway migrate brings an older one up to date",
			have[len(have)-1],
			len(have),
			want[len(want)-1],
			len(want),
		)
	}
	return have[len(have)-1], nil
}

// querier is a pool or a connection.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// applied are the numbers of the database's migrations, in order. Before the
// baseline the same numbers were other migrations.
func applied(ctx context.Context, from querier) ([]int64, error) {
	rows, err := from.Query(
		ctx,
		"select version_id from goose_db_version where is_applied and version_id > 0 order by version_id",
	)
	if err != nil {
		return nil, schemaError(err)
	}
	have, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, schemaError(err)
	}
	var baseline bool
	err = from.QueryRow(ctx, "select to_regprocedure('schema_baseline()') is not null").Scan(&baseline)
	if err != nil {
		return nil, schemaError(err)
	}
	if len(have) > 0 && !baseline {
		return nil, ErrBeforeBaseline
	}
	return have, nil
}

// floor is the number of the migration that a program must know to work with
// the database.
func floor(ctx context.Context, from querier, have []int64) (least int64, err error) {
	var kept bool
	if err := from.QueryRow(ctx, "select to_regclass('schema_floor') is not null").Scan(&kept); err != nil {
		return 0, schemaError(err)
	}
	if !kept {
		return have[len(have)-1], nil
	}
	if err := from.QueryRow(ctx, "select version from schema_floor").Scan(&least); err != nil {
		return 0, schemaError(err)
	}
	return least, nil
}

// checkNotNewer fails if the database has a migration that this program does
// not know, and least, the migration that a program must know, is also a later
// one.
func checkNotNewer(have, known []int64, least int64) error {
	if len(have) == 0 || have[len(have)-1] <= known[len(known)-1] || least <= known[len(known)-1] {
		return nil
	}
	return fmt.Errorf(
		"the database has schema %d, and this program knows only %d: start the newer program that has migrated it",
		have[len(have)-1],
		known[len(known)-1],
	)
}

func schemaError(err error) error {
	if undefined := new(pgconn.PgError); errors.As(err, &undefined) && undefined.Code == "42P01" {
		return ErrNoGateway
	}
	return fmt.Errorf("read the schema's version: %w", err)
}

// migrations are the numbers of this program's migrations, in order.
func migrations() ([]int64, error) {
	files, err := fs.Glob(schema.FS, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var numbers []int64
	for _, file := range files {
		n, err := goose.NumericComponent(file)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", file, err)
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers, nil
}
