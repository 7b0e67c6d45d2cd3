package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// statementUse is the total cost of all executions of a statement in
// PostgreSQL.
type statementUse struct {
	// Name is sqlc's name, or the beginning of the statement.
	Name  string  `json:"name"`
	Calls float64 `json:"calls"`
	MS    float64 `json:"ms"`
	// Buffers counts pages read from memory or disk. WAL is in bytes.
	Buffers float64 `json:"buffers"`
	WAL     float64 `json:"wal_bytes"`
}

// countStatements makes PostgreSQL count the cost of statements, if it has the
// extension.
func (b *bench) countStatements(ctx context.Context) {
	admin, err := pgx.Connect(ctx, b.server.URL("postgres"))
	check(err, "reach PostgreSQL")
	defer func() { _ = admin.Close(ctx) }()
	err = admin.QueryRow(ctx, "select exists (select from pg_available_extensions where name = 'pg_stat_statements')").
		Scan(&b.counts)
	check(err)
	if !b.counts {
		return
	}
	_, err = admin.Exec(ctx, "alter system set shared_preload_libraries = 'pg_stat_statements'")
	check(err, "have PostgreSQL count statements")
	check(b.server.Stop(ctx))
	b.startServer(ctx)
}

// statementsOf lists the cost of a database's statements without the bench's
// own.
const statementsOf = `select query, calls::float8, total_exec_time, (shared_blks_hit + shared_blks_read)::float8, wal_bytes::float8
from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    and query not like 'checkpoint%' and query not like '%pg_stat_statements%'`

// statements reads the cost of each statement so far. It is empty if
// PostgreSQL does not count.
func (b *bench) statements(ctx context.Context) map[string]statementUse {
	all := map[string]statementUse{}
	if !b.counts {
		return all
	}
	const doing = "read the statements' counts"
	b.exec(ctx, doing, "create extension if not exists pg_stat_statements")
	for _, s := range list(ctx, b, doing, pgx.RowToStructByPos[statementUse], statementsOf) {
		s.Name = statementName(s.Name)
		s.add(all[s.Name])
		all[s.Name] = s
	}
	return all
}

func (s *statementUse) add(more statementUse) {
	s.Calls, s.MS, s.Buffers, s.WAL = s.Calls+more.Calls, s.MS+more.MS, s.Buffers+more.Buffers, s.WAL+more.WAL
}

// statementName is the name that sqlc writes in the first line, otherwise the
// beginning of the statement.
func statementName(sql string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(sql), "\n")
	if name, named := strings.CutPrefix(first, "-- name: "); named {
		name, _, _ = strings.Cut(name, " ")
		return name
	}
	return first[:min(len(first), 60)]
}

// window is the cost of statements between two times, the most expensive
// first.
func window(before, after map[string]statementUse) []statementUse {
	var list []statementUse
	for name, s := range after {
		was := before[name]
		s.add(statementUse{Calls: -was.Calls, MS: -was.MS, Buffers: -was.Buffers, WAL: -was.WAL})
		if s.Calls > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b statementUse) int { return cmp.Compare(b.MS, a.MS) })
	return list
}
