package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

const (
	manual     = "../../docs/operate/failover.md"
	tableBegin = "<!-- measured: faults, by GATEWAY_TEST_FAULTS=write -->\n"
	tableEnd   = "<!-- measured end -->\n"
)

// writeTable puts what was measured into the manual.
func (s *stage) writeTable(t *testing.T) {
	t.Helper()
	var table strings.Builder
	table.WriteString(
		"| fault | what clients met who came again | longest time without an answer | all answered again after " +
			"| calls acknowledged | payments | lost | twice | audit | events missing |\n|---|---|---|---|---|---|---|---|---|---|\n",
	)
	for _, l := range s.lines {
		audit, _, _ := strings.Cut(l.audit, ":")
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %d | %d | %d | %d | %s | 0 |\n", l.fault, l.saw, seconds(l.silence),
			seconds(l.back), l.calls, len(l.promises), l.lost, l.twice, audit)
	}
	content := testenv.Must(os.ReadFile(manual))(t)
	before, rest, begun := strings.Cut(string(content), tableBegin)
	_, after, ended := strings.Cut(rest, tableEnd)
	testenv.Need(t, begun && ended, "the manual has no place for the table")
	noError(t, os.WriteFile(manual, []byte(before+tableBegin+table.String()+tableEnd+after), 0o644))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
