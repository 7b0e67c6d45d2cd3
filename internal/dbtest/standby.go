package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
)

// Standby starts a streaming standby of the server that a database is on, and
// returns the address of the same database there. What is in the way of a
// change that is to be replayed is cancelled at once.
func Standby(t testing.TB, primary string) (address string, server *pgserver.Server) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), primary)
	check(t, err)
	var programs string
	var major int
	check(t, conn.QueryRow(t.Context(), `select (select setting from pg_config where name = 'BINDIR'),
		current_setting('server_version_num')::int / 10000`).Scan(&programs, &major))
	check(t, conn.Close(t.Context()))
	program := filepath.Join(programs, "pg_basebackup")
	if _, err := os.Stat(program); err != nil {
		testenv.Missing(t, "no pg_basebackup to make a standby with, as where PostgreSQL was downloaded")
	}
	dir, err := os.MkdirTemp("", "gateway-standby-")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o711)) //nolint:gosec // PostgreSQL may run as another user, who has to pass through
	data := filepath.Join(dir, fmt.Sprintf("pg%d", major))
	// The slot has the server keep what it writes until the standby has it.
	slot := "standby_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	backup := exec.CommandContext(t.Context(), program, //nolint:gosec // the server's own program
		"-d", primary, "-D", data, "-R", "-C", "-S", slot, "-X", "stream", "-c", "fast", "--no-sync")
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v\n%s", err, out)
	}
	t.Cleanup(func() { dropSlot(t, primary, slot) })
	settings, err := os.OpenFile(filepath.Join(data, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = settings.WriteString("max_standby_streaming_delay = 0\n")
	check(t, err)
	check(t, settings.Close())
	server, err = pgserver.Start(t.Context(), pgserver.Options{Dir: dir, Ephemeral: true, Existing: true})
	check(t, err)
	t.Cleanup(func() { _ = server.Stop(t.Context()) })
	u, err := url.Parse(primary)
	check(t, err)
	return server.URL(strings.TrimPrefix(u.Path, "/")), server
}

// dropSlot has the server keep nothing any more for a standby that has stopped,
// as soon as the server has noticed that.
func dropSlot(t testing.TB, primary, slot string) {
	t.Helper()
	const drop = "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and not active"
	conn, err := pgx.Connect(context.Background(), primary)
	check(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		dropped, err := conn.Exec(context.Background(), drop, slot)
		check(t, err)
		if dropped.RowsAffected() == 1 {
			return
		}
	}
	t.Errorf("the slot %s is still used", slot)
}
