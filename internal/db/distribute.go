package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Placement is where Citus keeps the rows of a table.
type Placement string

// A table that is not distributed stays on the coordinator. Tables distributed
// by the same column are stored together: all rows of an owner are on one node
// and can be joined there.
const (
	OnCoordinator Placement = ""
	ByMerchant    Placement = "merchant_id"
	ByAccount     Placement = "account_id"
	BySubject     Placement = "subject_id"
)

// placements say where every table is. Tables that grow with payments are
// distributed: those of a merchant by merchant, those of an account by account,
// and transfers by subject. The coordinator has the settings, which every
// process keeps in memory, and small tables on which one process at a time
// works.
var placements = []struct {
	by     Placement
	tables string
}{
	{ByMerchant, `payment payment_key payment_history payment_step payment_card payment_receipt payment_receipt_chunk
		checkout card_attempt settlement_due appeal appeal_chunk payin payin_key payin_history deposit deposit_history
		webhook_event webhook_delivery webhook_attempt webhook_holder payin_proof payin_proof_chunk link_payment
		metadata_pair payout_file_row`},
	{ByAccount, `account_balance account_pending account_fold`},
	{BySubject, `transfer`},
	// Settings and their log. A trigger counts their changes, which needs
	// one node.
	{OnCoordinator, `merchant cashbox cashbox_method cashbox_payout_method trader trader_payout_method trader_acquirer receiving_address
		requisite method payout_method payer_block platform_limit rate_limit bank rate rate_anchor rate_feed
		rate_observation payment_link link_picture payout_file withdrawal_terms withdrawal_address setting_change setting_version proposal simulation
		simulation_play test_clock serving`},
	// The counts by which limits are checked, next to a requisite's
	// settings. Old rows are removed.
	{OnCoordinator, `requisite_day requisite_slot`},
	// Banks' messages and arrivals, next to the requisites that they are
	// about.
	{OnCoordinator, `bank_device requisite_message bank_message arrival`},
	// Transfers on the networks, each of which one process at a time reads.
	{OnCoordinator, `chain_transfer chain_cursor chain_node deposit_transfer deposit_claim sandbox_transfer`},
	// Withdrawals, of which there are few.
	{OnCoordinator, `withdrawal withdrawal_history withdrawal_hand_over`},
	// Notifications of users.
	{OnCoordinator, `notify_user notify_channel notify_code notify_mailed notify_choice notice notify_message notify_event notify_feed
		notify_standing`},
	// Messages between operators and traders about appeals.
	{OnCoordinator, `appeal_thread appeal_message`},
	// Who may do what, and what they did.
	{OnCoordinator, `api_key app_user cabinet_merchant session passkey recovery_code invitation saved_view submission
		sensitive_read operator_movement sign_in_event work_claim card_declined failure_count payin_take key_payout_day secret_key
		card_hash_key home webhook_secret_previous signing_key`},
	// What one process at a time works on, and sums of many payments.
	{
		OnCoordinator,
		`webhook_outbox webhook_relay webhook_endpoint webhook_replay card_conflict sandbox_acquirer api_request key_address
		payment_hour payment_hour_count payment_day payment_hour_progress payment_history_gap day_first_id routing_refusal_hour account account_day
		account_day_closed income_day income_day_closed trader_funding correction ledger_seal ledger_sealer ledger_part
		ledger_page audit_run audit_history audit_violation alarm_state goose_db_version
		schema_floor`,
	},
}

// ErrNoCitus says that the database has no Citus.
var ErrNoCitus = errors.New("the database has no extension citus")

// Distribute spreads the tables and their rows over the nodes of a Citus
// cluster. It leaves tables that are distributed already.
func Distribute(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("reach the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var there bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_extension where extname = 'citus')").
		Scan(&there); err != nil {
		return fmt.Errorf("look for Citus: %w", err)
	}
	if !there {
		return ErrNoCitus
	}
	if err := setDistributed(ctx, conn); err != nil {
		return err
	}
	for _, p := range placements {
		if p.by == OnCoordinator {
			continue
		}
		tables := strings.Fields(p.tables)
		for _, table := range tables {
			if err := distribute(ctx, conn, table, p.by, tables[0]); err != nil {
				return fmt.Errorf("distribute %s: %w", table, err)
			}
		}
	}
	return nil
}

// setDistributed sets what every new connection to a distributed database
// needs.
func setDistributed(ctx context.Context, conn *pgx.Conn) error {
	for _, setting := range []string{
		// The audit joins tables that are distributed by different
		// columns.
		"citus.enable_repartition_joins = on",
		// The triggers that protect rows from changes only refuse,
		// which works on each shard.
		"citus.enable_unsafe_triggers = on",
		// A statement that asks every shard uses the existing
		// connection. Otherwise Citus would open one more for each
		// shard after ten milliseconds, which costs several times what
		// the sweeps themselves do.
		"citus.max_adaptive_executor_pool_size = 1",
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

// distribute distributes a table and the tables that are stored together with
// it.
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
	return InTx(ctx, conn, func(tx pgx.Tx, _ *Queries) error {
		_, err := tx.Exec(
			ctx,
			"select create_distributed_table($1::text::regclass, $2, colocate_with => $3)",
			table,
			string(by),
			with,
		)
		if err != nil {
			return err
		}
		// The rows have been copied to the nodes. Their originals are
		// removed without the triggers that protect rows.
		if _, err := tx.Exec(ctx, "set local session_replication_role = replica"); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "select truncate_local_data_after_distributing_table($1::text::regclass)", table)
		return err
	})
}
