package acceptance

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
)

// A COMMIT that waits for a standby which is away is not cut short when its caller has been told that the
// outcome is unknown: nobody sees it, and a call that comes again is not acknowledged, until it is on the standby.
func TestCommitWaitsForItsStandby(t *testing.T) {
	testenv.Long(t, "waits for a commit that nobody confirms")
	t.Parallel()
	m := newMortal(t, pgserver.Options{})
	v := setup{database: m.url, fixed: true}.start(t)
	pool := testenv.Must(pgxpool.New(t.Context(), m.url))(t)
	defer pool.Close()
	standby := func(setting string) {
		t.Helper()
		for _, sql := range []string{"alter system " + setting, "select pg_reload_conf()"} {
			testenv.Must(pool.Exec(t.Context(), sql))(t)
		}
	}
	id := v.create(t, v.first(), nil).text("data.id")
	standby("set synchronous_standby_names = 'nobody'")
	testenv.Until(t, "a commit waits", func() bool { // until a commit waits
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := pool.Exec(ctx, "select pg_logical_emit_message(true, 'probe', '')")
		return err != nil
	})
	stands := func() (status string) {
		t.Helper()
		noError(t,
			pool.QueryRow(t.Context(), "select status from payment where id = $1::text::bigint", id).Scan(&status))
		return status
	}
	complete := func() answer { return v.callback(t, id, `{"status":"completed"}`) }
	if got := complete(); got.text("code") != "outcome_unknown" {
		t.Errorf("without a standby: %s", got)
	}
	time.Sleep(4 * time.Second)
	if status := stands(); status != "pending" {
		t.Errorf("it is seen as %s, which is on no standby", status)
	}
	complete().want(t, "again, without a standby", http.StatusServiceUnavailable)
	standby("reset synchronous_standby_names")
	testenv.Until(t, "the commit is acknowledged", func() bool {
		got := complete()
		return got.status == http.StatusOK
	})
	testenv.Want(t, stands(), "completed", "in the end")
}
