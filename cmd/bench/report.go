package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// report is what is printed. A number that was not measured is null. Every number is the median of
// the samples of its name, unless its comment says otherwise.
type report struct {
	// Creations over HTTP from as many callers as settings say, without a pause: the larger pool of
	// requisites, then the smaller one.
	Creates    *float64 `json:"creates_per_s"`
	CreatesFew *float64 `json:"creates_10_requisites_per_s"`
	// CPU a creation takes, user and system. The generator's is that of this process and no part of
	// the service.
	CreateCPU *cpu `json:"create_cpu_us"`
	// Waits of the gateway for PostgreSQL per creation, and the statements it makes, BEGIN and
	// COMMIT among them, as its driver makes them for one caller; no medians but means.
	CreateRoundTrips *float64 `json:"create_round_trips"`
	CreateStatements *float64 `json:"create_statements"`
	// Bytes of WAL a creation writes, with a checkpoint's full pages.
	CreateWAL *float64 `json:"create_wal_bytes"`
	// Latency at half of creates_per_s, sent on schedule, counted from when it should have been
	// sent.
	CreateP50 *float64 `json:"create_p50_ms"`
	CreateP99 *float64 `json:"create_p99_ms"`
	// The statements of recorded creations without HTTP or gateway: the database's ceiling for this
	// SQL.
	CreateSQL *float64 `json:"create_sql_per_s"`
	// CPU that such a creation takes of this process, which is the driver's work and hardly more:
	// the floor below the gateway's own.
	CreateSQLCPU *float64 `json:"create_sql_driver_cpu_us"`
	// creates_per_s / create_sql_per_s.
	CreateRatio *float64 `json:"create_ratio"`
	// One row inserted and committed by the same driver over as many connections: the machine's
	// ceiling.
	OneRowCommit *float64 `json:"one_row_commit_per_s"`
	// Settlements: traders' confirmations over HTTP, each crediting a cashbox and queueing a
	// webhook.
	CreditsOne    *float64 `json:"credits_one_cashbox_per_s"`
	CreditsSpread *float64 `json:"credits_spread_per_s"`
	// Deliveries as they arrive at fast endpoints on this machine.
	Webhooks *float64 `json:"webhooks_per_s"`
	// Settlements from their confirmation over HTTP to the webhook at its receiver, sustained:
	// those delivered.
	SettledDelivered *float64 `json:"settled_delivered_per_s"`
	// Movements onto one account: see hotAccount.
	HotAccount *float64 `json:"hot_account_transfers_per_s"`

	// What a creation costs of CPU, of gateway and PostgreSQL together, by what it costs otherwise:
	// with so many payments open as settings say, by none; after a minute of load beside a snapshot
	// that is kept open, by the minute's start.
	GrowthOpen     *float64 `json:"create_cpu_growth_open"`
	GrowthSnapshot *float64 `json:"create_cpu_growth_snapshot"`
	// Overdue payments that one gateway's sweep expires, counted by their webhooks as they arrive.
	Expired *float64 `json:"expired_per_s"`
	// Resident memory of a gateway that creates payments in a pool of as many requisites as
	// settings say.
	GatewayMemory *float64 `json:"gateway_memory_100k_requisites_bytes"`
	// 99th percentile of the latency of creations by merchants who have no part in a trouble, while
	// it lasts, in ms; no medians.
	OthersP99 map[string]float64 `json:"others_p99_ms"`
	// The oldest snapshot of ours that was seen meanwhile.
	LongestSnapshot *float64 `json:"longest_snapshot_s"`
	// Compressed bytes of a page with its stylesheets and scripts; no median. The first is null
	// while there is no card checkout.
	PayPage       *float64 `json:"pay_page_bytes"`
	RequisitePage *float64 `json:"r_page_bytes"`
	// What 200 desks cost that are open in browsers, in milliseconds of CPU a second.
	DesksCPU *deskCPU `json:"open_desks_cpu_ms_per_s,omitempty"`

	// With -stored: the same with so many payments in the database, and its CPU of gateway and
	// PostgreSQL by that of the empty one.
	StoredCreates *float64 `json:"stored_creates_per_s,omitempty"`
	StoredCPU     *cpu     `json:"stored_create_cpu_us,omitempty"`
	StoredRatio   *float64 `json:"stored_create_cpu_ratio,omitempty"`
	StoreSeconds  *float64 `json:"store_seconds,omitempty"`

	// With -soak: what the gateway held each minute, and what the largest tables take at the end.
	Soak  []standing `json:"soak,omitempty"`
	Bloat []bloat    `json:"bloat,omitempty"`

	// Violations the ledger's audit found after everything; anything but 0 spoils the rest.
	AuditViolations *float64 `json:"audit_violations"`

	Machine  machine              `json:"machine"`
	Settings settings             `json:"settings"`
	Samples  map[string][]float64 `json:"samples"`
}

// cpu is microseconds of CPU per operation.
type cpu struct {
	Gateway   float64 `json:"gateway"`
	Postgres  float64 `json:"postgres"`
	Generator float64 `json:"generator"`
}

func newReport() *report { return &report{Samples: map[string][]float64{}} }

// sample keeps a run's raw number.
func (r *report) sample(name string, value float64) {
	r.Samples[name] = append(r.Samples[name], value)
}

// median is that of the samples kept under the name, or nil if there are none.
func (r *report) median(name string) *float64 {
	sorted := slices.Sorted(slices.Values(r.Samples[name]))
	n := len(sorted)
	if n == 0 {
		return nil
	}
	middle := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return &middle
}

// medianCPU is the medians of the three samples that sampleCreates keeps, or nil.
func (r *report) medianCPU(name string) *cpu {
	gateway, postgres, generator := r.median(name+"_cpu_us.gateway"), r.median(
		name+"_cpu_us.postgres",
	), r.median(name+"_cpu_us.generator")
	if gateway == nil || postgres == nil || generator == nil {
		return nil
	}
	return &cpu{Gateway: *gateway, Postgres: *postgres, Generator: *generator}
}

// growth is the CPU of gateway and PostgreSQL under one name by that under another, or nil.
func (r *report) growth(name, by string) *float64 {
	grown, from := r.medianCPU(name), r.medianCPU(by)
	if grown == nil || from == nil {
		return nil
	}
	a, b := grown.Gateway+grown.Postgres, from.Gateway+from.Postgres
	return quotient(&a, &b)
}

// quotient is nil where one of the two was not measured.
func quotient(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	q := *a / *b
	return &q
}

// finish draws the medians from the samples.
func (r *report) finish() {
	r.Creates, r.CreatesFew = r.median("creates_per_s"), r.median("creates_10_requisites_per_s")
	r.CreateCPU, r.CreateWAL = r.medianCPU("create"), r.median("create_wal_bytes")
	r.CreateP50, r.CreateP99 = r.median("create_p50_ms"), r.median("create_p99_ms")
	r.CreateSQL, r.OneRowCommit = r.median("create_sql_per_s"), r.median("one_row_commit_per_s")
	r.CreateSQLCPU = r.median("create_sql_driver_cpu_us")
	r.CreateRatio = quotient(r.Creates, r.CreateSQL)
	r.CreditsOne, r.CreditsSpread = r.median("credits_one_cashbox_per_s"), r.median("credits_spread_per_s")
	r.Webhooks = r.median("webhooks_per_s")
	r.StoredCreates, r.StoredCPU = r.median("stored_creates_per_s"), r.medianCPU("stored_create")
	r.StoredRatio = r.growth("stored_create", "create")
	r.GrowthOpen, r.GrowthSnapshot = r.growth(openUse, noneOpenUse), r.growth(snapshotEndUse, snapshotStartUse)
	r.SettledDelivered, r.HotAccount = r.median("settled_delivered_per_s"), r.median("hot_account_transfers_per_s")
	r.Expired, r.GatewayMemory = r.median("expired_per_s"), r.median("gateway_memory_100k_requisites_bytes")
	if ages := r.Samples["longest_snapshot_s"]; len(ages) > 0 {
		longest := slices.Max(ages)
		r.LongestSnapshot = &longest
	}
	for _, t := range troubles() {
		if p99 := r.median(othersName + t.name); p99 != nil {
			if r.OthersP99 == nil {
				r.OthersP99 = map[string]float64{}
			}
			r.OthersP99[t.name] = *p99
		}
	}
}

func (r *report) print(w io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
