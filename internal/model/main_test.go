// Package model_test walks at random through a gateway's life, payments, cards, payouts, deposits,
// insurance and appeals mixed, and compares every step with a small model written from the
// contract. There is no program code here.
package model_test

import (
	"log/slog"
	"testing"

	"gateway.example/internal/dbtest"
)

func TestMain(m *testing.M) {
	// What the rooms log of each refusal would hide what a failing walk has to tell.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dbtest.Main(m)
}
