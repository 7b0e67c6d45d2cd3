package acceptance

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/edge"
	"gateway.example/internal/sandbox"
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

// What is large, deep, long, packed or many is refused or answered soon, with
// little memory, and with no fault of ours.
func TestBombs(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	plan := fresh(t)
	plan.variables = map[string]string{"GOGC": "100"} // the heap is measured
	g := plan.start(t)
	// The time is that of the program's own processors: others of the
	// machine may be busy with other tests. What any of them would take
	// without our bounds is minutes.
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

// Clients that say something now and then, for ever, keep nobody else waiting,
// take little memory, and are cut off: those that never finish their headers
// after ten seconds.
func TestSlowClients(t *testing.T) {
	testenv.Long(t, "waits for time-outs")
	t.Parallel()
	testenv.Want(t, edge.NewServer(nil).ReadHeaderTimeout, 10*time.Second, "for headers, a client has")
	g := freshSandbox(t)
	const each = 150
	var ended atomic.Int64
	var ends sync.WaitGroup
	crowd := func() {
		for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL} {
			for range each {
				conn := dialled(t, address, "GET / HTTP/1.1\r\nHost: x\r\n")
				ends.Go(func() {
					defer ended.Add(1)
					trickle(t, conn)
				})
			}
		}
		for range each { // with a key, and a body that never comes
			conn := g.begun(t, payments, signed(g.first(), "{}"), 60_000, "{")
			go func() {
				defer ended.Add(1)
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}
	most := g.most(t, func() {
		// Who waited for slow clients would be answered when they are
		// cut off. Where the machine has stood still for as long,
		// others have to come.
		testenv.Until(t, "creations are answered while all slow clients are there", func() bool {
			before := ended.Load()
			crowd()
			for range 5 {
				g.create(t, g.first(), nil)
			}
			return ended.Load() == before
		})
	})
	testenv.Check(t, most <= 150, "the heap grew to %d MB", most)
	ends.Wait()
}

// trickle sends a header a second, until it is cut off.
func trickle(t *testing.T, conn net.Conn) {
	t.Helper()
	for n := 0; ; n++ {
		if _, err := fmt.Fprintf(conn, "X-%d: 1\r\n", n); err != nil {
			testenv.Check(t, !isTimeout(err), "a slow client was never cut off")
			return
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.Copy(io.Discard, conn); err == nil {
			return
		}
	}
}

// Every port speaks HTTP/1.1 alone: the beginning of HTTP/2 is refused, and an
// upgrade to it passed over, so that there are no streams to reset. What two
// readers of HTTP/1.1 could take for different requests is refused too.
func TestOnlyPlainHTTP(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL} {
		preface, err := io.ReadAll(dialled(t, address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+settings))
		testenv.Check(t, err == nil && strings.HasPrefix(string(preface), "HTTP/1.1 4") &&
			!strings.Contains(string(preface), settings), "%s answers HTTP/2 with %q, %v", address, preface, err)
		upgraded := answerOn(t, dialled(t, address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"+
			"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"))
		testenv.Check(t, upgraded.status != http.StatusSwitchingProtocols, "%s answers an upgrade with %s", address, upgraded)
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
			refused := strings.HasPrefix(string(got), "HTTP/1.1 400 ") || strings.HasPrefix(string(got), "HTTP/1.1 501 ")
			testenv.Check(t, err == nil && refused && strings.Count(string(got), "HTTP/1.1 ") == 1,
				"%s, %s: %.200q, %v", address, name, got, err)
		}
	}
}

// uploader is a stranger's key: enough to have a body of any size read.
func (g *instance) uploader(t *testing.T, n int) sandbox.Cashbox {
	t.Helper()
	box := sandbox.Cashbox{KeyID: fmt.Sprintf("uploader-%d", n), Secret: fmt.Sprintf("secret-of-uploader-%d", n)}
	g.exec(t, `with made as (insert into merchant (name, created_at) values ($1, now()) returning id)
		insert into api_key (key_id, secret_hash, name, merchant_id, scopes, created_at)
		select $1, $2, $1, id, '{payments}', now() from made`, box.KeyID, auth.HashSecret(box.Secret))
	return box
}

// largeForm is a form of as many bytes as one may have, and largeFile how many
// of them are its file's. All uploads send the same.
var (
	largeFile = uploadLimit - len(form(reasonPart("x"), filePart("a.pdf", "")))
	largeForm = sync.OnceValue(func() string {
		return form(reasonPart("x"), filePart("a.pdf", pdf+strings.Repeat("\x00", largeFile-len(pdf))))
	})
)

// uploadLarge sends an appeal of the largest size and returns what is answered.
func uploadLarge(address string, box sandbox.Cashbox) (answer, error) {
	return trySend(http.MethodPost, address, largeForm(), appealHeaders(box, "x", "a.pdf", largeFile))
}

// heap is what a gateway's heap takes now, in MB, by its own metrics: also
// where a race detector's build takes far more.
func (g *instance) heap() (int, error) {
	size, err := g.metric("go_memstats_heap_inuse_bytes")
	return int(size) >> 20, err
}

// most is the largest heap seen while fn runs.
func (g *instance) most(t *testing.T, fn func()) int {
	t.Helper()
	ended, peak := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			if now, err := g.heap(); err == nil {
				most = max(most, now)
			}
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	fn()
	close(ended)
	return <-peak
}

// Fifty of the largest uploads at once, in either form, take no more memory
// than a few.
func TestUploadsTakeLittleMemory(t *testing.T) {
	testenv.Long(t, "uploads a hundred large files")
	t.Parallel()
	plan := fresh(t)
	// Garbage is collected early, so that the heap that is measured is one
	// in use.
	plan.variables = map[string]string{"GOGC": "20"}
	v := plan.start(t)
	const each, allowed, little = 2, 150, 100
	ids := make([]string, 4*each)
	keys := []sandbox.Cashbox{v.first(), v.box(t, "sandbox-azn"), v.box(t, "sandbox-try"), v.box(t, "sandbox-mnt")}
	for n := range 22 {
		keys = append(keys, v.uploader(t, n))
	}
	var idle int
	// The start has hashed passwords, which takes 64 MB each. Reading
	// metrics makes garbage too, and so has it collected.
	noError(t, testenv.Eventually(func() (err error) {
		if idle, err = v.heap(); err == nil && idle > little {
			err = fmt.Errorf("the heap still has %d MB", idle)
		}
		return err
	}))
	crowd := func(form string, upload func(n int) (answer, error)) {
		for i := range ids {
			ids[i] = v.failed(t)
		}
		answers := make([]answer, each*len(keys))
		peak := v.most(t, func() {
			noError(t, testenv.AtOnce(len(answers), func(n int) (err error) { answers[n], err = upload(n); return err })...)
		})
		for n, got := range answers {
			want := http.StatusForbidden
			if n < len(ids) {
				want = http.StatusCreated
			}
			testenv.Check(t, got.status == want, "%s, %d: %s", form, n, got)
		}
		t.Logf("%s: %d at once took the heap from %d MB to %d MB", form, len(answers), idle, peak)
		testenv.Check(t, peak <= idle+allowed, "%s: the heap went from %d MB to %d MB", form, idle, peak)
	}
	// The first eight are appeals that are opened; the others are about
	// payments that are not theirs.
	crowd("forms", func(n int) (answer, error) { return uploadLarge(v.appealURL(ids[n%len(ids)]), keys[n/each]) })
	crowd("messages", func(n int) (answer, error) { return v.messageLarge(ids[n%len(ids)], keys[n/each]) })
}

const messageFile = 7 << 20

var messageText = sync.OnceValue(func() string {
	return base64.StdEncoding.EncodeToString([]byte(pdf + strings.Repeat("\x00", messageFile-len(pdf))))
})

// messageLarge is uploadLarge by Connect, whose success is one of a creation.
func (g *instance) messageLarge(id string, box sandbox.Cashbox) (answer, error) {
	head := fmt.Sprintf(`{"paymentId":"%s","reason":"x","fileName":"a.pdf","file":"`, id)
	request, err := http.NewRequest(http.MethodPost, g.BaseURL+"/gateway.v1.PaymentService/CreateAppeal",
		io.MultiReader(strings.NewReader(head), strings.NewReader(messageText()), strings.NewReader(`"}`)))
	if err != nil {
		return answer{}, err
	}
	request.ContentLength = int64(len(head) + len(messageText()) + 2)
	sent := with(appealHeaders(box, "x", "a.pdf", messageFile), "Content-Type", "application/json")
	got, err := sent.sent(request)
	if got.status == http.StatusOK {
		got.status = http.StatusCreated
	}
	return got, err
}

// slowUploads begin uploads whose bodies come by a byte a second, until the
// test ends.
func slowUploads(t *testing.T, g *instance, box sandbox.Cashbox, id string, many int) {
	for range many {
		path := strings.TrimPrefix(g.appealURL(id), g.BaseURL)
		connection := g.begun(t, path, appealHeaders(box, "x", "a.pdf", len(pdf)), 1_000_000, "--b\r\n")
		go func() {
			for err := error(nil); err == nil && t.Context().Err() == nil; {
				time.Sleep(time.Second) // less than the ten after which silence ends an upload
				_, err = connection.Write([]byte("x"))
			}
		}()
	}
}

// Whose bodies come slowly keeps nobody waiting but themselves: not another key
// of the same merchant, and no other merchant. Who waited for those would be
// refused at last, like the same key.
func TestSlowUploadsKeepNobodyElseWaiting(t *testing.T) {
	testenv.Long(t, "lets uploads wait in vain")
	t.Parallel()
	g := freshSandbox(t)
	id := g.failed(t)
	slowUploads(t, g, g.first(), id, 20)
	time.Sleep(300 * time.Millisecond) // for those to have been let in
	got := g.appeal(t, g.first(), id, "x", "a.pdf")
	testenv.Check(t, got.status == 503 && got.text("code") == "busy" && got.header.Get("Retry-After") != "",
		"the same key: %s", got)
	for name, box := range map[string]sandbox.Cashbox{"another key": g.box(t, "sandbox-azn"), "another merchant": g.uploader(t, 1)} {
		got := testenv.Must(uploadLarge(g.appealURL(id), box))(t)
		want := map[string]int{"another key": 201, "another merchant": 403}[name]
		testenv.Check(t, got.status == want, "%s: %s", name, got)
	}
}
