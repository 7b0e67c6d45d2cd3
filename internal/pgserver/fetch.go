//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// fetchVersion is fixed, so that a later fetched server can read the
	// data.
	fetchVersion = "17.5.0"
	// fetchPatience limits a download of about 30 MB.
	fetchPatience = 3 * time.Minute
)

// fetchFunc installs PostgreSQL under dir and returns the directory of its
// binaries.
type fetchFunc func(ctx context.Context, dir string) (string, error)

// fetchInstall is the last resort. If it fails, the error says what to install.
func fetchInstall(ctx context.Context, opts Options, who identity, tooOld []install) (install, error) {
	opts.Log.Info("no PostgreSQL on this machine; fetching one", "version", fetchVersion)
	opts.Tell("There is no PostgreSQL %d or newer on this machine: downloading one, about 30 MB.", minMajor)
	ctx, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	bin, err := opts.fetch(ctx, fetchDir(opts.Dir, who))
	if err != nil {
		return install{}, noBinaryError(err, tooOld)
	}
	inst, err := inspect(ctx, bin)
	if err != nil {
		return install{}, noBinaryError(err, nil)
	}
	return inst, nil
}

// noBinaryError is the message for the operator, on one line.
func noBinaryError(cause error, tooOld []install) error {
	seen := ""
	for _, inst := range tooOld {
		seen += fmt.Sprintf("; %s has version %d, which is too old", inst.bin, inst.major)
	}
	why := strings.Join(strings.Fields(cause.Error()), " ")
	return fmt.Errorf("pgserver: %w: version %d or newer was not found and could not be fetched (%s%s): install it "+
		"(Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql), "+
		"or set %s to its bin directory, or DATABASE_URL to a running server", ErrNoBinary, minMajor, why, seen, binaryEnv)
}

// fetchDir is the user's cache, which all projects and tests share, unless
// another user has to run the binaries.
func fetchDir(dir string, who identity) string {
	cache, err := os.UserCacheDir()
	if err != nil || who.foreign {
		return filepath.Join(dir, "fetched")
	}
	return filepath.Join(cache, "gateway-postgres")
}

// fetchedBin is where an earlier fetch put the binaries.
func fetchedBin(fetchDir string) string {
	return filepath.Join(fetchDir, fetchVersion, "bin")
}

// fetchFromRepository fetches from a Maven repository, from the central one
// when base is empty.
func fetchFromRepository(base string) fetchFunc {
	if base == "" {
		base = "https://repo1.maven.org/maven2"
	}
	return func(ctx context.Context, dir string) (string, error) {
		bin := fetchedBin(dir)
		if complete(bin) {
			return bin, nil
		}
		return bin, fetchInto(ctx, dir, filepath.Dir(bin), base)
	}
}

// fetchInto extracts into another directory and renames it, so that an
// installation is complete or does not exist.
func fetchInto(ctx context.Context, dir, home, base string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(dir, "fetch-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(aside) }()
	platform := platformName(runtime.GOOS, runtime.GOARCH)
	name := "embedded-postgres-binaries-" + platform
	jar, err := downloadChecked(ctx, fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%s-%s.jar",
		base, name, fetchVersion, name, fetchVersion))
	if err != nil {
		return err
	}
	tree := filepath.Join(aside, "tree")
	if err := unpack(ctx, jar, tree); err != nil {
		return fmt.Errorf("unpack PostgreSQL: %w", err)
	}
	if !complete(filepath.Join(tree, "bin")) {
		return errors.New("what was fetched is not PostgreSQL")
	}
	return moveHome(tree, home)
}

// platformName is the repository's name for this system.
func platformName(system, processor string) string {
	name := system + "-" + processor
	if processor == "arm64" {
		name += "v8"
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil && system == "linux" {
		name += "-alpine"
	}
	return name
}

// moveHome renames the new installation, or uses one that another process has
// just finished.
func moveHome(tree, home string) error {
	if err := os.Rename(tree, home); err != nil && !complete(filepath.Join(home, "bin")) {
		return err
	}
	return nil
}

// complete reports whether a directory has both programs.
func complete(bin string) bool {
	for _, name := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return false
		}
	}
	return true
}
