//go:build benchprofile && !windows

package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// If the bench builds the gateway, it writes a CPU profile of the time between
// two signals. Released programs do not have this.
func init() {
	file, told := os.LookupEnv("BENCH_PROFILE")
	if !told {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			if s == syscall.SIGUSR2 {
				pprof.StopCPUProfile()
			} else if f, err := os.Create(file); err == nil {
				_ = pprof.StartCPUProfile(f)
			}
		}
	}()
}
