package sandbox_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn = portaltest.Want, portaltest.WantIn
	line, says   = portaltest.Line, portaltest.Says
	noError      = testenv.NoError
)
