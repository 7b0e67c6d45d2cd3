package acceptance

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/history"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/testenv"
)

// stage is two replicas on one PostgreSQL, which they reach through a relay
// that breaks connections, and the load on them.
type stage struct {
	*mortal
	relay *relay
	a, b  *instance
	// pool goes past the relay.
	pool  db.Pool
	load  *load
	lines []line
	// newest is the program that has made the newest schema, where that is
	// not the one under test.
	newest string
	// unsteady is a program whose clock can be set, and who asks the test
	// for addresses.
	unsteady string
	// within is how long after the end of a fault all clients are to be
	// answered again, where that is measured on a machine without other
	// work. Otherwise it is 0, and they are waited for.
	within time.Duration
	// log is the disk of PostgreSQL's log.
	log *disk
	// uploads is where the second replica keeps files that arrive.
	uploads *disk
	// bad are endpoints that the first merchant names instead of the own
	// one while there are any.
	bad atomic.Pointer[[]*shop]
}

// line is what became of a fault.
type line struct {
	fault         string
	saw           string
	silence, back time.Duration
	promises      []promise
	calls         int
	lost, twice   int
	audit         string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	// The server syncs, as one with real money does: what it has
	// acknowledged is to outlive it.
	s := &stage{mortal: newMortal(t, pgserver.Options{MaxConnections: 140})}
	s.moveLog(t)
	s.relay = newRelay(t, s.url)
	s.pool = testenv.Must(pgxpool.New(t.Context(), s.url))(t)
	t.Cleanup(s.pool.Close)
	through := fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", s.relay.Addr())
	s.uploads = newDisk(t, "6m")
	s.loadReplicas(t, through)
	return s
}

// loadReplicas starts both replicas, and makes their load.
func (s *stage) loadReplicas(t *testing.T, databaseURL string) {
	t.Helper()
	s.a = setup{database: databaseURL, fixed: true}.start(t)
	other := setup{dir: copyKey(t, s.a.dir), database: databaseURL, fixed: true}
	if s.uploads != nil {
		other.variables = map[string]string{"TMPDIR": s.uploads.path}
	}
	s.b = other.start(t)
	s.load = &load{
		external: s.a.ExternalPaymentsSecret, bases: [2]string{s.a.BaseURL, s.b.BaseURL}, seen: history.NewOrders(),
	}
	for _, keyID := range []string{"sandbox-rub", "sandbox-second-rub"} {
		box := s.a.box(t, keyID)
		s.load.boxes = append(s.load.boxes, box)
		own := newShop(t, box.WebhookSecret)
		s.load.hooks = append(s.load.hooks, func() *shop { return own })
	}
	s.load.hooks[0] = s.badOr(s.load.hooks[0])
}

// Over two replicas under load, every fault of a machine, a network, a
// database, a receiver and a processor is a matter of coming back: each
// acknowledged call is there exactly once, the ledger holds, each event is
// delivered, callers who come again meet 503 and broken connections only, and
// after its end all of them are answered again: within ten seconds, where that
// is measured for the manual.
func TestFaults(t *testing.T) {
	mode := os.Getenv("GATEWAY_TEST_FAULTS")
	if mode == "" {
		t.Skip("takes five minutes by itself: GATEWAY_TEST_FAULTS=required has it run")
	}
	s := newStage(t)
	s.unsteady = buildUnsteady(t)
	if mode == "write" {
		s.within = 10 * time.Second
	}
	s.load.next(newRound())
	s.load.start(t)
	for _, fault := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"none", func(*testing.T) { time.Sleep(3 * time.Second) }},
		{"`kill -9` of a gateway", s.gatewayIsKilled},
		{"`kill -9` of PostgreSQL", s.databaseIsKilled},
		{"all connections to PostgreSQL cut", s.connectionsAreCut},
		{"2 s latency to PostgreSQL", func(*testing.T) { s.relay.back.breaks(6*time.Second, late) }},
		{"nothing comes back from PostgreSQL", func(*testing.T) { s.relay.back.breaks(6*time.Second, dropped); s.relay.endAll() }},
		{"nothing goes to PostgreSQL", func(*testing.T) { s.relay.forth.breaks(6*time.Second, dropped); s.relay.endAll() }},
		{"all connections to PostgreSQL half-open", func(*testing.T) { s.relay.silence() }},
		{"PostgreSQL resets connections", func(*testing.T) { s.relay.back.breaks(3*time.Second, resets) }},
		{"a lock that holds up the whole pool", s.tableIsLocked},
		{"PostgreSQL has no connection left", s.connectionsAreTaken},
		{"the disk of appeals' files is full, in PostgreSQL", s.databaseDiskIsFull},
		{"the disk of appeals' files is full, in a gateway", s.gatewayDiskIsFull},
		{"receivers that hang, reset, drip, redirect, answer 10 MB", s.receiversMisbehave},
		{"a processor that hangs, lies about its attempt, answers twice", s.processorMisbehaves},
		{"a sync of PostgreSQL's disk takes 6 s", s.syncStalls},
		{"a replication slot fills the disk of PostgreSQL's log", s.slotFillsDisk},
		{"a gateway stands still for 12 s", s.gatewayStandsStill},
		{"a gateway has no file descriptor left", s.descriptorsAreTaken},
		{"a gateway has less memory than it needs", s.memoryIsShort},
		{"the clock of a gateway goes back 10 s, and ahead 10 s", s.clockJumps},
		{"the DNS of the gateways is silent, then fails", s.dnsFails},
	} {
		s.suffer(t, fault.name, fault.do)
	}
	s.load.stop()
	s.awaitEvents(t)
	s.checkHistory(t)
	if mode == "write" && !t.Failed() {
		s.writeTable(t)
	}
}

// suffer goes through one fault under load, and checks what is left of it.
func (s *stage) suffer(t *testing.T, name string, fault func(t *testing.T)) {
	t.Helper()
	s.load.next(newRound())
	fault(t)
	healed := time.Now()
	back := s.load.recovered(t, healed)
	r := s.load.next(newRound())
	l := line{fault: name, saw: r.saw(), silence: r.silence, back: back, promises: r.promises, calls: r.calls}
	testenv.Check(t, s.within == 0 || back <= s.within, "%s: all clients were answered again after %s", name, back)
	for _, wrong := range r.wrong[:min(len(r.wrong), 10)] {
		t.Errorf("%s: %s", name, wrong)
	}
	s.pool.Reset() // it may have connections to a server that is no more
	l.lost, l.twice = s.kept(t, r.promises)
	// A program audits the schema of its own version only.
	audit := gatewayCommand(t.Context(), map[string]string{"DATABASE_URL": s.url}, "audit")
	if program := cmp.Or(s.newest, s.a.program); program != "" {
		audit.Path = program
	}
	out, err := audit.Output()
	if l.audit, _, _ = strings.Cut(string(out), "\n"); err != nil || !strings.HasPrefix(l.audit, "clean") {
		t.Errorf("%s: audit: %s %v", name, out, err)
	}
	t.Logf("%s: %s; %d calls, %d payments, %s without, back after %s; lost %d, twice %d, audit %s",
		name, l.saw, l.calls, len(l.promises), l.silence, l.back, l.lost, l.twice, l.audit)
	s.lines = append(s.lines, l)
}

// kept looks for promised payments in the database and by the API, and returns
// how many are not as promised and how many are there twice.
func (s *stage) kept(t *testing.T, promises []promise) (lost, twice int) {
	t.Helper()
	var orders []string
	for _, p := range promises {
		orders = append(orders, p.order)
	}
	rows := testenv.Must(s.pool.Query(t.Context(),
		"select order_id, id::text || ' ' || status from payment where order_id = any($1)", orders))(t)
	found := map[string][]string{}
	var order, stands string
	_, err := pgx.ForEachRow(rows, []any{&order, &stands}, func() error {
		found[order] = append(found[order], stands)
		return nil
	})
	noError(t, err)
	for _, p := range promises {
		switch stands := found[p.order]; {
		case len(stands) > 1:
			twice++
			t.Errorf("%s is there as %v", p.order, stands)
		case len(stands) == 0 || stands[0] != p.id+" "+p.status:
			lost++
			t.Errorf("%s was acknowledged as %s %s: %v", p.order, p.id, p.status, stands)
		}
	}
	var asking sync.WaitGroup
	for part := range 8 {
		asking.Go(func() {
			for i := part; i < len(promises); i += 8 {
				p := promises[i]
				end := s.load.seen.Begin(history.Call{What: history.Read, Order: p.order})
				got, err := trySend(http.MethodGet, s.a.BaseURL+payments+"?orderId="+p.order, "", signed(p.box, ""))
				list, _ := got.at("data").([]any)
				if err == nil && len(list) == 1 {
					end(history.Answer{ID: p.id, Status: fmt.Sprint(list[0].(object)["status"])})
				}
				testenv.Check(t, err == nil && len(list) == 1 && fmt.Sprint(list[0].(object)["status"]) == p.status,
					"%s by the API: %s %v", p.order, got, err)
			}
		})
	}
	asking.Wait()
	return lost, twice
}

func (s *stage) gatewayIsKilled(t *testing.T) {
	s.a.kill()
	time.Sleep(2 * time.Second)
	s.a.start(t)
}

func (s *stage) databaseIsKilled(t *testing.T) {
	s.kill(t)
	time.Sleep(2 * time.Second)
	s.start(t)
}

func (s *stage) connectionsAreCut(t *testing.T) {
	for _, lasts := range []time.Duration{0, 0, 0, 2 * time.Second} {
		s.relay.cut()
		time.Sleep(lasts)
		s.relay.join(t)
		time.Sleep(500 * time.Millisecond)
	}
}

func (s *stage) tableIsLocked(t *testing.T) {
	tx := testenv.Must(s.pool.Begin(t.Context()))(t)
	testenv.Must(tx.Exec(t.Context(), "lock table payment in access exclusive mode"))(t)
	time.Sleep(3 * time.Second)
	noError(t, tx.Rollback(t.Context()))
}

// connectionsAreTaken ends the replicas' connections, and is faster than they
// are at taking the places.
func (s *stage) connectionsAreTaken(t *testing.T) {
	conn := testenv.Must(db.Driver(s.pool).Acquire(t.Context()))(t)
	defer conn.Release()
	var taken []*pgx.Conn
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); {
		testenv.Must(conn.Exec(t.Context(), endConnections))(t)
		for {
			one, err := pgx.Connect(t.Context(), s.url)
			if err != nil {
				break
			}
			taken = append(taken, one)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, one := range taken {
		_ = one.Close(t.Context())
	}
}

const (
	manual     = "../../docs/operate/failover.md"
	tableBegin = "<!-- measured: faults, by GATEWAY_TEST_FAULTS=write -->\n"
	tableEnd   = "<!-- measured end -->\n"
)

// writeTable puts what was measured into the manual.
func (s *stage) writeTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| fault | what clients met who came again | longest time without an answer | all answered again after " +
		"| calls acknowledged | payments | lost | twice | audit | events missing |\n|---|---|---|---|---|---|---|---|---|---|\n")
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

// Two replicas are replaced one after the other by a version with one migration
// more, and then by the older one again, which works on the newer schema. No
// call fails that is made again.
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
