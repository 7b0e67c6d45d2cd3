package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// Two replicas are replaced one after the other by a version with one migration more, and then by the older one again, which
// works on the newer schema. No call fails that is made again.
func TestRollingUpgrade(t *testing.T) {
	if os.Getenv("GATEWAY_TEST_FAULTS") == "" {
		t.Skip("builds another program: GATEWAY_TEST_FAULTS=required has it run")
	}
	s := newStage(t)
	files, err := filepath.Glob("../../schema/*.sql")
	noError(t, err)
	var next int
	testenv.Must(fmt.Sscanf(filepath.Base(slices.Max(files)), "%05d_", &next))(t)
	program := buildWith(t, map[string]string{
		fmt.Sprintf("../../schema/%05d_upgrade.sql", next+1): "-- +goose Up\nalter table merchant add column upgraded boolean not null default true;\n",
	})
	s.load.next(newRound())
	s.load.start(t)
	s.newest = program
	for _, change := range []struct{ name, program string }{{"rolling upgrade", program}, {"the way back", s.a.program}} {
		s.suffer(t, change.name, func(t *testing.T) {
			for _, v := range []*instance{s.a, s.b} {
				v.cancel()
				<-v.ended
				noError(t, v.err)
				v.pool.Close()
				v.program = change.program
				v.start(t)
				time.Sleep(2 * time.Second)
			}
		})
	}
	s.load.stop()
	s.awaitEvents(t)
	s.checkHistory(t)
	var upgraded bool
	noError(t, s.pool.QueryRow(t.Context(), "select bool_and(upgraded) from merchant").Scan(&upgraded))
	testenv.Check(t, upgraded, "the migration was not made")
}
