package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/requisite"
)

// memory measures what a gateway holds resident that has found a large pool of requisites at its
// start and creates payments among them.
func (b *bench) memory(ctx context.Context) error {
	p, err := b.apart(ctx, "pool")
	if err != nil {
		return err
	}
	defer p.leave()
	_, safe, err := p.safes(ctx)
	if err != nil {
		return err
	}
	if err := p.restart(ctx, func() error { return p.multiply(ctx, safe, p.memoryRequisites) }); err != nil {
		return err
	}
	over, hangUp, err := p.creator(ctx, manyMethod, p.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	creates := p.creating(over, "creates_of_many_requisites_per_s", "")
	creates.looked = func() error {
		resident, err := residentBytes(p.gateway.pid())
		p.report.sample("gateway_memory_100k_requisites_bytes", resident)
		return err
	}
	return p.inTurn(ctx, creates)
}

// copyRequisites adds requisites to a pool that are like its first one but for their ids, traders
// and values. The operators' calls, a hundred thousand of them, would take minutes.
const copyRequisites = `
insert into requisite (id, currency, method, trader_id, sealed, hash, last4, holder, bank, min_amount, max_amount, enabled, time_zone,
    daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at)
select new.id, currency, method, ($3::bigint[])[1 + new.id % cardinality($3::bigint[])], new.sealed, new.hash, new.last4, holder, bank,
    min_amount, max_amount, enabled, time_zone, daily_count, daily_sum, open_payments, work_from, work_until, weight, created_at
from requisite first, (
    select unnest($1::bigint[]) as id, unnest($4::bytea[]) as sealed, unnest($5::bytea[]) as hash, unnest($6::text[]) as last4
) new
where first.id = (select min(id) from requisite where method = $2 and trader_id = any($3::bigint[]))`

// multiply brings the larger pool to so many requisites.
func (b *bench) multiply(ctx context.Context, safe *requisite.Safe, count int) error {
	const take = "select nextval(pg_get_serial_sequence('requisite', 'id')) from generate_series(1, $1)"
	rows, err := b.pool.Query(ctx, take, max(count-b.requisites, 0))
	if err != nil {
		return fmt.Errorf("take the ids of requisites: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("take the ids of requisites: %w", err)
	}
	var values, hashes [][]byte
	var ends []string
	for n, id := range ids {
		sealed, err := safe.Seal(id, currency, fmt.Sprintf("+7912%07d", n))
		if err != nil {
			return err
		}
		values, hashes, ends = append(values, sealed.Value), append(hashes, sealed.Hash), append(ends, sealed.Last4)
	}
	_, err = b.pool.Exec(ctx, copyRequisites, ids, manyMethod, b.scene.traderIDs, values, hashes, ends)
	if err != nil {
		return fmt.Errorf("copy requisites: %w", err)
	}
	return b.vacuum(ctx)
}

// residentBytes is what of a process's memory is in RAM.
func residentBytes(pid int) (float64, error) {
	size, unit, _ := strings.Cut(firstField(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"), " ")
	kilobytes, err := strconv.ParseFloat(size, 64)
	if err != nil || unit != "kB" {
		return 0, errNoStat
	}
	return kilobytes * 1024, nil
}
