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

// database is the PostgreSQL the program works on: one it was given, or one it
// manages.
type database struct {
	url    string
	server *pgserver.Server // nil when given
}

const (
	databaseName = "gateway"
	stopTimeout  = 20 * time.Second
)

// openDatabase reaches the database, starting the managed one if none was
// given.
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

// create makes the managed server's one database at its first start.
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

// anew adds to the refusal of a database from before the baseline how a sandbox
// begins anew.
func (c config) anew(err error) error {
	if c.databaseURL != "" || !errors.Is(err, db.ErrBeforeBaseline) {
		return err
	}
	return fmt.Errorf("%w: delete the sandbox's directory %s", err, c.dataDir)
}

// died is closed if the managed server ends under us; a given one never closes
// it.
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

// besideServer reaches the database for a command that may run beside a live
// gateway: through the sandbox's file if somebody answers there, else as serve
// does.
func besideServer(ctx context.Context, c config, log *slog.Logger) (*database, error) {
	if found := foundServer(ctx, c); found != nil {
		return found, nil
	}
	if err := makeDataDir(&c); err != nil {
		return nil, err
	}
	return openDatabase(ctx, c, log, nil)
}

// existing is besideServer for commands that must not make a database where
// there is none. A server that is stopped is started for them.
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

// foundServer is the database that was given, or that of the sandbox that runs
// on the data directory.
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

// makeDataDir makes the data directory and its path absolute. Others may pass
// through it, so that PostgreSQL can run under another account; what is secret
// in it is readable by its owner alone.
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
