package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// packageUse is a package's share of the gateway's CPU, in percent.
type packageUse struct {
	Name    string  `json:"name"`
	Percent float64 `json:"percent"`
}

func (c *child) profilePath() string { return filepath.Join(c.dir, "cpu.pprof") }

// profiled profiles the gateway during do and keeps the shares of its
// packages.
func (b *bench) profiled(ctx context.Context, do func()) {
	gateway := b.gateway
	check(gateway.signal(beginProfile), "begin a profile")
	do()
	check(gateway.signal(endProfile), "end a profile")
	// The gateway writes the profile at some time after the signal.
	for until := time.Now().Add(startTimeout); ; time.Sleep(100 * time.Millisecond) {
		if info, err := os.Stat(gateway.profilePath()); err == nil && info.Size() > 0 {
			break
		}
		if time.Now().After(until) {
			check(fmt.Errorf("%s: no profile was written", gateway.profilePath()))
		}
	}
	//nolint:gosec // our own file
	top, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0",
		gateway.profilePath()).Output()
	check(err, "read the profile")
	b.report.packages = byPackage(string(top))
	if b.profile != "" {
		content := must(os.ReadFile(gateway.profilePath()))
		check(os.WriteFile(b.profile, content, 0o644)) //nolint:gosec // it has no secrets
	}
}

// byPackage adds up the lines of pprof by package. A line has a function's own
// time, its share and the function's name.
func byPackage(top string) []packageUse {
	sums := map[string]float64{}
	for line := range strings.Lines(top) {
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.HasSuffix(fields[1], "%") {
			continue
		}
		percent, err := strconv.ParseFloat(strings.TrimSuffix(fields[1], "%"), 64)
		if err != nil {
			continue
		}
		// Names of generic functions contain packages of their types,
		// and functions in assembly have no package.
		function := fields[5]
		if types := strings.IndexAny(function, "(["); types >= 0 {
			function = function[:types]
		}
		dir := strings.LastIndexByte(function, '/') + 1
		name, _, in := strings.Cut(function[dir:], ".")
		if !in {
			dir, name = 0, "runtime"
		}
		sums[function[:dir]+name] += percent
	}
	list := []packageUse{}
	for name, percent := range sums {
		list = append(list, packageUse{Name: name, Percent: percent})
	}
	slices.SortFunc(list, func(a, b packageUse) int { return cmp.Compare(b.Percent, a.Percent) })
	return list
}
