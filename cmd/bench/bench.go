package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/db"
	"gateway/internal/pgserver"
)

// bench is one run of the program: the servers it has up, what it has put on the stage, what it has found.
type bench struct {
	options
	progress
	report *report

	dir        string
	server     *pgserver.Server
	postmaster int
	url        string
	// pool is the bench's own way to the database, for preparations and looks at it.
	pool    *pgxpool.Pool
	binary  string
	gateway *child
	hooks   *receivers
	scene   scene
	// recorded are the statements of creations, which the replay is made of.
	recorded []creation
}

const (
	databaseName = "bench"
	stopTimeout  = 30 * time.Second
	startTimeout = time.Minute
	ownPool      = 8
)

// open brings everything up. What it brought up before an error, close takes down.
func (b *bench) open(ctx context.Context) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "gateway-bench-"); err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	// PostgreSQL may run as another user, who has to pass through.
	if err := os.Chmod(b.dir, 0o711); err != nil { //nolint:gosec // nothing secret is readable in it
		return err
	}
	b.say("building the gateway")
	if b.binary, err = build(ctx, b.dir); err != nil {
		return err
	}
	b.say("starting PostgreSQL and the gateway")
	if err := b.openDatabase(ctx); err != nil {
		return err
	}
	if b.gateway, err = b.launch(ctx, filepath.Join(b.dir, "gateway"), b.url); err != nil {
		return err
	}
	if b.hooks, err = openReceivers(ctx); err != nil {
		return err
	}
	if err := b.setTheStage(ctx); err != nil {
		return err
	}
	return b.describe(ctx)
}

func (b *bench) openDatabase(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir := filepath.Join(b.dir, "pg")
	var err error
	if b.server, err = pgserver.Start(starting, pgserver.Options{Dir: dir}); err != nil {
		return err
	}
	if b.postmaster, err = postmasterPID(dir); err != nil {
		return err
	}
	admin, err := db.Open(ctx, b.server.URL("postgres"), 1)
	if err != nil {
		return err
	}
	defer admin.Close()
	if _, err := admin.Exec(ctx, "create database "+databaseName); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	b.url = b.server.URL(databaseName)
	b.pool, err = db.Open(ctx, b.url, ownPool)
	return err
}

// close takes everything down again, whatever came of it.
func (b *bench) close() {
	if b.hooks != nil {
		b.hooks.close()
	}
	if b.pool != nil {
		b.pool.Close()
	}
	if b.gateway != nil {
		if err := b.gateway.stop(); err != nil {
			b.say("stopping the gateway: %v", err)
		}
	}
	if b.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := b.server.Stop(ctx); err != nil {
			b.say("stopping PostgreSQL: %v", err)
		}
	}
	if b.dir != "" {
		if err := os.RemoveAll(b.dir); err != nil {
			b.say("tidying up: %v", err)
		}
	}
}
