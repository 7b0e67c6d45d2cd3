package pay_test

import (
	"testing"

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
