package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gateway.example/internal/sandbox"
)

// build compiles the gateway as it stands.
func build(ctx context.Context, dir string) (string, error) {
	binary := filepath.Join(dir, "gateway.bin")
	// No debugger needs what -w leaves out, and nothing takes as long as to link it.
	//nolint:gosec // our own
	command := exec.CommandContext(ctx, "go", "build", "-tags", "benchprofile", "-ldflags=-w", "-o", binary, "gateway.example/cmd/gateway")
	out, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the gateway: %w\n%s", err, out)
	}
	return binary, nil
}

// child is a gateway in a process of its own.
type child struct {
	sandbox.Info
	cmd *exec.Cmd
	// dir is its data directory, where its log is, too.
	dir     string
	logPath string
	done    chan struct{}
	err     error
}

// launch starts a gateway on a database, as a sandbox with free ports, and waits until it is ready.
// Its log goes to a file beside its data.
func (b *bench) launch(ctx context.Context, dir, databaseURL string) (*child, error) {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	const free = "127.0.0.1:0"
	c := &child{dir: dir, logPath: filepath.Join(dir, "log.jsonl"), done: make(chan struct{})}
	log, err := os.Create(c.logPath)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the child has it
	//nolint:gosec,noctx // built by us, and stopped in its turn, not by the context
	c.cmd = exec.Command(b.binary, "serve", "-sandbox", "-data-dir", dir, "-db-connections", strconv.Itoa(b.connections),
		"-api-addr", free, "-pay-addr", free, "-portal-addr", free, "-ops-addr", free)
	c.cmd.Env = append(cleanEnvironment(), "DATABASE_URL="+databaseURL, "BENCH_PROFILE="+c.profilePath())
	if b.telegram != "" {
		c.cmd.Args = append(c.cmd.Args, "-telegram-bot", "bench", "-telegram-url", b.telegram)
		c.cmd.Env = append(c.cmd.Env, "GATEWAY_TELEGRAM_TOKEN=1:bench")
	}
	c.cmd.Stderr = log
	c.cmd.SysProcAttr = childAttributes()
	started := make(chan error, 1)
	go c.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the gateway: %w", err)
	}
	if err := c.await(ctx, dir); err != nil {
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

// launchBeside starts one on the place's database with the key of another, in a directory of its own.
func (b *bench) launchBeside(ctx context.Context, other, dir string) (*child, error) {
	const key = "sandbox.key"
	content, err := os.ReadFile(filepath.Join(other, key))
	if err == nil {
		err = os.MkdirAll(dir, 0o711)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, key), content, 0o600) //nolint:gosec // in our own directory
	}
	if err != nil {
		return nil, fmt.Errorf("share the sandbox's key: %w", err)
	}
	return b.launch(ctx, dir, b.url)
}

// run keeps its thread for the child's whole life: the signal at a parent's death follows the
// thread that forked.
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

// cleanEnvironment is ours without what would configure a gateway.
func cleanEnvironment() []string {
	var kept []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GATEWAY_") && !strings.HasPrefix(variable, "DATABASE_URL=") &&
			!strings.HasPrefix(variable, "PG") {
			kept = append(kept, variable)
		}
	}
	return kept
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) signal(s os.Signal) error { return c.cmd.Process.Signal(s) }

// await waits until the gateway's file is there and it says that it is ready.
func (c *child) await(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var err error
		if c.Info, err = sandbox.Read(dir); err == nil && isReady(ctx, c.OpsURL) {
			return nil
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

func isReady(ctx context.Context, opsURL string) bool {
	_, err := read(ctx, opsURL+"/readyz")
	return err == nil
}

// stop asks the gateway to end, and makes it.
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
