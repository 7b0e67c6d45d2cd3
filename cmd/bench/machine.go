package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// usage is what has been used up so far, or between two looks: CPU in
// microseconds, and bytes of write-ahead log.
type usage [4]float64

const (
	gatewayCPU = iota
	postgresCPU
	generatorCPU
	walBytes
)

// usageNames end the names of the samples.
var usageNames = [len(usage{})]string{"_cpu_us.gateway", "_cpu_us.postgres", "_cpu_us.generator", "_wal_bytes"}

func (u usage) since(before usage) usage {
	for i := range u {
		u[i] -= before[i]
	}
	return u
}

// per shares what was used among so many.
func (u usage) per(n float64) usage {
	for i := range u {
		u[i] /= n
	}
	return u
}

// use reads what the gateway, the whole PostgreSQL server and this process have
// used.
func (b *bench) use(ctx context.Context) usage {
	wal := single[float64](ctx, b, "read the position of the log", "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8")
	return usage{
		micros(must(threadCPU(b.gateway.pid()))), micros(must(treeCPU(b.postmaster))), micros(must(threadCPU(os.Getpid()))), wal,
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// treeCPU is the CPU of a process, of its children that run, and of those that
// have ended.
func treeCPU(parent int) (time.Duration, error) {
	total, err := threadCPU(parent)
	_, ended, statErr := readStat(parent)
	stats, globErr := filepath.Glob("/proc/[0-9]*/stat")
	if err := errors.Join(err, statErr, globErr); err != nil {
		return 0, err
	}
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		// One that has ended since the list was made is among its
		// parent's ended children at the next look.
		if above, _, err := readStat(pid); err == nil && above == parent {
			own, _ := threadCPU(pid)
			total += own
		}
	}
	return total + ended, nil
}

// tick is the unit of the kernel's files about processes: USER_HZ, which is 100
// on every Linux that Go runs on.
const tick = 10 * time.Millisecond

var errNoStat = errors.New("CPU of other processes can be read on Linux only")

// readStat reads of /proc/<pid>/stat the parent, and the CPU of the children
// that have ended. Fields are counted after the name, which may hold spaces and
// parentheses.
func readStat(pid int) (parent int, ended time.Duration, err error) {
	content := wholeFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(content[strings.LastIndexByte(content, ')')+1:])
	const ppid, cutime, cstime = 1, 13, 14
	if len(fields) <= cstime {
		return 0, 0, errNoStat
	}
	user, _ := strconv.ParseInt(fields[cutime], 10, 64)
	system, _ := strconv.ParseInt(fields[cstime], 10, 64)
	parent, err = strconv.Atoi(fields[ppid])
	return parent, time.Duration(user+system) * tick, err
}

// threadCPU adds up what a process's threads have run, in nanoseconds. The
// ticks of the process as a whole are too coarse: in a short run on a busy
// machine it may use less than one.
func threadCPU(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, errNoStat
	}
	var total time.Duration
	for _, thread := range threads {
		ran, _, _ := strings.Cut(wholeFile(thread), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, errNoStat
		}
		total += time.Duration(nanoseconds)
	}
	return total, nil
}

// postmasterPID finds the server that runs in a directory of pgserver's.
func postmasterPID(dir string) (int, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		return 0, fmt.Errorf("find the pid of PostgreSQL in %s: %d files", dir, len(found))
	}
	line, _, _ := strings.Cut(wholeFile(found[0]), "\n")
	return strconv.Atoi(line)
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

// firstField is the value of the first line of that name in one of the kernel's
// files, or "" elsewhere than on Linux.
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

// machine is what the numbers were measured on.
type machine struct {
	Cores      int    `json:"cores"`
	Memory     string `json:"memory"`
	CPU        string `json:"cpu"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	PostgreSQL string `json:"postgresql"`
}

// settings is how they were measured. PostgreSQL's are as the server reports
// them.
type settings map[string]any

// serverSettings are those that bear on what a commit costs.
var serverSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method", "commit_delay", "shared_buffers",
	"max_wal_size", "checkpoint_timeout", "max_connections", "autovacuum", "jit",
}

// describe notes in the report with what machine, server and options the run is
// measured. It asks the server for its settings, so that the report has those
// in force and not those asked for. A place must be open.
func (b *bench) describe(ctx context.Context) {
	b.report.machine = machine{
		Cores:  runtime.NumCPU(),
		Memory: firstField("/proc/meminfo", "MemTotal"),
		CPU:    firstField("/proc/cpuinfo", "model name"),
		Kernel: wholeFile("/proc/sys/kernel/osrelease"),
		Go:     runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
	}
	server := map[string]string{}
	b.report.settings = settings{
		"postgresql":    server,
		"creating_keys": len(b.scene.creating), "run_seconds": b.seconds.Seconds(), "brief_run_seconds": b.brief().Seconds(),
		"payload":            string(b.orders(b.scene.boxes[0], manyMethod, 0).body(orderID(1), amount())),
		"checkpoint":         "one, spread as by the server itself, while creations come on schedule",
		"webhook_deliveries": "on",
		"credits_path":       "HTTP, Connect JSON: portal.v1.TraderService/ConfirmReceived",
		"pages":              "as sent, compressed",
	}
	for _, n := range b.numbers() {
		b.report.settings[n.named] = *n.into
	}
	for _, name := range append(serverSettings, "server_version") {
		server[name] = single[string](ctx, b, "read the server's settings", "select current_setting($1)", name)
	}
	b.report.machine.PostgreSQL = server["server_version"]
}
