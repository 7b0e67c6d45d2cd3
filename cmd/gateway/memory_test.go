package main

import (
	"testing"

	"gateway.example/internal/testenv"
)

func TestGarbagePart(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	for live, want := range map[uint64]int{0: 400, 4 * mb: 400, 32 * mb: 400, 64 * mb: 200, 128 * mb: 100, 256 * mb: 50, 4096 * mb: 50} {
		testenv.Want(t, garbagePart(live), want, "%d MB live", live/mb)
	}
	testenv.Check(t, liveBytes() <= 1<<40, "what lives is not known")
}
