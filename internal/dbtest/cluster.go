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

// keptFor is how long after it was made a cluster stays in the cache.
const keptFor = 14 * 24 * time.Hour

// startServer starts this process's server, which has the migrated template.
// The first process to need one makes it and keeps a copy in the user's cache
// directory: initdb and the migrations take longer than most packages' tests.
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

// keptCluster is where a cluster with this schema is kept, or empty where there
// is no cache directory. The template has partitions of months, so that it is
// good for a month.
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

// keep copies the stopped cluster aside and renames it, so that others find it
// whole or not at all. When another process was quicker, theirs stays: somebody
// may be copying it. That nothing could be kept is no error: it is made anew
// the next time.
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

// copyCluster copies the directory of a cluster, which has a name of its own,
// from one directory into another.
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

// dropOld removes clusters that were made long ago: they are of older schemas
// and months, or could not be used.
func dropOld(all string) {
	entries, _ := os.ReadDir(all)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > keptFor {
			_ = os.RemoveAll(filepath.Join(all, entry.Name()))
		}
	}
}

// emptied has the directory be there and hold nothing.
func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o711)
}
