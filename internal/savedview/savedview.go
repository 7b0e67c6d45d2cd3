// Package savedview stores filters of lists under names that users give them.
package savedview

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// MaxName and maxQuery are in characters. The table has the same limit
	// for names.
	MaxName  = 60
	maxQuery = 2000
	// MaxViews is how many views a user may have of a list.
	MaxViews = 20
)

// View is a list with its filters under a name.
type View struct {
	ID   int64
	Name string
	// Path is the address of the list, and Query its query.
	Path, Query string
}

// Service stores views. Users only see and change their own.
type Service struct {
	pool db.Pool
	q    *db.Queries
}

func New(pools db.Pools) *Service { return &Service{pool: pools.Calls, q: db.New(pools.Reads)} }

// needUser checks that the caller is a user, who may be a read-only one.
func needUser(who caller.Caller) error {
	switch who.Kind {
	case caller.Trader, caller.MerchantPortal, caller.Operator, caller.Cabinet:
		return nil
	case caller.Anyone, caller.MerchantKey, caller.Application, caller.Device, caller.Link:
	}
	return fault.ErrTokenKindNotAllowed
}

func needOwner(who caller.Caller) error {
	if err := needUser(who); err != nil {
		return err
	}
	if who.ViewAs {
		return fault.ErrViewOnly
	}
	return nil
}

// List is the caller's views of the list at path, ordered by name.
func (s *Service) List(ctx context.Context, who caller.Caller, path string) ([]View, error) {
	if err := needUser(who); err != nil {
		return nil, err
	}
	rows, err := s.q.SavedViewList(ctx, db.SavedViewListParams{UserID: who.ID, Path: path})
	return db.Each(rows, func(row db.SavedViewListRow) View { return View(row) }), fault.Doing("list saved views", err)
}

// Save stores a view of the caller, and replaces one of the same list and name.
// It ignores the view's id.
func (s *Service) Save(ctx context.Context, who caller.Caller, v View) error {
	if err := needOwner(who); err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	v.Name = f.RequiredText("name", v.Name, MaxName)
	f.Flaw("name", fault.TextFlaw(v.Name))
	f.Check(strings.HasPrefix(v.Path, "/"), "path", "is not a list")
	f.MaxLength("path", v.Path, maxQuery)
	f.MaxLength("query", v.Query, maxQuery)
	f.Flaw("query", fault.TextFlaw(v.Query))
	if err := f.Err(); err != nil {
		return err
	}
	return db.InTx(ctx, s.pool, func(_ pgx.Tx, q *db.Queries) error {
		if err := q.SavedViewLock(ctx, who.ID); err != nil {
			return fmt.Errorf("lock user: %w", err)
		}
		count, err := q.SavedViewCount(ctx, db.SavedViewCountParams{UserID: who.ID, Path: v.Path, Name: v.Name})
		if err != nil {
			return fmt.Errorf("count saved views: %w", err)
		}
		if count >= MaxViews {
			return fault.Fields{"name": {"is one too many: remove another view first"}}.Err()
		}
		err = q.SavedViewSet(ctx, db.SavedViewSetParams{
			UserID: who.ID, Name: v.Name, Path: v.Path, Query: v.Query, CreatedAt: time.Now(),
		})
		return fault.Doing("save view", err)
	})
}

// Remove deletes a view of the caller, and returns the path of its list.
func (s *Service) Remove(ctx context.Context, who caller.Caller, id int64) (path string, err error) {
	if err := needOwner(who); err != nil {
		return "", err
	}
	path, err = s.q.SavedViewRemove(ctx, db.SavedViewRemoveParams{ID: id, UserID: who.ID})
	if db.NoRows(err) {
		return "", fault.ErrNotFound
	}
	if err != nil {
		return "", fmt.Errorf("remove view: %w", err)
	}
	return path, nil
}
