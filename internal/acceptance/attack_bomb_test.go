package acceptance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// makeBombs makes what the calls of bombs.txt are made of.
func (g *instance) makeBombs(t *testing.T) {
	g.begin(t)
	many := func(n int, entry string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(entry, i)
		}
		return strings.Join(all, ",")
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	testenv.Must(w.Write(bytes.Repeat([]byte(" "), 10<<20)))(t)
	noError(t, w.Close())
	page := g.create(t, g.first(), nil).text("data.paymentPageUrl")
	script, there := fetched(t, http.MethodGet, page, "", nil).part(`/src="(\/[^"]+)"/`)
	testenv.Need(t, there, "no script on %s", page)
	maps.Copy(g.ids, map[string]string{
		"open": strings.TrimSuffix(newPayment.body("amount", ""), "}"), "failed": g.failed(t), "page": path.Base(page),
		"style": script.(string), "gzipped": packed.String(), "many_fields": many(5_000, `"f%d":1`),
		"many_ranges": many(4_000, "%d-"), "parts": form(slices.Repeat([][2]string{{`name="x"`, ""}}, 100_000)...),
	})
}

// What is large, deep, long, packed or many is refused or answered soon, with little memory, and with no
// fault of ours.
func TestBombs(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	plan := fresh(t)
	plan.variables = map[string]string{"GOGC": "100"} // the heap is measured
	g := plan.start(t)
	// The time is that of the program's own processors: others of the machine may be busy with other tests.
	// What any of them would take without our bounds is minutes.
	const soon, little = 20, 200
	g.makeBombs(t)
	most := g.most(t, func() {
		for _, line := range linesOf(t, "bombs.txt") {
			before := g.cpu(t)
			cells := cellsOf(line)
			cells[2] = g.validBody(t, cells[1], cells[2])
			got, wrong := g.tried(t, cells)
			testenv.Want(t, wrong, "", "%.120s", line)
			took := g.cpu(t) - before
			testenv.Check(t, took <= soon, "%.120s took %.1f s", line, took)
			testenv.Check(t, len(got.raw) <= 64<<10, "%.120s is answered with %d bytes", line, len(got.raw))
		}
	})
	testenv.Check(t, most <= little, "the heap grew to %d MB", most)
	g.create(t, g.first(), nil)
}

// cpu is how many seconds of a processor the program has used.
func (g *instance) cpu(t *testing.T) float64 {
	t.Helper()
	return testenv.Must(g.metric("process_cpu_seconds_total"))(t)
}

// Clients that say something now and then, for ever, keep nobody else waiting, take little memory, and are
// cut off: those that never finish their headers after ten seconds.
func TestSlowClients(t *testing.T) {
	testenv.Long(t, "waits for time-outs")
	t.Parallel()
	g := freshSandbox(t)
	const each = 150
	began := time.Now()
	var slow []net.Conn
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL} {
		for range each {
			slow = append(slow, dialled(t, address, "GET / HTTP/1.1\r\nHost: x\r\n"))
		}
	}
	for range each { // with a key, and a body that never comes
		g.begun(t, payments, signed(g.first(), "{}"), 60_000, "{")
	}
	most := g.most(t, func() {
		for range 20 {
			asked := time.Now()
			g.create(t, g.first(), nil)
			took := time.Since(asked)
			testenv.Check(t, took <= 5*time.Second, "beside slow clients a creation took %s", took)
		}
	})
	testenv.Check(t, most <= 150, "the heap grew to %d MB", most)
	var ends sync.WaitGroup
	for _, conn := range slow {
		ends.Go(func() {
			for n := 0; ; n++ { // a header a second, until it is cut off
				if _, err := fmt.Fprintf(conn, "X-%d: 1\r\n", n); err != nil {
					return
				}
				_ = conn.SetReadDeadline(time.Now().Add(time.Second))
				if _, err := io.Copy(io.Discard, conn); err == nil {
					return
				}
				if time.Since(began) > testenv.Patience {
					t.Error("a slow client was never cut off")
					return
				}
			}
		})
	}
	ends.Wait()
	took := time.Since(began)
	testenv.Check(t, took <= time.Minute, "slow clients were cut off after %s", took)
}

// Every port speaks HTTP/1.1 alone: the beginning of HTTP/2 is refused, and an upgrade to it passed over,
// so that there are no streams to reset. What two readers of HTTP/1.1 could take for different requests
// is refused too.
func TestOnlyPlainHTTP(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL} {
		preface, err := io.ReadAll(dialled(t, address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+settings))
		testenv.Check(t, err == nil && strings.HasPrefix(string(preface), "HTTP/1.1 4") &&
			!strings.Contains(string(preface), settings), "%s answers HTTP/2 with %q, %v", address, preface, err)
		upgrade := bufio.NewReader(
			dialled(t, address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"+
				"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"),
		)
		if line, err := upgrade.ReadString('\n'); err != nil || strings.Contains(line, " 101 ") {
			t.Errorf("%s answers an upgrade with %q, %v", address, line, err)
		}
		for name, request := range map[string]string{
			"two lengths":            "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
			"a length that is none":  "Content-Length: +1\r\n\r\na",
			"a negative length":      "Content-Length: -1\r\n\r\n",
			"another coding":         "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
			"two codings":            "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
			"a space before a colon": "Content-Length : 1\r\n\r\na",
			"a folded header":        "X-A: b\r\n c\r\nContent-Length : 1\r\n\r\n",
			"a NUL":                  "X-A: b\x00c\r\n\r\n",
			"no name":                ": b\r\n\r\n",
			"two hosts":              "Host: y\r\n\r\n",
		} {
			got, err := io.ReadAll(dialled(t, address, "POST / HTTP/1.1\r\nHost: x\r\n"+request))
			refused := strings.HasPrefix(string(got), "HTTP/1.1 400 ") ||
				strings.HasPrefix(string(got), "HTTP/1.1 501 ")
			testenv.Check(t, err == nil && refused && strings.Count(string(got), "HTTP/1.1 ") == 1,
				"%s, %s: %.200q, %v", address, name, got, err)
		}
	}
}
