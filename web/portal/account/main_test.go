package account_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line                      = portaltest.Hidden, portaltest.Line
	noError                           = testenv.NoError
)
