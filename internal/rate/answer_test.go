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

// checkAll has a new feed for each row of testdata.
func (b *bundle) checkAll(t *testing.T, result string) {
	t.Helper()
	for _, row := range testenv.Rows(t, result+".txt") {
		a := answer{say: body(row[2]), pointer: row[1], want: row[3]}
		if result == "invalid" {
			a.want, a.err = "", row[3]
		}
		t.Run(row[0], func(t *testing.T) { b.check(t, a, result) })
	}
}

func TestAnswersTaken(t *testing.T) {
	b := setup(t)
	b.checkAll(t, "good")
	b.check(t, answer{say: redirect("/other"), pointer: "/rate", want: "92.35"}, "good") // a redirect of its own
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
	b.checkAll(t, "invalid")
}
