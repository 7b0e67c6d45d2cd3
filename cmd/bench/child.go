package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gateway.example/internal/sandbox"
)

// build compiles the gateway of the working directory.
func build(ctx context.Context, dir string) string {
	binary := filepath.Join(dir, "gateway.bin")
	// Without debug information linking is much faster.
	//nolint:gosec // our own
	command := exec.CommandContext(ctx, "go", "build", "-tags", "benchprofile", "-ldflags=-w", "-o", binary, "gateway.example/cmd/gateway")
	out, err := command.CombinedOutput()
	if err != nil {
		check(fmt.Errorf("build the gateway: %w\n%s", err, out))
	}
	return binary
}

// child is a gateway in its own process.
type child struct {
	sandbox.Info
	cmd *exec.Cmd
	// dir is its data directory, which also has its log.
	dir     string
	logPath string
	done    chan struct{}
	err     error
}

// launch starts a gateway on the place's database, as a sandbox on free ports,
// and waits until it is ready. Its log goes to a file in its data directory.
func (b *bench) launch(ctx context.Context, dir string) *child {
	check(os.MkdirAll(dir, 0o711))
	const free = "127.0.0.1:0"
	c := &child{dir: dir, logPath: filepath.Join(dir, "log.jsonl"), done: make(chan struct{})}
	log := must(os.Create(c.logPath))
	defer func() { _ = log.Close() }() // the child has it
	//nolint:gosec,noctx // built by us, and stopped in its turn, not by the context
	c.cmd = exec.Command(b.binary, "serve", "-sandbox", "-data-dir", dir, "-db-connections", strconv.Itoa(b.connections),
		"-api-addr", free, "-pay-addr", free, "-portal-addr", free, "-ops-addr", free)
	c.cmd.Env = append(cleanEnvironment(), "DATABASE_URL="+b.url, "BENCH_PROFILE="+c.profilePath())
	if b.telegram != "" {
		c.cmd.Args = append(c.cmd.Args, "-telegram-url", b.telegram)
		c.cmd.Env = append(c.cmd.Env, "GATEWAY_TELEGRAM_TOKEN=1:bench")
	}
	c.cmd.Stderr = log
	c.cmd.SysProcAttr = childAttributes()
	started := make(chan error, 1)
	go c.run(started)
	check(<-started, "start the gateway")
	if err := c.await(ctx); err != nil {
		check(errors.Join(err, c.stop()))
	}
	return c
}

// launchBeside starts a gateway on the place's database in its own directory,
// with the key of another gateway.
func (b *bench) launchBeside(ctx context.Context, other, dir string) *child {
	const key, sharing = "sandbox.key", "share the sandbox's key"
	content, err := os.ReadFile(filepath.Join(other, key))
	check(err, sharing)
	check(os.MkdirAll(dir, 0o711), sharing)
	check(os.WriteFile(filepath.Join(dir, key), content, 0o600), sharing) //nolint:gosec // in our own directory
	return b.launch(ctx, dir)
}

// run keeps its thread while the child lives, because the signal at a parent's
// death belongs to the thread that forked.
func (c *child) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err == nil {
		c.err = c.cmd.Wait()
		close(c.done)
	}
}

// cleanEnvironment is the bench's environment without the settings of a
// gateway.
func cleanEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GATEWAY_") || strings.HasPrefix(variable, "DATABASE_URL=") ||
			strings.HasPrefix(variable, "PG")
	})
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) signal(s os.Signal) error { return c.cmd.Process.Signal(s) }

// await waits until the gateway has written its file and is ready.
func (c *child) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var err error
		if c.Info, err = sandbox.Read(c.dir); err == nil {
			if _, err = read(ctx, c.OpsURL+"/readyz"); err == nil {
				return nil
			}
		}
		select {
		case <-c.done:
			return fmt.Errorf("the gateway ended: %w\n%s", c.err, wholeFile(c.logPath))
		case <-ctx.Done():
			return fmt.Errorf("the gateway is not ready: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// stop asks the gateway to end, and kills it if it does not.
func (c *child) stop() error {
	_ = c.signal(syscall.SIGTERM) // one that has ended needs none
	select {
	case <-c.done:
		return c.err
	case <-time.After(stopTimeout):
		_ = c.cmd.Process.Kill()
		<-c.done
		return errors.New("the gateway does not stop when asked to")
	}
}
