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

// bench is one run of the program: the servers it has up, what it has put on
// the stage, what it has found.
type bench struct {
	options
	*progress
	*ends
	report *report

	dir    string
	server *pgserver.Server
	// counts says that PostgreSQL counts what each statement takes.
	counts     bool
	postmaster int
	binary     string
	hooks      *receivers
	// telegram is the base URL of what stands in for Telegram; with "" the
	// gateways notify nobody.
	telegram string
	place
	// crowd is the place of those parts that fill one with open payments,
	// once the first of them has come.
	crowd *bench
	// recorded are the statements of creations, which the replay is made
	// of.
	recorded []creation
}

// place is a database with a gateway, and who takes part there.
type place struct {
	url string
	// pool is the bench's own way to the database, for preparations and
	// looks at it.
	pool    db.Pool
	gateway *child
	scene   scene
}

const (
	stopTimeout  = 30 * time.Second
	startTimeout = time.Minute
	ownPool      = 8
	// stageName is the place that all others are copies of.
	stageName = "stage"
)

// open makes what the parts are measured with: the gateway's binary, a
// PostgreSQL, the receivers of webhooks and the first place. It registers with
// atEnd what lets go of each, so that nothing stays if it fails half way.
func (b *bench) open(ctx context.Context) {
	var err error
	b.dir, err = os.MkdirTemp("", "gateway-bench-")
	check(err, "make a directory")
	b.atEnd(func() {
		if err := os.RemoveAll(b.dir); err != nil {
			b.say("tidying up: %v", err)
		}
	})
	// PostgreSQL may run as another user, who has to pass through.
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

// startServer starts PostgreSQL with the settings of likeProduction. Its caller
// has registered stopServer before, so that a server is stopped also if the
// settings fail.
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

// likeProduction sets what docs/operate/deploy.md asks of a server.
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

// makeStage has a gateway make a sandbox's database, and sets the stage in it.
func (b *bench) makeStage(ctx context.Context) {
	b.createDatabase(ctx, stageName, "template1")
	b.gateway = b.launch(ctx, b.placeDir(stageName))
	b.setTheStage(ctx)
	b.leave()
}

func (b *bench) placeDir(name string) string { return filepath.Join(b.dir, name) }

// createDatabase makes a place's database as a copy of another, to which nobody
// is connected.
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

// apart is the bench at another place, for parts that must find nothing of what
// the others leave behind.
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

// leave takes the gateway down and lets go of the database.
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

// restart starts the place's gateway anew. What is to be done while none runs
// is done in between.
func (b *bench) restart(ctx context.Context, between func()) {
	dir := b.gateway.dir
	check(b.stopGateway())
	between()
	b.gateway = b.launch(ctx, dir)
}

// exec has the place's database do something, and answers how many rows that
// was.
func (b *bench) exec(ctx context.Context, doing, sql string, args ...any) int {
	tag, err := b.pool.Exec(ctx, sql, args...)
	check(err, doing)
	return int(tag.RowsAffected())
}

// list reads rows of the place's database.
func list[T any](ctx context.Context, b *bench, doing string, to pgx.RowToFunc[T], sql string, args ...any) []T {
	rows, _ := b.pool.Query(ctx, sql, args...) // the rows have its error
	found, err := pgx.CollectRows(rows, to)
	check(err, doing)
	return found
}

// single reads a value of the place's database.
func single[T any](ctx context.Context, b *bench, doing, sql string, args ...any) T {
	var value T
	check(b.pool.QueryRow(ctx, sql, args...).Scan(&value), doing)
	return value
}

// vacuum does what autovacuum and the next checkpoint would do at some time of
// a measurement.
func (b *bench) vacuum(ctx context.Context) {
	for _, command := range []string{"vacuum analyze", "checkpoint"} {
		b.exec(ctx, command, command)
	}
}
