package pay_test

import (
	"testing"
	"time"

	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
)

// tab is a page in the browser, with what only these tests do in it.
type tab struct{ browsertest.Tab }

func newTab(t testing.TB) tab {
	t.Helper()
	return tab{browsertest.New(t)}
}

func eval[T any](b tab, script string) T {
	b.T.Helper()
	return browsertest.Eval[T](b.Tab, script)
}

// asksEvery is after how long a page asks again that waits for its payer.
const asksEvery = 3 * time.Second

// passes has time pass for a timed page until an element says something.
func (b tab) passes(selector, want string) {
	b.T.Helper()
	testenv.Until(b.T, selector+" says "+want, func() bool {
		b.Pass(asksEvery / 10)
		return b.Text(selector) == want
	})
}
