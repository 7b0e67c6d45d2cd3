package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
)

var errBadBackup = errors.New("the backup does not serve")

// rehearse restores a backup beside the original database and proves that it
// could replace it.
func (e environment) rehearse(ctx context.Context, args []string) error {
	c, found, err := e.parseDatabase("rehearse", args, nil, "BACKUP")
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError{errors.New("rehearse: name a backup: see gateway rehearse -h")}
	}
	return audited(e.withDatabase(ctx, c, func(original db.Pool, _ place) error {
		return e.rehearseOn(ctx, found[0], original)
	}))
}

// rehearseOn restores a backup into a temporary PostgreSQL, proves every
// invariant there, and compares its sealed days with those of the original,
// from which it only reads. It returns errBadBackup for a backup that cannot
// be restored. The temporary server and its directory are removed.
func (e environment) rehearseOn(ctx context.Context, backup string, original db.Pool) error {
	days, err := audit.SealedDays(ctx, original)
	if err != nil {
		return err
	}
	began := time.Now()
	dir, err := os.MkdirTemp("", "gateway-rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := restored(ctx, backup, dir, original.Config().ConnConfig.Database)
	if errors.Is(err, pgserver.ErrEnded) || errors.As(err, new(*exec.ExitError)) {
		return fmt.Errorf("%w: %s cannot be restored: %w", errBadBackup, backup, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop(context.WithoutCancel(ctx)) }()
	_, _ = fmt.Fprintf(e.stdout, "restored: %s (%s)\n", backup, time.Since(began).Round(time.Millisecond))
	copied := config{databaseURL: server.URL(original.Config().ConnConfig.Database)}
	return e.withDatabase(ctx, copied, func(pool db.Pool, at place) error {
		if err := e.prove(ctx, pool, at, true); err != nil {
			return err
		}
		return e.compare(ctx, pool, days)
	})
}

// compare compares the sealed days of both databases, and says up to when the
// restored one goes.
func (e environment) compare(ctx context.Context, restored db.Pool, want map[string]string) error {
	days, err := audit.SealedDays(ctx, restored)
	if err != nil {
		return err
	}
	different := 0
	for _, day := range slices.Sorted(maps.Keys(days)) {
		if want[day] != days[day] {
			different++
			_, _ = fmt.Fprintf(e.stdout, "the sealed day %s is another one than the original's\n", day)
		}
	}
	if different > 0 {
		return fmt.Errorf("%w: %s of another ledger", errBadBackup, counted(int64(different), "sealed day is", "sealed days are"))
	}
	var last *time.Time
	if err := restored.QueryRow(ctx, "select max(created_at) from (select created_at from transfer order by id desc limit 1000) t").
		Scan(&last); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(e.stdout, "compared: %s as the original has them, which has %d more\n",
		counted(int64(len(days)), "sealed day", "sealed days"), len(want)-len(days))
	if last == nil {
		_, err = fmt.Fprintln(e.stdout, "the backup has no transfers")
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "the backup ends with a transfer of %s, %s ago\n", last.UTC().Format(time.RFC3339),
		time.Since(*last).Round(time.Second))
	return err
}

// restored starts a PostgreSQL with the content of a backup.
func restored(ctx context.Context, backup, dir, database string) (*pgserver.Server, error) {
	info, err := os.Stat(backup) //nolint:gosec // whoever runs this command names the backup
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return startCopy(ctx, backup, dir)
	}
	server, err := pgserver.Start(ctx, pgserver.Options{Dir: dir, Ephemeral: true})
	if err != nil {
		return nil, err
	}
	if err := restoreDump(ctx, server, backup, database); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return server, nil
}

// restoreDump restores a dump into a database, which it creates unless its
// name is postgres. It stops at the first error. Owners and privileges are
// left out, because a new server lacks their roles.
func restoreDump(ctx context.Context, server *pgserver.Server, file, database string) error {
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if database != "postgres" {
		if _, err := conn.Exec(ctx, "create database "+pgx.Identifier{database}.Sanitize()); err != nil {
			return err
		}
	}
	restore := exec.CommandContext(ctx, server.Program("pg_restore"), //nolint:gosec // whoever runs this command names the backup
		"--no-owner", "--no-privileges", "--exit-on-error", "-d", server.URL(database), file)
	if out, err := restore.CombinedOutput(); err != nil {
		return fmt.Errorf("pg_restore: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// fetching matches the settings that say how archived WAL is fetched, and up
// to where it is replayed.
var fetching = regexp.MustCompile(`(?m)^\s*(?:restore_command|recovery_target\w*)\s*=.*$`)

// startCopy starts a copy of a directory made by pg_basebackup.
func startCopy(ctx context.Context, backup, dir string) (*pgserver.Server, error) {
	major, err := os.ReadFile(filepath.Join(backup, "PG_VERSION")) //nolint:gosec // whoever runs this command names the backup
	if err != nil {
		return nil, errors.New("it has no PG_VERSION: is it a backup of the whole cluster, in PostgreSQL's own layout?")
	}
	if spaces, _ := os.ReadDir(filepath.Join(backup, "pg_tblspc")); len(spaces) > 0 {
		return nil, errors.New("it has tablespaces, which lie outside of it and would be written to: restore it elsewhere, and run gateway audit there")
	}
	data := filepath.Join(dir, "pg"+strings.TrimSpace(string(major)))
	if err := os.CopyFS(data, os.DirFS(backup)); err != nil {
		return nil, err
	}
	if err := os.Chmod(data, 0o700); err != nil { //nolint:gosec // a directory must be passed through
		return nil, err
	}
	// The original's settings name files, addresses and commands of its
	// machine. The copy keeps only those for fetching archived WAL; it
	// must not archive its own.
	plain := map[string]string{
		"postgresql.conf": "hot_standby = off\n", "postgresql.auto.conf": "", "pg_hba.conf": "local all all trust\n", "pg_ident.conf": "",
	}
	for _, name := range []string{"postgresql.conf", "postgresql.auto.conf"} {
		text, err := os.ReadFile(filepath.Join(backup, name)) //nolint:gosec // whoever runs this command names the backup
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		plain["postgresql.conf"] += strings.Join(fetching.FindAllString(string(text), -1), "\n") + "\n"
	}
	for name, text := range plain {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o600); err != nil { //nolint:gosec // whoever runs this command names the backup
			return nil, err
		}
	}
	err = os.Remove(filepath.Join(data, "standby.signal")) //nolint:gosec // whoever runs this command names the backup
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return pgserver.Start(ctx, pgserver.Options{Dir: dir, Ephemeral: true, Existing: true, Log: slog.New(slog.DiscardHandler)})
}
