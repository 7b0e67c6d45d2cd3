package portals_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/clock"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
	"gateway.example/web/portals"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// What people do at the portals' pages, as walks.txt says.
func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

// What tests say often is short.
var (
	want, wantAnswer, wantIn, wantNot = portaltest.Want, portaltest.WantAnswer, portaltest.WantIn, portaltest.WantNot
	hidden, line, rows, says, words   = portaltest.Hidden, portaltest.Line, portaltest.Rows, portaltest.Says, portaltest.Words
)

// Portals of which a service is left out do not begin, and say whose it is.
func TestNothingIsLeftOut(t *testing.T) {
	t.Parallel()
	var services portals.Services
	all := reflect.ValueOf(&services).Elem()
	for _, room := range all.Fields() {
		if room.Kind() == reflect.Pointer {
			room.Set(reflect.New(room.Type().Elem()))
		}
	}
	services.Stopping, services.Clock = make(chan struct{}), clock.Real{}
	testenv.Must(portals.Routes(services))(t)
	for field, room := range all.Fields() {
		kinds := []reflect.Kind{reflect.Pointer, reflect.Interface, reflect.Chan}
		if !slices.Contains(kinds, room.Kind()) || field.Name == "Sandbox" || field.Name == "Simulator" {
			continue
		}
		given := reflect.ValueOf(room.Interface())
		room.SetZero()
		_, err := portals.New(services)
		if err == nil || !strings.Contains(err.Error(), "there is no "+field.Name) {
			t.Errorf("without %s: %v", field.Name, err)
		}
		room.Set(given)
	}
}
