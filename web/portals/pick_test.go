package portals_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/browsertest"
	"gateway.example/web/portal/portaltest"
)

// Somebody whom a field did not offer from the beginning is offered once a part of their name is typed.
func TestNamesWhileTyping(t *testing.T) {
	b, p := portaltest.Operator(t, caller.Admin)
	b.Exec(t, "update trader set name = 'Anna Berg' where id = $1", b.Traders[0].ID)
	b.Exec(t, "insert into trader (name, share_percent, created_at) select 'Newer ' || n, 1, now() from generate_series(1, 100) n")
	tab := p.Tab(t, b.Server.URL)
	tab.Open(b.Server.URL + "/operator/money/fund")
	offered := func() int {
		return browsertest.Eval[int](tab, `document.querySelectorAll("#traderId-list option[value^='Anna Berg']").length`)
	}
	want(t, "at first", offered(), 0)
	tab.Type("#traderId", "berg")
	testenv.Until(t, "the name is offered", func() bool { return offered() == 1 })
}
