package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
)

// bench is one run of the program: its servers, its data and its results.
type bench struct {
	options
	*progress
	*ends
	report *report

	dir    string
	server *pgserver.Server
	// counts reports whether PostgreSQL counts the cost of statements.
	counts     bool
	postmaster int
	binary     string
	hooks      *receivers
	// telegram is the base URL of the simulated Telegram; with "" the
	// gateways notify nobody.
	telegram string
	place
	// crowd is the place with many open payments. The first part that
	// needs it opens it.
	crowd *bench
	// recorded are the statements of creations, for the replay.
	recorded []creation
}

// place is a database with a gateway and the users in it.
type place struct {
	url string
	// pool is the bench's own access to the database, to prepare and to
	// inspect it.
	pool    db.Pool
	gateway *child
	scene   scene
}

const (
	stopTimeout  = 30 * time.Second
	startTimeout = time.Minute
	ownPool      = 8
	// stageName is the place of which all others are copies.
	stageName = "stage"
)

// open builds the gateway and starts PostgreSQL, the receivers of webhooks and
// the first place. It registers with atEnd how each is closed, so that nothing
// is left if it fails in between.
func (b *bench) open(ctx context.Context) {
	var err error
	b.dir, err = os.MkdirTemp("", "gateway-bench-")
	check(err, "make a directory")
	b.atEnd(func() {
		if err := os.RemoveAll(b.dir); err != nil {
			b.say("tidying up: %v", err)
		}
	})
	// PostgreSQL may run as another user, who must be able to enter.
	check(os.Chmod(b.dir, 0o711)) //nolint:gosec // nothing secret is readable in it
	b.say("building the gateway")
	b.binary = build(ctx, b.dir)
	b.say("starting PostgreSQL")
	b.atEnd(func() { b.stopServer(context.WithoutCancel(ctx)) })
	b.startServer(ctx)
	b.countStatements(ctx)
	b.hooks = openReceivers()
	b.atEnd(b.hooks.close)
	b.atEnd(func() {
		if b.crowd != nil {
			b.crowd.leave()
		}
		b.leave()
	})
	b.say("setting the stage")
	b.makeStage(ctx)
	b.openPlace(ctx, "bench")
	b.describe(ctx)
}

// startServer starts PostgreSQL with the settings of likeProduction. The
// caller registers stopServer before, so that the server is stopped even if
// the settings fail.
func (b *bench) startServer(ctx context.Context) {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir := filepath.Join(b.dir, "pg")
	b.server = must(pgserver.Start(starting, pgserver.Options{Dir: dir}))
	b.postmaster = must(postmasterPID(dir))
	admin := must(db.Open(starting, b.server.URL("postgres"), 1, db.ForCommands))
	defer admin.Close()
	for _, statement := range likeProduction {
		_, err := admin.Exec(starting, statement)
		check(err, statement)
	}
}

// likeProduction are the settings that docs/operate/deploy.md asks for.
var likeProduction = []string{
	"alter system set checkpoint_timeout = '15min'", "alter system set max_wal_size = '8GB'", "select pg_reload_conf()",
}

func (b *bench) stopServer(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if b.server == nil {
		return
	}
	if err := b.server.Stop(ctx); err != nil {
		b.say("stopping PostgreSQL: %v", err)
	}
}

// makeStage lets a gateway create a sandbox's database, and adds the bench's
// own data.
func (b *bench) makeStage(ctx context.Context) {
	b.createDatabase(ctx, stageName, "template1")
	b.gateway = b.launch(ctx, b.placeDir(stageName))
	b.setTheStage(ctx)
	b.leave()
}

func (b *bench) placeDir(name string) string { return filepath.Join(b.dir, name) }

// createDatabase copies a database to which nobody is connected.
func (b *bench) createDatabase(ctx context.Context, name, like string) {
	admin := must(db.Open(ctx, b.server.URL("postgres"), 1, db.ForCommands))
	defer admin.Close()
	_, err := admin.Exec(ctx, fmt.Sprintf("create database %s template %s", name, like))
	check(err, "create database")
	b.url = b.server.URL(name)
	b.pool = must(db.Open(ctx, b.url, ownPool, db.ForCommands))
}

// openPlace copies the stage and starts a gateway there.
func (b *bench) openPlace(ctx context.Context, name string) {
	b.createDatabase(ctx, name, stageName)
	b.gateway = b.launchBeside(ctx, b.placeDir(stageName), b.placeDir(name))
}

// apart opens another place, for parts that must not meet the data of others.
func (b *bench) apart(ctx context.Context, name string) *bench {
	a := *b
	a.place, a.recorded = place{scene: b.scene}, nil
	if err := caught(func() { a.openPlace(ctx, name) }); err != nil {
		a.leave()
		check(err, "open a place apart")
	}
	a.say("  a place apart")
	return &a
}

// leave stops the place's gateway and closes the database.
func (b *bench) leave() {
	if b.pool != nil {
		b.pool.Close()
	}
	if err := b.stopGateway(); err != nil {
		b.say("stopping the gateway: %v", err)
	}
}

func (b *bench) stopGateway() error {
	if b.gateway == nil {
		return nil
	}
	err := b.gateway.stop()
	b.gateway = nil
	return err
}

// restart restarts the place's gateway, and calls between while none is
// running.
func (b *bench) restart(ctx context.Context, between func()) {
	dir := b.gateway.dir
	check(b.stopGateway())
	between()
	b.gateway = b.launch(ctx, dir)
}

// exec runs a statement in the place's database and returns the number of
// rows.
func (b *bench) exec(ctx context.Context, doing, sql string, args ...any) int {
	tag, err := b.pool.Exec(ctx, sql, args...)
	check(err, doing)
	return int(tag.RowsAffected())
}

// list reads rows from the place's database.
func list[T any](ctx context.Context, b *bench, doing string, to pgx.RowToFunc[T], sql string, args ...any) []T {
	rows, _ := b.pool.Query(ctx, sql, args...) // the rows have its error
	found, err := pgx.CollectRows(rows, to)
	check(err, doing)
	return found
}

// single reads one value from the place's database.
func single[T any](ctx context.Context, b *bench, doing, sql string, args ...any) T {
	var value T
	check(b.pool.QueryRow(ctx, sql, args...).Scan(&value), doing)
	return value
}

// vacuum does the work of autovacuum and the next checkpoint, so that neither
// falls into a measurement by chance.
func (b *bench) vacuum(ctx context.Context) {
	for _, command := range []string{"vacuum analyze", "checkpoint"} {
		b.exec(ctx, command, command)
	}
}
