package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/edge"
	"gateway.example/internal/session"
)

// migrate brings the database to the program's schema, creating it if it is
// missing. With -check it only says what it would do.
func (e environment) migrate(ctx context.Context, args []string) error {
	var c config
	var distribute string
	var check bool
	o := e.databaseOptions(&c, "migrate", []setting{
		{&distribute, "distribute", "", "",
			"citus: spread the tables over the nodes of a Citus cluster, whose coordinator the database is on"},
	})
	o.BoolVar(&check, "check", false, "change nothing, and tell what would be done and whether older gateways can go on meanwhile")
	_, err := c.readDatabase(o, args)
	switch {
	case err != nil:
		return err
	case distribute != "" && distribute != "citus":
		return usageError{fmt.Errorf("-distribute must be citus, not %q", distribute)}
	case check && distribute != "":
		return usageError{errors.New("-check does not tell of -distribute: name one of them")}
	case check:
		return e.checkMigrations(ctx, c)
	}
	database, err := besideServer(ctx, c, edge.NewLogger(e.stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer database.close()
	if err := db.Migrate(ctx, database.url); err != nil || distribute == "" {
		return c.anew(err)
	}
	return db.Distribute(ctx, database.url)
}

// checkMigrations says what a migration would do, and whether older versions
// of the program can work afterwards.
func (e environment) checkMigrations(ctx context.Context, c config) error {
	database, err := existing(ctx, c, edge.NewLogger(e.stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer database.close()
	pool, err := db.Open(ctx, database.url, 1, db.ForCommands)
	if err != nil {
		return c.anew(err)
	}
	defer pool.Close()
	plan, err := db.PlanMigrations(ctx, pool)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(e.stdout, "schema %d: %s to make\n", plan.Have,
		counted(int64(len(plan.Due)), "migration", "migrations"))
	broken := false
	for _, due := range plan.Due {
		does := "adds"
		if due.Breaks {
			does, broken = "does more than add", true
		}
		_, _ = fmt.Fprintf(e.stdout, "%s %s\n", due.File, does)
	}
	switch {
	case broken:
		_, err = fmt.Fprintln(e.stdout, "stop all older gateways first: none can work afterwards, and there is no way back but a restore")
	case len(plan.Due) > 0 && plan.Have > 0:
		_, err = fmt.Fprintln(e.stdout, "older gateways can go on meanwhile")
	}
	return err
}

// withDatabase runs a command on an existing database with this program's
// schema. A gateway may be running on it. It creates and migrates nothing.
func (e environment) withDatabase(ctx context.Context, c config, do func(db.Pool, place) error) error {
	database, err := existing(ctx, c, edge.NewLogger(e.stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer database.close()
	// An audit of a distributed database blocks writers over one
	// connection and reads over another.
	pool, err := db.Open(ctx, database.url, 2, db.ForCommands)
	if db.IsNoDatabase(err) {
		return fmt.Errorf("%w: %w", db.ErrNoGateway, err)
	}
	if err != nil {
		return err
	}
	defer pool.Close()
	conn := pool.Config().ConnConfig
	at := place{database: conn.Database, host: net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port)))}
	if at.schema, err = db.CheckSchema(ctx, pool); errors.Is(err, db.ErrNoGateway) {
		return fmt.Errorf("%s: %w: gateway migrate makes its tables", at, err)
	} else if err != nil {
		return fmt.Errorf("%s: %w", at, c.anew(err))
	}
	return do(pool, at)
}

// place says which database a command works on. It contains no secret.
type place struct {
	database, host string
	schema         int64
}

func (p place) String() string { return fmt.Sprintf("database %q on %s", p.database, p.host) }

// errUnclean and notAudited decide the exit status of an audit: 1 if the
// ledger is wrong, 2 if that could not be found out.
var errUnclean = errors.New("the ledger does not hold")

type notAudited struct{ error }

func (n notAudited) Unwrap() error { return n.error }

func (e environment) audit(ctx context.Context, args []string) error {
	c, _, err := e.parseDatabase("audit", args, nil)
	if err != nil {
		return err
	}
	return audited(e.withDatabase(ctx, c, func(pool db.Pool, at place) error {
		return e.prove(ctx, pool, at, false)
	}))
}

// audited turns an error into errUnclean or notAudited.
func audited(err error) error {
	if err != nil && !errors.Is(err, errUnclean) && !errors.Is(err, errBadBackup) {
		return notAudited{err}
	}
	return err
}

// prove reports whether every invariant holds in a database. It reads all
// pages with whole, and also if one of them cannot be read.
func (e environment) prove(ctx context.Context, pool db.Pool, at place, whole bool) error {
	began := time.Now()
	found, err := audit.Everything(ctx, pool)
	if err != nil {
		return err
	}
	if whole || audit.Damaged(found) {
		damaged, err := audit.Damage(ctx, pool)
		if found = append(damaged, found...); err != nil && len(found) == 0 {
			return err
		}
	}
	size, failed := audit.Count(ctx, pool)
	if failed != nil && !db.IsDamaged(failed) {
		return failed
	}
	for _, violation := range found {
		_, _ = fmt.Fprintf(e.stdout, "%s: %s\n", violation.Rule, violation.Detail)
	}
	if failed != nil {
		return fmt.Errorf("%w: it could not be read to its end: %w", errUnclean, failed)
	}
	if len(found) == 0 {
		_, _ = fmt.Fprintf(e.stdout, "clean: every invariant holds (%s)\n", time.Since(began).Round(time.Millisecond))
	}
	_, err = fmt.Fprintf(e.stdout, "audited: %s, schema %d: %s, %s, %s\n", at, at.schema,
		counted(size.Payments, "payment", "payments"), counted(size.Payouts, "payout", "payouts"),
		counted(size.Transfers, "transfer", "transfers"))
	if len(found) > 0 {
		return fmt.Errorf("%w: %s", errUnclean, counted(int64(len(found)), "violation", "violations"))
	}
	return err
}

const minPassword = 12

// operator creates an operator. The password comes from standard input.
func (e environment) operator(ctx context.Context, args []string) error {
	var login string
	c, found, err := e.parseDatabase("operator", args, []setting{{&login, "login", "", "", "name to sign in with"}}, "create")
	switch {
	case err != nil:
		return err
	case found[0] != "create":
		return usageError{errors.New("operator: only operator create is known: see gateway operator -h")}
	case login == "":
		return usageError{errors.New("operator create: -login is needed: see gateway operator -h")}
	}
	password, err := io.ReadAll(io.LimitReader(e.stdin, 1<<10))
	if err != nil {
		return fmt.Errorf("read the password: %w", err)
	}
	secret := strings.TrimRight(string(password), "\r\n")
	if len(secret) < minPassword {
		return fmt.Errorf("the password on standard input must have at least %d characters", minPassword)
	}
	return e.withDatabase(ctx, c, func(pool db.Pool, at place) error {
		err := session.CreateOperator(ctx, pool, login, secret)
		if db.IsUniqueViolation(err) {
			return fmt.Errorf("the login %q is taken in %s", login, at)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "operator %s created\n", login)
		return err
	})
}

// counted writes a number with its noun, in English.
func counted(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
