package acceptance

import (
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// relay passes TCP connections on to the Unix socket of a PostgreSQL, and
// breaks them in the ways it is told to.
type relay struct {
	net.Listener
	socket string
	mu     sync.Mutex
	pairs  map[*pair]bool
	// back is done with what comes from PostgreSQL, and forth with what
	// goes to it, if there is one.
	back, forth breaking
}

// breaking does something before what has come is passed on, and says whether
// it is to be.
type breaking struct {
	atomic.Pointer[func(p *pair) bool]
}

// pair is a connection and its other half.
type pair struct {
	near, far net.Conn
	silent    atomic.Bool
}

func newRelay(t *testing.T, databaseURL string) *relay {
	address := testenv.Must(url.Parse(databaseURL))(t)
	r := &relay{
		Listener: testenv.Must(net.Listen("tcp", freeAddr()))(t),
		socket:   filepath.Join(address.Query().Get("host"), ".s.PGSQL."+address.Query().Get("port")),
		pairs:    map[*pair]bool{},
	}
	t.Cleanup(r.cut)
	go r.serve(r.Listener)
	return r
}

func (r *relay) serve(listener net.Listener) {
	for {
		near, err := listener.Accept()
		if err != nil {
			return
		}
		go r.pass(near)
	}
}

func (r *relay) pass(near net.Conn) {
	far, err := net.Dial("unix", r.socket)
	if err != nil {
		_ = near.Close()
		return
	}
	p := &pair{near: near, far: far}
	r.mu.Lock()
	r.pairs[p] = true
	r.mu.Unlock()
	go p.copy(far, near, &r.forth)
	p.copy(near, far, &r.back)
	if !p.silent.Load() {
		r.mu.Lock()
		delete(r.pairs, p)
		r.mu.Unlock()
	}
}

// copy passes on what comes. Of a silent pair it passes on nothing, not even
// its end.
func (p *pair) copy(to, from net.Conn, how *breaking) {
	buffer := make([]byte, 1<<20)
	for {
		n, err := from.Read(buffer)
		if p.silent.Load() {
			_, _ = io.Copy(io.Discard, from) // the sender notices nothing
			return
		}
		if breaks := how.Load(); n > 0 && (breaks == nil || (*breaks)(p)) {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			p.end()
			return
		}
	}
}

func (p *pair) end() {
	_ = p.near.Close()
	_ = p.far.Close()
}

// silence makes all connections of this moment half-open: they stay, and
// nothing comes through them any more. New ones are as good as ever.
func (r *relay) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.pairs {
		p.silent.Store(true)
	}
}

// endAll ends all connections there are.
func (r *relay) endAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.pairs {
		p.end()
	}
}

// cut ends all connections there are, and takes no new ones.
func (r *relay) cut() {
	_ = r.Close()
	r.endAll()
}

// join takes connections again.
func (r *relay) join(t *testing.T) {
	t.Helper()
	r.Listener = testenv.Must(net.Listen("tcp", r.Addr().String()))(t)
	go r.serve(r.Listener)
}

// breaks breaks all connections in one direction, for a while.
func (b *breaking) breaks(lasts time.Duration, how func(p *pair) bool) {
	b.Store(&how)
	time.Sleep(lasts)
	b.Store(nil)
}

// late passes on what has come after two seconds, dropped never does, and
// resets ends the client's connection at once.
func late(*pair) bool    { time.Sleep(2 * time.Second); return true }
func dropped(*pair) bool { return false }
func resets(p *pair) bool {
	_ = p.near.(*net.TCPConn).SetLinger(0)
	p.end()
	return false
}

// buildWith builds the program with other contents of some files, which may be
// new.
func buildWith(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for path, content := range files {
		absolute := testenv.Must(filepath.Abs(path))(t)
		replace[absolute] = filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(absolute, "/"), "/", "_"))
		noError(t, os.WriteFile(replace[absolute], []byte(content), 0o600))
	}
	overlay := testenv.Must(json.Marshal(map[string]any{"Replace": replace}))(t)
	noError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	program := filepath.Join(dir, "gateway.bin")
	noError(t, compile(program, "-overlay", filepath.Join(dir, "overlay.json")))
	return program
}

// buildUnsteady builds the program with a clock that goes ten seconds back at
// each SIGUSR1 and ten ahead at each SIGUSR2, and that asks whom the test says
// for the addresses of names. Nothing else is changed: what asks for the real
// time by itself, such as a sign-in, still gets it.
func buildUnsteady(t *testing.T) string {
	// All in the one package that nothing else imports, so that only this
	// is compiled again.
	const file = "../../cmd/gateway/serve.go"
	source := testenv.Must(os.ReadFile(file))(t)
	return buildWith(t, map[string]string{
		file:                            strings.Replace(string(source), "g.clock = g.testClock", "g.clock = unsteady{g.testClock}", 1),
		"../../cmd/gateway/unsteady.go": unsteadyClock,
		"../../cmd/gateway/asks.go":     asks,
	})
}

const unsteadyClock = `package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"gateway.example/internal/clock"
)

type unsteady struct{ clock.Clock }

var ahead atomic.Int64

func (u unsteady) Now() time.Time { return u.Clock.Now().Add(time.Duration(ahead.Load())) }

func init() {
	set := make(chan os.Signal, 1)
	signal.Notify(set, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for which := range set {
			by := 10 * time.Second
			if which == syscall.SIGUSR1 {
				by = -by
			}
			ahead.Add(int64(by))
		}
	}()
}
`

// clockJumps sets the clock of one replica back, then ahead, then right; the
// other's and PostgreSQL's stay as they are.
func (s *stage) clockJumps(t *testing.T) {
	s.a.again(t, s.unsteady, nil)
	time.Sleep(time.Second)
	for _, jump := range []struct {
		by    syscall.Signal
		times int
		ahead time.Duration
	}{{syscall.SIGUSR1, 1, -10 * time.Second}, {syscall.SIGUSR2, 2, 10 * time.Second}, {syscall.SIGUSR1, 1, 0}} {
		for range jump.times {
			noError(t, s.a.cmd.Process.Signal(jump.by))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		// The sandbox's clock is ahead by as much on both. How long a
		// creation takes is the machine's.
		before, at, after := createdAt(t, s.b), createdAt(t, s.a), createdAt(t, s.b)
		at = at.Add(-jump.ahead)
		testenv.Check(t, !at.Before(before) && !at.After(after), "with the clock %s ahead: %s is not from %s to %s", jump.ahead, at, before, after)
	}
}

// again kills a gateway and starts another program in its place, with variables
// of its own.
func (g *instance) again(t *testing.T, program string, variables map[string]string) {
	t.Helper()
	g.kill()
	g.program, g.variables = program, variables
	g.start(t)
}

// createdAt is when a replica says that it has created a payment just now.
func createdAt(t *testing.T, v *instance) time.Time {
	t.Helper()
	return testenv.Must(time.Parse(time.RFC3339, v.create(t, v.first(), nil).text("data.createdAt")))(t)
}
