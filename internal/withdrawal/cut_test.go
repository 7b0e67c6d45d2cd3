package withdrawal_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/testenv"
)

// cut is a transaction whose connection breaks before one of its statements.
type cut struct {
	pgx.Tx
	left *int
}

func (c cut) broken(ctx context.Context) bool {
	*c.left--
	if *c.left == 0 {
		_ = c.Conn().Close(ctx)
	}
	return *c.left <= 0
}

func (c cut) Begin(ctx context.Context) (pgx.Tx, error) {
	inner, err := c.Tx.Begin(ctx)
	return cut{inner, c.left}, err
}

func (c cut) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if c.broken(ctx) {
		return pgconn.CommandTag{}, errCut
	}
	return c.Tx.Exec(ctx, sql, args...)
}

func (c cut) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if c.broken(ctx) {
		return nil, errCut
	}
	return c.Tx.Query(ctx, sql, args...)
}

func (c cut) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	c.broken(ctx)
	return c.Tx.QueryRow(ctx, sql, args...)
}

// However often and wherever a hand-over is cut off, also when only its answer
// is lost, each withdrawal is on one list, and whoever asks again gets that
// one.
func TestHandOverIsCutOffEverywhere(t *testing.T) {
	d := newDesk(t, "1000")
	address := d.known(t, d.user, "TRC20", tron)
	var ids []int64
	for range 3 {
		w := d.asked(t, address)
		testenv.Must(d.service.Approve(t.Context(), operator, w.ID))(t)
		ids = append(ids, w.ID)
	}
	export := func(at int) (list string, err error) {
		tx := testenv.Must(d.Pool.Begin(t.Context()))(t)
		defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
		made, err := d.service.Approved(cut{tx, &at}).Export(t.Context(), operator, 0)
		if err == nil {
			err = tx.Commit(t.Context())
		}
		return made.Document, err
	}
	steps, first := 1, ""
	for ; first == ""; steps++ {
		testenv.Check(t, steps < 100, "it never ends")
		list, err := export(steps)
		if err == nil {
			first = list
			continue
		}
		testenv.Want(t, d.Count(t, "select count(*) from withdrawal_hand_over"), 0, "lists after a cut at step %d", steps)
		testenv.Want(t, d.Count(t, "select count(*) from withdrawal where status <> 'approved'"), 0, "moved after a cut at step %d", steps)
	}
	testenv.Check(t, steps > 3*len(ids), "only %d steps", steps)
	again := testenv.Must(d.service.Export(t.Context(), operator, 0))(t)
	testenv.Want(t, again.Document, first, "the list after a lost answer")
	testenv.Want(t, d.Count(t, "select count(*) from withdrawal_hand_over"), 1, "lists")
	testenv.Want(t, d.Count(t, "select count(*) from withdrawal where status = 'handed_over'"), len(ids), "withdrawals on it")
	testenv.Check(t, testenv.ErrOf(d.service.Export(t.Context(), operator, again.ID)) != nil, "a second list has nothing on it")
}
