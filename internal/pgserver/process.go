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

// process is the running postmaster and what has to be given back when it is gone.
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

// launch runs the postmaster itself, not pg_ctl, which would take it out of our hands.
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

// run starts the child and reaps it. The parent-death signal follows the thread that forked, not
// the process, so that thread is kept for the child's whole life.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.ended(p.cmd.Wait())
	}
}

// ended records the cause and gives back log, socket and locks.
func (p *process) ended(exit error) {
	if !p.stopping.Load() {
		p.err = fmt.Errorf("pgserver: PostgreSQL ended by itself (%s); the end of %s:\n%s",
			exitText(exit), p.log.Name(), tail(p.log.Name()))
	}
	_ = p.log.Close()
	p.sock.remove()
	p.held.release()
	close(p.done)
}

// exitText keeps "exit status 0" readable: os/exec reports it as no error.
func exitText(exit error) string {
	if exit == nil {
		return "exit status 0"
	}
	return exit.Error()
}

// awaitReady polls the pid file: the socket alone may belong to a server that still recovers.
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

// stop asks for a fast shutdown, then for an immediate one. Never SIGKILL: it would leave backends
// and shared memory.
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

// signal reaches only a child not yet reaped, so a reused pid is never hit; that the child is gone
// is no error here.
func (p *process) signal(sig os.Signal) {
	_ = p.cmd.Process.Signal(sig)
}

// wait reports whether the server was gone before ctx ended or the patience ran out.
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
