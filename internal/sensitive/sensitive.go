// Package sensitive records who read what is only shown on request, such as a
// whole requisite or a receipt.
package sensitive

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Read is a reading.
type Read struct {
	ID int64
	At time.Time
	// UserID is the reader, and Login their login, or that of the user as
	// whom they looked.
	UserID int64
	Login  string
	// Subject is the kind of thing, such as requisite, and SubjectKey its
	// id. What is the part that was read, such as value.
	Subject, SubjectKey, What string
	// RequestID is the request, or "".
	RequestID string
}

// Subject is the data that is about to be shown.
type Subject struct{ Kind, Key, What string }

// Record notes that an operator reads something. It is called before the thing
// is returned: if the note fails, the thing is not shown. For an operator who
// looks as another user, the operator is noted. Others only see what is theirs,
// which is not noted.
func Record(ctx context.Context, q *db.Queries, who caller.Caller, at time.Time, s Subject) error {
	if who.SeesWholeRequisites() {
		return nil
	}
	id, login := who.ID, who.Login
	if who.ViewAs {
		id, login = who.Behind, "as "+who.Login
	}
	err := q.SensitiveReadInsert(ctx, db.SensitiveReadInsertParams{
		At: at, UserID: id, Login: login, Subject: s.Kind, SubjectKey: s.Key, What: s.What,
		RequestID: who.RequestID,
	})
	if err != nil {
		return fmt.Errorf("note a sensitive read: %w", err)
	}
	return nil
}

// Reads lists what was read.
type Reads struct{ pools db.Pools }

func New(pools db.Pools) *Reads { return &Reads{pools: pools} }

// Filter asks for a page of readings, the newest first. Nil fields do not
// filter.
type Filter struct {
	db.Page
	Subject, SubjectKey *string
	UserID              *int64
}

// List lists readings for an operator. The cursor is nil on the last page.
func (r *Reads) List(ctx context.Context, who caller.Caller, f Filter) ([]Read, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rows, cursor, err := db.ListPage(ctx, r.pools.Reads, fault.Decoded(ctx), f.Page, "list sensitive reads",
		func(q *db.Queries, before int64, rows int32) ([]db.SensitiveRead, error) {
			return q.SensitiveReadList(ctx, db.SensitiveReadListParams{
				BeforeID: before, Subject: f.Subject, SubjectKey: f.SubjectKey, UserID: f.UserID, Page: rows,
			})
		},
		func(row db.SensitiveRead) int64 { return row.ID })
	return db.Each(rows, func(row db.SensitiveRead) Read { return Read(row) }), cursor, err
}
