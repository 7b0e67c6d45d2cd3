package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine is what the numbers were measured on.
type machine struct {
	Cores      int    `json:"cores"`
	Memory     string `json:"memory"`
	CPU        string `json:"cpu"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	PostgreSQL string `json:"postgresql"`
}

// settings is how they were measured.
type settings struct {
	// PostgreSQL is as the server reports it.
	PostgreSQL  map[string]string `json:"postgresql"`
	Clients     int               `json:"clients"`
	Connections int               `json:"gateway_connections"`
	Requisites  int               `json:"requisites"`
	Few         int               `json:"few_requisites"`
	Traders     int               `json:"traders"`
	Cashboxes   int               `json:"cashboxes"`
	Keys        int               `json:"creating_keys"`
	RunSeconds  float64           `json:"run_seconds"`
	Runs        int               `json:"runs"`
	Stored      int               `json:"stored_payments"`
	Merchants   int               `json:"creating_merchants"`
	Open        int               `json:"open_payments"`
	Overdue     int               `json:"overdue_payments"`
	MemoryPool  int               `json:"memory_requisites"`
	// Payload is a body as it is sent.
	Payload    string `json:"payload"`
	Checkpoint string `json:"checkpoint"`
	Deliveries string `json:"webhook_deliveries"`
	Credits    string `json:"credits_path"`
	Pages      string `json:"pages"`
}

// serverSettings are those that bear on what a commit costs.
var serverSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method", "commit_delay", "shared_buffers",
	"max_wal_size", "checkpoint_timeout", "max_connections", "autovacuum", "jit",
}

func (b *bench) describe(ctx context.Context) error {
	b.report.Machine = machine{
		Cores:  runtime.NumCPU(),
		Memory: firstField("/proc/meminfo", "MemTotal"),
		CPU:    firstField("/proc/cpuinfo", "model name"),
		Kernel: wholeFile("/proc/sys/kernel/osrelease"),
		Go:     runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
	}
	b.report.Settings = settings{
		PostgreSQL:  map[string]string{},
		Clients:     b.clients,
		Connections: b.connections,
		Requisites:  b.requisites,
		Few:         b.few,
		Traders:     b.traders,
		Cashboxes:   b.cashboxes,
		Keys:        len(b.scene.creating),
		RunSeconds:  b.seconds.Seconds(),
		Runs:        b.runs,
		Stored:      b.stored,
		Merchants:   b.merchants,
		Open:        b.openPayments,
		Overdue:     b.overdue,
		MemoryPool:  b.memoryRequisites,
		Payload:     string(b.scene.orders(b.scene.boxes[0], manyMethod, b.hooks.urls()[0]).body(1)),
		Checkpoint:  "one in the middle of every measured run",
		Deliveries:  "on",
		Credits:     "HTTP, Connect JSON: portal.v1.TraderService/ConfirmReceived",
		Pages:       "gzip -6 of each file, or as sent where the server compresses",
	}
	show := func(name string) (value string, err error) {
		if err := b.pool.QueryRow(ctx, "select current_setting($1)", name).Scan(&value); err != nil {
			return "", fmt.Errorf("read the server's settings: %w", err)
		}
		return value, nil
	}
	var err error
	if b.report.Machine.PostgreSQL, err = show("server_version"); err != nil {
		return err
	}
	for _, name := range serverSettings {
		if b.report.Settings.PostgreSQL[name], err = show(name); err != nil {
			return err
		}
	}
	return nil
}

// firstField is the value of the first line of that name in one of the kernel's files, or ""
// elsewhere than on Linux.
func firstField(path, name string) string {
	for line := range strings.Lines(wholeFile(path)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func wholeFile(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
