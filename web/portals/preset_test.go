package portals_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// Lists offer the days that are asked for most, each beside what is asked for already, and say which of them is shown.
func TestPresets(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.As(t, caller.Owner)
	today := b.Clock.Now().UTC()
	page := p.Page(t, "/merchant/payments?status=completed")
	links := page.Find(".presets a")
	want(t, "presets", words(page.Find(".presets")), "Today Yesterday 7 days This month")
	day := today.AddDate(0, 0, -1).Format("2006-01-02")
	to := links.Eq(1).AttrOr("href", "")
	want(t, "yesterday", to, "/merchant/payments?from="+day+"&status=completed&to="+day)
	shown := p.Page(t, to)
	want(t, "yesterday is shown", words(shown.Find(".presets [aria-current]")), "Yesterday")
	want(t, "beside the status", strings.Contains(words(shown.Find(".chips")), "Completed"), true)
	want(t, "of deposits, which are of all time", p.Page(t, "/merchant/deposits").Find(".presets").Length(), 0)
}

// A click anywhere in a row leads where its first link does, but for what else in it can be clicked.
func TestRowsAreLinks(t *testing.T) {
	b := portaltest.Parallel(t)
	p := b.As(t, caller.Owner)
	made := b.Create(t, "1500")
	b.Exec(t, "update payment set payer_user_id = 'payer-1'")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/merchant/payments")
	for part, to := range map[string]string{
		"tbody tr .method": fmt.Sprintf("/merchant/payments/%d", made.ID), "tbody tr td:not(.lead) a": "/merchant/payer",
	} {
		leads := browsertest.Eval[string](tab, fmt.Sprintf(`(() => {
			const at = document.querySelector(%q).getBoundingClientRect();
			return document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2).closest("a")?.pathname || "";
		})()`, part))
		want(t, part+" leads", leads, to)
	}
}
