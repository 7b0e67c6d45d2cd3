package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"gateway.example/schema"
)

// migrationLock is the advisory lock's key: any number, but always this one.
const migrationLock = 7_220_714_513

// minimumVersion is PostgreSQL 15, in the server's own notation.
const minimumVersion = 150000

// Migrate brings the database to the present schema. Replicas that start at the same
// time wait for one another.
func Migrate(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := checkVersion(ctx, conn); err != nil {
		return err
	}
	// Closing the connection gives the lock back.
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("lock migrations: %w", err)
	}
	return migrateSchema(ctx, conn.Config())
}

func checkVersion(ctx context.Context, conn *pgx.Conn) error {
	var version int
	if err := conn.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		return fmt.Errorf("read the server's version: %w", err)
	}
	if version < minimumVersion {
		return fmt.Errorf("PostgreSQL 15 or newer is needed; the server is %d", version/10000)
	}
	return nil
}

func migrateSchema(ctx context.Context, config *pgx.ConnConfig) error {
	std := stdlib.OpenDB(*config)
	defer func() { _ = std.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, schema.FS)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
