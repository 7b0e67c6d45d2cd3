package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// relay passes TCP connections on to the Unix socket of a PostgreSQL, since the proxy behind which
// it stands knows no such sockets.
type relay struct {
	net.Listener
	socket string
	mu     sync.Mutex
	pairs  map[*pair]bool
}

// pair is a connection and its other half.
type pair struct {
	near, far net.Conn
	silent    atomic.Bool
}

func newRelay(t *testing.T, databaseURL string) *relay {
	t.Helper()
	address := testenv.Must(url.Parse(databaseURL))(t)
	listener := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	r := &relay{
		Listener: listener,
		socket:   filepath.Join(address.Query().Get("host"), ".s.PGSQL."+address.Query().Get("port")),
		pairs:    map[*pair]bool{},
	}
	t.Cleanup(r.end)
	go func() {
		for {
			near, err := r.Accept()
			if err != nil {
				return
			}
			go r.pass(near)
		}
	}()
	return r
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
	go p.copy(far, near)
	p.copy(near, far)
	if !p.silent.Load() {
		r.mu.Lock()
		delete(r.pairs, p)
		r.mu.Unlock()
	}
}

// copy passes on what comes. Of a silent pair it passes on nothing, not even its end.
func (p *pair) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if p.silent.Load() {
			_, _ = io.Copy(io.Discard, from) // the sender notices nothing
			return
		}
		if n > 0 {
			_, _ = to.Write(buffer[:n])
		}
		if err != nil {
			_ = to.Close()
			_ = from.Close()
			return
		}
	}
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

func (r *relay) end() {
	_ = r.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for p := range r.pairs {
		_ = p.near.Close()
		_ = p.far.Close()
	}
}

// toxiproxy is a proxy before PostgreSQL that breaks connections in the ways it is told to.
type toxiproxy struct {
	api    string
	listen string
}

const toxiproxyPackage = "github.com/Shopify/toxiproxy/v2/cmd/server"

// newToxiproxy builds and starts the proxy before an address.
func newToxiproxy(t *testing.T, upstream string) *toxiproxy {
	t.Helper()
	program := filepath.Join(t.TempDir(), "toxiproxy-server")
	out, err := exec.Command("go", "build", "-modfile=../tools/toxiproxy/go.mod", "-o", program, toxiproxyPackage).
		CombinedOutput()
	testenv.Need(t, err == nil, "build toxiproxy: %v\n%s", err, out)
	p := &toxiproxy{api: freeAddr(), listen: freeAddr()}
	host, port, err := net.SplitHostPort(p.api)
	noError(t, err)
	cmd := exec.Command(program, "-host", host, "-port", port)
	cmd.Env = append(os.Environ(), "LOG_LEVEL=error")
	var log text
	cmd.Stdout, cmd.Stderr = &log, &log
	process := start(cmd, &log)
	t.Cleanup(process.kill)
	noError(t, testenv.Eventually(func() error {
		return p.try(http.MethodPost, "/proxies",
			object{"name": "pg", "listen": p.listen, "upstream": upstream, "enabled": true})
	}))
	return p
}

func (p *toxiproxy) try(method, path string, body object) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, "http://"+p.api+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 300 {
		why, _ := io.ReadAll(response.Body)
		return fmt.Errorf("toxiproxy %s %s: %d %s", method, path, response.StatusCode, why)
	}
	return nil
}

// enable lets connections through, or cuts all there are and takes no new ones.
func (p *toxiproxy) enable(t *testing.T, on bool) {
	t.Helper()
	noError(t, p.try(http.MethodPost, "/proxies/pg", object{"enabled": on}))
}

// back is what comes from PostgreSQL, and forth what goes to it.
const back, forth = "downstream", "upstream"

// poison breaks all connections in a way, in one direction, for a while.
func (p *toxiproxy) poison(t *testing.T, stream, kind string, attributes object, lasts time.Duration) {
	t.Helper()
	noError(t, p.try(http.MethodPost, "/proxies/pg/toxics", object{
		"name": "toxic", "type": kind, "stream": stream, "toxicity": 1, "attributes": attributes,
	}))
	time.Sleep(lasts)
	noError(t, p.try(http.MethodDelete, "/proxies/pg/toxics/toxic", nil))
}
