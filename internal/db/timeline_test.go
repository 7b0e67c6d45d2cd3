package db_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// An old primary that comes back is not connected to any more once another one was.
func TestOldPrimaryIsRefused(t *testing.T) {
	t.Parallel()
	if dbtest.OnCitus() {
		return // a second coordinator would end what the first one has prepared on the nodes
	}
	first := dbtest.New(t)
	address, promoted := dbtest.Standby(t, first.URL)
	var group db.Group
	pool := testenv.Must(group.Open(t.Context(), amongBoth(t, address, first.URL), 2, db.ForCommands))(t)
	t.Cleanup(pool.Close)
	before := served(t, pool)
	standby, err := pgxpool.New(t.Context(), address)
	noError(t, err)
	testenv.Until(t, "the standby is promoted", func() (done bool) {
		// While it replays what others drop, it may cancel a query.
		_, _ = standby.Exec(t.Context(), "select pg_promote(false)")
		return standby.QueryRow(t.Context(), "select not pg_is_in_recovery()").Scan(&done) == nil && done
	})
	standby.Close()
	testenv.Check(t, served(t, pool) == before, "a connection that works is closed")
	pool.Reset()
	testenv.Check(t, served(t, pool) != before, "the new primary, which is the first in the URL, is not connected to")
	noError(t, promoted.Stop(t.Context()))
	pool.Reset()
	err = pool.Ping(t.Context())
	testenv.Check(t, db.IsOldPrimary(err), "with the new primary gone: %v", err)
}

// amongBoth is an address with which the primary is looked for on two servers, in this order.
func amongBoth(t *testing.T, one, other string) string {
	t.Helper()
	a, b := testenv.Must(pgx.ParseConfig(one))(t), testenv.Must(pgx.ParseConfig(other))(t)
	u := testenv.Must(url.Parse(other))(t)
	query := u.Query()
	query.Set("host", a.Host+","+b.Host)
	query.Set("port", fmt.Sprintf("%d,%d", a.Port, b.Port))
	query.Set("target_session_attrs", "read-write")
	u.Host, u.RawQuery = "", query.Encode()
	return u.String()
}

// served is the directory of the server that a pool is connected to.
func served(t *testing.T, pool *pgxpool.Pool) (directory string) {
	t.Helper()
	noError(t, pool.QueryRow(t.Context(), "show data_directory").Scan(&directory))
	return directory
}
