package acceptance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// shared is the sandbox most tests use together, started by the first that asks. It manages its own
// PostgreSQL, on which other tests make databases of theirs.
var shared struct {
	once sync.Once
	*instance
	// drop drops its database where that is one of a Citus cluster.
	drop func() error
	err  error
}

func sharedSandbox(t *testing.T) *instance {
	t.Helper()
	shared.once.Do(func() {
		var s setup
		if s.dir, shared.err = os.MkdirTemp("", "gateway-e2e-"); shared.err != nil {
			return
		}
		// PostgreSQL may run as another user, who has to pass through.
		if shared.err = os.Chmod(s.dir, 0o711); shared.err != nil {
			return
		}
		if dbtest.OnCitus() {
			s.database, shared.drop, shared.err = dbtest.Distributed(context.Background())
			if shared.err != nil {
				return
			}
		}
		shared.instance = s.instance()
		shared.err = shared.tryStart()
	})
	noError(t, shared.err)
	return shared.instance
}

func endShared() error {
	if shared.instance == nil {
		return nil
	}
	defer func() { _ = os.RemoveAll(shared.dir) }()
	err := shared.stop()
	if shared.drop != nil {
		err = errors.Join(err, shared.drop())
	}
	return err
}

// seeded is the database of a sandbox that has been started once, of which others are copies.
var seeded struct {
	sync.Mutex
	url string
}

// fresh is a sandbox that a test has to itself. It has the shared one's key, so that its database
// can be a copy of one that was seeded before.
func fresh(t *testing.T, flags ...string) setup {
	t.Helper()
	return setup{dir: copyKey(t, sharedSandbox(t).dir), database: seededDatabase(t), flags: flags}
}

func freshSandbox(t *testing.T, flags ...string) *instance {
	t.Helper()
	return fresh(t, flags...).start(t)
}

// restartable is a fresh sandbox that keeps its ports when it is started again.
func restartable(t *testing.T, flags ...string) *instance {
	t.Helper()
	s := fresh(t, flags...)
	s.fixed = true
	return s.start(t)
}

// seededDatabase is a database as a sandbox's first start leaves it, if the sandbox has the shared
// one's key.
func seededDatabase(t *testing.T) string {
	t.Helper()
	if dbtest.OnCitus() {
		return dbtest.URL(t)
	}
	seeded.Lock()
	defer seeded.Unlock()
	if seeded.url == "" {
		address := dbtest.Kept(t)
		first := setup{dir: copyKey(t, sharedSandbox(t).dir), database: address}.start(t)
		noError(t, first.stop())
		seeded.url = address
	}
	return dbtest.Copy(t, seeded.url)
}

// hurried has a database's users call faster than people do.
func hurried(t *testing.T, address string) string {
	t.Helper()
	return altered(t, address, "update rate_limit set calls = calls * 100 where name = 'user'")
}

// altered changes what a program reads of a database when it starts.
func altered(t *testing.T, address, sql string) string {
	t.Helper()
	conn := testenv.Must(pgx.Connect(t.Context(), address))(t)
	testenv.Must(conn.Exec(t.Context(), sql))(t)
	noError(t, conn.Close(t.Context()))
	return address
}

// copyKey makes a data directory with the same sandbox key, as a replica's.
func copyKey(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	key := testenv.Must(os.ReadFile(filepath.Join(from, "sandbox.key")))(t)
	noError(t, os.WriteFile(filepath.Join(dir, "sandbox.key"), key, 0o600))
	return dir
}
