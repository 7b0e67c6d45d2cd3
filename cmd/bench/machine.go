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

// settings is how they were measured. PostgreSQL's are as the server reports them.
type settings map[string]any

// serverSettings are those that bear on what a commit costs.
var serverSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method", "commit_delay", "shared_buffers",
	"max_wal_size", "checkpoint_timeout", "max_connections", "autovacuum", "jit",
}

func (b *bench) describe(ctx context.Context) error {
	b.report.machine = machine{
		Cores:  runtime.NumCPU(),
		Memory: firstField("/proc/meminfo", "MemTotal"),
		CPU:    firstField("/proc/cpuinfo", "model name"),
		Kernel: wholeFile("/proc/sys/kernel/osrelease"),
		Go:     runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
	}
	server := map[string]string{}
	b.report.settings = settings{
		"postgresql": server, "clients": b.clients, "gateway_connections": b.connections, "requisites": b.requisites,
		"few_requisites": b.few, "traders": b.traders, "cashboxes": b.cashboxes, "creating_keys": len(b.scene.creating),
		"run_seconds": b.seconds.Seconds(), "runs": b.runs, "stored_payments": b.stored, "creating_merchants": b.merchants,
		"open_payments": b.openPayments, "overdue_payments": b.overdue, "memory_requisites": b.memoryRequisites,
		"payload":            string(b.scene.orders(b.scene.boxes[0], manyMethod, b.hooks.urls()[0]).body(1)),
		"checkpoint":         "one in the middle of every measured run",
		"webhook_deliveries": "on",
		"credits_path":       "HTTP, Connect JSON: portal.v1.TraderService/ConfirmReceived",
		"pages":              "as sent, compressed",
	}
	show := func(name string) (value string, err error) {
		if err := b.pool.QueryRow(ctx, "select current_setting($1)", name).Scan(&value); err != nil {
			return "", fmt.Errorf("read the server's settings: %w", err)
		}
		return value, nil
	}
	var err error
	if b.report.machine.PostgreSQL, err = show("server_version"); err != nil {
		return err
	}
	for _, name := range serverSettings {
		if server[name], err = show(name); err != nil {
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
