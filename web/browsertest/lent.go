package browsertest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"gateway.example/internal/testenv"
)

// browser is the process that all tests of a package share.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	err    error
	// between has the empty page that a tab shows between tests: of the
	// same site as theirs, so that the browser keeps the process behind the
	// tab.
	between *httptest.Server
	// idle are tabs that tests have given back, which take less to clean
	// than others to make.
	mu   sync.Mutex
	idle []lent
}

// End stops the browser, after all tests.
func End() {
	if browser.cancel != nil {
		browser.cancel()
		browser.between.Close()
	}
}

// lent is a tab with its own cookies, which one test at a time uses.
type lent struct {
	ctx   context.Context
	close context.CancelFunc
	// scripts are those that run in every page to come.
	scripts *[]page.ScriptIdentifier
	// worn tells that the tab was changed in ways that cleaning does not
	// undo: no other test gets it.
	worn *atomic.Bool
}

// shown is what a page shows, for somebody who reads why a test failed.
const shown = `location.href + " shows: " + document.body?.innerText.slice(0, 1000)`

// lend gives the test a tab until it ends. Without a browser the test is
// skipped.
func lend(t testing.TB) lent {
	t.Helper()
	program := installed()
	if program == "" {
		testenv.Missing(t, "no browser: install chromium")
	}
	browser.once.Do(func() {
		browser.ctx, browser.cancel = chromedp.NewContext(context.Background(),
			chromedp.WithAllocatorOptions(
				chromedp.ExecPath(program),
				chromedp.WSURLReadTimeout(testenv.Patience),
				// chromedp's own, and no process kept ready for
				// a page to come: half of all there would be.
				chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"),
				// A click before a page's first frame, which
				// comes late on a busy machine, is otherwise
				// dropped.
				chromedp.Flag("allow-pre-commit-input", true),
			))
		browser.err = chromedp.Do(browser.ctx)
		browser.between = httptest.NewServer(http.NotFoundHandler())
	})
	must(t, browser.err)
	l, found := taken()
	if !found {
		l = lent{scripts: &[]page.ScriptIdentifier{}, worn: &atomic.Bool{}}
		l.ctx, l.close = chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
		must(t, chromedp.Do(l.ctx))
	}
	t.Cleanup(func() {
		if t.Failed() {
			ctx, cancel := context.WithTimeout(l.ctx, time.Minute)
			defer cancel()
			shown, err := chromedp.Run(ctx, chromedp.Evaluate[string](shown))
			t.Log(shown, err)
		}
		if t.Failed() || l.worn.Load() || l.clean() != nil {
			l.close()
			return
		}
		browser.mu.Lock()
		defer browser.mu.Unlock()
		browser.idle = append(browser.idle, l)
	})
	return l
}

// installed returns the path of an installed browser, or "". It prefers the
// one without windows, which takes a quarter less time.
func installed() string {
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// taken returns a tab that an earlier test has given back, if there is one.
func taken() (l lent, found bool) {
	browser.mu.Lock()
	defer browser.mu.Unlock()
	last := len(browser.idle) - 1
	if last < 0 {
		return lent{}, false
	}
	l = browser.idle[last]
	browser.idle = browser.idle[:last]
	return l, true
}

// clean removes everything that a test has left in the tab.
func (l lent) clean() error {
	ctx, stop := context.WithTimeout(l.ctx, time.Minute)
	defer stop()
	var err error
	for _, script := range *l.scripts {
		err = errors.Join(err, command(ctx, page.RemoveScriptToEvaluateOnNewDocument,
			page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: script}))
	}
	*l.scripts = nil
	return errors.Join(err,
		command(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}),
		command(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}),
		chromedp.Do(ctx, chromedp.Navigate(browser.between.URL)),
		command(ctx, page.ResetNavigationHistory, cdp.Empty{}),
		command(ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"}),
		command(ctx, network.ClearBrowserCookies, cdp.Empty{}),
	)
}

// Call runs a command of the browser's protocol. No later test uses the tab,
// because nothing undoes the command.
func Call[P, R any](b Tab, method cdp.Command[P, R], params P) R {
	b.T.Helper()
	b.worn.Store(true)
	answer, err := call(b.Ctx, method, params)
	must(b.T, err)
	return answer
}

func call[P, R any](ctx context.Context, method cdp.Command[P, R], params P) (R, error) {
	return chromedp.Run(ctx, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, method, params)
	})
}

func command[P, R any](ctx context.Context, method cdp.Command[P, R], params P) error {
	_, err := call(ctx, method, params)
	return err
}
