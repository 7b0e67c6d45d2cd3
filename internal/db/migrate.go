package db

import (
	"context"
	"errors"
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
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The error quotes the URL and with it a password.
		return errors.New("the database URL is not valid")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	conn, err := pgx.ConnectConfig(ctx, config)
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
	if err := refuseNewer(ctx, conn); err != nil {
		return err
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

// refuseNewer keeps a program from a database that a newer one has migrated: it would write what that
// one no longer understands.
func refuseNewer(ctx context.Context, conn *pgx.Conn) error {
	have, err := applied(ctx, conn)
	if errors.Is(err, ErrNoGateway) {
		return nil // the first start makes the tables
	}
	if err != nil {
		return err
	}
	known, err := migrations()
	if err != nil {
		return err
	}
	return checkNotNewer(have, known)
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
