package acceptance

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// relay passes TCP connections on to the Unix socket of a PostgreSQL, and breaks them in the ways it is told to.
type relay struct {
	net.Listener
	socket string
	mu     sync.Mutex
	pairs  map[*pair]bool
	// back is done with what comes from PostgreSQL, and forth with what goes to it, if there is one.
	back, forth breaking
}

// breaking does something before what has come is passed on, and says whether it is to be.
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

// copy passes on what comes. Of a silent pair it passes on nothing, not even its end.
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

// silence makes all connections of this moment half-open: they stay, and nothing comes through them
// any more. New ones are as good as ever.
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

// late passes on what has come after two seconds, dropped never does, and resets ends the client's connection at once.
func late(*pair) bool    { time.Sleep(2 * time.Second); return true }
func dropped(*pair) bool { return false }
func resets(p *pair) bool {
	_ = p.near.(*net.TCPConn).SetLinger(0)
	p.end()
	return false
}
