package acceptance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// bomb is a request that is to take much more from us than from whoever sends it.
type bomb struct {
	method, address, body string
	headers               header
	// want are the statuses of which it gets one.
	want []int
}

// bombs are what a stranger, or a merchant with a key, can send.
func (g *instance) bombs(t *testing.T) map[string]bomb {
	t.Helper()
	box := g.first()
	failed := g.failed(t)
	page := g.create(t, box, nil).text("data.paymentPageUrl")
	api, sign, portal := g.BaseURL+payments, g.BaseURL+"/portal.v1.AuthService/Login", g.PortalURL+"/sign-in"
	post := func(body string, want ...int) bomb {
		return bomb{http.MethodPost, api, body, signed(box, body), want}
	}
	get := func(address string, headers header, want ...int) bomb {
		return bomb{http.MethodGet, address, "", headers, want}
	}
	parts := strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 100_000) + "--b--\r\n"
	formFields := strings.Repeat("a=1&", 16_000) + "login=x"
	fromPage := header{"Content-Type": "application/x-www-form-urlencoded", "Origin": g.PortalURL}
	many := func(n int, entry func(i int) string) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(entry(i))
		}
		return strings.TrimSuffix(all.String(), ",")
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	deepObject := func(n int) string { return strings.Repeat(`{"payer":`, n) + "1" + strings.Repeat("}", n) }
	amount := func(literal string) string { return strings.Replace(order(nil), `"1500.00"`, literal, 1) }
	return map[string]bomb{
		"deep list":          post(deep(32_000), 422),
		"deep object":        post(deepObject(6_000), 422),
		"deep unknown field": post(strings.TrimSuffix(order(nil), "}")+`,"x":`+deep(30_000)+"}", 422),
		"many equal fields":  post("{"+many(5_000, func(int) string { return `"amount":1,` })+"}", 422),
		"many fields":        post("{"+many(5_000, func(i int) string { return fmt.Sprintf(`"f%d":1,`, i) })+"}", 422),
		"many wrong texts":   post(order(object{"description": strings.Repeat("\x01", 5_000)}), 422),
		"great exponent":     post(amount("1e999999999"), 422),
		"small exponent":     post(amount("1e-999999999"), 422),
		"exponent in a text": post(amount(`"1E+2147483647"`), 422),
		"long number":        post(amount(strings.Repeat("9", 60_000)), 422),
		"long fraction":      post(amount("1."+strings.Repeat("0", 60_000)+"1"), 422),
		"great percent":      post(order(object{"ratePercent": raw("1e400")}), 422),
		"large body":         post(order(object{"description": strings.Repeat("a", 70<<10)}), 413),
		"compressed body": {http.MethodPost,
			api,
			gzipped(t),
			with(signed(box, gzipped(t)), "Content-Encoding", "gzip"),
			[]int{415, 422}},
		"compressed by Connect": {http.MethodPost, sign, gzipped(t), header{"Content-Encoding": "gzip"}, []int{415}},
		"deep by Connect":       {http.MethodPost, sign, `{"login":` + deep(30_000) + "}", nil, []int{400}},
		"deep protobuf": {http.MethodPost, sign, strings.Repeat("\x0b", 60_000),
			header{"Content-Type": "application/proto"}, []int{400}},
		"many parts": {http.MethodPost, g.appealURL(failed), parts,
			appealHeaders(box, "x", "a.pdf", len(pdf)), []int{403, 413, 422}},
		"many parts to a page": {http.MethodPost, page + "/receipt", parts,
			header{"Content-Type": formType, "Sec-Fetch-Site": "same-origin"}, []int{303, 404, 413, 422}},
		"many fields of a form": {http.MethodPost, portal, formFields, fromPage, []int{409, 413, 422}},
		"large form":            {http.MethodPost, portal, strings.Repeat("a=1&", 50_000), fromPage, []int{409, 413, 422}},
		"large header":          get(api, header{"X-Large": strings.Repeat("a", 64<<10)}, 431),
		"large signature":       get(api, with(signed(box, ""), "Signature", strings.Repeat("0", 30_000)), 403),
		"large key id":          get(api, with(signed(box, ""), "X-Merchant-Key-Id", strings.Repeat("k", 30_000)), 403),
		"large token":           get(api, bearer(strings.Repeat("t", 30_000)), 401),
		"large query":           get(api+"?orderId="+strings.Repeat("%25", 9_000), signed(box, ""), 422),
		"many parameters":       get(api+"?"+strings.Repeat("a=1&", 7_000), signed(box, ""), 200, 422),
		"large link":            get(g.PayURL+"/r/"+strings.Repeat("A", 30_000), nil, 404),
		"many languages":        get(page, header{"Accept-Language": strings.Repeat("a-b-c_d;q=0.1,", 2_000)}, 200),
		"long language":         get(page, header{"Accept-Language": strings.Repeat("a-", 15_000)}, 200),
		"many cookies":          get(g.PortalURL+"/sign-in", header{"Cookie": strings.Repeat("session=x; ", 2_500)}, 200),
		"many ranges": get(g.PayURL+g.style(t, page), header{
			"Range": "bytes=" + many(4_000, func(i int) string { return fmt.Sprintf("%d-,", i) }),
		}, 200, 206, 416),
		"many encodings": get(page, header{"Accept-Encoding": strings.Repeat("gzip;q=0.1,", 2_500)}, 200),
		"many addresses": get(api, header{"X-Forwarded-For": strings.Repeat("1.1.1.1,", 3_500)}, 401),
		"long path":      get(g.BaseURL+"/"+strings.Repeat("a/", 15_000), nil, 404),
		"many dots":      get(g.BaseURL+"/api/v1/"+strings.Repeat("../", 9_000)+"etc/passwd", nil, 404),
		"a patient search": get(g.BaseURL+"/api/v1/payins?orderId="+url.QueryEscape(strings.Repeat("%_", 100)),
			signed(box, ""), 200, 422),
	}
}

// gzipped is a body of ten million equal bytes, packed into few.
func gzipped(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	testenv.Must(w.Write(bytes.Repeat([]byte(" "), 10<<20)))(t)
	noError(t, w.Close())
	return out.String()
}

// style is the path of a file of a page.
func (g *instance) style(t *testing.T, page string) string {
	t.Helper()
	got := fetched(t, http.MethodGet, page, "", nil)
	_, rest, found := strings.Cut(got.raw, `src="/`)
	testenv.Need(t, found, "no script on %s", got)
	path, _, _ := strings.Cut(rest, `"`)
	return "/" + path
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
	most := g.most(t, func() {
		for name, b := range g.bombs(t) {
			before := g.cpu(t)
			got, err := trySend(b.method, b.address, b.body, b.headers)
			testenv.Check(t, err == nil && slices.Contains(b.want, got.status),
				"%s: %d %.300s, %v; want %v", name, got.status, got.raw, err, b.want)
			took := g.cpu(t) - before
			testenv.Check(t, took <= soon, "%s took %.1f s", name, took)
			testenv.Check(t, len(got.raw) <= 64<<10, "%s is answered with %d bytes", name, len(got.raw))
		}
	})
	testenv.Check(t, most <= little, "the heap grew to %d MB", most)
	g.create(t, g.first(), nil)
}

// cpu is how many seconds of a processor the program has used.
func (g *instance) cpu(t *testing.T) float64 {
	t.Helper()
	seconds := testenv.Must(g.metric("process_cpu_seconds_total"))(t)
	return seconds
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
