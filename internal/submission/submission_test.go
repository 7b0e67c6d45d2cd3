package submission_test

import (
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/submission"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// A sending that waited for another one acts when that is refused, and is told
// what is wrong itself. Nobody else may send the form.
func TestAfterRefusal(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	service, token := submission.New(d.Pools()), submission.NewToken()
	n := session.NewUser{Kind: caller.Operator, Role: caller.Support, Login: "one"}
	user := testenv.Must(session.InsertUser(t.Context(), d.Queries(), n, "no password", time.Now()))(t)
	refused := fault.Fields{"amount": {"is required"}}.Err()
	second := make(chan error)
	_, err := service.Once(t.Context(), user, token, func() (submission.Outcome, error) {
		go func() {
			_, err := service.Once(t.Context(), user, token, func() (submission.Outcome, error) {
				return submission.Outcome{}, refused
			})
			second <- err
		}()
		testenv.Until(t, "the second sending waits", func() bool {
			return d.Count(t, `select count(*) from pg_stat_activity
				where datname = current_database() and query like '%SubmissionGet%' and pid <> pg_backend_pid()`) > 0
		})
		return submission.Outcome{}, refused
	})
	testenv.Want(t, dbtest.CodeOf(err), dbtest.CodeOf(refused), "the first is told")
	testenv.Want(t, dbtest.CodeOf(<-second), dbtest.CodeOf(refused), "the second is told")
	_, err = service.Once(t.Context(), user, token, func() (submission.Outcome, error) {
		return submission.Outcome{LedTo: "/there", Said: "done"}, nil
	})
	testenv.NoError(t, err)
	_, err = service.Once(t.Context(), user+1, token, func() (submission.Outcome, error) {
		t.Error("somebody else's form acts")
		return submission.Outcome{}, nil
	})
	testenv.Want(t, dbtest.CodeOf(err), submission.ErrUnfinished.Code, "somebody else is told")
}
