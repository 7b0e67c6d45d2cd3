//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// account is a user of this machine, by number.
type account struct {
	name     string
	uid, gid int
}

// identity is the user that the server runs as. PostgreSQL refuses to run as
// root.
type identity struct {
	name string
	attr syscall.SysProcAttr
	// owner is the owner of the server's files; nil if that is this user.
	owner *account
	// foreign says that the owner is not allowed into the directory without
	// help.
	foreign bool
}

// chooseIdentity prefers this user, then a user namespace, then another user.
func chooseIdentity(ctx context.Context, forbidNamespace bool) (identity, error) {
	if os.Geteuid() != 0 {
		return identity{name: "uid " + strconv.Itoa(os.Geteuid())}, nil
	}
	as, err := unprivileged()
	if err != nil {
		return identity{}, err
	}
	if who, ok := inNamespace(ctx, as); ok && !forbidNamespace {
		return who, nil
	}
	who := identity{name: as.name, owner: &as, foreign: true}
	who.attr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	if err := who.probe(ctx); err != nil {
		return identity{}, fmt.Errorf("pgserver: PostgreSQL refuses to run as root, and neither a user namespace nor "+
			"becoming user %q is allowed here (%w): run as an ordinary user, or set DATABASE_URL", as.name, err)
	}
	return who, nil
}

// unprivileged finds the user to run as or to look like. initdb needs one that
// has a name.
func unprivileged() (account, error) {
	for _, name := range []string{"postgres", "nobody", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 31)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 31)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{name: name, uid: int(uid), gid: int(gid)}, nil
		}
	}
	return account{}, errors.New(
		"pgserver: PostgreSQL refuses to run as root, and there is no user postgres or nobody " +
			"to run it as: run as an ordinary user, or set DATABASE_URL",
	)
}

// inNamespace reports whether root may use a user namespace. Many containers
// forbid it.
func inNamespace(ctx context.Context, as account) (identity, bool) {
	attr := namespaceAttr(as)
	if attr == nil {
		return identity{}, false
	}
	owner := account{name: "root", uid: os.Geteuid(), gid: os.Getegid()}
	who := identity{name: "root in a user namespace", attr: *attr, owner: &owner}
	return who, who.probe(ctx) == nil
}

// probe runs a program that does nothing, as the identity.
func (who identity) probe(ctx context.Context) error {
	path, err := exec.LookPath("/bin/true")
	if err != nil {
		if path, err = exec.LookPath("true"); err != nil {
			return err
		}
	}
	return run(ctx, who.command(path))
}

// reach checks that the identity can run the binaries and enter the directory.
// Later failures would not say so clearly.
func (who identity) reach(ctx context.Context, inst install, dir string) error {
	cmd := who.command(inst.postgres(), "-V")
	cmd.Dir = dir
	err := run(ctx, cmd)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf(
		"pgserver: %s cannot run %s in %s (%w): set GATEWAY_DATA_DIR to a directory that user can enter, "+
			"such as /var/lib/gateway",
		who.name,
		inst.postgres(),
		dir,
		err,
	)
}

// command prepares a child in its own process group, so that Ctrl-C in a
// terminal reaches only this process.
func (who identity) command(path string, args ...string) *exec.Cmd {
	//nolint:gosec,noctx // the binary was looked for; a server outlives the context it was started in
	cmd := exec.Command(path, args...)
	cmd.Env = environment()
	attr := who.attr
	attr.Setpgid = true
	dieWithParent(&attr)
	cmd.SysProcAttr = &attr
	return cmd
}

// environment passes only what programs need to load: PG* variables would
// change the server, and our secrets do not belong in another user's process.
func environment() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// run waits for a short-lived child on the thread that started it (see
// process.run). When ctx ends it kills the child's whole group.
func run(ctx context.Context, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	unhook := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer unhook()
	err := cmd.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// own changes the owner of a directory tree, the top last, so that an
// interrupted change is noticed and repeated.
func (who identity) own(top string) error {
	if who.owner == nil || ownedBy(top, who.owner.uid) {
		return nil
	}
	uid, gid := who.owner.uid, who.owner.gid
	err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		if err != nil || path == top {
			return err
		}
		return os.Lchown(path, uid, gid) //nolint:gosec // a directory of our own, under our lock
	})
	if err != nil {
		return fmt.Errorf("pgserver: %w", err)
	}
	return os.Lchown(top, uid, gid)
}

// ownedBy reports whether the file itself, and not the target of a link,
// belongs to uid.
func ownedBy(path string, uid int) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == uint32(uid)
}
