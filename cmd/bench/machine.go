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

// usage is what was used so far, or between two times: CPU in microseconds,
// and bytes of WAL.
type usage [4]float64

const (
	gatewayCPU = iota
	postgresCPU
	generatorCPU
	walBytes
)

// usageNames are the suffixes of the samples' names.
var usageNames = [len(usage{})]string{"_cpu_us.gateway", "_cpu_us.postgres", "_cpu_us.generator", "_wal_bytes"}

func (u usage) since(before usage) usage {
	for i := range u {
		u[i] -= before[i]
	}
	return u
}

// per divides the usage by a number.
func (u usage) per(n float64) usage {
	for i := range u {
		u[i] /= n
	}
	return u
}

// use reads what the gateway, the PostgreSQL server and the bench have used so
// far.
func (b *bench) use(ctx context.Context) usage {
	wal := single[float64](ctx, b, "read the position of the log", "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8")
	return usage{
		micros(must(threadCPU(b.gateway.pid()))), micros(must(treeCPU(b.postmaster))), micros(must(threadCPU(os.Getpid()))), wal,
	}
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// treeCPU is the CPU time of a process and its children, including children
// that have ended.
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
		// A child that has just ended counts to its parent from the
		// next time on.
		if above, _, err := readStat(pid); err == nil && above == parent {
			own, _ := threadCPU(pid)
			total += own
		}
	}
	return total + ended, nil
}

// tick is the unit of times in /proc, USER_HZ, which is 100 on every Linux
// that Go supports.
const tick = 10 * time.Millisecond

var errNoStat = errors.New("CPU of other processes can be read on Linux only")

// readStat reads a process's parent and the CPU time of its ended children
// from /proc/<pid>/stat. It counts the fields after the name, because that may
// contain spaces and parentheses.
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

// threadCPU adds up the CPU time of a process's threads, in nanoseconds. The
// process's own ticks are too coarse: in a short run it may use less than one.
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

// postmasterPID returns the process of a server that pgserver runs in a
// directory.
func postmasterPID(dir string) (int, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*", "postmaster.pid"))
	if err != nil || len(found) != 1 {
		return 0, fmt.Errorf("find the pid of PostgreSQL in %s: %d files", dir, len(found))
	}
	line, _, _ := strings.Cut(wholeFile(found[0]), "\n")
	return strconv.Atoi(line)
}

// residentBytes is the resident memory of a process.
func residentBytes(pid int) (float64, error) {
	size, unit, _ := strings.Cut(firstField(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"), " ")
	kilobytes, err := strconv.ParseFloat(size, 64)
	if err != nil || unit != "kB" {
		return 0, errNoStat
	}
	return kilobytes * 1024, nil
}

// firstField returns the value of the first line with that name in a file of
// the kernel. Other systems than Linux have no such files; then it is "".
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

// machine describes the machine of a run.
type machine struct {
	Cores      int    `json:"cores"`
	Memory     string `json:"memory"`
	CPU        string `json:"cpu"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	PostgreSQL string `json:"postgresql"`
}

// settings are the settings of a run; those of PostgreSQL are as the server
// reports them.
type settings map[string]any

// serverSettings are the settings that influence the cost of a commit.
var serverSettings = []string{
	"fsync", "synchronous_commit", "full_page_writes", "wal_level", "wal_sync_method", "commit_delay", "shared_buffers",
	"max_wal_size", "checkpoint_timeout", "max_connections", "autovacuum", "jit",
}

// describe adds the machine, the server's settings and the options to the
// report. It asks the server, so that the report has the settings in force. A
// place must be open.
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
