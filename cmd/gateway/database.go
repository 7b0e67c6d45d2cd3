package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/sandbox"
)

// database is the PostgreSQL that the program works on: an existing one, or
// one that it runs itself.
type database struct {
	url    string
	server *pgserver.Server // nil when given
}

const (
	databaseName = "gateway"
	stopTimeout  = 20 * time.Second
)

// openDatabase connects to the database. If none is set, it starts its own
// server.
func openDatabase(
	ctx context.Context, c config, log *slog.Logger, tell func(format string, args ...any),
) (*database, error) {
	if c.databaseURL != "" {
		return &database{url: c.databaseURL}, nil
	}
	server, err := pgserver.Start(ctx, pgserver.Options{
		Dir: filepath.Join(c.dataDir, "postgres"), Log: log, Tell: tell,
	})
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	d := &database{url: server.URL(databaseName), server: server}
	if err := d.create(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// create makes the database of the program's own server at its first start.
func (d *database) create(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, d.server.URL("postgres"))
	if err != nil {
		return fmt.Errorf("reach PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var exists bool
	err = conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", databaseName).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "create database "+databaseName)
	}
	return fault.Doing("create database", err)
}

// anew adds to the error about a database from before the baseline how to
// start a sandbox from scratch.
func (c config) anew(err error) error {
	if c.databaseURL != "" || !errors.Is(err, db.ErrBeforeBaseline) {
		return err
	}
	return fmt.Errorf("%w: delete the sandbox's directory %s", err, c.dataDir)
}

// died is closed when the program's own server stops unexpectedly. For an
// existing server it is never closed.
func (d *database) died() <-chan struct{} {
	if d.server == nil {
		return nil
	}
	return d.server.Done()
}

func (d *database) close() {
	if d.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := d.server.Stop(ctx); err != nil {
		slog.Error("stop PostgreSQL", "error", err)
	}
}

// besideServer connects to the database for a command that may run beside a
// gateway: to the one of the running sandbox if there is one, otherwise as
// serve does.
func besideServer(ctx context.Context, c config, log *slog.Logger) (*database, error) {
	if found := foundServer(ctx, c); found != nil {
		return found, nil
	}
	if err := makeDataDir(&c); err != nil {
		return nil, err
	}
	return openDatabase(ctx, c, log, nil)
}

// existing is besideServer for commands that must not create a database. It
// starts the program's own server if that is stopped.
func existing(ctx context.Context, c config, log *slog.Logger) (*database, error) {
	if found := foundServer(ctx, c); found != nil {
		return found, nil
	}
	dir := filepath.Join(c.dataDir, "postgres")
	server, err := pgserver.Start(ctx, pgserver.Options{Dir: dir, Log: log, Existing: true})
	if errors.Is(err, pgserver.ErrNoData) {
		return nil, fmt.Errorf("%w: %s has no data; -database-url and -data-dir say where to look", db.ErrNoGateway, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return &database{url: server.URL(databaseName), server: server}, nil
}

// foundServer is the database that is set, or that of the sandbox running on
// the data directory.
func foundServer(ctx context.Context, c config) *database {
	if c.databaseURL != "" {
		return &database{url: c.databaseURL}
	}
	if info, err := sandbox.Read(c.dataDir); err == nil && answers(ctx, info.DatabaseURL) {
		return &database{url: info.DatabaseURL}
	}
	return nil
}

func answers(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	pool, err := db.Open(ctx, url, 1, db.ForCommands)
	if err != nil {
		return false
	}
	pool.Close()
	return true
}

// makeDataDir makes the data directory and its path absolute. Other users may
// pass through it, because PostgreSQL can run under another account; secrets
// in it are readable only by their owner.
func makeDataDir(c *config) error {
	if !c.sandbox { // production keeps all it has in its database
		return nil
	}
	dir, err := filepath.Abs(c.dataDir)
	if err != nil {
		return fmt.Errorf("-data-dir: %w", err)
	}
	if err := os.MkdirAll(dir, 0o711); err != nil { //nolint:gosec // the path is the operator's choice
		return fmt.Errorf("-data-dir: %w", err)
	}
	c.dataDir = dir
	return nil
}
