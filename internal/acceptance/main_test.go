package acceptance

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		code = 1
	}
	os.Exit(code)
}

// runAll builds the program, runs the tests, and searches at the end what was
// logged and answered.
func runAll(m *testing.M) (code int, err error) {
	testenv.InMemory()
	together := parallel
	switch {
	case testenv.Race:
		together-- // the gateways need several times as much of the processor then
	case testenv.Required():
		together += 2 // long forms wait for longer
	}
	if err := flag.Set("test.parallel", strconv.Itoa(together)); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "gateway-program-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := build(dir); err != nil {
		return 0, err
	}
	code = m.Run()
	browsertest.End()
	err = errors.Join(endShared(), leaks(), races(), undescribed())
	dbtest.End()
	return code, err
}

// parallel is how many tests run at the same time. They wait much of the time:
// for the sandbox's acquirer, which thinks for a second, for a webhook, for a
// sweep.
const parallel = 4

// text is an output that several goroutines write and read.
type text struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(p)
}

func (w *text) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// await waits until all of these words have been written: what a process writes
// arrives a moment later.
func (w *text) await(t *testing.T, words ...string) {
	t.Helper()
	noError(t, testenv.Eventually(func() error {
		written := w.String()
		for _, word := range words {
			if !strings.Contains(written, word) {
				return fmt.Errorf("%q was not written", word)
			}
		}
		return nil
	}))
}

// logs is what every gateway that was launched wrote to its standard error.
var logs text

var noError = testenv.NoError

// secrets are what no log may hold.
var secrets struct {
	sync.Mutex
	all []string
}

// keep remembers every secret of a sandbox's file.
func keep(info sandbox.Info) {
	found := []string{info.ExternalPaymentsSecret}
	for _, box := range info.Cashboxes {
		found = append(found, box.Secret, box.WebhookSecret, strings.TrimPrefix(box.WebhookSecret, "whsec_"))
	}
	for _, key := range info.LegacyKeys {
		found = append(found, key.Secret)
		if hook := key.WebhookSecret; hook != "" {
			found = append(found, hook, strings.TrimPrefix(hook, "whsec_"))
		}
	}
	for _, user := range info.Users {
		found = append(found, user.Password, user.Token)
	}
	keepSecret(found...)
}

func keepSecret(found ...string) {
	secrets.Lock()
	defer secrets.Unlock()
	secrets.all = append(secrets.all, found...)
}

// leaks searches all that was logged for every secret the tests came by: keys,
// tokens, passwords, links.
func leaks() error {
	logged := logs.String()
	secrets.Lock()
	defer secrets.Unlock()
	var found []error
	for _, secret := range secrets.all {
		if at := strings.Index(logged, secret); secret != "" && at >= 0 {
			found = append(found, fmt.Errorf("a secret was logged: …%s…", logged[max(0, at-200):at+10]))
		}
	}
	return errors.Join(found...)
}

// races finds what the race detector saw in gateways whose end nobody looked
// at: their exit status would tell.
func races() error {
	logged := logs.String()
	if at := strings.Index(logged, "WARNING: DATA RACE"); at >= 0 {
		return fmt.Errorf("a data race in a gateway:\n%s", logged[at:min(len(logged), at+10_000)])
	}
	return nil
}

const mainPackage = "gateway.example/cmd/gateway"

// executable is the program, which TestMain builds.
var executable string

// build compiles the program as it stands, with the race detector if these
// tests have it.
func build(dir string) error {
	executable = filepath.Join(dir, "gateway.bin")
	if err := compile(executable); err != nil {
		return err
	}
	const ours = `{{with .Module}}{{if .Main}}{{$.Dir}}{{range $.EmbedFiles}}
{{$.Dir}}/{{.}}{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", ours, mainPackage).Output()
	if err != nil {
		return fmt.Errorf("list what the gateway is built from: %w", err)
	}
	sources = append(strings.Split(strings.TrimSpace(string(out)), "\n"), "../../go.mod", "../../go.sum")
	return nil
}

// compile builds a program of the gateway, with the race detector if these
// tests have it. No debugger will need what -w leaves out.
func compile(program string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-ldflags=-w", "-o", program}, flags...)
	if testenv.Race {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, mainPackage)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the gateway: %w\n%s", err, out)
	}
	return nil
}

// sources are the directories of the packages that the program is built from,
// and the files that are embedded in it.
var sources []string

// openSources opens what the program is built from. The go command notes what a
// test opens, and does not give an old result once that has changed; of the
// program it would not know otherwise, since the tests do not import it. It
// notes nothing before the tests run, so that TestMain is too early.
var openSources = sync.OnceFunc(func() {
	for _, path := range sources {
		if file, err := os.Open(path); err == nil {
			_ = file.Close()
		}
	}
})

// gatewayCommand is the program with these arguments, in an environment in
// which only the given variables of its own are set.
func gatewayCommand(ctx context.Context, variables map[string]string, args ...string) *exec.Cmd {
	openSources()
	cmd := exec.CommandContext(ctx, executable, args...)
	cmd.Env = []string{"GOGC=400"} // there is memory enough, and dozens of gateways share few processors
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// Where PostgreSQL is found is a matter of the machine, not of
		// a test.
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
	// signalled is for cancel: the program takes a second signal for
	// impatience.
	signalled sync.Once
}

// start starts a command; stderr is what it writes to its standard error.
func start(cmd *exec.Cmd, stderr fmt.Stringer) *process {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = childAttributes()
	started := make(chan struct{})
	go func() {
		defer close(p.ended)
		// The thread is kept for the child's whole life: the signal at
		// a parent's death follows the thread that forked.
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

// failure is how the program ended when it failed: with which status, and what
// it said last.
type failure struct {
	status  int
	message string
}

func (f failure) Error() string { return fmt.Sprintf("exit status %d: %s", f.status, f.message) }

// explained puts into an exit error what the program wrote to its standard
// error as its reason: the message alone, without the usage or the log before
// it.
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
