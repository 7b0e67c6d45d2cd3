// Package model_test walks at random through a gateway's life, payments, payouts, deposits, insurance and appeals mixed,
// and compares every step with a small model written from the contract. There is no program code here.
package model_test

import (
	"testing"

	"gateway/internal/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }
