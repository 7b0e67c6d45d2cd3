package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// errOldPrimary refuses a server that was the primary before another one was promoted.
var errOldPrimary = errors.New("this is an older primary that has come back")

// timelineSQL reads the timeline that a primary writes, from the first eight digits of the name of its present WAL
// file. It is 0 on a standby.
const timelineSQL = `select case when pg_is_in_recovery() then 0
	else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end`

// newest adds a check to the function that finds the primary among several servers: a server with a lower timeline
// than this process has seen is refused. Each promotion begins a new timeline, and what an old primary accepts
// after that is lost. A server that does not reveal its timeline is accepted.
func (g *Group) newest(valid pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := valid(ctx, conn); err != nil {
			return err
		}
		answer := conn.ExecParams(ctx, timelineSQL, nil, nil, nil, nil).Read()
		if answer.Err != nil && !errors.As(answer.Err, new(*pgconn.PgError)) {
			return answer.Err
		}
		if len(answer.Rows) == 0 {
			return nil
		}
		timeline, err := strconv.ParseInt(string(answer.Rows[0][0]), 10, 64)
		if err != nil || timeline == 0 {
			return err
		}
		g.mu.Lock()
		seen := g.timeline
		g.timeline = max(seen, timeline)
		g.mu.Unlock()
		switch {
		case timeline < seen:
			return fmt.Errorf("%w: timeline %d, after %d", errOldPrimary, timeline, seen)
		case seen != 0 && timeline > seen:
			slog.WarnContext(ctx, "another primary serves the database: all connections are opened anew", "timeline", timeline)
			g.reset()
		}
		return nil
	}
}
