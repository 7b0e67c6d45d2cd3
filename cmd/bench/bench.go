package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
)

// bench is one run of the program: the servers it has up, what it has put on the stage, what it has
// found.
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
	// telegram is where the gateways of a place find a bot's far side; "" has them tell nobody.
	telegram string
	place
	// crowd is the place of those parts that fill one with open payments, once the first of them
	// has come.
	crowd *bench
	// recorded are the statements of creations, which the replay is made of.
	recorded []creation
}

// place is a database with a gateway, and who takes part there.
type place struct {
	url string
	// pool is the bench's own way to the database, for preparations and looks at it.
	pool    *pgxpool.Pool
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

// open brings everything up.
func (b *bench) open(ctx context.Context) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "gateway-bench-"); err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}
	b.atEnd(func() {
		if err := os.RemoveAll(b.dir); err != nil {
			b.say("tidying up: %v", err)
		}
	})
	// PostgreSQL may run as another user, who has to pass through.
	if err := os.Chmod(b.dir, 0o711); err != nil { //nolint:gosec // nothing secret is readable in it
		return err
	}
	b.say("building the gateway")
	if b.binary, err = build(ctx, b.dir); err != nil {
		return err
	}
	b.say("starting PostgreSQL")
	b.atEnd(func() { b.stopServer(context.WithoutCancel(ctx)) })
	if err := b.startServer(ctx); err != nil {
		return err
	}
	if err := b.countStatements(ctx); err != nil {
		return err
	}
	b.hooks = openReceivers()
	b.atEnd(b.hooks.close)
	b.atEnd(func() {
		if b.crowd != nil {
			b.crowd.leave()
		}
		b.leave()
	})
	b.say("setting the stage")
	if err := b.makeStage(ctx); err != nil {
		return err
	}
	if err := b.openPlace(ctx, "bench"); err != nil {
		return err
	}
	return b.describe(ctx)
}

// ends let go of what was taken up.
type ends []func()

func (e *ends) atEnd(end func()) { *e = append(*e, end) }

// within does something and then lets go of all that was taken up in it, the last first.
func (e *ends) within(do func() error) error {
	from := len(*e)
	defer func() {
		for _, end := range slices.Backward((*e)[from:]) {
			end()
		}
		*e = (*e)[:from]
	}()
	return do()
}

func (b *bench) startServer(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	dir := filepath.Join(b.dir, "pg")
	var err error
	if b.server, err = pgserver.Start(starting, pgserver.Options{Dir: dir}); err != nil {
		return err
	}
	b.postmaster, err = postmasterPID(dir)
	return err
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
func (b *bench) makeStage(ctx context.Context) error {
	if err := b.createDatabase(ctx, stageName, "template1"); err != nil {
		return err
	}
	var err error
	if b.gateway, err = b.launch(ctx, b.placeDir(stageName), b.url); err != nil {
		return err
	}
	err = b.setTheStage(ctx)
	b.leave()
	return err
}

func (b *bench) placeDir(name string) string { return filepath.Join(b.dir, name) }

// createDatabase makes a place's database as a copy of another, to which nobody is connected.
func (b *bench) createDatabase(ctx context.Context, name, like string) error {
	admin, err := db.Open(ctx, b.server.URL("postgres"), 1, db.ForCommands)
	if err != nil {
		return err
	}
	defer admin.Close()
	if _, err := admin.Exec(ctx, fmt.Sprintf("create database %s template %s", name, like)); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	b.url = b.server.URL(name)
	b.pool, err = db.Open(ctx, b.url, ownPool, db.ForCommands)
	return err
}

// openPlace copies the stage and starts a gateway there.
func (b *bench) openPlace(ctx context.Context, name string) error {
	err := b.createDatabase(ctx, name, stageName)
	if err == nil {
		b.gateway, err = b.launchBeside(ctx, b.placeDir(stageName), b.placeDir(name))
	}
	return err
}

// apart is the bench at another place, for parts that must find nothing of what the others leave
// behind.
func (b *bench) apart(ctx context.Context, name string) (*bench, error) {
	a := *b
	a.place, a.recorded = place{scene: b.scene}, nil
	if err := a.openPlace(ctx, name); err != nil {
		a.leave()
		return nil, fmt.Errorf("open a place apart: %w", err)
	}
	a.say("  a place apart")
	return &a, nil
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

// restart starts the place's gateway anew. What is to be done while none runs is done in between.
func (b *bench) restart(ctx context.Context, between func() error) error {
	dir := b.gateway.dir
	if err := b.stopGateway(); err != nil {
		return err
	}
	err := between()
	if err == nil {
		b.gateway, err = b.launch(ctx, dir, b.url)
	}
	return err
}

// vacuum does what autovacuum and the next checkpoint would do at some time of a measurement.
func (b *bench) vacuum(ctx context.Context) error {
	for _, command := range []string{"vacuum analyze", "checkpoint"} {
		if _, err := b.pool.Exec(ctx, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}
