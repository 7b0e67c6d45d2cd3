//go:build !windows

package pgserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// asOtherAccount is root's way where user namespaces are forbidden.
func asOtherAccount(t *testing.T, dir string) Options {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	return Options{Dir: dir, Ephemeral: true, forbidNamespace: true}
}

func TestOtherAccount(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	srv := start(t, asOtherAccount(t, dir))
	if ownedBy(theData(t, dir), 0) {
		t.Error("the data is root's")
	}
	ask(t, srv, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('yes') RETURNING word")
	stop(t, srv)

	for _, opts := range []Options{{Dir: dir, Ephemeral: true}, asOtherAccount(t, dir)} {
		srv := start(t, opts)
		testenv.Want(t, ask(t, srv, "SELECT word FROM kept"), "yes", "kept")
		stop(t, srv)
	}
}

func TestOtherAccountCannotReach(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(tempDir(t), "closed")
	opts := asOtherAccount(t, filepath.Join(closed, "data"))
	noError(t, os.Mkdir(closed, 0o700))
	_, err := Start(testContext(t), opts)
	wantError(t, err, nil, "GATEWAY_DATA_DIR", closed)
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	t.Setenv("PGPORT", "1")
	t.Setenv("GATEWAY_SECRET", "secret")
	for _, entry := range environment() {
		if strings.HasPrefix(entry, "PG") || strings.Contains(entry, "secret") {
			t.Errorf("passed on: %s", entry)
		}
	}
	started(t, made(t))
}
