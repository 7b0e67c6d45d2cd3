package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/fault"
)

// errOldPrimary refuses a server that was the primary before another one was
// promoted.
var errOldPrimary = errors.New("this is an older primary that has come back")

// timelineSQL reads the timeline that a primary writes, from the first eight
// digits of the name of its present WAL file. It is 0 on a standby.
const timelineSQL = `select case when pg_is_in_recovery() then 0
	else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint end`

// newest adds a check to the function that finds the primary among several
// servers: a server with a lower timeline than this process has seen is
// refused. Each promotion begins a new timeline, and what an old primary
// accepts after that is lost. A server that does not reveal its timeline is
// accepted.
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

// Identity is the identity of a database. A standby has that of its primary.
type Identity struct {
	// Cluster is the system identifier of the PostgreSQL cluster; nil if
	// the server does not reveal it, as some managed ones do not.
	Cluster *int64
	// Database is its number in the cluster.
	Database int64
	Name     string
}

// Identify asks the server which cluster and database these are.
func Identify(ctx context.Context, pool Pool) (id Identity, err error) {
	var tells bool
	err = pool.QueryRow(ctx, `select d.oid::bigint, d.datname,
		coalesce(has_function_privilege(to_regprocedure('pg_control_system()')::oid, 'execute'), false)
		from pg_database d where d.datname = current_database()`).
		Scan(&id.Database, &id.Name, &tells)
	if err == nil && tells {
		err = pool.QueryRow(ctx, "select system_identifier from pg_control_system()").Scan(&id.Cluster)
	}
	return id, fault.Doing("ask which database this is", err)
}

// is reports whether two identities are the same, as far as both are known.
func (id Identity) is(other Identity) bool {
	sameCluster := id.Cluster == nil && other.Cluster == nil ||
		id.Cluster != nil && other.Cluster != nil && *id.Cluster == *other.Cluster
	return sameCluster && id.Database == other.Database && id.Name == other.Name
}
