package testenv

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
)

const (
	memory = "/dev/shm"
	// tmpfsRoom and machineRoom are how much memory the file system and
	// the machine must have left: enough for the databases of two
	// packages, and as much again for everything else.
	tmpfsRoom   = 4 << 30
	machineRoom = 6 << 30
	noExec      = 8 // ST_NOEXEC of statfs(2)
)

// InMemory puts the temporary files of this process and its children into
// memory, if there is room and no directory was set. Databases are made there
// ten times faster than on a disk.
func InMemory() {
	if os.Getenv("TMPDIR") != "" {
		return
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || fs.Flags&noExec != 0 ||
		fs.Bavail*uint64(fs.Bsize) < tmpfsRoom || available() < machineRoom {
		return
	}
	_ = os.Setenv("TMPDIR", memory)
}

// available is how much memory the machine has left, in bytes; 0 if that is
// not known.
func available() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kib uint64
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
