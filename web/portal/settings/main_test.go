package settings_test

import (
	"testing"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What tests say often is short.
var (
	want, wantIn, wantNot = portaltest.Want, portaltest.WantIn, portaltest.WantNot
	line, words           = portaltest.Line, portaltest.Words
	noError               = testenv.NoError
)
