package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// check proves one statement.
type check struct {
	run func(t *testing.T, w *instance)
	// late is for those that move the clock.
	late bool
}

// do is a check that no word below says.
func do(run func(t *testing.T, w *instance)) check { return check{run: run} }

// once is a check that takes long: where several statements want it, the first runs it, and the
// others go by how that went.
func once(name string, run func(t *testing.T, w *instance)) check {
	return do(func(t *testing.T, w *instance) {
		failed, ran := w.ran[name]
		if !ran {
			w.ran[name] = true // as long as it has not come to its end
			run(t, w)
			w.ran[name] = t.Failed()
			return
		}
		if failed {
			t.Errorf("%s: failed before", name)
		}
	})
}

// late puts a check off to the end.
func late(c check) check { return check{run: c.run, late: true} }

// all is several checks of one statement, late if one of them is.
func all(checks ...check) check {
	return check{
		late: slices.ContainsFunc(checks, func(c check) bool { return c.late }),
		run: func(t *testing.T, w *instance) {
			for _, c := range checks {
				c.run(t, w)
			}
		},
	}
}

// kind is what a value must be.
type kind func(value any) bool

func literal(value any) string {
	n, _ := value.(json.Number)
	return n.String()
}

func matching(pattern string) kind {
	compiled := regexp.MustCompile(pattern)
	return func(value any) bool {
		s, ok := value.(string)
		return ok && compiled.MatchString(s)
	}
}

func integer(value any) bool  { _, err := strconv.ParseInt(literal(value), 10, 64); return err == nil }
func aNumber(value any) bool  { return literal(value) != "" }
func aText(value any) bool    { _, ok := value.(string); return ok }
func boolean(value any) bool  { _, ok := value.(bool); return ok }
func null(value any) bool     { return value == nil }
func anObject(value any) bool { _, ok := value.(object); return ok }
func aList(value any) bool    { _, ok := value.([]any); return ok }

var (
	uuidText = matching(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	dateTime = matching(timeFormat.String())
	decimal2 = matching(`^\d+\.\d{2}$`)
	decimal8 = matching(`^\d+\.\d{8}$`)
)

// equal is a JSON string of this text; numbers and booleans are told by exactly.
func equal(want string) kind { return func(value any) bool { return value == any(want) } }

// exactly is a value that JSON writes so.
func exactly(want string) kind {
	return func(value any) bool {
		have, err := json.Marshal(value)
		return err == nil && string(have) == want
	}
}

func either(kinds ...kind) kind {
	return func(value any) bool { return slices.ContainsFunc(kinds, func(k kind) bool { return k(value) }) }
}

// find walks a body by names and, in lists, places: "data.0.id".
func find(body any, path string) (value any, there bool) {
	value = body
	for name := range strings.SplitSeq(path, ".") {
		switch inside := value.(type) {
		case object:
			if value, there = inside[name]; !there {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inside) {
				return nil, false
			}
			value = inside[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// expectation is what an answer must show.
type expectation func(t *testing.T, got answer)

// has wants a field to be there, and to be of the kind.
func has(path string, k kind) expectation {
	return func(t *testing.T, got answer) {
		t.Helper()
		if value, there := find(got.body, path); !there || !k(value) {
			t.Errorf("%s is %v (there: %t) in %s", path, value, there, got)
		}
	}
}

func is(path, want string) expectation { return has(path, equal(want)) }

// lacks wants fields not to be there at all.
func lacks(paths ...string) expectation {
	return func(t *testing.T, got answer) {
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
	return func(t *testing.T, got answer) {
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
	return func(t *testing.T, got answer) {
		t.Helper()
		if have := got.header.Get(name); have != want {
			t.Errorf("%s is %q; want %q", name, have, want)
		}
	}
}

// field checks a field of one of the answers that were kept.
func field(fixture, path string, k kind) check {
	return do(func(t *testing.T, w *instance) { has(path, k)(t, w.fixture(t, fixture)) })
}

// shows checks what one of the answers that were kept shows.
func shows(fixture string, expectations ...expectation) check {
	return do(func(t *testing.T, w *instance) {
		for _, e := range expectations {
			e(t, w.fixture(t, fixture))
		}
	})
}

// call is a request and its answer.
type call func(t *testing.T, w *instance) answer

// gives makes a call and wants its status and what it shows.
func gives(c call, status int, expectations ...expectation) check {
	return do(func(t *testing.T, w *instance) {
		got := c(t, w)
		if got.status != status {
			t.Errorf("%s; want %d", got, status)
			return
		}
		for _, e := range expectations {
			e(t, got)
		}
	})
}

// refused wants a call to fail by status and code, naming the fields, and to change nothing.
func refused(c call, status int, code string, fields ...string) check {
	return unchanging(refusal(c, status, code, fields...))
}

// refusal wants a call to fail by status and code, naming the fields.
func refusal(c call, status int, code string, fields ...string) check {
	return do(func(t *testing.T, w *instance) {
		got := c(t, w)
		if got.status != status || got.text("code") != code ||
			!slices.Equal(got.fields(), slices.Sorted(slices.Values(fields))) {
			t.Errorf("%.600s; want %d %s %v", got, status, code, fields)
		}
	})
}

// unchanging wants checks to change nothing.
func unchanging(checks ...check) check {
	return do(func(t *testing.T, w *instance) {
		before := w.rows(t)
		all(checks...).run(t, w)
		if after := w.rows(t); after != before {
			t.Errorf("refused calls changed %s to %s", before, after)
		}
	})
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

// endpoint is a call with a JSON body: a valid body, the field that must be new in each, and how it
// is sent.
type endpoint struct {
	good   func() map[string]raw
	fresh  string
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
	newPayment = endpoint{good, "orderId", signedPost(payments), firstKey, http.StatusOK}
	newPayin   = endpoint{goodPayin, "orderId", signedPost(payins), firstKey, http.StatusOK}
	newDeposit = endpoint{goodDeposit, "idempotencyKey", signedPost(deposits), firstKey, http.StatusCreated}
	newStatus  = endpoint{goodStatus, "", postStatus, "", http.StatusOK}
	newCancel  = endpoint{nothingGood, "", postCancel, "", http.StatusOK}
	newKey     = endpoint{goodKey, "", postKey, "", http.StatusCreated}
)

func goodStatus() map[string]raw { return map[string]raw{"status": raw(`"failed"`)} }
func goodKey() map[string]raw    { return map[string]raw{"name": raw(`"key"`)} }

func nothingGood() map[string]raw { return map[string]raw{} }

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
	fields := e.good()
	if _, calls := fields["callbackUri"]; calls {
		fields["callbackUri"] = raw(`"http://127.0.0.1:1/hook"`) // where nobody listens, which is known at once
	}
	switch e.fresh {
	case "orderId":
		fields[e.fresh] = raw(strconv.Quote(newOrder()))
	case "idempotencyKey":
		fields[e.fresh] = raw(strconv.Quote(uuid.NewString()))
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

// rejects wants each value of a field refused by the field's name.
func (e endpoint) rejects(name string, values ...string) check {
	return e.rejectsAs(name, name, values...)
}

// rejectsAs is rejects for a value that is named otherwise, as what is inside of it.
func (e endpoint) rejectsAs(name, wrong string, values ...string) check {
	var checks []check
	for _, value := range values {
		checks = append(checks,
			refusal(e.with(name, value), http.StatusUnprocessableEntity, "validation_failed", wrong))
	}
	return unchanging(checks...)
}

// takes wants each value of a field to be let through.
func (e endpoint) takes(name string, values ...string) check {
	var checks []check
	for _, value := range values {
		checks = append(checks, gives(e.with(name, value), e.status))
	}
	return all(checks...)
}

// isText refuses what is no text, and text that nobody could mean.
func (e endpoint) isText(name string) check {
	return e.rejects(name, slices.Concat(noTexts, flawed)...)
}

// needs is isText of a field that must be given.
func (e endpoint) needs(name string) check {
	return all(e.isText(name), e.rejects(name, "", "null", `""`))
}

// atMost takes so many characters, of any length in bytes, and not one more.
func (e endpoint) atMost(name string, count int) check {
	return all(e.takes(name, quoted("x", count), quoted("ж", count)),
		e.rejects(name, quoted("x", count+1), quoted("ж", count+1)))
}

func quoted(letter string, count int) string { return strconv.Quote(strings.Repeat(letter, count)) }

// request is a call with no body, or one that is no JSON object of an endpoint.
func request(method, path, body string, headers func(t *testing.T, w *instance) header) call {
	return func(t *testing.T, w *instance) answer {
		t.Helper()
		return send(t, method, w.BaseURL+w.path(t, path), body, headers(t, w))
	}
}

// signedGet reads with a key.
func signedGet(path, keyID string) call {
	return request(
		http.MethodGet,
		path,
		"",
		func(t *testing.T, w *instance) header { return signed(w.box(t, keyID), "") },
	)
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
