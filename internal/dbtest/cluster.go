package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"errors"

	"gateway.example/internal/db"
	"gateway.example/internal/pgserver"
	"gateway.example/schema"
)

// keptFor is how long a cluster that nobody uses any more stays in the cache.
const keptFor = 14 * 24 * time.Hour

// startServer starts this process's server, which has the migrated template. The first process to need one makes it and
// keeps a copy in the user's cache directory: initdb and the migrations take longer than most packages' tests.
func startServer(ctx context.Context) (*pgserver.Server, error) {
	options := pgserver.Options{Dir: dir, Ephemeral: true}
	kept := keptCluster()
	if os.CopyFS(dir, os.DirFS(kept)) == nil {
		made, err := filepath.Glob(filepath.Join(dir, "pg*"))
		//nolint:gosec // a directory has to be passed through
		if err == nil && len(made) == 1 && os.Chmod(made[0], 0o700) == nil {
			options.Existing = true
			if server, err := pgserver.Start(ctx, options); err == nil {
				return server, nil
			}
		}
	}
	// There is none, or it is of another PostgreSQL: a new one is made in its place.
	options.Existing = false
	if err := emptied(dir); err != nil {
		return nil, err
	}
	server, err := pgserver.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := admin(server, "create database "+template); err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx, server.URL(template)); err != nil {
		return nil, err
	}
	if err := errors.Join(admins.Close(ctx), server.Stop(ctx)); err != nil {
		return nil, err
	}
	keepCluster(kept)
	options.Existing = true
	return pgserver.Start(ctx, options)
}

// keptCluster is where a cluster with this schema is kept. The template has partitions of months, so that it is good
// for a month.
func keptCluster() string {
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
	return filepath.Join(keptClusters(), hex.EncodeToString(sum.Sum(nil)[:8]))
}

// keptClusters is empty where there is no cache directory: then nothing is kept.
func keptClusters() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "gateway-test")
}

// keepCluster copies the stopped cluster aside and renames it, so that others find it whole or not at all. That it
// cannot be kept is no error: it is made anew the next time.
func keepCluster(kept string) {
	all := keptClusters()
	if all == "" || os.MkdirAll(all, 0o700) != nil {
		return
	}
	aside, err := os.MkdirTemp(all, "making-")
	if err != nil {
		return
	}
	defer func() { _ = os.RemoveAll(aside) }()
	data, err := filepath.Glob(filepath.Join(dir, "pg*"))
	if err != nil || len(data) != 1 {
		return
	}
	if os.CopyFS(filepath.Join(aside, filepath.Base(data[0])), os.DirFS(data[0])) != nil {
		return
	}
	_ = os.RemoveAll(kept)
	_ = os.Rename(aside, kept)
	dropOld(all)
}

// dropOld removes clusters of older schemas and months.
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
