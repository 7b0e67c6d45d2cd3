package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

// stepWords are what a line of steps.txt begins with that is no call. What they
// return is wrong, as of all lines.
var stepWords = map[string]func(t *testing.T, w *instance, rest string) string{
	"new": func(_ *testing.T, w *instance, rest string) string {
		for name := range strings.FieldsSeq(rest) {
			w.ids[name] = newOrder()
		}
		return ""
	},
	"entered": func(t *testing.T, w *instance, rest string) string {
		name, pan, _ := strings.Cut(rest, " ")
		created, _ := w.entered(t, pan, object{"callbackUri": w.inbox.URL})
		w.keep(name, created)
		return ""
	},
	"letter": func(t *testing.T, w *instance, rest string) string {
		words := strings.SplitN(rest, " ", 3)
		n := int(number(words[1]))
		w.answers[words[2]] = w.inbox.letters(t, w.ids[words[0]+"_order"], n)[n-1].answer
		return ""
	},
	"moved": func(t *testing.T, w *instance, rest string) string {
		name, status, _ := strings.Cut(rest, " ")
		w.keep(name, w.create(t, w.first(), object{"callbackUri": w.inbox.URL}))
		return w.callback(t, w.ids[name], `{"status":"`+status+`"}`).wrong(200, nil)
	},
	"await": func(t *testing.T, w *instance, rest string) string {
		words := strings.Fields(rest)
		w.awaitCheckout(t, w.ids[words[0]+"_token"], words[1], words[2])
		return ""
	},
	"payer": func(t *testing.T, w *instance, login string) string {
		token, id := w.newPayer(t, login)
		w.Users = append(w.Users, sandbox.User{Kind: "cabinet", Login: login, Token: token})
		w.ids[login] = fmt.Sprint(id)
		return ""
	},
	"named": func(_ *testing.T, w *instance, rest string) string {
		login, token, _ := strings.Cut(rest, " ")
		w.Users = append([]sandbox.User{{Login: login, Token: token}}, w.Users...)
		return ""
	},
	"keyed": func(_ *testing.T, w *instance, rest string) string {
		id, secret, _ := strings.Cut(rest, " ")
		w.Cashboxes = append(w.Cashboxes, sandbox.Cashbox{KeyID: id, Secret: secret})
		return ""
	},
	"code": func(t *testing.T, w *instance, rest string) string {
		name, secret, _ := strings.Cut(rest, " ")
		keepSecret(secret)
		w.ids[name] = testenv.Must(totp.GenerateCode(secret, time.Now()))(t)
		return ""
	},
	"holder": func(t *testing.T, w *instance, rest string) string {
		name, holder, _ := strings.Cut(rest, " ")
		v := testenv.Must(vault.New(testenv.Must(sandbox.LoadKey(w.dir))(t).Bytes("vault")))(t)
		id := number(w.ids[name])
		place := vault.Place{Table: "payment_card", Column: "holder", Row: id}
		w.exec(t, "update payment_card set holder = $2 where payment_id = $1", id, v.Seal([]byte(unfolded(holder)), place))
		return ""
	},
	"logged": func(t *testing.T, w *instance, rest string) string { w.stderr.await(t, rest); return "" },
	"refuse": func(_ *testing.T, w *instance, rest string) string {
		w.inbox.mu.Lock()
		defer w.inbox.mu.Unlock()
		w.inbox.statuses = append(w.inbox.statuses, int(number(rest)))
		return ""
	},
	"let": func(_ *testing.T, w *instance, rest string) string {
		name, value, _ := strings.Cut(rest, " ")
		w.ids[name] = value
		return ""
	},
	"types": func(t *testing.T, w *instance, rest string) string { return w.types(t, rest) },
	"pass": func(t *testing.T, w *instance, rest string) string {
		by := testenv.Must(time.ParseDuration(rest))(t)
		w.pass(t, by)
		return ""
	},
	"sql":     func(t *testing.T, w *instance, rest string) string { w.exec(t, rest); return "" },
	"settled": func(t *testing.T, w *instance, _ string) string { w.awaitSettings(t); return "" },
	"found": func(t *testing.T, w *instance, rest string) string {
		name, query, _ := strings.Cut(rest, " ")
		w.ids[name] = w.value(t, query)
		return ""
	},
	"query": func(t *testing.T, w *instance, rest string) string {
		at := strings.LastIndex(rest, ": ")
		if got := w.value(t, rest[:at]); got != rest[at+2:] {
			return "it is " + got
		}
		return ""
	},
	"told":   func(t *testing.T, w *instance, rest string) string { return w.toldOf(t, rest) },
	"bodies": func(t *testing.T, _ *instance, rest string) string { return lackingBodies(t, rest) },
}

// value is what a query gives, its rows as one text.
func (w *instance) value(t *testing.T, query string) string {
	t.Helper()
	return w.texts(t, "select coalesce(string_agg(v::text, ', '), '') from ("+query+") as q (v)")[0]
}

// prove does what a line of interface.txt or steps.txt says.
func (w *instance) prove(t *testing.T, line string, done *proven) {
	t.Helper()
	if word, rest, _ := strings.Cut(line, " "); word == "do" || word == "late" {
		done.once(t, w, rest)
	} else {
		w.does(t, line)
	}
}

// does does what a line says that is no "do".
func (w *instance) does(t *testing.T, line string) {
	t.Helper()
	testenv.Want(t, w.try(t, line), "", "%.300s", line)
}

// try does what a line says, and returns what is wrong.
func (w *instance) try(t *testing.T, line string) string {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	name, call, keeps := strings.Cut(line, " = ")
	fixtures, shown, _ := strings.Cut(line, ": ")
	switch {
	case word == "until":
		noError(t, testenv.Eventually(func() error {
			if wrong := w.try(t, rest); wrong != "" {
				return errors.New(wrong)
			}
			return nil
		}))
		return ""
	case stepWords[word] != nil:
		return stepWords[word](t, w, w.path(t, rest))
	case keeps && !strings.ContainsAny(name, "|:"):
		return w.called(t, name, cellsOf(call))
	case len(cellsOf(line)) == 4:
		return w.called(t, "", cellsOf(line))
	}
	for fixture := range strings.SplitSeq(fixtures, ", ") {
		kept, ok := w.answers[fixture]
		testenv.Need(t, ok, "no answer is kept as %q", fixture)
		if wrong := w.shows(t, kept, shown); wrong != "" {
			return fixture + ": " + wrong
		}
	}
	return ""
}

// called makes a call, and wants it to change nothing where it is refused. Its
// answer is kept by a name, if it is given one.
func (w *instance) called(t *testing.T, name string, cells []string) string {
	t.Helper()
	answered, shown, _ := strings.Cut(cells[3], "; ")
	refused, before := answered >= "400" && answered < "600", ""
	if refused && !w.busy {
		before = w.rows(t)
	}
	row := []string{cells[0], cells[1], w.validBody(t, cells[1], w.path(t, cells[2])), answered}
	got, wrong := w.tried(t, row)
	if wrong != "" {
		return wrong
	}
	if name != "" {
		w.keep(name, got)
	}
	if before != "" && before != w.rows(t) {
		return "it changed " + before + " to " + w.rows(t)
	}
	return w.shows(t, got, shown)
}

// shows is what an answer does not show. It keeps fields by the names that they
// are given: "data.token as token".
func (w *instance) shows(t *testing.T, got answer, shown string) string {
	t.Helper()
	for one := range strings.SplitSeq(shown, "; ") {
		one = w.path(t, one)
		if wrong := got.lacks(one); wrong != "" {
			return wrong
		}
		if path, name, named := strings.Cut(one, " as "); named && !strings.Contains(name, " ") {
			part, _ := got.part(path)
			w.ids[name] = fmt.Sprint(part)
		}
	}
	return ""
}

// validBody writes out a body that is a valid one of its call, with other
// values or without a field.
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

// lackingBodies wants bodies that are wrong in these fields, of wrong.txt or of
// every text, which TestTables sends.
func lackingBodies(t *testing.T, cell string) string {
	title, fields, _ := strings.Cut(cell, ":")
	rows, _ := describedTexts(title)
	rows = append(rows, tables(t, "wrong.txt")[title]...)
	if len(rows) == 0 {
		return "no body is wrong"
	}
	for field := range strings.FieldsSeq(fields) {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == field }) {
			return "no body is wrong in " + field
		}
	}
	return ""
}

// toldOf wants a webhook about what is kept to show something: "a 1:
// data.status ...". They are counted by their sequence: two that are sent at
// once may come in either order.
func (w *instance) toldOf(t *testing.T, line string) string {
	t.Helper()
	which, shown, _ := strings.Cut(line, ": ")
	name, count, _ := strings.Cut(which, " ")
	letters := w.inbox.letters(t, w.ids[name+"_order"], int(number(count)))
	at := slices.IndexFunc(letters, func(l letter) bool { return l.text("meta.sequence") == count })
	return w.shows(t, letters[max(at, 0)].answer, shown)
}

// keep keeps an answer, and what later calls name of it.
func (w *instance) keep(name string, got answer) {
	w.answers[name] = got
	w.ids[name], w.ids[name+"_uuid"] = got.text("data.id"), got.text("data.uuid")
	for short, field := range map[string]string{
		"order": "orderId", "created": "createdAt", "expires": "expiresAt", "value": "requisite.value",
		"holder": "requisite.holder",
	} {
		w.ids[name+"_"+short] = got.text("data." + field)
	}
	for _, link := range []string{"data.checkoutUrl", "data.paymentPageUrl"} {
		if address, ok := got.at(link).(string); ok {
			w.ids[name+"_token"] = path.Base(address)
		}
	}
	whole, _ := json.Marshal(got.at("data"))
	w.ids[name+"_data"] = string(whole)
}

// proven are the proofs that have run, by name: the first statement that wants
// one runs it, and others go by how that went.
type proven struct{ sync.Map }

func (p *proven) once(t *testing.T, w *instance, name string) {
	t.Helper()
	ran, known := p.LoadOrStore(name, sync.OnceValue(func() (failed bool) {
		p.run(t, w, name)
		return t.Failed()
	}))
	testenv.Check(t, !ran.(func() bool)() || !known, "%s: failed before", name)
}

// run is a function of the proofs, or the calls of a section of steps.txt.
func (p *proven) run(t *testing.T, w *instance, name string) {
	t.Helper()
	if proof := proofs[name]; proof != nil {
		proof(t, w)
		return
	}
	for _, line := range linesIn(t, steps, name) {
		w.prove(t, line, p)
	}
}

// runs does what sections of a file say that need no proof.
func (w *instance) runs(t *testing.T, file string, names ...string) {
	t.Helper()
	for _, name := range names {
		for _, line := range linesIn(t, file, name) {
			w.does(t, line)
		}
	}
}

func linesIn(t *testing.T, file, name string) []string {
	t.Helper()
	all := sections(t, file)
	at := slices.IndexFunc(all, func(s section) bool { return s.title == name })
	testenv.Need(t, at >= 0, "no function of the tests and no section of %s is called %s", file, name)
	return all[at].lines
}

// path fills in the ids of what was made: "{payment}".
func (w *instance) path(t *testing.T, pattern string) string {
	t.Helper()
	return inBraces.ReplaceAllStringFunc(pattern, func(name string) string {
		name = strings.Trim(name, "{}")
		if fresh := w.fresh[name]; fresh != nil {
			return fresh()
		}
		id, ok := w.ids[name]
		testenv.Need(t, ok, "no id of %s", name)
		return id
	})
}

var inBraces = regexp.MustCompile(`\{\w+\}`)

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
