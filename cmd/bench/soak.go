package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// soakSettled payments are settled in a round of the soak, and so many pages and lists loaded.
	soakSettled, soakPages, soakLists = 600, 20, 20
	// soakSample is how often the soak looks at what it uses.
	soakSample = time.Minute
	// soakRestless is the part at the beginning in which pools and caches fill. What is used then counts not.
	soakRestless = 6
	// What may be used more at the end than after the restless part: a leak of one for a thousand payments
	// is far more.
	soakMoreGoroutines, soakMoreMemory = 40, 1.25
)

// standing is what is used at a moment of the soak.
type standing struct {
	At          float64 `json:"at_s"`
	Settled     int     `json:"settled"`
	Goroutines  float64 `json:"goroutines"`
	Resident    float64 `json:"resident_bytes"`
	Files       float64 `json:"open_files"`
	Connections float64 `json:"database_connections"`
}

// bloat is what a table takes on the disk at the end, and how much of it is nothing any more.
type bloat struct {
	Table     string  `json:"table"`
	Live      float64 `json:"live_rows"`
	Dead      float64 `json:"dead_rows"`
	Bytes     float64 `json:"table_bytes"`
	IndexSize float64 `json:"index_bytes"`
}

// soak settles payments and loads pages and lists for as long as it is told, and looks each minute at what
// the gateway holds. It fails where that goes on growing.
func (b *bench) soak(ctx context.Context) error {
	if b.soakFor == 0 {
		return nil
	}
	began, settled := time.Now(), 0
	for next := began; time.Since(began) < b.soakFor; {
		if err := b.soakRound(ctx); err != nil {
			return err
		}
		settled += soakSettled
		if time.Now().Before(next) {
			continue
		}
		next = next.Add(soakSample)
		now, err := b.stand(ctx)
		if err != nil {
			return err
		}
		now.At, now.Settled = time.Since(began).Seconds(), settled
		b.report.soak = append(b.report.soak, now)
		b.say("  %d settled: %.0f goroutines, %.0f MB, %.0f files, %.0f connections",
			settled, now.Goroutines, now.Resident/1e6, now.Files, now.Connections)
	}
	if err := b.reportBloat(ctx); err != nil {
		return err
	}
	return checkSoak(b.report.soak)
}

func (b *bench) soakRound(ctx context.Context) error {
	if _, _, err := b.settle(ctx, b.scene.boxes, soakSettled); err != nil {
		return err
	}
	page, _, err := b.links(ctx, manyMethod)
	if err != nil {
		return err
	}
	for range soakPages {
		if _, err := b.read(ctx, page); err != nil {
			return err
		}
	}
	address := hostOf(b.gateway.BaseURL)
	w, err := dial(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = w.conn.Close() }()
	for i := range soakLists {
		trader := b.scene.traderIDs[i%len(b.scene.traderIDs)]
		_, err := w.send(bearerRequest(address, "/portal.v1.TraderService/ListPayments", b.scene.tokens[trader],
			[]byte(`{"status":"completed"}`)))
		if err != nil {
			return err
		}
	}
	return nil
}

// stand reads what the gateway uses now from its metrics and from the database.
func (b *bench) stand(ctx context.Context) (s standing, err error) {
	metrics, err := b.read(ctx, b.gateway.OpsURL+"/metrics")
	if err != nil {
		return s, err
	}
	for name, into := range map[string]*float64{
		"go_goroutines": &s.Goroutines, "process_resident_memory_bytes": &s.Resident, "process_open_fds": &s.Files,
	} {
		if *into, err = metric(metrics, name); err != nil {
			return s, err
		}
	}
	err = b.pool.QueryRow(ctx,
		"select count(*) from pg_stat_activity where datname = current_database() and application_name = 'gateway'").
		Scan(&s.Connections)
	return s, err
}

func metric(metrics, name string) (float64, error) {
	for line := range strings.Lines(metrics) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("there is no metric %s", name)
}

func (b *bench) read(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%w %d", errStatus, answer.StatusCode)
	}
	return string(body), err
}

// soakBloat names the tables that take the most.
const soakBloat = `select relname, n_live_tup, n_dead_tup, pg_table_size(relid), pg_indexes_size(relid)
from pg_stat_user_tables order by pg_total_relation_size(relid) desc limit 20`

func (b *bench) reportBloat(ctx context.Context) error {
	rows, err := b.pool.Query(ctx, soakBloat)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var t bloat
		if err := rows.Scan(&t.Table, &t.Live, &t.Dead, &t.Bytes, &t.IndexSize); err != nil {
			return err
		}
		b.report.bloat = append(b.report.bloat, t)
		b.say("  %s: %.0f rows, %.0f dead, %.1f MB and indexes of %.1f MB", t.Table, t.Live, t.Dead, t.Bytes/1e6, t.IndexSize/1e6)
	}
	return rows.Err()
}

var errLeak = errors.New("what the gateway uses goes on growing")

// checkSoak compares the highest of the quarter after the restless part with the lowest of the last quarter:
// what swings does not grow, what leaks does.
func checkSoak(seen []standing) error {
	seen = seen[len(seen)/soakRestless:]
	quarter := max(len(seen)/4, 1)
	first, last := seen[:quarter], seen[len(seen)-quarter:]
	for _, used := range []struct {
		name  string
		of    func(standing) float64
		bound func(float64) float64
	}{
		{"goroutines", func(s standing) float64 { return s.Goroutines }, func(x float64) float64 { return x + soakMoreGoroutines }},
		{"files", func(s standing) float64 { return s.Files }, func(x float64) float64 { return x + soakMoreGoroutines }},
		{"connections", func(s standing) float64 { return s.Connections }, func(x float64) float64 { return x }},
		{"memory", func(s standing) float64 { return s.Resident }, func(x float64) float64 { return x * soakMoreMemory }},
	} {
		most, least := used.of(first[0]), used.of(last[0])
		for _, s := range first {
			most = max(most, used.of(s))
		}
		for _, s := range last {
			least = min(least, used.of(s))
		}
		if least > used.bound(most) {
			return fmt.Errorf("%w: %s from %.0f to %.0f", errLeak, used.name, most, least)
		}
	}
	return nil
}
