package rate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// answer is what a feed says, and what becomes of it: the rate, or the error.
type answer struct {
	say     http.HandlerFunc
	pointer string
	want    string
	err     string
}

// check has a new feed say it, with no other rate about.
func (b *bundle) check(t *testing.T, a answer, result string) {
	t.Helper()
	must(b.Pool.Exec(context.Background(), "delete from rate"))(t)
	before := b.metric(t, result)
	f := feed(newSource(t, a.say).URL + "/path?key=hunter2")
	f.Pointer = a.pointer
	f = b.setFeed(t, f)
	b.poll(t)
	want := "no rate is known"
	if a.err == "" {
		want = fmt.Sprintf("feed:%d %s", f.ID, a.want)
	}
	b.wantRate(t, want)
	b.wantError(t, f.ID, a.err)
	testenv.Want(t, b.metric(t, result), before+1, "polls went as %s", result)
	if at := b.state(t, f.ID).PolledAt; at == nil || !at.Equal(after(0)) {
		t.Errorf("polled at %v", at)
	}
}

const million = 1 << 20

func TestAnswersTaken(t *testing.T) {
	b := setup(t)
	const p = "/rate"
	for name, a := range map[string]answer{
		"a number": {say: body(`{"rate":92.35}`), pointer: p, want: "92.35"},
		"a string": {say: body(` { "rate" : "92.350" } `), pointer: p, want: "92.35"},
		// RFC 6901: ~1 is a slash and ~0 a tilde, arrays count from 0.
		"nested":            {say: body(`{"data":{"a/b":[{"x":1},{"m~n":"92.35"}]}}`), pointer: "/data/a~1b/1/m~0n", want: "92.35"},
		"~01 is ~1":         {say: body(`{"~1":92.35,"/":1}`), pointer: "/~01", want: "92.35"},
		"the empty name":    {say: body(`{"":92.35}`), pointer: "/", want: "92.35"},
		"the whole":         {say: body(`92.35`), pointer: "", want: "92.35"},
		"the first element": {say: body(`["92.35"]`), pointer: "/0", want: "92.35"},
		// A name made of digits is a name all the same.
		"digits as a name": {say: body(`{"0":92.35}`), pointer: "/0", want: "92.35"},
		// Nineteen digits; a float64 would make it …123457.
		"more than a float holds": {say: body(`{"rate":12345678901.12345678}`), pointer: p, want: "12345678901.12345678"},
		"the nearest above":       {say: body(`{"rate":92.123456785}`), pointer: p, want: "92.12345679"},
		"the nearest below":       {say: body(`{"rate":"92.12345678499999999999999999999999"}`), pointer: p, want: "92.12345678"},
		"the least":               {say: body(`{"rate":0.00000001}`), pointer: p, want: "0.00000001"},
		"the most":                {say: body(`{"rate":999999999999}`), pointer: p, want: "999999999999"},
		"64 characters":           {say: body(`{"rate":1.` + strings.Repeat("0", 62) + `}`), pointer: p, want: "1"},
		"a MiB":                   {say: body(padded(million)), pointer: p, want: "92.35"},
		"a redirect of its own":   {say: redirect("/other"), pointer: p, want: "92.35"},
	} {
		t.Run(name, func(t *testing.T) { b.check(t, a, "good") })
	}
}

// padded is an answer of so many bytes.
func padded(size int) string {
	const document = `{"rate":92.35}`
	return document + strings.Repeat(" ", size-len(document))
}

// redirect sends everyone who asks elsewhere to the target.
func redirect(target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == target {
			body(`{"rate":92.35}`)(w, r)
			return
		}
		http.Redirect(w, r, target, http.StatusFound)
	}
}

func TestAnswersUnreachable(t *testing.T) {
	b := setup(t)
	other := httptest.NewServer(body(`{"rate":92.35}`))
	t.Cleanup(other.Close)
	for name, a := range map[string]answer{
		"500":                        {say: status(500), err: "answered with status 500"},
		"204":                        {say: status(204), err: "answered with status 204"},
		"201 with a rate":            {say: created, err: "answered with status 201"},
		"a redirect to another host": {say: redirect(other.URL + "/?key=hunter2"), err: "redirects too often, or to another host"},
		"a redirect to itself": {
			say: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
			err: "redirects too often, or to another host",
		},
		"broken off":   {say: brokenOff, err: "broke off in the middle of its answer"},
		"not HTTP":     {say: notHTTP, err: "gave no answer"},
		"hangs up":     {say: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, err: "gave no answer"},
		"huge headers": {say: hugeHeaders, err: "gave no answer"},
	} {
		a.pointer = "/rate"
		t.Run(name, func(t *testing.T) { b.check(t, a, "unreachable") })
	}
}

func created(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusCreated)
	body(`{"rate":92.35}`)(w, r)
}

func brokenOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"rate":92.35}`))
}

func notHTTP(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = conn.Write([]byte("hunter2\r\n\r\n"))
		_ = conn.Close()
	}
}

func hugeHeaders(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Huge", strings.Repeat("x", 64<<10))
	body(`{"rate":92.35}`)(w, r)
}

func TestAnswersInvalid(t *testing.T) {
	b := setup(t)
	const (
		nothing = "the answer has nothing at the pointer"
		kind    = "what is at the pointer is neither a number nor a string"
		plain   = "the value must be a plain decimal number, without sign or exponent"
		bounds  = "the value is not between 0.00000001 and 999999999999"
	)
	rated := func(value string) http.HandlerFunc { return body(`{"rate":` + value + `}`) }
	for name, a := range map[string]answer{
		"no JSON":          {say: body(`<html>hunter2</html>`), err: "the answer is not JSON: syntax error at byte 0"},
		"nothing at all":   {say: body(``), err: "the answer is not JSON: syntax error at byte 0"},
		"JSON and more":    {say: body(`{"rate":92.35}{}`), err: "the answer is not JSON: syntax error at byte 14"},
		"cut short":        {say: body(`{"rate":92.35`), err: "the answer is not JSON: syntax error at byte 13"},
		"too deep":         {say: body(strings.Repeat("[", 100_000)), err: "the answer is not JSON: nested too deep"},
		"a MiB and one":    {say: body(padded(million + 1)), err: "the answer is larger than 1048576 bytes"},
		"another name":     {say: body(`{"Rate":92.35}`), err: nothing},
		"the name twice":   {say: body(`{"rate":92.35,"rate":1}`), err: nothing},
		"an array":         {say: body(`[92.35]`), err: nothing},
		"inside a number":  {say: rated(`92.35`), pointer: "/rate/0", err: nothing},
		"past the end":     {say: body(`[92.35]`), pointer: "/1", err: nothing},
		"a leading zero":   {say: body(`[1,92.35]`), pointer: "/01", err: nothing},
		"RFC 6901's -":     {say: body(`[92.35]`), pointer: "/-", err: nothing},
		"a negative one":   {say: body(`[92.35]`), pointer: "/-1", err: nothing},
		"an index too far": {say: body(`[92.35]`), pointer: "/18446744073709551616", err: nothing},
		"null":             {say: rated(`null`), err: kind},
		"a boolean":        {say: rated(`true`), err: kind},
		"an object":        {say: rated(`{}`), err: kind},
		"a list":           {say: rated(`[92.35]`), err: kind},
		"a broken string":  {say: rated(`"\ud800"`), err: kind},
		"negative":         {say: rated(`-92.35`), err: plain},
		"negative string":  {say: rated(`"-92.35"`), err: plain},
		"an exponent":      {say: rated(`9.235e1`), err: plain},
		"a huge exponent":  {say: rated(`1e999999999`), err: plain},
		"an empty string":  {say: rated(`""`), err: plain},
		"words":            {say: rated(`"hunter2"`), err: plain},
		"NaN":              {say: rated(`"NaN"`), err: plain},
		"thousands":        {say: rated(`"1,092.35"`), err: plain},
		"a space":          {say: rated(`" 92.35"`), err: plain},
		"no integer":       {say: rated(`".5"`), err: plain},
		"zero":             {say: rated(`0`), err: bounds},
		"minus zero":       {say: rated(`-0`), err: plain},
		"nearest to zero":  {say: rated(`0.000000004`), err: bounds},
		"13 digits":        {say: rated(`1000000000000`), err: "the value must have at most 12 integer digits"},
		"above the most":   {say: rated(`999999999999.5`), err: bounds},
		"65 characters":    {say: rated(`1.` + strings.Repeat("0", 63)), err: "the value is longer than 64 characters"},
		"a million digits": {say: rated(strings.Repeat("9", 1_000_000)), err: "the value is longer than 64 characters"},
	} {
		if a.pointer == "" {
			a.pointer = "/rate"
		}
		t.Run(name, func(t *testing.T) { b.check(t, a, "invalid") })
	}
}
