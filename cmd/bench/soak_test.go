package main

import (
	"errors"
	"testing"

	"gateway.example/internal/testenv"
)

// What swings and what fills at the beginning is no leak, and what grows to the end is one.
func TestCheckSoak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   func(i int) standing
		leak bool
	}{
		"swings": {func(i int) standing {
			return standing{Goroutines: float64(100 + 60*(i%3)), Resident: float64(1e8 + 5e7*float64(i%2)), Connections: 59}
		}, false},
		"fills at first": {func(i int) standing {
			return standing{Goroutines: float64(100 * min(i, 5)), Resident: 1e8 * float64(min(i, 5)), Connections: 40 + float64(min(i, 4))}
		}, false},
		"goroutines leak":  {func(i int) standing { return standing{Goroutines: float64(100 + 5*i)} }, true},
		"files leak":       {func(i int) standing { return standing{Files: float64(100 + 5*i)} }, true},
		"memory leaks":     {func(i int) standing { return standing{Resident: 1e8 + 4e6*float64(i)} }, true},
		"connections leak": {func(i int) standing { return standing{Connections: float64(50 + i/5)} }, true},
	} {
		var seen []standing
		for i := range 30 {
			seen = append(seen, c.of(i))
		}
		testenv.Want(t, errors.Is(checkSoak(seen), errLeak), c.leak, "%s", name)
	}
}
