package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// tendEvery is how often the collector is told anew how much garbage it may leave.
	tendEvery = 10 * time.Second
	// garbageMost bounds the garbage between two collections, where that is between these parts, in
	// percent, of what lives.
	garbageMost                       = 128 << 20
	garbagePartLeast, garbagePartMost = 50, 400
)

// tendMemory lets the collector wait for as much garbage as there is room for. Of a small gateway
// some megabytes live and each call leaves garbage: Go's own measure, as much as lives, would
// collect many times a second. Of one with many requisites it would be too generous. GOGC in the
// environment has the last word.
func tendMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePart(liveBytes()))
	}
}

// garbagePart is how much garbage there may be, in percent of what lives.
func garbagePart(live uint64) int {
	return int(min(max(garbageMost*100/max(live, 1), garbagePartLeast), garbagePartMost))
}

// liveBytes is what the last collection found alive.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
