package model_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// modelHistory is what is to be found in a record's history: who moved it where and why.
type modelHistory struct{ moves []modelMove }

type modelMove struct {
	actor, from, to string
	reason          *string
	at              time.Time
}

// begin notes the creation, move a later change.
func (h *modelHistory) begin(actor, status string, at time.Time) {
	h.moves = append(h.moves, modelMove{actor: actor, to: status, at: at})
}

func (m modelMove) String() string {
	return fmt.Sprintf("%s %s %s %s %s", m.actor, m.from, m.to, deref(m.reason), m.at.UTC().Format(time.RFC3339Nano))
}

// lookAtHistory wants the number of moves and, word by word, the last two.
func lookAtHistory(b *pgx.Batch, kind string, merchantID, id int64, h *modelHistory) {
	b.Queue(fmt.Sprintf(`
		select (count(*) over ())::int, actor, coalesce(from_status, ''), to_status, reason, at
		from %[1]s_history where merchant_id = $1 and %[1]s_id = $2 order by id desc limit 2`, kind), merchantID, id,
	).Query(func(rows pgx.Rows) error {
		var count int
		var found []string
		var m modelMove
		_, err := pgx.ForEachRow(rows, []any{&count, &m.actor, &m.from, &m.to, &m.reason, &m.at}, func() error {
			found = append(found, m.String())
			return nil
		})
		if err != nil {
			return err
		}
		var want []string
		for i := len(h.moves) - 1; i >= 0 && len(want) < 2; i-- {
			want = append(want, h.moves[i].String())
		}
		if got, want := strings.Join(found, ", "), strings.Join(want, ", "); count != len(h.moves) || got != want {
			return fmt.Errorf(
				"history of %s %d: %d moves, the last: %s; not %d: %s",
				kind,
				id,
				count,
				got,
				len(h.moves),
				want,
			)
		}
		return nil
	})
}
