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

// NotThere is the version of a setting that does not exist: a change with it as
// Seen creates the setting, and is refused if somebody else has created it.
const NotThere = db.NotThere

// Search asks for a page of a list, the newest first. A zero field does not
// filter. A list ignores the fields that do not apply to it.
type Search struct {
	db.Page
	// Text is part of a name, or an id. It also finds requisites by their
	// last four characters.
	Text string
	// On filters by whether something is switched on.
	On                   *bool
	MerchantID, TraderID int64
	Currency, Method     string
}

const maxSearch = 200

// listing is a Search as parameters of a query.
type listing struct {
	limit    int32
	before   int64
	id       *int64
	text     *string
	searchID *int64
	Search
}

// listing turns a search into parameters, and adds to f what is wrong with it.
// A text that is a whole number may be an id as well.
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

// one is the listing of the item with an id.
func one(id int64) listing { return listing{limit: 1, before: id + 1, id: &id} }

// entry reads the rows of a list.
type entry[T any] func(ctx context.Context, q *db.Queries, l listing) ([]T, error)

// find lists a page of items for an operator.
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

// get reads an item by its id for an operator.
func get[T any](ctx context.Context, s *Settings, who caller.Caller, id int64, read entry[T]) (T, error) {
	var none T
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
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

// decodeAll converts rows to the type of this package.
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

// Versioned is the version of a setting that was read. A change that passes it
// as Seen is refused if the setting has changed since.
type Versioned struct {
	Version string `json:"-"`
}

func (v *Versioned) stamp(version string) { v.Version = version }

type versioned[T any] interface {
	*T
	stamp(version string)
}

// decode decodes a setting from the JSON in which the audit log stores it.
func decode[T any, P versioned[T]](setting []byte) (t T, err error) {
	version, err := db.DecodeSetting(setting, &t)
	P(&t).stamp(version)
	return t, err
}

// Changed is the new state of a setting and the change that led to it.
type Changed[T any] = db.Changed[T]

// became decodes the state that a change has recorded.
func became[T any, P versioned[T]](c Change, err error) (Changed[T], error) {
	return db.Settled(c, err, func() (T, error) { return decode[T, P](c.After) })
}

// few reads a whole list that is short enough for one page.
func few[T any, P versioned[T]](ctx context.Context, who caller.Caller, read func() ([][]byte, error)) ([]T, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := read()
	if err != nil {
		return nil, fmt.Errorf("list the directory: %w", err)
	}
	return decodeAll(rows, decode[T, P])
}
