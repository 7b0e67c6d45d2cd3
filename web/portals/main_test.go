package portals_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line, rows, says, words   = portaltest.Hidden, portaltest.Line, portaltest.Rows, portaltest.Says, portaltest.Words
	noError                           = testenv.NoError
)
