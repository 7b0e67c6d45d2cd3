package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is what has been used up so far, or between two looks.
type usage struct {
	gateway, postgres, generator time.Duration
	// wal is bytes of write-ahead log.
	wal float64
}

func (u usage) since(before usage) usage {
	return usage{
		gateway:   u.gateway - before.gateway,
		postgres:  u.postgres - before.postgres,
		generator: u.generator - before.generator,
		wal:       u.wal - before.wal,
	}
}

// use reads what the gateway, the whole PostgreSQL server and this process have used.
func (b *bench) use(ctx context.Context) (usage, error) {
	var u usage
	err := b.pool.QueryRow(ctx, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8").Scan(&u.wal)
	if err != nil {
		return u, fmt.Errorf("read the WAL's position: %w", err)
	}
	gateway, err := readProcess(b.gateway.pid())
	if err != nil {
		return u, err
	}
	u.gateway = gateway.own
	if u.postgres, err = treeCPU(b.postmaster); err != nil {
		return u, err
	}
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return u, fmt.Errorf("read own CPU: %w", err)
	}
	u.generator = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	return u, nil
}

// treeCPU is the CPU of a process, of its children that run, and of those that have ended.
func treeCPU(parent int) (time.Duration, error) {
	p, err := readProcess(parent)
	if err != nil {
		return 0, err
	}
	total := p.own + p.endedChildren
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			continue
		}
		// One that has ended since the list was made is among its parent's ended children at the
		// next look.
		if child, err := readProcess(pid); err == nil && child.parent == parent {
			total += child.own
		}
	}
	return total, nil
}

// processUse is a process's CPU and that of its children it has waited for.
type processUse struct {
	parent             int
	own, endedChildren time.Duration
}

// tick is the unit of the kernel's files about processes: USER_HZ, which is 100 on every Linux that
// Go runs on.
const tick = 10 * time.Millisecond

var errNoStat = errors.New("CPU of other processes can be read on Linux only")

// readProcess reads /proc/<pid>/stat. Its fields are counted after the name, which may hold spaces
// and parentheses.
func readProcess(pid int) (processUse, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return processUse{}, fmt.Errorf("%w: %w", errNoStat, err)
	}
	_, rest, _ := strings.Cut(string(content[strings.LastIndexByte(string(content), ')')+1:]), " ")
	fields := strings.Fields(rest)
	const ppid, utime, stime, cutime, cstime = 1, 11, 12, 13, 14
	if len(fields) <= cstime {
		return processUse{}, errNoStat
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * tick
	}
	parent, _ := strconv.Atoi(fields[ppid])
	own, err := threadCPU(pid)
	if err != nil {
		own = ticks(utime) + ticks(stime)
	}
	return processUse{parent: parent, own: own, endedChildren: ticks(cutime) + ticks(cstime)}, nil
}

// threadCPU adds up what a process's threads have run, in nanoseconds, where the kernel says so.
// The ticks of the process as a whole are too coarse: in a short run on a busy machine it may use
// less than one.
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
