package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Placement is where Citus keeps the rows of a table.
type Placement string

// A table that is not distributed stays on the coordinator. Those that are distributed by the same column lie
// together: the rows of one owner are on one node, and are joined there.
const (
	OnCoordinator Placement = ""
	ByMerchant    Placement = "merchant_id"
	ByAccount     Placement = "account_id"
	BySubject     Placement = "subject_id"
)

// placements are the tables that grow with the payments. All others stay on the coordinator: what operators
// set, sessions, logs, and what background work keeps of its own.
var placements = []struct {
	table string
	by    Placement
}{
	{"payment", ByMerchant},
	{"payment_key", ByMerchant},
	{"payment_history", ByMerchant},
	{"payment_step", ByMerchant},
	{"payment_card", ByMerchant},
	{"payment_receipt", ByMerchant},
	{"payment_receipt_chunk", ByMerchant},
	{"checkout", ByMerchant},
	{"card_attempt", ByMerchant},
	{"settlement_due", ByMerchant},
	{"appeal", ByMerchant},
	{"appeal_chunk", ByMerchant},
	{"payin", ByMerchant},
	{"payin_key", ByMerchant},
	{"payin_history", ByMerchant},
	{"deposit", ByMerchant},
	{"deposit_history", ByMerchant},
	{"webhook_event", ByMerchant},
	{"webhook_delivery", ByMerchant},
	{"webhook_attempt", ByMerchant},
	{"account_balance", ByAccount},
	{"account_pending", ByAccount},
	{"account_fold", ByAccount},
	{"transfer", BySubject},
}

// ErrNoCitus is the answer where the database has no Citus.
var ErrNoCitus = errors.New("the database has no extension citus")

// Distribute spreads the tables over the nodes of a Citus cluster, with what is in them. Those that are
// distributed already stay as they are.
func Distribute(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_extension where extname = 'citus')").Scan(&there); err != nil {
		return fmt.Errorf("look for Citus: %w", err)
	}
	if !there {
		return ErrNoCitus
	}
	if err := setDistributed(ctx, conn); err != nil {
		return err
	}
	first := map[Placement]string{}
	for _, p := range placements {
		if first[p.by] == "" {
			first[p.by] = p.table
		}
		if err := distribute(ctx, conn, p.table, p.by, first[p.by]); err != nil {
			return fmt.Errorf("distribute %s: %w", p.table, err)
		}
	}
	return nil
}

// setDistributed makes settings of the database that every connection gets which comes after.
func setDistributed(ctx context.Context, conn *pgx.Conn) error {
	for _, setting := range []string{
		// The audit joins what is distributed by different columns.
		"citus.enable_repartition_joins = on",
		// The triggers that keep rows from being changed only refuse, which each shard's own does as well.
		"citus.enable_unsafe_triggers = on",
	} {
		set := `do $$ begin execute format('alter database %I set ` + setting + `', current_database()); end $$`
		if _, err := conn.Exec(ctx, set); err != nil {
			return fmt.Errorf("set %s: %w", setting, err)
		}
		if _, err := conn.Exec(ctx, "set "+setting); err != nil {
			return fmt.Errorf("set %s: %w", setting, err)
		}
	}
	return nil
}

// distribute distributes a table, together with the first of its kind.
func distribute(ctx context.Context, conn *pgx.Conn, table string, by Placement, with string) error {
	var done bool
	err := conn.QueryRow(ctx, "select exists (select from pg_dist_partition where logicalrelid = $1::text::regclass)", table).
		Scan(&done)
	if err != nil || done {
		return err
	}
	if with == table {
		with = "none"
	}
	_, err = conn.Exec(ctx, "select create_distributed_table($1::text::regclass, $2, colocate_with => $3)", table, string(by), with)
	return err
}
