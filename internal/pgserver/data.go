//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// makeDir makes the directory and its parents so that other users may pass
// through but not list them: the server may have to run as another user. It
// changes an existing directory only if it must.
func makeDir(dir string, who identity) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return fmt.Errorf("pgserver: %w; set GATEWAY_DATA_DIR to a directory of your own", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	if !who.foreign || info.Mode().Perm()&0o011 == 0o011 {
		return nil
	}
	return os.Chmod(dir, info.Mode().Perm()|0o011)
}

// dataDir is named after the major version, since a server cannot open the data
// of another.
func dataDir(dir string, major int) string {
	return filepath.Join(dir, "pg"+strconv.Itoa(major))
}

// dataMajors lists the major versions that have data in dir.
func dataMajors(dir string) map[int]bool {
	found := map[int]bool{}
	files, _ := filepath.Glob(filepath.Join(dir, "pg*", "PG_VERSION"))
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if major, err := strconv.Atoi(strings.TrimPrefix(name, "pg")); err == nil {
			found[major] = true
		}
	}
	return found
}

// prepareData makes the cluster on the first start, and otherwise removes what
// a crash left.
func prepareData(ctx context.Context, at site) (string, error) {
	data := dataDir(at.opts.Dir, at.inst.major)
	_, err := os.Stat(data)
	if errors.Is(err, fs.ErrNotExist) && at.opts.Existing {
		return "", ErrNoData
	}
	if errors.Is(err, fs.ErrNotExist) {
		return data, createCluster(ctx, at, data)
	}
	if err != nil {
		return "", fmt.Errorf("pgserver: %w", err)
	}
	if err := at.who.own(data); err != nil {
		return "", err
	}
	return data, clearPIDFile(data)
}

// createCluster runs initdb in another directory and renames it, so that the
// data are complete or do not exist.
func createCluster(ctx context.Context, at site, data string) error {
	if old := dataMajors(at.opts.Dir); len(old) > 0 {
		at.opts.Log.Warn("data of another PostgreSQL version is left untouched; starting empty",
			"dir", at.opts.Dir, "major", at.inst.major)
	}
	aside := data + ".init"
	if err := emptyDir(aside, at.who); err != nil {
		return err
	}
	at.opts.Tell("Making a PostgreSQL %d database in %s.", at.inst.major, data)
	cmd := at.who.command(at.inst.initdb(), initdbArgs(aside, at.opts.Ephemeral)...)
	cmd.Stdout, cmd.Stderr = at.log, at.log
	cmd.ExtraFiles = []*os.File{at.held.server}
	if err := run(ctx, cmd); err != nil {
		return fmt.Errorf("pgserver: initdb failed: %w\n%s", err, tail(at.log.Name()))
	}
	return moveIntoPlace(aside, data)
}

// initdbArgs fixes encoding and locale, so that every machine makes the same
// cluster. A durable one is synced, because the server never syncs again what
// initdb wrote.
func initdbArgs(dir string, ephemeral bool) []string {
	args := []string{"-D", dir, "-U", superuser, "--auth=trust", "-E", "UTF8", "--locale=C",
		"--data-checksums", "--no-instructions"}
	if ephemeral {
		args = append(args, "--no-sync")
	}
	return args
}

// emptyDir removes what a crash left and makes the directory again, for the
// identity alone.
func emptyDir(dir string, who identity) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	return who.own(dir)
}

// moveIntoPlace renames a directory and syncs its parent, so that the name
// survives a power failure.
func moveIntoPlace(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	parent, err := os.Open(filepath.Dir(to))
	if err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	defer func() { _ = parent.Close() }()
	return parent.Sync()
}
