package db

import (
	"context"

	"gateway.example/internal/fault"
)

// OldestSnapshot is the age in seconds of the oldest open snapshot, for example
// of a dump or an analyst. The older it is, the more deleted rows every query
// has to read. It is -1 if the server shows the program only its own.
func OldestSnapshot(ctx context.Context, pool Pool) (seconds int64, err error) {
	const query = `select case when pg_has_role('pg_read_all_stats', 'usage')
			then coalesce(max(extract(epoch from now() - xact_start)), 0)::bigint else -1 end
		from pg_stat_activity
		where datname = current_database() and backend_xmin is not null and pid <> pg_backend_pid()`
	err = pool.QueryRow(ctx, query).Scan(&seconds)
	return seconds, fault.Doing("read the oldest snapshot", err)
}

// DamagedReads is how often the server has read a page whose checksum was
// wrong, since its statistics began.
func DamagedReads(ctx context.Context, pool Pool) (count int64, err error) {
	const query = "select coalesce(sum(checksum_failures), 0)::bigint from pg_stat_database where datname = current_database() or datid = 0"
	err = pool.QueryRow(ctx, query).Scan(&count)
	return count, fault.Doing("count damaged pages", err)
}
