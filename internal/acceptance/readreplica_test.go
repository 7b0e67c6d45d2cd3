package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// The portals' lists come from the read replica: what it has not replayed is missing in them, but not for who
// has just sent a form, and not in calls of the API. When the replica stops, they come from the primary.
func TestReadReplica(t *testing.T) {
	testenv.Long(t, "makes a standby")
	t.Parallel()
	database := dbtest.URL(t)
	address, server := dbtest.Standby(t, database)
	g := setup{
		dir: copyKey(t, sharedSandbox(t).dir), database: database, flags: []string{"-database-read-url", address},
	}.start(t)
	used := func(want float64) {
		t.Helper()
		noError(t, testenv.Eventually(func() error {
			if got, err := g.metric("gateway_read_replica_used"); err != nil || got != want {
				return fmt.Errorf("used is %v: %w", got, err)
			}
			return nil
		}))
	}
	used(1)
	standby := testenv.Must(pgxpool.New(t.Context(), address))(t)
	defer standby.Close()
	changed := g.enter(t, "merchant")
	looking := slices.DeleteFunc(slices.Clone(changed), func(c *http.Cookie) bool { return c.Name == "changed" })
	testenv.Need(t, len(looking) == len(changed)-1, "a form leaves no mark: %v", changed)
	testenv.Must(standby.Exec(t.Context(), "select pg_wal_replay_pause()"))(t)
	id := g.create(t, g.first(), nil).text("data.id")
	shows := func(cookies []*http.Cookie) bool {
		return strings.Contains(g.visit(t, "/merchant/payments", cookies), "/merchant/payments/"+id+`"`)
	}
	testenv.Check(t, !shows(looking), "the list is not read from the replica")
	testenv.Check(t, shows(changed), "who has sent a form does not see what is there")
	if page := g.visit(t, "/merchant/payments/"+id, looking); !strings.Contains(page, id) {
		t.Error("the details of a payment are not fresh")
	}
	send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.first(), "")).want(t, "a call", http.StatusOK)
	testenv.Must(standby.Exec(t.Context(), "select pg_wal_replay_resume()"))(t)
	testenv.Until(t, "the standby has caught up", func() bool { return shows(looking) })
	noError(t, server.Stop(t.Context()))
	used(0)
	testenv.Check(t, shows(looking), "without its replica the list is empty")
	g.stderr.await(t, "lists are read from the replica", "lists are read from the primary")
}
