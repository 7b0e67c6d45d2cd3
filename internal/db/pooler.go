package db

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// These refuse something between the program and PostgreSQL. The gateway has
// pools of its own, and keeps settings, prepared statements and notifications
// on their connections.
var (
	errPooler = errors.New("a pooler stands between the gateway and PostgreSQL and gives each transaction another " +
		"connection, as PgBouncer does with pool_mode=transaction: put the address of PostgreSQL itself into DATABASE_URL, " +
		"or set pool_mode=session")
	errSettings = errors.New("something between the gateway and PostgreSQL, such as PgBouncer with " +
		"ignore_startup_parameters, drops the settings of connections, which bound how long statements run: put the " +
		"address of PostgreSQL itself into DATABASE_URL")
)

// refusePooler fails if a setting of one connection is visible on another. It
// uses no prepared statements, because such a pooler loses them.
func refusePooler(ctx context.Context, conn *pgx.Conn) error {
	const name = "gateway.connection"
	mark := rand.Text()
	if _, err := conn.Exec(
		ctx,
		"select set_config($1, $2, false)",
		pgx.QueryExecModeSimpleProtocol,
		name,
		mark,
	); err != nil {
		return fmt.Errorf("mark a connection: %w", err)
	}
	other, err := pgx.ConnectConfig(ctx, conn.Config())
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	var seen string
	err = other.QueryRow(ctx, "select coalesce(current_setting($1, true), '')", pgx.QueryExecModeSimpleProtocol, name).
		Scan(&seen)
	switch {
	case err != nil:
		return fmt.Errorf("look for the mark of another connection: %w", err)
	case seen == mark:
		_, _ = conn.Exec(ctx, "select set_config($1, '', false)", pgx.QueryExecModeSimpleProtocol, name)
		return errPooler
	}
	return nil
}

// checkSettings fails if a connection lacks the settings that it was opened
// with.
func checkSettings(ctx context.Context, conn *pgx.Conn) error {
	var jit string
	if err := conn.QueryRow(ctx, "show jit").Scan(&jit); err != nil {
		return fmt.Errorf("read a setting of the connection: %w", err)
	}
	if jit != conn.Config().RuntimeParams["jit"] {
		return errSettings
	}
	return nil
}
