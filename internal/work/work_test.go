package work_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/internal/work"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is what waits in a database of its own.
type bundle struct {
	*dbtest.DB
	clock *dbtest.Clock
	work  *work.Service
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	d, clock := dbtest.New(t), &dbtest.Clock{}
	return &bundle{DB: d, clock: clock, work: work.New(d.Pools(), clock)}
}

func (b *bundle) operator(t *testing.T, login string, role caller.Role) caller.Caller {
	t.Helper()
	n := session.NewUser{Kind: caller.Operator, Role: role, Login: login}
	id := testenv.Must(session.InsertUser(t.Context(), b.Queries(), n, "unused", b.clock.Now()))(t)
	return caller.Caller{Kind: caller.Operator, Role: role, ID: id}
}

// names are the names of what waits, by kind.
func (b *bundle) names(t *testing.T, who caller.Caller) map[work.Kind]string {
	t.Helper()
	queues := testenv.Must(b.work.Queues(t.Context(), who))(t)
	found := map[work.Kind]string{}
	for _, queue := range queues {
		var names []string
		for _, item := range queue.Items {
			names = append(names, item.Name)
		}
		found[queue.Kind] = strings.Join(names, ",")
	}
	return found
}

// A trader is short who has nothing available, or less than their open payments
// hold; one is idle all whose requisites are off or used up. Who takes a break
// is neither.
func TestTraders(t *testing.T) {
	b := setup(t)
	who := b.operator(t, "ann", caller.Auditor)
	rich := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	poor := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	for id, name := range map[int64]string{rich.ID: "rich", poor.ID: "poor"} {
		b.Exec(t, "update trader set name = $2 where id = $1", id, name)
	}
	b.want(t, who, map[work.Kind]string{work.Short: "poor"})
	b.Exec(t, "update requisite set daily_count = 2 where trader_id = $1", rich.ID)
	b.Exec(t, `insert into requisite_day (requisite_id, day, count, sum)
		values ($1, timezone('Europe/Moscow', $2::timestamptz)::date, 1, 10)`, rich.Requisites[0], b.clock.Now())
	b.want(t, who, map[work.Kind]string{work.Short: "poor"})
	b.Exec(t, "update requisite_day set count = 2 where requisite_id = $1", rich.Requisites[0])
	b.want(t, who, map[work.Kind]string{work.Short: "poor", work.Idle: "rich"})
	b.clock.Advance(24 * time.Hour)
	b.Exec(t, "update requisite set own_enabled = false where trader_id = $1", poor.ID)
	b.want(t, who, map[work.Kind]string{work.Idle: "poor"})
	b.Exec(t, "update trader set on_break = true where id = $1", poor.ID)
	b.want(t, who, map[work.Kind]string{})
}

func (b *bundle) want(t *testing.T, who caller.Caller, want map[work.Kind]string) {
	t.Helper()
	got := b.names(t, who)
	for _, kind := range work.Kinds() {
		testenv.Check(t, got[kind] == want[kind], "%s: %q, want %q", kind, got[kind], want[kind])
	}
}

// What waits is counted to 99, and is whose role it is.
func TestTake(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	b.deposits(t, 100, "pending")
	ann, bob := b.operator(t, "ann", caller.Treasury), b.operator(t, "bob", caller.Admin)
	support := b.operator(t, "sam", caller.Support)
	queues := testenv.Must(b.work.Queues(ctx, support))(t)
	testenv.Need(t, len(queues) == 1 && len(queues[0].Items) == 99 && queues[0].More, "queues %+v", queues)
	id := queues[0].Items[0].SubjectID
	ann.Stale = true // taking asks for no second factor
	noError(t, b.work.Take(ctx, ann, work.Deposit, id, false))
	for _, refused := range []struct {
		who  caller.Caller
		kind work.Kind
		id   int64
		code string
	}{
		{bob, work.Deposit, id, "work_taken"}, {support, work.Deposit, id, "role_not_allowed"},
		{bob, work.Deposit, id + 1000, "not_found"}, {bob, "nothing", id, "validation_failed"},
		{ann, work.Appeal, id, "role_not_allowed"},
	} {
		err := b.work.Take(ctx, refused.who, refused.kind, refused.id, false)
		if f := fault.As(err); f == nil || f.Code != refused.code {
			t.Errorf("%s takes %s %d: %v, want %s", refused.who.Role, refused.kind, refused.id, err, refused.code)
		}
	}
	noError(t, b.work.Release(ctx, bob, work.Deposit, id))
	claim := testenv.Must(b.work.Taken(ctx, bob, work.Deposit, id))(t)
	testenv.Check(t, claim != nil && claim.Login == "ann" && claim.Others(), "released by another one: %+v", claim)
	noError(t, b.work.Take(ctx, bob, work.Deposit, id, true))
	noError(t, b.work.Prune(ctx))
	claim = testenv.Must(b.work.Taken(ctx, ann, work.Deposit, id))(t)
	testenv.Check(t, claim != nil && claim.Login == "bob", "before a day has passed: %+v", claim)
	b.clock.Advance(25 * time.Hour)
	noError(t, b.work.Prune(ctx))
	claim = testenv.Must(b.work.Taken(ctx, ann, work.Deposit, id))(t)
	testenv.Check(t, claim == nil, "a day later: %+v", claim)
}

// deposits makes so many deposits of one status.
func (b *bundle) deposits(t *testing.T, count int, status string) {
	t.Helper()
	b.Exec(t, `insert into deposit (merchant_id, cashbox_id, status, amount, network, address, idempotency_key,
			created_at, status_at)
		select 1, 1, $2, 10, 'TRC20', 'T', gen_random_uuid(), $3, $3 from generate_series(1, $1)`,
		count, status, b.clock.Now())
}

// plans notes how queries are made.
type plans struct {
	db.DBTX
	t     *testing.T
	found []string
}

func (p *plans) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows := testenv.Must(p.DBTX.Query(ctx, "explain (costs off) "+sql, args...))(p.t)
	lines := testenv.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(p.t)
	p.found = append(p.found, strings.Join(lines, "\n"))
	return p.DBTX.Query(ctx, sql, args...)
}

// Each queue reads what waits and nothing else, by an index of that.
func TestPlans(t *testing.T) {
	b := setup(t)
	b.deposits(t, 20_000, "confirmed")
	b.deposits(t, 3, "pending")
	b.Exec(t, `insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at,
			actor, created_at)
		select 1, n, 'paid', 'a.png', 'image/png', 1, case when n > 19990 then 'open' else 'failed' end, $1::timestamptz, 'key:1', $1
		from generate_series(1, 20000) n`, b.clock.Now())
	b.Exec(t, `insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at,
			closed_at)
		select 1, n, gen_random_uuid(), 'completed', 'declined', $1::timestamptz, case when n > 5 then $1 end
		from generate_series(1, 20000) n`, b.clock.Now())
	b.Exec(t, `insert into payment select made.* from generate_series(1, 4000) n, jsonb_populate_record(null::payment, jsonb_build_object(
		'merchant_id', 1, 'id', n, 'cashbox_id', 1, 'uuid', gen_random_uuid(), 'order_id', 'o', 'method', 'sbp', 'currency', 'RUB',
		'amount', 10, 'callback_uri', 'x', 'status', case when n > 3900 then 'appeal' else 'completed' end, 'status_at', $1::timestamptz,
		'expires_at', $1, 'created_at', $1, 'event_sequence', 1, 'trader_id', 1, 'base_rate', 1, 'rate_source', 'x', 'rate_unavailable', false,
		'markup_percent', 0, 'trader_share_percent', 0, 'hold_usdt', 1, 'amount_usdt', 1, 'profit_usdt', 0, 'spread_trader_usdt', 0,
		'spread_platform_usdt', 0, 'markup_source', 'body', 'version', 0, 'difference_usdt', 0,
		'received_amount', case when n % 2 = 0 then 7 end)) made`, b.clock.Now())
	b.Exec(t, "insert into withdrawal_terms values ('TRC20', true, 1, 1, 1)")
	b.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
		values ('trader', 1, 'TRC20', 'x', 'x', 'x', $1, $1)`, b.clock.Now())
	b.Exec(t, `insert into withdrawal (owner_kind, owner_id, order_id, amount, fee, network, address_id, address, callback_uri, status,
		created_at, status_at) select 'trader', 1, n, 1, 1, 'TRC20', 1, 'x', '', case when n > 3990 then 'requested' else 'rejected' end,
		$1, $1 from generate_series(1, 4000) n`, b.clock.Now())
	b.Exec(t, "analyze deposit, appeal, card_conflict, payment, withdrawal")
	p := &plans{DBTX: b.Pool, t: t}
	q, ctx := db.New(p), t.Context()
	for index, read := range map[string]func() error{
		"Index Scan using deposit_": func() error { _, err := q.WorkDeposits(ctx, 100); return err },
		"withdrawal_waiting_idx":    func() error { _, err := q.WorkWithdrawals(ctx, 100); return err },
		"appeal_waiting_idx":        func() error { _, err := q.WorkAppeals(ctx, 100); return err },
		"payment_case_idx":          func() error { _, err := q.WorkCases(ctx, 100); return err },
		"using payment_case_idx":    func() error { _, err := q.CaseList(ctx, db.CaseListParams{BeforeID: 20_000, Page: 50}); return err },
		"card_conflict_open_idx":    func() error { _, err := q.WorkConflicts(ctx, 100); return err },
	} {
		noError(t, read())
		plan := p.found[len(p.found)-1]
		testenv.Check(t, strings.Contains(plan, index), "not by %s:\n%s", index, plan)
	}
}

var noError = testenv.NoError
