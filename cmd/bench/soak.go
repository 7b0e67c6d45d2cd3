package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// soakSettled is how many payments a round of the soak settles;
	// soakPages and soakLists are how many pages and lists it loads.
	soakSettled, soakPages, soakLists = 600, 20, 20
	// soakSample is how often usage is recorded.
	soakSample = time.Minute
	// One part in soakRestless, at the beginning, does not count, because
	// pools and caches fill up then.
	soakRestless = 6
	// soakMore is how much higher counts may be at the end. A leak of one
	// for a thousand payments is far more.
	soakMore = 40
	// soakTimes is how many times higher memory may be at the end.
	soakTimes = 1.25
)

// standing is the usage at one time, by the names of the result.
type standing map[string]float64

// soak settles payments and loads pages and lists for the given time, and
// records each minute what the gateway uses. It fails if something keeps
// growing.
func (b *bench) soak(ctx context.Context) {
	if b.soakFor == 0 {
		return
	}
	began, settled := time.Now(), 0
	for next := began; time.Since(began) < b.soakFor; {
		b.soakRound(ctx)
		settled += soakSettled
		if time.Now().Before(next) {
			continue
		}
		next = next.Add(soakSample)
		now := b.stand(ctx)
		now["at_s"], now["settled"] = time.Since(began).Seconds(), float64(settled)
		b.report.soak = append(b.report.soak, now)
		b.say("  %v", now)
	}
	b.report.bloat = list(ctx, b, "read what the tables take", pgx.RowToMap, soakBloat)
	for _, t := range b.report.bloat {
		b.say("  %v", t)
	}
	check(checkSoak(b.report.soak))
}

func (b *bench) soakRound(ctx context.Context) {
	b.settle(ctx, b.scene.boxes, soakSettled)
	pages, _ := b.links(ctx, manyMethod, 1)
	for range soakPages {
		must(read(ctx, pages[0]))
	}
	b.each(ctx, soakLists, b.listCompleted, nil)
}

// stand reads the present usage from the gateway's metrics and from the
// database.
func (b *bench) stand(ctx context.Context) standing {
	metrics, s := must(read(ctx, b.gateway.OpsURL+"/metrics")), standing{}
	for name, metric := range map[string]string{
		"goroutines": "go_goroutines", "resident_bytes": "process_resident_memory_bytes", "open_files": "process_open_fds",
	} {
		_, after, _ := strings.Cut(string(metrics), "\n"+metric+" ")
		value, _, _ := strings.Cut(after, "\n")
		var err error
		s[name], err = strconv.ParseFloat(value, 64)
		check(err, "the metric "+metric)
	}
	s["database_connections"] = single[float64](ctx, b, "count connections",
		"select count(*)::float8 from pg_stat_activity where datname = current_database() and application_name = 'gateway'")
	return s
}

// soakBloat lists the largest tables at the end, with their dead rows.
const soakBloat = `select relname::text as "table", n_live_tup::float8 as live_rows, n_dead_tup::float8 as dead_rows,
    pg_table_size(relid)::float8 as table_bytes, pg_indexes_size(relid)::float8 as index_bytes
from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 20`

var errLeak = errors.New("what the gateway uses goes on growing")

// checkSoak compares the highest usage of the quarter after the restless part
// with the lowest of the last quarter. Usage that goes up and down passes, a
// leak does not.
func checkSoak(seen []standing) error {
	seen = seen[len(seen)/soakRestless:]
	quarter := max(len(seen)/4, 1)
	first, last := seen[:quarter], seen[len(seen)-quarter:]
	for name, bound := range map[string]func(float64) float64{
		"goroutines":           func(x float64) float64 { return x + soakMore },
		"open_files":           func(x float64) float64 { return x + soakMore },
		"database_connections": func(x float64) float64 { return x },
		"resident_bytes":       func(x float64) float64 { return x * soakTimes },
	} {
		most, least := first[0][name], last[0][name]
		for _, s := range first {
			most = max(most, s[name])
		}
		for _, s := range last {
			least = min(least, s[name])
		}
		if least > bound(most) {
			return fmt.Errorf("%w: %s from %.0f to %.0f", errLeak, name, most, least)
		}
	}
	return nil
}
