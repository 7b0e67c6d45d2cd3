package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
	"gateway.example/schema"
)

// keptFor is for how long after it was made a cluster stays in the cache.
const keptFor = 14 * 24 * time.Hour

// startServer starts the server of this process, which has the migrated
// template. The first process to need one makes it and keeps a copy in the
// user's cache directory, because initdb and the migrations take longer than
// the tests of most packages.
func startServer(ctx context.Context) (*pgserver.Server, error) {
	options := pgserver.Options{Dir: dir, Ephemeral: true, Existing: true}
	kept := keptCluster()
	if kept != "" && copyCluster(kept, dir) == nil {
		server, err := pgserver.Start(ctx, options)
		if err == nil {
			return server, nil
		}
		// It is of another PostgreSQL, or damaged. It makes room, and
		// is not removed yet: others may be copying it.
		_ = os.Rename(kept, fmt.Sprintf("%s-%d", kept, os.Getpid()))
	}
	if err := emptied(dir); err != nil {
		return nil, err
	}
	if err := makeCluster(ctx); err != nil {
		return nil, err
	}
	if kept != "" {
		keep(kept)
	}
	return pgserver.Start(ctx, options)
}

// makeCluster makes a new cluster with the migrated template.
func makeCluster(ctx context.Context) error {
	server, err := pgserver.Start(ctx, pgserver.Options{Dir: dir, Ephemeral: true})
	if err != nil {
		return err
	}
	if err := admin(server, "create database "+template); err != nil {
		return err
	}
	if err := db.Migrate(ctx, server.URL(template)); err != nil {
		return err
	}
	return errors.Join(admins.Close(ctx), server.Stop(ctx))
}

// keptCluster is the path of the kept cluster with this schema, or empty if
// there is no cache directory. Because the template has partitions by month, a
// kept cluster is used for one month only.
func keptCluster() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.New()
	sum.Write([]byte(time.Now().UTC().Format("2006-01") + os.Getenv("GATEWAY_POSTGRES_BIN")))
	_ = fs.WalkDir(schema.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			content, _ := schema.FS.ReadFile(path)
			sum.Write([]byte(path))
			sum.Write(content)
		}
		return err
	})
	return filepath.Join(cache, "gateway-test", hex.EncodeToString(sum.Sum(nil)[:8]))
}

// keep copies the stopped cluster into the cache. It renames the finished
// copy, so that other processes find a whole one or none. If another process
// has already stored one, that stays, because somebody may be copying it. A
// failure is ignored: then the next process makes the cluster anew.
func keep(kept string) {
	all := filepath.Dir(kept)
	if os.MkdirAll(all, 0o700) != nil {
		return
	}
	aside, err := os.MkdirTemp(all, "making-")
	if err != nil {
		return
	}
	if copyCluster(dir, aside) != nil || os.Rename(aside, kept) != nil {
		_ = os.RemoveAll(aside)
	}
	dropOld(all)
}

// copyCluster copies the directory of a cluster from one directory into
// another, under the same name.
func copyCluster(from, to string) error {
	made, err := filepath.Glob(filepath.Join(from, "pg*"))
	if err != nil || len(made) != 1 {
		return fmt.Errorf("%d clusters in %s: %w", len(made), from, err)
	}
	data := filepath.Join(to, filepath.Base(made[0]))
	if err := os.CopyFS(data, os.DirFS(made[0])); err != nil {
		return err
	}
	return os.Chmod(data, 0o700) //nolint:gosec // PostgreSQL's own rule for a directory of data
}

// dropOld removes clusters that were made long ago, for older schemas or
// months.
func dropOld(all string) {
	entries, _ := os.ReadDir(all)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.RemoveAll(filepath.Join(all, entry.Name()))
		}
	}
}

// emptied makes sure that the directory exists and is empty.
func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o711)
}
