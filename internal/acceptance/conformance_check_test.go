package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// prove does what a line of interface.txt or steps.txt says.
func (w *instance) prove(t *testing.T, line string, done *proven) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	name, call, keeps := strings.Cut(line, " = ")
	fixtures, shown, _ := strings.Cut(line, ": ")
	switch {
	case word == "do", word == "late":
		done.once(t, w, rest)
	case word == "bodies":
		wantBodies(t, rest)
	case stepWords[word] != nil:
		stepWords[word](t, w, strings.Fields(rest))
	case word == "told":
		w.toldOf(t, rest)
	case keeps && !strings.Contains(name, " "):
		w.keep(name, w.proveCall(t, cellsOf(call)))
	case len(cellsOf(line)) == 4:
		w.proveCall(t, cellsOf(line))
	default:
		for fixture := range strings.SplitSeq(fixtures, ", ") {
			w.fixture(t, fixture).shows(t, w.path(t, shown))
		}
	}
}

// proveCall makes a call, and wants it to change nothing where it is refused.
func (w *instance) proveCall(t *testing.T, cells []string) answer {
	t.Helper()
	answered, shown, _ := strings.Cut(cells[3], "; ")
	refused, before := answered >= "400", ""
	if refused {
		before = w.rows(t)
	}
	got, wrong := w.tried(t, []string{cells[0], cells[1], w.validBody(t, cells[1], w.path(t, cells[2])), answered})
	if wrong != "" {
		t.Errorf("%.200q: %s", cells, wrong)
		return got
	}
	got.shows(t, w.path(t, shown))
	if refused && before != w.rows(t) {
		t.Errorf("%q changed %s to %s", cells, before, w.rows(t))
	}
	return got
}

// validBody writes out a body that is a valid one of its call, with other values or without a field.
func (w *instance) validBody(t *testing.T, call, short string) string {
	t.Helper()
	var pairs []string
	if field, ok := strings.CutPrefix(short, "- "); ok {
		field, short, _ = strings.Cut(field, " ")
		pairs = append(pairs, field, "")
	}
	if !strings.HasPrefix(short, "+") && pairs == nil {
		return short
	}
	if values := strings.TrimPrefix(strings.TrimPrefix(short, "+"), " "); values != "" {
		var more map[string]raw
		noError(t, json.Unmarshal([]byte(values), &more))
		for name, value := range more {
			pairs = append(pairs, name, string(value))
		}
	}
	for path, e := range map[string]endpoint{payments: newPayment, payins: newPayin, deposits: newDeposit, checkouts: newCard} {
		if strings.HasPrefix(call, "POST "+path) {
			return e.body(pairs...)
		}
	}
	t.Fatalf("no body is a valid one of %s", call)
	return ""
}

// wantBodies wants wrong.txt to have bodies that are wrong in these fields, which TestTables sends.
func wantBodies(t *testing.T, cell string) {
	t.Helper()
	title, fields, _ := strings.Cut(cell, ":")
	rows := tables(t, "wrong.txt")[title]
	if len(rows) == 0 {
		t.Errorf("no body of %s is wrong", title)
	}
	for field := range strings.FieldsSeq(fields) {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == field }) {
			t.Errorf("no body of %s is wrong in %s", title, field)
		}
	}
}

// proven are the functions that have run: the first statement that wants one runs it, and others go by how that went.
type proven struct {
	mu  sync.Mutex
	ran map[string]func() (failed bool)
}

func (p *proven) once(t *testing.T, w *instance, name string) {
	t.Helper()
	run, ok := proofs[name]
	if !ok {
		run = steps(t, name, p)
	}
	p.mu.Lock()
	if p.ran == nil {
		p.ran = map[string]func() bool{}
	}
	first := p.ran[name] == nil
	if first {
		p.ran[name] = sync.OnceValue(func() bool {
			failed := true // as long as it has not come to its end
			func() { run(t, w); failed = t.Failed() }()
			return failed
		})
	}
	ran := p.ran[name]
	p.mu.Unlock()
	if ran() && !first {
		t.Errorf("%s: failed before", name)
	}
}

// kind is what a value must be.
type kind func(value any) bool

func matching(pattern string) kind {
	compiled := regexp.MustCompile(pattern)
	return func(value any) bool {
		text, isText := value.(string)
		return isText && compiled.MatchString(text)
	}
}

// kindOfJSON is a value of a type.
func kindOfJSON[T any](value any) bool { _, ok := value.(T); return ok }

// timeFormat is ISO 8601, UTC, milliseconds.
var timeFormat = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// kinds are the values that tables and golden files name.
var kinds = map[string]kind{
	"text": kindOfJSON[string], "boolean": kindOfJSON[bool], "object": kindOfJSON[object], "list": kindOfJSON[[]any],
	"number": kindOfJSON[json.Number],
	"integer": func(value any) bool {
		n, ok := value.(json.Number)
		return ok && !strings.ContainsAny(n.String(), ".eE")
	},
	"id":      func(value any) bool { n, _ := value.(json.Number); return matching(`^[1-9][0-9]*$`)(n.String()) },
	"id text": matching(`^[1-9][0-9]*$`), "order": kindOfJSON[string],
	// A UUIDv7, and a UUID of any kind, as the caller named it.
	"uuid":       matching(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"key":        matching(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
	"time":       matching(timeFormat.String()),
	"2 decimals": matching(`^\d+\.\d{2}$`), "8 decimals": matching(`^\d+\.\d{8}$`),
	"phone": matching(`^\+79\d{9}$`), "card": matching(`^\d{16}$`), "iban": matching(`^MN\d{18}$`),
	"masked": matching(`^•••• \d{4}$`), "holder": matching(`^[A-Z][A-Za-z-]+ [A-Z]\.$`),
	// 96 and 256 bits.
	"key id": matching(`^mk_[0-9a-f]{24}$`), "secret": matching(`^sk_[A-Za-z0-9_-]{43}$`),
	"page":          matching(`^http://[^/]+/r/[A-Za-z0-9_-]{43}$`),
	"checkout":      matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}$`),
	"checkout code": matching(`^http://[^/]+/pay/[A-Za-z0-9_-]{43}/code$`),
}

// kindNamed is one of these, one of two, or a value that JSON writes so.
func kindNamed(name string) kind {
	if k, ok := kinds[name]; ok {
		return k
	}
	if first, second, either := strings.Cut(name, " or "); either && name[0] != '"' {
		return func(value any) bool { return kindNamed(first)(value) || kindNamed(second)(value) }
	}
	return exactly(name)
}

// exactly is a value that JSON writes so.
func exactly(want string) kind {
	return func(value any) bool {
		have, err := json.Marshal(value)
		return err == nil && string(have) == want
	}
}

// shows wants an answer to show all of this, as interface.txt has it.
func (a answer) shows(t testing.TB, all string) {
	t.Helper()
	for one := range strings.SplitSeq(all, "; ") {
		path, rest, _ := strings.Cut(one, " ")
		switch path {
		case "":
		case "lacks":
			lacks(strings.Fields(rest)...)(t, a)
		case "header":
			name, want, _ := strings.Cut(rest, ":")
			says(name, strings.TrimSpace(want))(t, a)
		case "whole":
			a.golden(t, rest)
		default:
			if names, isOnly := strings.CutPrefix(rest, "only "); isOnly {
				only(strings.TrimPrefix(path, "."), strings.Fields(names)...)(t, a)
			} else {
				has(path, rest)(t, a)
			}
		}
	}
}

// expectation is what an answer must show.
type expectation func(t testing.TB, got answer)

// has wants a field to be there, and to be what kindNamed names.
func has(path, kind string) expectation {
	return func(t testing.TB, got answer) {
		t.Helper()
		value, there := find(got.body, path)
		if later := strings.HasPrefix(kind, "<time +"); !there || later && !got.matcher(t, kind).text(kind, value) ||
			!later && !kindNamed(kind)(value) {
			t.Errorf("%s is %v (there: %t) in %s", path, value, there, got)
		}
	}
}

// is wants a field to be a text.
func is(path, want string) expectation {
	return func(t testing.TB, got answer) {
		t.Helper()
		if value, _ := find(got.body, path); value != any(want) {
			t.Errorf("%s is %v; want %q in %s", path, value, want, got)
		}
	}
}

// lacks wants fields not to be there at all.
func lacks(paths ...string) expectation {
	return func(t testing.TB, got answer) {
		t.Helper()
		for _, path := range paths {
			if value, there := find(got.body, path); there {
				t.Errorf("%s must not be there, and is %v in %s", path, value, got)
			}
		}
	}
}

// only wants an object to have these fields and no other.
func only(path string, names ...string) expectation {
	return func(t testing.TB, got answer) {
		t.Helper()
		inside := any(got.body)
		if path != "" {
			inside, _ = find(got.body, path)
		}
		fields, _ := inside.(object)
		if have := slices.Sorted(maps.Keys(fields)); !slices.Equal(have, slices.Sorted(slices.Values(names))) {
			t.Errorf("%s has %v; want %v", path, have, names)
		}
	}
}

// says wants a header.
func says(name, want string) expectation {
	return func(t testing.TB, got answer) {
		t.Helper()
		if have := got.header.Get(name); have != want {
			t.Errorf("%s is %q; want %q", name, have, want)
		}
	}
}

// check proves something.
type check struct {
	run func(t *testing.T, w *instance)
}

// call is a request and its answer.
type call func(t *testing.T, w *instance) answer

// gives makes a call and wants its status and what it shows.
func gives(c call, status int, expectations ...expectation) check {
	return check{func(t *testing.T, w *instance) {
		t.Helper()
		got := c(t, w)
		if got.status != status {
			t.Errorf("%s; want %d", got, status)
			return
		}
		for _, e := range expectations {
			e(t, got)
		}
	}}
}

// refused wants a call to fail by status and code, naming the fields, and to change nothing.
func refused(c call, status int, code string, fields ...string) check {
	return check{func(t *testing.T, w *instance) {
		t.Helper()
		before := w.rows(t)
		got := c(t, w)
		if got.status != status || got.text("code") != code || !slices.Equal(got.fields(), fields) {
			t.Errorf("%.600s; want %d %s %v", got, status, code, fields)
		}
		if after := w.rows(t); after != before {
			t.Errorf("a refused call changed %s to %s", before, after)
		}
	}}
}

// rows counts what calls may make.
func (w *instance) rows(t *testing.T) string {
	t.Helper()
	return w.texts(t, `select concat_ws(' ', (select count(*) from payment), (select count(*) from payment_key),
		(select count(*) from payment_history), (select count(*) from payment_card),
		(select count(*) from payin), (select count(*) from payin_key), (select count(*) from payin_history),
		(select count(*) from deposit), (select count(*) from deposit_history),
		(select count(*) from appeal), (select count(*) from appeal_chunk), (select count(*) from transfer),
		(select count(*) from card_attempt), (select coalesce(sum(resends), 0) from checkout),
		(select md5(string_agg(status || coalesce(provider_payment_id, ''), ',' order by id)) from payment),
		(select md5(string_agg(status, ',' order by id)) from payin),
		(select md5(string_agg(key_id || coalesce(revoked_at::text, ''), ',' order by id)) from api_key))`)[0]
}

// endpoint is a call with a JSON body: a valid body, and how it is sent.
type endpoint struct {
	good   func(more object) string
	send   func(t *testing.T, w *instance, keyID, body string) answer
	keyID  string
	status int
}

func signedPost(path string) func(*testing.T, *instance, string, string) answer {
	return func(t *testing.T, w *instance, keyID, body string) answer {
		t.Helper()
		return send(t, http.MethodPost, w.BaseURL+path, body, signed(w.box(t, keyID), body))
	}
}

const firstKey = "sandbox-rub"

var (
	newPayment = endpoint{order, signedPost(payments), firstKey, http.StatusOK}
	newPayin   = endpoint{payinOrder, signedPost(payins), firstKey, http.StatusOK}
	newDeposit = endpoint{depositOrder, signedPost(deposits), firstKey, http.StatusCreated}
	newStatus  = endpoint{fixed(`{"status":"failed"}`), postStatus, "", http.StatusOK}
	newCancel  = endpoint{fixed("{}"), postCancel, "", http.StatusOK}
	newKey     = endpoint{fixed(`{"name":"key"}`), postKey, "", http.StatusCreated}
)

// fixed is a body that is the same each time.
func fixed(body string) func(object) string { return func(object) string { return body } }

// postCancel cancels the payout that was made for it alone.
func postCancel(t *testing.T, w *instance, _, body string) answer {
	t.Helper()
	return signedPost(payins+"/"+w.ids["payin"]+"/cancel")(t, w, firstKey, body)
}

// postStatus sends the status of a payment made for it alone.
func postStatus(t *testing.T, w *instance, _, body string) answer {
	t.Helper()
	return w.callback(t, w.ids["spare"], body)
}

func postKey(t *testing.T, w *instance, _, body string) answer {
	t.Helper()
	got := send(t, http.MethodPost, w.credentials(w.first().MerchantCashboxID), body,
		bearer(w.user(t, "merchant").Token))
	keepSecret(got.text("secret"))
	return got
}

// by is the endpoint called with another key.
func (e endpoint) by(keyID string) endpoint {
	e.keyID = keyID
	return e
}

// body is a valid one with other values, pairs of a name and a JSON text; an empty text leaves the
// field out.
func (e endpoint) body(pairs ...string) string {
	var fields map[string]raw
	if err := json.Unmarshal([]byte(e.good(nil)), &fields); err != nil {
		panic(err)
	}
	if _, calls := fields["callbackUri"]; calls {
		fields["callbackUri"] = raw(`"http://127.0.0.1:1/hook"`) // where nobody listens, which is known at once
	}
	for i := 0; i < len(pairs); i += 2 {
		if fields[pairs[i]] = raw(pairs[i+1]); pairs[i+1] == "" {
			delete(fields, pairs[i])
		}
	}
	return put(fields)
}

// with is a call with other values in its body.
func (e endpoint) with(pairs ...string) call {
	return func(t *testing.T, w *instance) answer { return e.send(t, w, e.keyID, e.body(pairs...)) }
}

// request is a call with no body, or one that is no JSON object of an endpoint.
func request(method, path, body string, headers func(t *testing.T, w *instance) header) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return send(t, method, w.BaseURL+w.path(t, path), body, headers(t, w))
	}
}

// signedGet reads with a key.
func signedGet(path, keyID string) call {
	return request(http.MethodGet, path, "",
		func(t *testing.T, w *instance) header { return signed(w.box(t, keyID), "") })
}

// tokenGet reads with a user's token.
func tokenGet(path, login string) call {
	return request(http.MethodGet, path, "",
		func(t *testing.T, w *instance) header { return bearer(w.user(t, login).Token) })
}

// nobodyGets reads with nothing.
func nobodyGets(path string) call {
	return request(http.MethodGet, path, "", func(*testing.T, *instance) header { return nil })
}

// path fills in the ids of what was made: "{payment}".
func (w *instance) path(t *testing.T, pattern string) string {
	t.Helper()
	return regexp.MustCompile(`\{\w+\}`).ReplaceAllStringFunc(pattern, func(name string) string {
		id, ok := w.ids[strings.Trim(name, "{}")]
		if !ok {
			t.Fatal("no id of ", name)
		}
		return fmt.Sprint(id)
	})
}
