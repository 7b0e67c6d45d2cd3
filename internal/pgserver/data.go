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

// makeDir makes the directory and its parents so that others may pass through but not look around:
// the server may have to run as one of them. A directory that exists already is opened to passage
// only when it has to be.
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

// dataDir carries the major version, since a server cannot open another major's data.
func dataDir(dir string, major int) string {
	return filepath.Join(dir, "pg"+strconv.Itoa(major))
}

// dataMajors lists the versions that have data in dir.
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

// prepareData makes the cluster on the first start and otherwise clears what a crash left in it.
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

// createCluster runs initdb aside and renames, so that data either is complete or is not there.
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

// initdbArgs fixes encoding and locale so that every machine makes the same cluster. A durable one
// is synced: the server's own fsync never touches again what initdb wrote.
func initdbArgs(dir string, ephemeral bool) []string {
	args := []string{"-D", dir, "-U", superuser, "--auth=trust", "-E", "UTF8", "--locale=C", "--no-instructions"}
	if ephemeral {
		args = append(args, "--no-sync")
	}
	return args
}

// emptyDir removes what a crash left and makes the directory anew, for the identity alone.
func emptyDir(dir string, who identity) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	return who.own(dir)
}

// moveIntoPlace renames and makes the name itself survive a power failure.
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
