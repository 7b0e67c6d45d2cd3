package acceptance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// buildWith builds the program with other contents of some files, which may be new.
func buildWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for path, content := range files {
		absolute := testenv.Must(filepath.Abs(path))(t)
		replace[absolute] = filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(absolute, "/"), "/", "_"))
		noError(t, os.WriteFile(replace[absolute], []byte(content), 0o600))
	}
	overlay := testenv.Must(json.Marshal(map[string]any{"Replace": replace}))(t)
	noError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	program := filepath.Join(dir, "gateway.bin")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"),
		"-o", program, mainPackage).CombinedOutput()
	if err != nil {
		t.Fatalf("build the gateway with other files: %v\n%s", err, out)
	}
	return program
}

// buildUnsteady builds the program with a clock that goes back by ten seconds at each SIGUSR1. Nothing
// else is changed: what asks for the real time by itself, such as a sign-in, still gets it.
func buildUnsteady(t *testing.T) string {
	t.Helper()
	const file = "../../internal/clock/clock.go"
	source := testenv.Must(os.ReadFile(file))(t)
	return buildWith(t, map[string]string{
		file:                               strings.ReplaceAll(string(source), "time.Now()", "unsteady()"),
		"../../internal/clock/unsteady.go": unsteady,
	})
}

const unsteady = `package clock

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

var behind atomic.Int64

func unsteady() time.Time { return time.Now().Add(-time.Duration(behind.Load())) }

func init() {
	back := make(chan os.Signal, 1)
	signal.Notify(back, syscall.SIGUSR1)
	go func() {
		for range back {
			behind.Add(int64(10 * time.Second))
		}
	}()
}
`

// clockGoesBack sets the clock of one replica back; the other's and PostgreSQL's stay as they are.
func (s *stage) clockGoesBack(t *testing.T) {
	s.a.kill()
	s.a.program = s.unsteady
	s.a.start(t)
	time.Sleep(2 * time.Second)
	noError(t, s.a.cmd.Process.Signal(syscall.SIGUSR1))
	time.Sleep(3 * time.Second)
	// The sandbox's clock is ahead by as much on both.
	if ahead := createdAt(t, s.b).Sub(createdAt(t, s.a)); ahead < 9*time.Second {
		t.Errorf("the other replica's clock is ahead by %s", ahead)
	}
}

// createdAt is when a replica says that it has created a payment just now.
func createdAt(t *testing.T, v *instance) time.Time {
	t.Helper()
	at := testenv.Must(time.Parse(time.RFC3339, v.create(t, v.first(), nil).text("data.createdAt")))(t)
	return at
}
