package acceptance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
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

// runAll builds the program, runs the tests, and searches at the end what was logged and answered.
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

// parallel is how many tests run at the same time. They wait much of the time: for the sandbox's acquirer, which thinks
// for a second, for a webhook, for a sweep.
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

// await waits until all of these words have been written: what a process writes arrives a moment
// later.
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

// leaks searches all that was logged for every secret the tests came by: keys, tokens, passwords,
// links.
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

// races finds what the race detector saw in gateways whose end nobody looked at: their exit status
// would tell.
func races() error {
	logged := logs.String()
	if at := strings.Index(logged, "WARNING: DATA RACE"); at >= 0 {
		return fmt.Errorf("a data race in a gateway:\n%s", logged[at:min(len(logged), at+10_000)])
	}
	return nil
}
