package payers_test

import (
	"testing"

	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }
