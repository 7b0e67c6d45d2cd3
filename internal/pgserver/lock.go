//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ErrInUse means that another program, or a server it left behind, holds the
// directory.
var ErrInUse = errors.New("directory in use")

const (
	// gatewayPatience is how long to wait for a gateway that is just
	// ending.
	gatewayPatience = 5 * time.Second
	// serverPatience is how long to wait for the server of a killed gateway
	// to write its last checkpoint.
	serverPatience = 30 * time.Second
)

// locks are the two locks on a directory. The first belongs to this process.
// The second is inherited by every process of the server: whoever gets it knows
// that none is left, whatever a pid file says.
type locks struct {
	gateway, server *os.File
}

// lockDir waits a little for both locks.
func lockDir(ctx context.Context, dir string) (locks, error) {
	gateway, err := openLock(dir, "gateway.lock")
	if err != nil {
		return locks{}, err
	}
	server, err := openLock(dir, "server.lock")
	if err != nil {
		_ = gateway.Close()
		return locks{}, err
	}
	held := locks{gateway: gateway, server: server}
	if err := held.acquire(ctx, dir); err != nil {
		held.release()
		return locks{}, err
	}
	return held, nil
}

func openLock(dir, name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf(
			"pgserver: cannot lock the data directory: %w; set GATEWAY_DATA_DIR to a directory of your own",
			err,
		)
	}
	return f, nil
}

// acquire takes the gateway's lock and then the server's. If the latter is
// taken, it first asks that server to shut down.
func (l locks) acquire(ctx context.Context, dir string) error {
	if err := flock(ctx, l.gateway, gatewayPatience); err != nil {
		return lockError(err, dir, "another gateway runs there; stop it, or set GATEWAY_DATA_DIR to another directory")
	}
	if unix.Flock(int(l.server.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		return nil
	}
	interruptOrphan(dir)
	if err := flock(ctx, l.server, serverPatience); err != nil {
		return lockError(err, dir, "the PostgreSQL of an earlier gateway does not end; see postmaster.pid in the data there")
	}
	return nil
}

// lockError names the directory when it is taken and leaves other failures as
// they are.
func lockError(err error, dir, what string) error {
	if errors.Is(err, unix.EWOULDBLOCK) {
		return fmt.Errorf("pgserver: %w: %s: %s", ErrInUse, dir, what)
	}
	return fmt.Errorf("pgserver: cannot lock %s: %w", dir, err)
}

// flock polls, because a blocked flock cannot be cancelled.
func flock(ctx context.Context, f *os.File, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || time.Now().After(deadline) || !retryable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// retryable reports whether trying again may help: somebody else has the lock,
// or a signal interrupted.
func retryable(err error) bool {
	return errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR)
}

// interruptOrphan asks a server whose gateway is gone to shut down. It is for
// systems without a parent-death signal.
func interruptOrphan(dir string) {
	dirs, _ := filepath.Glob(filepath.Join(dir, "pg*"))
	for _, data := range dirs {
		if pid := readPIDFile(data).pid; pid > 1 && isPostmaster(pid, data) {
			_ = syscall.Kill(pid, syscall.SIGINT)
		}
	}
}

// release only closes our file descriptors: unlocking would also take the lock
// from server processes that are still ending.
func (l locks) release() {
	_ = l.gateway.Close()
	_ = l.server.Close()
}
