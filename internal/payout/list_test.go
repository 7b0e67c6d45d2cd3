package payout_test

import (
	"strconv"
	"testing"

	"gateway.example/internal/db"
	"gateway.example/internal/payout"
)

// A list by a status that few payouts are in reads those, and not all the others, however often it
// is asked for.
func TestListByStatusReadsOnlyThose(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	pool, err := db.Open(t.Context(), s.URL, 1, db.ForCommands)
	noError(t, err)
	defer pool.Close()
	for _, sql := range []string{
		`insert into payin select made.* from payin p, generate_series(1000, 6000) n, jsonb_populate_record(p, jsonb_build_object(
			'id', n, 'uuid', gen_random_uuid(), 'status', 'failed', 'trader_id', ` + strconv.FormatInt(s.taker.ID, 10) + `, 'taken_at', p.created_at,
			'trader_share_percent', 1, 'trader_usdt', p.frozen_usdt, 'platform_usdt', 0)) made`,
		"analyze payin",
	} {
		_, err := pool.Exec(t.Context(), sql)
		noError(t, err)
	}
	read := func() (rows int64) {
		for _, sql := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
			_, err := pool.Exec(t.Context(), sql)
			noError(t, err)
		}
		noError(t, pool.QueryRow(t.Context(),
			"select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'payin'").Scan(&rows))
		return rows
	}
	payouts := payout.New(db.OnePool(pool), s.clock, nil, nil)
	before := read()
	for range 10 { // more often than a plan is made anew for each call
		for status, want := range map[string]int{"waiting": 1, "processing": 0} {
			page := payout.Page{Status: &status}
			own, _, err := payouts.ListOwn(t.Context(), s.m.Caller, page)
			noError(t, err)
			offered, _, err := payouts.ListForTrader(t.Context(), s.taker.Caller, page)
			noError(t, err)
			if len(own) != want || len(offered) != want {
				t.Errorf("%s: the merchant's %d, the trader's %d", status, len(own), len(offered))
			}
		}
	}
	if rows := read() - before; rows > 200 {
		t.Errorf("read %d rows for the same one, ten times", rows)
	}
}
