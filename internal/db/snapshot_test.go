package db_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
)

// Somebody else's snapshot is seen by who may see it. Others are told that nobody knows, and not that all is well.
func TestOldestSnapshot(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := dbtest.New(t)
	role := "blind_" + strings.ToLower(rand.Text())
	_, err := d.Pool.Exec(ctx, "create role "+role)
	noError(t, err)
	t.Cleanup(func() {
		_, err := d.Pool.Exec(context.Background(), "drop role "+role)
		noError(t, err)
	})
	other, err := pgx.Connect(ctx, d.URL)
	noError(t, err)
	defer func() { _ = other.Close(context.Background()) }()
	for _, sql := range []string{"begin isolation level repeatable read", "select from merchant"} {
		_, err := other.Exec(ctx, sql)
		noError(t, err)
	}
	time.Sleep(1100 * time.Millisecond)
	config := d.Pool.Config()
	config.ConnConfig.RuntimeParams["role"] = role
	blind, err := pgxpool.NewWithConfig(ctx, config)
	noError(t, err)
	defer blind.Close()
	if seconds, err := db.OldestSnapshot(ctx, blind); err != nil || seconds != -1 {
		t.Errorf("who may not see it: %d %v", seconds, err)
	}
	if seconds, err := db.OldestSnapshot(ctx, d.Pool); err != nil || seconds < 1 {
		t.Errorf("who may see it: %d %v", seconds, err)
	}
	_, err = d.Pool.Exec(ctx, "grant pg_read_all_stats to "+role)
	noError(t, err)
	if seconds, err := db.OldestSnapshot(ctx, blind); err != nil || seconds < 1 {
		t.Errorf("who has been granted to see it: %d %v", seconds, err)
	}
}
