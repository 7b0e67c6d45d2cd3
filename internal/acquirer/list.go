package acquirer

import (
	"context"
	"fmt"
	"strconv"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// Processor is a trader's processor as operators see it, without its secret.
type Processor struct {
	ID       int64  `json:"id"`
	TraderID int64  `json:"trader_id"`
	URL      string `json:"url"`
	KeyID    string `json:"key_id"`
	// Present tells whether it takes new cards. A former one still answers
	// for attempts that began there.
	Present bool `json:"present"`
	// Open is how many card attempts are under way there.
	Open int64 `json:"-"`
	// Version identifies the state that was read, for Setting.Seen.
	Version string `json:"-"`
}

// List lists a trader's processors for an operator, the present one first.
func (d *Directory) List(ctx context.Context, who caller.Caller, traderID int64) ([]Processor, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := d.q.AcquirerList(ctx, traderID)
	if err != nil {
		return nil, fmt.Errorf("list acquirers: %w", err)
	}
	list := make([]Processor, 0, len(rows))
	for _, row := range rows {
		p := Processor{Open: row.Open}
		if p.Version, err = db.DecodeSetting(row.Setting, &p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// present returns the processor that takes a trader's new cards. If there is
// none, Present is false.
func (d *Directory) present(ctx context.Context, who caller.Caller, traderID int64) (Processor, error) {
	list, err := d.List(ctx, who, traderID)
	if err != nil || len(list) == 0 || !list[0].Present {
		return Processor{}, err
	}
	return list[0], nil
}

// Remove takes a trader's processor away, so that it gets no new cards, and
// returns it. Attempts that began there go on.
func (d *Directory) Remove(
	ctx context.Context, who caller.Caller, traderID int64,
) (done db.Changed[Processor], err error) {
	c := db.SettingChange{
		At: d.clock.Now(), Actor: who.Actor(), Subject: "trader_acquirer", SubjectKey: strconv.FormatInt(traderID, 10),
	}
	if err := who.Need(caller.OperatorDirectory); err != nil {
		return done, err
	}
	removed, err := d.present(ctx, who, traderID)
	if err != nil {
		return done, err
	}
	var retired int64
	c, err = db.ChangeSetting(ctx, d.pool, c, db.Setting{
		Read: func(q *db.Queries) ([]byte, error) {
			if retired != 0 {
				return q.AcquirerSettingOf(ctx, retired)
			}
			return q.AcquirerSetting(ctx, traderID)
		},
		Apply: func(q *db.Queries) error {
			row, err := q.AcquirerPresent(ctx, traderID)
			if err != nil {
				return err
			}
			retired = row.ID
			return q.AcquirerRetire(ctx, db.AcquirerRetireParams{TraderID: traderID})
		},
	})
	return db.Settled(c, err, func() (Processor, error) { return removed, nil })
}
