package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/session"
)

// migrate brings the database to the present schema and ends. It makes what is not there yet.
func (e environment) migrate(ctx context.Context, args []string) error {
	c, err := parseConfig("migrate", args, e.getenv, e.stderr)
	if err != nil {
		return err
	}
	database, err := besideServer(ctx, c, newLogger(e.stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer database.close()
	return db.Migrate(ctx, database.url)
}

// withDatabase runs a command on a database that is there and has this program's schema, beside a
// live gateway if there is one. It makes and migrates nothing.
func (e environment) withDatabase(
	ctx context.Context,
	command string,
	args []string,
	do func(*pgxpool.Pool, place) error,
) error {
	c, err := parseConfig(command, args, e.getenv, e.stderr)
	if err != nil {
		return err
	}
	database, err := existing(ctx, c, newLogger(e.stderr, slog.LevelWarn))
	if err != nil {
		return err
	}
	defer database.close()
	pool, err := db.Open(ctx, database.url, 1, db.ForCommands)
	if db.IsNoDatabase(err) {
		return fmt.Errorf("%w: %w", db.ErrNoGateway, err)
	}
	if err != nil {
		return err
	}
	defer pool.Close()
	conn := pool.Config().ConnConfig
	at := place{database: conn.Database, host: net.JoinHostPort(conn.Host, strconv.Itoa(int(conn.Port)))}
	if at.schema, err = db.CheckSchema(ctx, pool); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return do(pool, at)
}

// place says which database a command works on, and nothing secret.
type place struct {
	database, host string
	schema         int64
}

func (p place) String() string { return fmt.Sprintf("database %q on %s", p.database, p.host) }

// errUnclean and notAudited make the audit's exit status: 1 where the ledger does not hold, 2 where
// nobody knows.
var errUnclean = errors.New("the ledger does not hold")

type notAudited struct{ error }

// Unwrap serves errors.Is and As.
func (n notAudited) Unwrap() error { return n.error }

// audit proves the ledger.
func (e environment) audit(ctx context.Context, args []string) error {
	err := e.withDatabase(ctx, "audit", args, func(pool *pgxpool.Pool, at place) error {
		began := time.Now()
		found, err := audit.Everything(ctx, pool)
		if err != nil {
			return err
		}
		size, err := audit.Count(ctx, pool)
		if err != nil {
			return err
		}
		for _, violation := range found {
			_, _ = fmt.Fprintf(e.stdout, "%s: %s\n", violation.Rule, violation.Detail)
		}
		if len(found) == 0 {
			_, _ = fmt.Fprintf(
				e.stdout,
				"clean: every invariant holds (%s)\n",
				time.Since(began).Round(time.Millisecond),
			)
		}
		_, err = fmt.Fprintf(e.stdout, "audited: %s, schema %d: %d payments, %d payouts, %d transfers\n",
			at, at.schema, size.Payments, size.Payouts, size.Transfers)
		if len(found) > 0 {
			return fmt.Errorf("%w: %d violations", errUnclean, len(found))
		}
		return err
	})
	if err != nil && !errors.Is(err, errUnclean) {
		return notAudited{err}
	}
	return err
}

const minPassword = 12

// operator creates an operator, with the password from standard input.
func (e environment) operator(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "create" {
		return errors.New("usage: gateway operator create -login NAME [flags], with the password on standard input")
	}
	login, args := cutFlag(args[1:], "login")
	if login == "" {
		return errors.New("-login is needed")
	}
	password, err := io.ReadAll(io.LimitReader(e.stdin, 1<<10))
	if err != nil {
		return fmt.Errorf("read the password: %w", err)
	}
	secret := strings.TrimRight(string(password), "\r\n")
	if len(secret) < minPassword {
		return fmt.Errorf("the password on standard input must have at least %d characters", minPassword)
	}
	return e.withDatabase(ctx, "operator create", args, func(pool *pgxpool.Pool, at place) error {
		err := session.CreateOperator(ctx, db.New(pool), login, secret)
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

// cutFlag takes one flag out of args, wherever it stands, so that the rest can be read as every
// command's.
func cutFlag(args []string, name string) (string, []string) {
	var rest []string
	value := ""
	for i := 0; i < len(args); i++ {
		flagName, inline, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-") || flagName != name:
			rest = append(rest, args[i])
		case joined:
			value = inline
		case i+1 < len(args):
			i++
			value = args[i]
		}
	}
	return value, rest
}

// listen receives webhooks on a loopback address, verifies them with the sandbox's secrets and
// prints them.
func (e environment) listen(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("listen", flag.ContinueOnError)
	flags.SetOutput(e.stderr)
	addr := flags.String("addr", welcomeHookAddr, "address to listen on")
	dir := flags.String(
		"data-dir",
		cmp.Or(e.getenv("GATEWAY_DATA_DIR"), ".gateway"),
		"the sandbox's data directory (GATEWAY_DATA_DIR)",
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	info, err := sandbox.Read(*dir)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", *addr)
	if err != nil {
		return listenError("addr", *addr, err)
	}
	_, _ = fmt.Fprintf(e.stdout, "waiting for webhooks on http://%s\n", listener.Addr())
	server := newServer(e.receiver(info))
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (e environment) receiver(info sandbox.Info) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !signedByAny(info, body, r.Header) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintln(e.stdout, "refused: the signature matches no cashbox of the sandbox")
			return
		}
		_, _ = fmt.Fprintf(e.stdout, "verified: %s\n", body)
	})
}

func signedByAny(info sandbox.Info, body []byte, header http.Header) bool {
	for _, box := range info.Cashboxes {
		verifier, err := standardwebhooks.NewWebhook(box.WebhookSecret)
		if err == nil && verifier.Verify(body, header) == nil {
			return true
		}
	}
	return false
}
