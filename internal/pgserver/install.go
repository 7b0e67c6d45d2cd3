//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrNoBinary means that no usable PostgreSQL was found and none could be
// fetched.
var ErrNoBinary = errors.New("no PostgreSQL")

const (
	// binaryEnv names a directory that overrides the search.
	binaryEnv = "GATEWAY_POSTGRES_BIN"
	// minMajor is the oldest version that the schema works with.
	minMajor = 15
	// versionPatience limits how long a program called postgres may take to
	// print its version.
	versionPatience = 5 * time.Second
)

// install is a PostgreSQL on this machine.
type install struct {
	bin   string
	major int
}

func (i install) postgres() string { return filepath.Join(i.bin, "postgres") }
func (i install) initdb() string   { return filepath.Join(i.bin, "initdb") }

// installGlobs are where distributions put the binaries. Several do not have
// initdb in PATH.
var installGlobs = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/libexec/postgresql*",
	"/usr/pgsql-*/bin",
	"/usr/local/pgsql/bin",
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// defaultSearchDirs is PATH, then the usual places.
func defaultSearchDirs() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, glob := range installGlobs {
		found, _ := filepath.Glob(glob)
		dirs = append(dirs, found...)
	}
	return dirs
}

// chooseInstall takes the override if it is set, or the best one found, or
// fetches one.
func chooseInstall(ctx context.Context, opts Options, who identity) (install, error) {
	if dir := os.Getenv(binaryEnv); dir != "" {
		return overrideInstall(ctx, dir)
	}
	dirs := opts.searchDirs
	if dirs == nil {
		dirs = append(defaultSearchDirs(), fetchedBin(fetchDir(opts.Dir, who)))
	}
	found, tooOld := searchInstalls(ctx, dirs)
	if len(found) > 0 {
		return bestInstall(found, dataMajors(opts.Dir)), nil
	}
	if err := ctx.Err(); err != nil {
		return install{}, fmt.Errorf("pgserver: %w", err)
	}
	return fetchInstall(ctx, opts, who, tooOld)
}

// overrideInstall fails if the override is wrong, instead of searching further.
func overrideInstall(ctx context.Context, dir string) (install, error) {
	inst, err := inspect(ctx, dir)
	if err != nil {
		return install{}, fmt.Errorf("pgserver: %w in %s=%s: %w", ErrNoBinary, binaryEnv, dir, err)
	}
	if inst.major < minMajor {
		return install{}, fmt.Errorf(
			"pgserver: %s=%s has PostgreSQL %d; %d or newer is needed",
			binaryEnv,
			dir,
			inst.major,
			minMajor,
		)
	}
	return inst, nil
}

// searchInstalls inspects each directory once and separates those that are too
// old.
func searchInstalls(ctx context.Context, dirs []string) (found, tooOld []install) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		inst, err := inspect(ctx, dir)
		if err != nil || seen[inst.bin] {
			continue
		}
		seen[inst.bin] = true
		if inst.major < minMajor {
			tooOld = append(tooOld, inst)
		} else {
			found = append(found, inst)
		}
	}
	return found, tooOld
}

// bestInstall prefers a version that has data, then the highest: after somebody
// installs a newer PostgreSQL the data must not seem lost.
func bestInstall(found []install, hasData map[int]bool) install {
	best := found[0]
	for _, inst := range found[1:] {
		switch {
		case hasData[inst.major] != hasData[best.major]:
			if hasData[inst.major] {
				best = inst
			}
		case inst.major > best.major:
			best = inst
		}
	}
	return best
}

// inspect resolves links, because postgres looks for its files next to the real
// binary, and asks the version.
func inspect(ctx context.Context, dir string) (install, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return install{}, err
	}
	if resolved, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres")); err == nil {
		dir = filepath.Dir(resolved)
	}
	inst := install{bin: dir}
	for _, path := range []string{inst.postgres(), inst.initdb()} {
		if _, err := exec.LookPath(path); err != nil {
			return install{}, err
		}
	}
	inst.major, err = majorOf(ctx, inst.postgres())
	return inst, err
}

var versionPattern = regexp.MustCompile(`^postgres \(PostgreSQL\) (\d+)`)

// majorOf asks the server for its version.
func majorOf(ctx context.Context, postgres string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, postgres, "-V")
	cmd.Env = environment()
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s -V: %w", postgres, err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return 0, fmt.Errorf("%s -V says %q", postgres, strings.TrimSpace(string(out)))
	}
	return strconv.Atoi(string(match[1]))
}
