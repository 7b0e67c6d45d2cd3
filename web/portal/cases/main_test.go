package cases_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn = portaltest.Want, portaltest.WantIn
	hidden       = portaltest.Hidden
	noError      = testenv.NoError
	line, words  = portaltest.Line, portaltest.Words
)
