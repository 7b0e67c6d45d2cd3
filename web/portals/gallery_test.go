package portals_test

import (
	"testing"

	"gateway.example/web/browsertest"
)

// Pictures of every page of the portals, to look at.
func TestGallery(t *testing.T) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			dir := browsertest.Gallery(t, group.name)
			b, p, pages := group.open(t)
			for _, page := range pages {
				p.Tab(t, b.Server.URL).Pictures(dir, page, b.Server.URL+page, "en", "ru")
			}
		})
	}
}
