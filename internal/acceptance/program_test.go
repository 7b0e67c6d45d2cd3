package acceptance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gateway.example/internal/testenv"
)

const mainPackage = "gateway.example/cmd/gateway"

// executable is the program, which TestMain builds.
var executable string

// build compiles the program as it stands, with the race detector if these tests have it.
func build(dir string) error {
	executable = filepath.Join(dir, "gateway.bin")
	// No debugger will need what -w leaves out.
	args := []string{"build", "-buildvcs=false", "-ldflags=-w", "-o", executable}
	if testenv.Race {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, mainPackage)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the gateway: %w\n%s", err, out)
	}
	sources, err = sourcePaths()
	return err
}

// sources are the directories of the packages that the program is built from, and the files that
// are embedded in it.
var sources []string

func sourcePaths() ([]string, error) {
	const ours = `{{with .Module}}{{if .Main}}{{$.Dir}}{{range $.EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", ours, mainPackage).Output()
	if err != nil {
		return nil, fmt.Errorf("list what the gateway is built from: %w", err)
	}
	return append(strings.Split(strings.TrimSpace(string(out)), "\n"), "../../go.mod", "../../go.sum"), nil
}

// openSources opens what the program is built from. The go command notes what a test opens, and
// does not give an old result once that has changed; of the program it would not know otherwise,
// since the tests do not import it. It notes nothing before the tests run, so that TestMain is too
// early.
var openSources = sync.OnceFunc(func() {
	for _, path := range sources {
		if file, err := os.Open(path); err == nil {
			_ = file.Close()
		}
	}
})

// gatewayCommand is the program with these arguments, in an environment in which only the given
// variables of its own are set.
func gatewayCommand(ctx context.Context, variables map[string]string, args ...string) *exec.Cmd {
	openSources()
	cmd := exec.CommandContext(ctx, executable, args...)
	cmd.Env = []string{"GOGC=400"} // there is memory enough, and dozens of gateways share few processors
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// Where PostgreSQL is found is a matter of the machine, not of a test.
		ours := strings.HasPrefix(name, "GATEWAY_") || strings.HasPrefix(name, "DATABASE_") ||
			strings.HasPrefix(name, "OTEL_")
		if !ours || name == "GATEWAY_POSTGRES_BIN" {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// process is the program at work.
type process struct {
	cmd *exec.Cmd
	// ended is closed when it has ended, and err then says how.
	ended chan struct{}
	err   error
	// signalled is for cancel: the program takes a second signal for impatience.
	signalled sync.Once
}

// start starts a command; stderr is what it writes to its standard error.
func start(cmd *exec.Cmd, stderr fmt.Stringer) *process {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = childAttributes()
	started := make(chan struct{})
	go func() {
		defer close(p.ended)
		// The thread is kept for the child's whole life: the signal at a parent's death follows the
		// thread that forked.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		close(started)
		if err == nil {
			err = cmd.Wait()
		}
		p.err = explained(err, stderr.String())
	}()
	<-started
	return p
}

// cancel tells the program to end, and does not wait for it.
func (p *process) cancel() {
	p.signalled.Do(func() {
		if p.cmd.Process != nil {
			_ = p.cmd.Process.Signal(syscall.SIGTERM) // one that has ended needs none
		}
	})
}

// kill ends the program as SIGKILL does: it learns nothing of it.
func (p *process) kill() {
	if p.cmd.Process != nil {
		_ = p.cmd.Process.Kill()
	}
	<-p.ended
}

// failure is how the program ended when it failed: with which status, and what it said last.
type failure struct {
	status  int
	message string
}

func (f failure) Error() string { return fmt.Sprintf("exit status %d: %s", f.status, f.message) }

// explained puts into an exit error what the program wrote to its standard error as its reason: the
// message alone, without the usage or the log before it.
func explained(err error, stderr string) error {
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) {
		return err
	}
	message := stderr
	if at := strings.LastIndex("\n"+stderr, "\ngateway: "); at >= 0 {
		message = strings.TrimPrefix(stderr[at:], "gateway: ")
	}
	return failure{exit.ExitCode(), message}
}

// command runs one of the program's commands to its end.
func command(
	t *testing.T, stdin string, variables map[string]string, args ...string,
) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := gatewayCommand(t.Context(), variables, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	p := start(cmd, &errs)
	<-p.ended
	return out.String(), errs.String(), p.err
}
