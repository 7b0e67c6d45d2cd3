package directory

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// NotThere is the version of a setting that is not there yet: a change that carries it as Seen makes
// the setting, and is refused where somebody else has made it.
const NotThere = db.NotThere

// Search asks for part of a list of those who take part, the newest first. What is zero is not kept
// to, and each list heeds what it knows.
type Search struct {
	db.Page
	// Text is part of a name, or an id. Requisites are found by their last four characters, too.
	Text string
	// On keeps to what is switched on, or off.
	On                   *bool
	MerchantID, TraderID int64
	Currency, Method     string
}

const maxSearch = 200

// listing is a Search as queries have it.
type listing struct {
	limit    int32
	before   int64
	id       *int64
	text     *string
	searchID *int64
	Search
}

func (s Search) listing(f fault.Fields) listing {
	l := listing{Search: s}
	l.limit, l.before = s.Bounds(f)
	f.MaxLength("search", s.Text, maxSearch)
	if text := strings.TrimSpace(s.Text); text != "" {
		l.text = &text
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			l.searchID = &id
		}
	}
	return l
}

// one keeps to the one of an id.
func one(id int64) listing { return listing{limit: 1, before: id + 1, id: &id} }

// entry is a row of a list, as its query has it.
type entry[T any] func(ctx context.Context, q *db.Queries, l listing) ([]T, error)

// find lists what a caller may see of the directory.
func find[T any](
	ctx context.Context, s *Settings, who caller.Caller, search Search, read entry[T], id func(T) int64,
) ([]T, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	l := search.listing(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	list, err := db.List(ctx, s.reads, func(q *db.Queries) ([]T, error) { return read(ctx, q, l) })
	if err != nil {
		return nil, nil, fmt.Errorf("list the directory: %w", err)
	}
	list, cursor := db.Cut(list, l.limit, id)
	return list, cursor, nil
}

// get reads the one of an id.
func get[T any](ctx context.Context, s *Settings, who caller.Caller, id int64, read entry[T]) (T, error) {
	var none T
	if err := who.Need(caller.OperatorRead); err != nil {
		return none, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return none, err
	}
	list, err := read(ctx, s.q, one(id))
	if err != nil {
		return none, fmt.Errorf("read the directory: %w", err)
	}
	if len(list) == 0 {
		return none, fault.ErrNotFound
	}
	return list[0], nil
}

// decodeAll reads rows into a room's own type.
func decodeAll[R, T any](rows []R, decode func(R) (T, error)) ([]T, error) {
	list := make([]T, 0, len(rows))
	for _, row := range rows {
		one, err := decode(row)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// orNil is v, or nil for nothing.
func orNil[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}

// few lists what there are only a few of.
func few[T any](
	ctx context.Context, who caller.Caller, read func() ([][]byte, error), version func(*T) *string,
) ([]T, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	rows, err := read()
	if err != nil {
		return nil, fmt.Errorf("list the directory: %w", err)
	}
	return decodeAll(rows, func(row []byte) (t T, err error) {
		*version(&t), err = db.DecodeSetting(row, &t)
		return t, err
	})
}
