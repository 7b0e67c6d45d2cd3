package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"gateway.example/internal/fault"
	"gateway.example/schema"
)

// migrationLock is the key of the advisory lock: any number, but always the
// same.
const migrationLock = 7_220_714_513

// minimumVersion is PostgreSQL 15, in the server's own notation.
const minimumVersion = 150000

// Migrate brings the database to the present schema. Processes that start at
// the same time wait for one another.
func Migrate(ctx context.Context, url string) error {
	return migrateWithin(ctx, url, migrationPatience)
}

// migrateWithin is Migrate with a limit for waiting for another process, and
// for the locks of migrations. A crash frees the lock, which belongs to a
// transaction, and each migration that was made stays made. If a lock keeps it
// from making the tables of months to come, it only warns.
func migrateWithin(ctx context.Context, url string, patience time.Duration) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's error quotes the URL and with it a password.
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
	if err := refusePooler(ctx, conn); err != nil {
		return err
	}
	if err := checkVersion(ctx, conn); err != nil {
		return err
	}
	lock, err := lockMigrations(ctx, conn, patience)
	if err != nil {
		return err
	}
	if err := refuseOther(ctx, lock); err != nil {
		return err
	}
	config = conn.Config()
	role, err := keeper(ctx, conn)
	if err != nil {
		return err
	}
	if role != "" {
		config.RuntimeParams["role"] = role
	}
	// A result stays open until the next statement and keeps its snapshot,
	// for which creating an index concurrently would wait.
	if _, err := lock.Exec(ctx, "select"); err != nil {
		return fmt.Errorf("let go of the last snapshot: %w", err)
	}
	if err := migrateSchema(ctx, config, patience); err != nil {
		return err
	}
	// The lock's transaction is rolled back at the end.
	other, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	err = MakeMonths(ctx, other, time.Now())
	if IsLockTimeout(err) { // for example by a dump; meanwhile rows of a month without a partition go to the default partition
		slog.WarnContext(ctx, "partitions of months could not be made yet", "error", err)
		return nil
	}
	return err
}

// ErrMigrating says that another process has been migrating for too long.
var ErrMigrating = errors.New("another process has been changing the schema of the database all the time")

const (
	// migrationPatience is how long a start waits for another process that
	// migrates. Migrating large tables may take minutes.
	migrationPatience = 10 * time.Minute
	migrationPause    = 500 * time.Millisecond
	// migrationLockTimeout is how long a migration waits for a lock, in
	// milliseconds, and migrationAgain the pause before it tries again.
	migrationLockTimeout = "2000"
	migrationAgain       = 3 * time.Second
)

// lockMigrations begins the transaction that holds the lock. Behind a pooler a
// session's lock could stay on a connection that nobody uses. While it waits,
// it ends the transaction of each attempt, because creating an index
// concurrently waits for all other transactions.
func lockMigrations(ctx context.Context, conn *pgx.Conn, patience time.Duration) (pgx.Tx, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, ErrMigrating)
	defer cancel()
	for told := false; ; told = true {
		lock, err := tryLock(ctx, conn)
		if err != nil {
			return nil, fmt.Errorf("lock migrations: %w", cmp.Or(context.Cause(ctx), err))
		}
		if lock != nil {
			return lock, nil
		}
		if !told {
			slog.WarnContext(ctx, "another process changes the schema of the database: waiting for it")
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("lock migrations: %w", context.Cause(ctx))
		case <-time.After(migrationPause):
		}
	}
}

// tryLock takes the lock for a transaction, or returns nil if another process
// has it.
func tryLock(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	lock, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	// goose works on other connections while this transaction is idle, so
	// it must not be ended for being idle.
	if _, err := lock.Exec(ctx, "set local idle_in_transaction_session_timeout = 0"); err != nil {
		return nil, err
	}
	var locked bool
	err = lock.QueryRow(ctx, "select pg_try_advisory_xact_lock($1)", int64(migrationLock)).Scan(&locked)
	if err == nil && locked {
		return lock, nil
	}
	return nil, errors.Join(err, lock.Rollback(ctx))
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

// refuseOther refuses a database from before the baseline, and one that a newer
// program has migrated in such a way that this program cannot work with it.
func refuseOther(ctx context.Context, lock pgx.Tx) error {
	// Reading a table that does not exist would end the lock's transaction.
	inside, err := lock.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin to read the schema's version: %w", err)
	}
	defer func() { _ = inside.Rollback(context.WithoutCancel(ctx)) }()
	have, err := applied(ctx, inside)
	if errors.Is(err, ErrNoGateway) || err == nil && len(have) == 0 {
		return nil // the first start makes the tables
	}
	if err != nil {
		return err
	}
	known, err := migrations()
	if err != nil {
		return err
	}
	least, err := floor(ctx, inside, have)
	if err != nil {
		return err
	}
	if err := checkNotNewer(have, known, least); err != nil {
		return err
	}
	if have[len(have)-1] > known[len(known)-1] {
		slog.WarnContext(ctx, "a newer program has migrated the database: this one can work on it",
			"schema", have[len(have)-1], "known", known[len(known)-1])
	}
	return nil
}

// keeper is the role that owns the tables, if the user may act as it, or "".
// With it, a migration by an administrator makes nothing that the gateway may
// not use.
func keeper(ctx context.Context, conn *pgx.Conn) (role string, err error) {
	const query = `select coalesce((select pg_get_userbyid(relowner) from pg_class
			where oid = to_regclass('goose_db_version') and pg_has_role(relowner, 'member')
			and pg_get_userbyid(relowner) <> current_user), '')`
	err = conn.QueryRow(ctx, query).Scan(&role)
	return role, fault.Doing("read whom the tables belong to", err)
}

// migrateSchema makes the due migrations. A migration waits for a lock only
// briefly, because everybody who comes after it would wait as well. Then it is
// tried again from its beginning, until patience ends.
func migrateSchema(ctx context.Context, config *pgx.ConnConfig, patience time.Duration) error {
	config = config.Copy()
	config.RuntimeParams["lock_timeout"] = migrationLockTimeout
	std := stdlib.OpenDB(*config)
	defer func() { _ = std.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, schema.FS)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	for until := time.Now().Add(patience); ; {
		_, err := provider.Up(ctx)
		if err == nil {
			return nil
		}
		if !IsLockTimeout(err) || time.Now().After(until) {
			return fmt.Errorf("migrate: %w", err)
		}
		slog.WarnContext(ctx, "a migration did not get its locks and is made again", "error", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate: %w", err)
		case <-time.After(migrationAgain):
		}
	}
}
