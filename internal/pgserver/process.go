//go:build !windows

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// process is the running postmaster and what to release when it ends.
type process struct {
	cmd      *exec.Cmd
	log      *os.File
	held     locks
	sock     socketDir
	stopping atomic.Bool
	// err is written before done is closed and only read after.
	done chan struct{}
	err  error
}

// launch starts the postmaster itself. pg_ctl would make it somebody else's
// child.
func launch(at site, data string, sock socketDir) (*process, error) {
	args := append([]string{"-D", data}, settings(at.opts, sock.path)...)
	cmd := at.who.command(at.inst.postgres(), args...)
	cmd.Stdout, cmd.Stderr = at.log, at.log
	cmd.ExtraFiles = []*os.File{at.held.server}
	p := &process{cmd: cmd, log: at.log, held: at.held, sock: sock, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("pgserver: cannot run %s: %w", at.inst.postgres(), err)
	}
	return p, nil
}

// run starts the child and waits for it. The parent-death signal belongs to the
// thread that started the child and not to the process, so that thread is kept
// as long as the child lives.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.ended(p.cmd.Wait())
	}
}

// ended stores why the server ended, and releases log, socket and locks.
func (p *process) ended(exit error) {
	if !p.stopping.Load() {
		p.err = fmt.Errorf("%w (%s); the end of %s:\n%s", ErrEnded,
			exitText(exit), p.log.Name(), tail(p.log.Name()))
	}
	_ = p.log.Close()
	p.sock.remove()
	p.held.release()
	close(p.done)
}

// exitText writes "exit status 0" for the exit that os/exec reports as no
// error.
func exitText(exit error) string {
	if exit == nil {
		return "exit status 0"
	}
	return exit.Error()
}

// awaitReady polls the pid file: a socket may exist while the server still
// recovers.
func (p *process) awaitReady(ctx context.Context, data string) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return p.err
		case <-ctx.Done():
			return fmt.Errorf("pgserver: PostgreSQL was not ready in time: %w", ctx.Err())
		case <-tick.C:
			if pf := readPIDFile(data); pf.pid == p.cmd.Process.Pid && pf.status == "ready" {
				return nil
			}
		}
	}
}

// stop asks for a fast shutdown, then for an immediate one. It never uses
// SIGKILL, which would leave backends and shared memory.
func (p *process) stop(ctx context.Context) error {
	p.stopping.Store(true)
	p.signal(syscall.SIGINT)
	if p.wait(ctx, stopPatience) {
		return nil
	}
	p.signal(syscall.SIGQUIT)
	if p.wait(context.Background(), quitPatience) {
		return nil
	}
	return errors.New("pgserver: PostgreSQL ignores SIGINT and SIGQUIT")
}

// signal only signals a child that was not waited for yet, so that it cannot
// hit a reused pid. A child that has ended is no error.
func (p *process) signal(sig os.Signal) {
	_ = p.cmd.Process.Signal(sig)
}

// wait reports whether the server ended before ctx or the patience did.
func (p *process) wait(ctx context.Context, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-p.done:
		return true
	case <-ctx.Done():
		return false
	}
}
