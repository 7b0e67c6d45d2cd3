package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
)

// replicated is a database with a standby.
type replicated struct {
	*dbtest.DB
	t       *testing.T
	server  *pgserver.Server
	standby db.Pool
	replica *db.Replica
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	r := &replicated{DB: dbtest.New(t), t: t}
	var address string
	address, r.server = dbtest.Standby(t, r.URL)
	r.standby = testenv.Must(pgxpool.New(t.Context(), address))(t)
	t.Cleanup(r.standby.Close)
	r.replica = testenv.Must(db.OpenReplica(t.Context(), address, 2, r.Pool))(t)
	t.Cleanup(r.replica.Close)
	return r
}

func (r *replicated) exec(pool db.Pool, sql string) {
	r.t.Helper()
	testenv.Must(pool.Exec(r.t.Context(), sql))(r.t)
}

// awaitUsable watches until the replica is usable, or is not.
func (r *replicated) awaitUsable(want bool) {
	r.t.Helper()
	if err := testenv.Eventually(func() error {
		testenv.NoError(r.t, r.replica.Watch(r.t.Context()))
		if r.replica.Usable() == want {
			return nil
		}
		lag, known := r.replica.Lag()
		return fmt.Errorf("usable is %t, lag %s %t", !want, lag, known)
	}); err != nil {
		r.t.Fatal(err)
	}
}

// pause has the standby replay no more. It does what it is asked for after the
// record it is at.
func (r *replicated) pause() {
	r.t.Helper()
	r.exec(r.standby, "select pg_wal_replay_pause()")
	testenv.Until(r.t, "replay is paused", func() (paused bool) {
		row := r.standby.QueryRow(r.t.Context(), "select pg_get_wal_replay_pause_state() = 'paused'")
		testenv.NoError(r.t, row.Scan(&paused))
		return paused
	})
}

// wantFrom reads a list, and looks where it comes from.
func (r *replicated) wantFrom(ctx context.Context, standby bool) {
	r.t.Helper()
	got := testenv.Must(db.Look(ctx, r.Pool, r.replica, func(q *db.Queries) ([]bool, error) {
		there, err := db.OnStandby(ctx, q)
		return []bool{there}, err
	}))(r.t)
	testenv.Want(r.t, got[0], standby, "read from the standby")
}

// Lists come from the standby while it follows, and from the primary while it
// is late or away, or where what was just changed is looked at.
func TestReplica(t *testing.T) {
	t.Parallel()
	r := newReplicated(t)
	r.wantFrom(t.Context(), false) // nobody knows yet how late it is
	r.awaitUsable(true)
	r.wantFrom(t.Context(), true)
	r.wantFrom(db.Fresh(t.Context()), false)

	r.pause()
	// The tests' server flushes a commit when it likes, and a standby is
	// late by what was flushed alone.
	r.exec(r.Pool, "do 'begin set local synchronous_commit = on; create table late (); end'")
	testenv.NoError(t, r.replica.Watch(t.Context()))
	r.wantFrom(t.Context(), true) // it is not so late yet
	r.replica.Older(db.ReplicaLate)
	testenv.NoError(t, r.replica.Watch(t.Context()))
	r.wantFrom(t.Context(), false)
	lag, known := r.replica.Lag()
	testenv.Check(t, known && lag >= db.ReplicaLate && lag <= 2*db.ReplicaLate, "the lag is %s, known %t", lag, known)
	r.exec(r.standby, "select pg_wal_replay_resume()")
	r.awaitUsable(true)
	lag, known = r.replica.Lag()
	testenv.Check(t, known && lag <= db.ReplicaLate, "the lag is %s, known %t", lag, known)

	testenv.NoError(t, r.server.Stop(t.Context()))
	r.wantFrom(t.Context(), false) // it is read again, with nothing to be seen of it
	testenv.Check(t, !r.replica.Usable(), "it is still read from a standby that has stopped")
	r.awaitUsable(false)
	_, known = r.replica.Lag()
	testenv.Check(t, !known, "the lag of a standby that has stopped is known")
}

// A list that is cancelled on the standby, since it is in the way of what is to
// be replayed, is read from the primary.
func TestReplicaConflict(t *testing.T) {
	t.Parallel()
	r := newReplicated(t)
	r.exec(r.Pool, "create table crowd as select generate_series(1, 1000) as n")
	r.awaitUsable(true)
	var places []bool
	testenv.Must(db.Look(t.Context(), r.Pool, r.replica, func(q *db.Queries) ([]bool, error) {
		there, err := db.OnStandby(t.Context(), q)
		places = append(places, there)
		if err != nil || !there {
			return nil, err
		}
		vacuumed := make(chan error, 1)
		go func() {
			err := testenv.Eventually(func() error { // the statement has its snapshot, or was in the way already
				var runs bool
				err := r.standby.QueryRow(context.Background(), `select exists (select from pg_stat_activity
					where query like '%pg_sleep%' and pid <> pg_backend_pid())`).Scan(&runs)
				if err == nil && !runs {
					err = errors.New("the statement has not begun")
				}
				return err
			})
			_, deleteErr := r.Pool.Exec(context.Background(), "delete from crowd")
			_, vacuumErr := r.Pool.Exec(context.Background(), "vacuum crowd")
			vacuumed <- errors.Join(err, deleteErr, vacuumErr)
		}()
		err = db.Sleep(t.Context(), q, "crowd", 1900*time.Millisecond)
		testenv.NoError(t, <-vacuumed)
		testenv.Check(t, err != nil, "nothing was in the way")
		return nil, err
	}))(t)
	testenv.Check(t, len(places) == 2 && places[0] && !places[1], "read from the standby: %v", places)
	testenv.Check(t, r.replica.Usable(), "the standby is given up for one query")
}

// What is no standby is not read from, and what is of another database is
// refused in words.
func TestReplicaOfAnother(t *testing.T) {
	d := setup(t)
	same := testenv.Must(db.OpenReplica(t.Context(), d.URL, 1, d.Pool))(t)
	defer same.Close()
	testenv.NoError(t, same.Watch(t.Context()))
	testenv.Check(t, !same.Usable(), "the primary is taken for its standby")
	for name, address := range map[string]string{
		"another database": dbtest.New(t).URL,
		"none":             d.URL[:strings.LastIndex(d.URL, "?")] + "x" + d.URL[strings.LastIndex(d.URL, "?"):],
	} {
		_, err := db.OpenReplica(t.Context(), address, 1, d.Pool)
		testenv.Check(t, err != nil &&
			strings.Contains(err.Error(), "DATABASE_READ_URL is another database than DATABASE_URL"), "%s: %v", name, err)
	}
}

// A server that does not tell the number of its cluster, as some managed ones
// do not, has a replica, too. One of another database is refused by what the
// server tells.
func TestReplicaOfAServerThatDoesNotTell(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	role := "managed_" + strings.ToLower(rand.Text())
	d, other := dbtest.New(t), dbtest.New(t)
	d.Exec(t, "create role "+role)
	t.Cleanup(func() {
		d.Exec(t, "drop role "+role)
	})
	for _, one := range []*dbtest.DB{d, other} {
		one.Exec(t, "revoke execute on function pg_control_system() from public")
	}
	primary := testenv.Must(db.Open(ctx, d.URL+"&role="+role, 1, db.ForReads))(t)
	defer primary.Close()
	id, err := db.Identify(ctx, primary)
	testenv.Check(t, err == nil && id.Cluster == nil && id.Database != 0, "it is known as %+v %v", id, err)
	same := testenv.Must(db.OpenReplica(ctx, d.URL+"&role="+role, 1, primary))(t)
	same.Close()
	_, err = db.OpenReplica(ctx, other.URL+"&role="+role, 1, primary)
	testenv.Check(t, err != nil, "another database is taken for a replica")
}

// A clock that differs from the database's is told of from two seconds on, and
// from a minute on nothing is judged by it, whichever way it is wrong. One that
// is set right is used again.
func TestSkew(t *testing.T) {
	d := setup(t)
	var ahead time.Duration
	skew := db.NewSkew(func() time.Time { return time.Now().Add(ahead) })
	for _, c := range []struct {
		ahead       time.Duration
		told, wrong bool
	}{
		{0, false, false}, {time.Hour, true, true}, {-time.Hour, true, true}, {30 * time.Second, true, false},
		{-30 * time.Second, true, false}, {time.Second, false, false},
	} {
		ahead = c.ahead
		testenv.NoError(t, skew.Watch(t.Context(), d.Pool))
		testenv.Check(t, skew.Noticeable() == c.told && skew.Wrong() == c.wrong &&
			(c.ahead <= 0 || skew.By() <= c.ahead) && (c.ahead >= 0 || skew.By() >= c.ahead),
			"%s ahead: found %s, told %t, wrong %t", c.ahead, skew.By(), skew.Noticeable(), skew.Wrong())
	}
}

// An old primary that comes back is not connected to any more once another one
// was.
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
	standby := testenv.Must(pgxpool.New(t.Context(), address))(t)
	testenv.Until(t, "the standby is promoted", func() (done bool) {
		// While it replays what others drop, it may cancel a query.
		_, _ = standby.Exec(t.Context(), "select pg_promote(false)")
		return standby.QueryRow(t.Context(), "select not pg_is_in_recovery()").Scan(&done) == nil && done
	})
	standby.Close()
	testenv.Check(t, served(t, pool) == before, "a connection that works is closed")
	pool.Reset()
	testenv.Check(t, served(t, pool) != before, "the new primary, which is the first in the URL, is not connected to")
	testenv.NoError(t, promoted.Stop(t.Context()))
	pool.Reset()
	err := db.Driver(pool).Ping(t.Context())
	testenv.Check(t, db.IsOldPrimary(err), "with the new primary gone: %v", err)
}

// amongBoth is an address with which the primary is looked for on two servers,
// in this order.
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
func served(t *testing.T, pool db.Pool) (directory string) {
	t.Helper()
	testenv.NoError(t, pool.QueryRow(t.Context(), "show data_directory").Scan(&directory))
	return directory
}
