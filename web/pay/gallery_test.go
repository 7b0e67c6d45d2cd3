package pay_test

import (
	"testing"

	"gateway.example/web/browsertest"
)

// Pictures of every state of the payers' pages, to look at.
func TestGallery(t *testing.T) {
	dir := browsertest.Gallery(t, "payers")
	b := setup(t, true)
	for state, path := range states(t, b) {
		newTab(t).Pictures(dir, state, b.server.URL+path, "en", "ru")
	}
}
