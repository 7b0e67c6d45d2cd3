package portaltest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// Walks has people do what the sections of a file of the package's testdata
// say, each in portals of its own. A section begins with "[its name]"; a line
// of it may be
//
//	owner | /merchant | 200; says Payments       somebody opens a page, and what is wanted of it
//	owner | POST /x | a=b&c=d | 303 /y saved     sends a form with these fields, and is led to /y to be told what is "saved"
//	owner | FILL /x | a=b | 422; wrong a no      sends the form of the page /x, with these fields in place of its own; a "-" is not sent
//	owner | FILL /x form.b | a=b | 200           the form of the page that the selector finds; "FILL ." is of what was answered last
//	owner | TYPE f /x | a=b                      fills that form in and keeps it as f
//	owner | SEND f | 303 /y                      sends what was kept; "SEND f /z" sends it elsewhere
//	again | 303 /y                               sends once more what was sent last
//	payment a 1500                               {a} is a payment, {a_uuid} its uuid, {a_order} its order; also "paid"
//	payouts a b                                  {a} and {b} are the uuids of payouts that wait
//	appeal a it was paid                         {a} is an appeal, {a_payment} its payment
//	deposit a 25.5 first                         {a} is a deposit, of a reference
//	event a dead                                 {a} is a webhook of this status
//	withdrawal a                                 {a} is one of a merchant's
//	fund 100                                     the merchant has so many USDT more
//	sandbox                                      the portals are a sandbox's from then on
//	audit                                        the books are as they should be
//	with owner                                   signs somebody in who is named later
//	let merchant <i>pup</i>                      has an operator let puppet in at the merchant, or the trader, by that login
//	expire                                       what has run out is moved
//	stands a completed                           where a payment stands
//	pass 2h                                      the clock moves
//	sql update ...                               changes the database
//	found a select ...                           {a} is what the database has
//	query select ...: 1                          what the database has
//
// Of the first merchant are owner, finance, developer and support, of another
// stranger, of the traders trader, clerk and trader2, and operators are admin,
// ann, bob, treasury, supporter and auditor; nobody and other are two browsers
// in which nobody is signed in.
//
// What is wanted of a page, which is there where no status is said, between
// semicolons of which those of a text are written \;, is "404", "303 /to
// flash", "says TEXT" and "silent TEXT" of all of it, "wrong FIELD TEXT" beside
// a field, "header NAME: TEXT", "source has TEXT" and "source lacks TEXT", and
// of the elements of a selector "SELECTOR is TEXT", "has", "lacks", "× COUNT",
// and "as NAME", which keeps it as {NAME}; "SELECTOR @attribute is TEXT" is of
// an attribute. After "{name} = text" the text is put in wherever the name
// stands, in one section or, before all of them, in each. {trader}, {trader2},
// {requisite}, {requisite2}, {merchant}, {box} and {nbsp} are there from the
// beginning.
func Walks(t *testing.T, file string) {
	content := testenv.Must(os.ReadFile("testdata/" + file))(t)
	names, section := map[string]string{}, ""
	var order []string
	lines := map[string][]numbered{}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line = strings.TrimSpace(line)
		name, text, assigns := strings.Cut(line, " = ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			testenv.Need(t, lines[section] == nil, "%s:%d: there are two sections %q", file, number, section)
			order = append(order, section)
		case section == "" && assigns:
			names[name] = text
		default:
			testenv.Need(t, section != "", "%s:%d is in no section", file, number)
			lines[section] = append(lines[section], numbered{number, line})
		}
	}
	testenv.Need(t, len(order) != 0, "%s has no sections", file)
	for _, section := range order {
		t.Run(section, func(t *testing.T) {
			w := newWalk(t, names)
			for _, line := range lines[section] {
				w.where = fmt.Sprintf("%s:%d", file, line.number)
				w.step(line.text)
			}
		})
	}
}

type numbered struct {
	number int
	text   string
}

// kept is a form that is sent later.
type kept struct {
	who  *Person
	to   string
	form url.Values
}

// walk is a section while it runs.
type walk struct {
	*testing.T
	b      *Bundle
	where  string
	names  map[string]string
	people map[string]*Person
	forms  map[string]kept
	// last is the form that was sent last, and answer is the answer to it.
	last   kept
	answer Answer
}

// newWalk begins a section, which has a database to itself and runs in parallel
// with others. Its steps may use the names of the file, and those of what the
// database has from the beginning.
func newWalk(t *testing.T, names map[string]string) *walk {
	t.Helper()
	w := &walk{T: t, b: Parallel(t), names: map[string]string{}, people: map[string]*Person{}, forms: map[string]kept{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("it came to ", w.where)
		}
	})
	maps.Copy(w.names, names)
	w.keep("nbsp", "\u00a0")
	for name, id := range map[string]int64{
		"trader": w.b.Traders[0].ID, "trader2": w.b.Traders[1].ID, "merchant": w.b.Merchant.ID, "box": w.b.Merchant.CashboxID,
		"requisite": w.b.Traders[0].Requisites[0], "requisite2": w.b.Traders[1].Requisites[0],
	} {
		w.keep(name, fmt.Sprint(id))
	}
	return w
}

func (w *walk) keep(name, text string) { w.names["{"+name+"}"] = text }

// person is a user by their name in the file. They are signed in when they are
// first named.
func (w *walk) person(name string) *Person {
	w.Helper()
	if w.people[name] == nil {
		w.people[name] = w.signIn(name)
	}
	return w.people[name]
}

// signIn makes the person of a name, which is the same kind of user in every
// file. Nobody and other are not signed in. An unknown name fails the test.
func (w *walk) signIn(name string) *Person {
	w.Helper()
	switch name {
	case "nobody", "other":
		return w.b.Nobody()
	case "trader", "trader2":
		return w.b.Trader(w, len(name)-len("trader"))
	case "clerk":
		return w.b.Clerk(w)
	case "stranger":
		return w.b.Stranger(w)
	case "owner", "finance", "developer", "support":
		return w.b.As(w, caller.Role(name))
	case "admin", "treasury", "auditor":
		return w.b.Operator(w, caller.Role(name))
	case "supporter":
		return w.b.Operator(w, caller.Support)
	case "ann", "bob":
		return w.b.Joins(w, name, caller.Operator, caller.Admin, 0)
	}
	w.Fatalf("%s: nobody is called %q", w.where, name)
	return nil
}

var named = regexp.MustCompile(`\{\w+\}`)

// put replaces the names in a text by their values.
func (w *walk) put(text string) string {
	for range 3 { // a value may contain names, too
		text = named.ReplaceAllStringFunc(text, func(name string) string {
			if value, known := w.names[name]; known {
				return value
			}
			return name
		})
	}
	return text
}

// step executes one line.
func (w *walk) step(line string) {
	w.Helper()
	if name, text, assigns := strings.Cut(line, " = "); assigns && named.FindString(name) == name {
		w.names[name] = text
		return
	}
	line = w.put(line)
	if cells := strings.Split(strings.ReplaceAll(line+" ", " | | ", " |  | "), " | "); len(cells) > 1 {
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		w.visit(append(cells, "", ""))
		return
	}
	command, rest, _ := strings.Cut(line, " ")
	name, text, _ := strings.Cut(rest, " ")
	switch command {
	case "with":
		w.person(name)
	case "expire":
		testenv.NoError(w, w.b.Payments.ExpireAll(w.Context()))
	case "pass":
		w.b.Clock.Advance(testenv.Must(time.ParseDuration(name))(w))
	case "sql":
		w.b.Exec(w, rest)
	case "found":
		w.keep(name, w.b.Text(w, text))
	case "query":
		at := strings.LastIndex(rest, ": ")
		Want(w, w.where, w.b.Text(w, rest[:at]), rest[at+2:])
	case "sandbox":
		w.b.AsSandbox(w)
	case "audit":
		w.b.Audit(w)
	case "stands":
		Want(w, w.where, w.b.Text(w, "select status from payment where id = $1", w.names["{"+name+"}"]), text)
	default:
		w.makes(command, rest)
	}
}

// makes executes a line that makes something.
func (w *walk) makes(command, rest string) {
	w.Helper()
	name, text, _ := strings.Cut(rest, " ")
	switch command {
	case "payment", "paid":
		w.pay(command, name, text)
	case "payouts":
		names := strings.Fields(rest)
		for i, path := range w.b.PayOut(w, len(names)) {
			w.keep(names[i], Last(path))
		}
	case "appeal":
		p, id := w.b.OpenedAppeal(w, text)
		w.keep(name, fmt.Sprint(id))
		w.kept(name+"_payment", p)
	case "deposit":
		amount, reference, _ := strings.Cut(text, " ")
		w.keep(name, fmt.Sprint(w.b.Deposited(w, amount, reference).ID))
	case "event":
		n := w.b.Count(w, "select count(*) + 1 from webhook_event")
		w.keep(name, w.b.Tell(w, w.b.Merchant, int64(n), text))
	case "fund":
		w.b.Fund(w, ledger.Available(ledger.Cashbox, w.b.Merchant.CashboxID), name)
	case "withdrawal":
		w.keep(name, fmt.Sprint(w.b.Withdrawn(w, "merchant")))
	case "let":
		n := session.NewUser{Kind: caller.Trader, Login: text, TraderID: &w.b.Traders[0].ID}
		if name == "merchant" {
			n = session.NewUser{Kind: caller.MerchantPortal, Login: text, MerchantID: &w.b.Merchant.ID}
		}
		w.people["puppet"] = w.b.LetIn(w, n)
	default:
		w.Fatalf("%s: nobody knows %q", w.where, command)
	}
}

func (w *walk) pay(command, name, amount string) {
	w.Helper()
	p := w.b.Create(w, amount)
	if command == "paid" {
		w.b.Confirm(w, p)
	}
	w.kept(name, p)
}

func (w *walk) kept(name string, p payment.Payment) {
	w.keep(name, fmt.Sprint(p.ID))
	w.keep(name+"_uuid", p.UUID.String())
	w.keep(name+"_order", p.OrderID)
}

// visit executes a line that opens a page or sends a form, and checks the
// answer.
func (w *walk) visit(cells []string) {
	w.Helper()
	if cells[0] == "again" {
		w.check(w.send(w.last), cells[1])
		return
	}
	who := w.person(cells[0])
	method, path, sends := strings.Cut(cells[1], " ")
	if !sends {
		a := who.Get(w, method)
		if !ofCode.MatchString(cells[2]) { // without a status the page must be there
			Want(w, w.where+" "+a.To(), a.Code, http.StatusOK)
		}
		w.check(a, cells[2])
		return
	}
	switch method {
	case "POST":
		w.check(w.send(kept{who, path, w.fields(cells[2])}), cells[3])
	case "FILL":
		w.check(w.send(w.fill(who, path, cells[2])), cells[3])
	case "TYPE":
		name, path, _ := strings.Cut(path, " ")
		w.forms[name] = w.fill(who, path, cells[2])
	case "SEND":
		name, to, elsewhere := strings.Cut(path, " ")
		form := w.forms[name]
		form.who = who
		if elsewhere {
			form.to = to
		}
		w.check(w.send(form), cells[2])
	default:
		w.Fatalf("%s: nobody knows %q", w.where, method)
	}
}

func (w *walk) fields(query string) url.Values {
	w.Helper()
	return testenv.Must(url.ParseQuery(query))(w)
}

func (w *walk) send(k kept) Answer {
	w.Helper()
	w.last = k
	w.answer = k.who.PostForm(w, k.to, k.form, "Origin", w.b.Server.URL, "Sec-Fetch-Site", "same-origin")
	return w.answer
}

// fill fills in a page's form.
func (w *walk) fill(who *Person, at, query string) kept {
	w.Helper()
	path, selector, chosen := strings.Cut(at, " ")
	if !chosen {
		selector = "main form:has([name=token])"
	}
	a := w.answer
	if path == "." {
		path = w.last.to
	} else {
		a = who.Get(w, path)
		Want(w, w.where+": the page of the form", a.Code, http.StatusOK)
	}
	form := a.Page(w).Find(selector).First()
	testenv.Need(w, form.Length() == 1, "%s: %s has no %s", w.where, path, selector)
	given, fields := w.fields(query), url.Values{}
	for name, values := range given {
		if values[0] != "-" {
			fields[name] = values
		}
	}
	for pair := range slices.Chunk(own(form, func(name string) bool { return given.Has(name) }), 2) {
		fields.Add(pair[0], pair[1])
	}
	return kept{who, form.AttrOr("action", path), fields}
}

// check compares an answer with what the line wants.
func (w *walk) check(a Answer, wants string) {
	w.Helper()
	for want := range strings.SplitSeq(strings.ReplaceAll(wants, `\;`, "\x00"), "; ") {
		want = strings.ReplaceAll(want, "\x00", ";")
		word, rest, more := strings.Cut(want, " ")
		name, text, _ := strings.Cut(rest, " ")
		what := w.where + ": " + want
		switch {
		case len(word) == 3 && strings.Trim(word, "0123456789") == "" && more:
			Want(w, what, a.Led(), want)
		case len(word) == 3 && strings.Trim(word, "0123456789") == "":
			Want(w, what+" "+a.To(), a.Code, word)
		case word == "says":
			WantIn(w, what, Words(a.Page(w).Find("main")), rest)
		case word == "silent":
			WantNot(w, what, Words(a.Page(w).Find("main")), rest)
		case word == "wrong":
			Want(w, what, Words(a.Page(w).Find("#"+name+"-wrong")), text)
		case word == "header":
			Want(w, what, a.Header.Get(strings.TrimSuffix(name, ":")), text)
		case word == "source" && name == "has":
			WantIn(w, what, a.Body, text)
		case word == "source" && name == "lacks":
			WantNot(w, what, a.Body, text)
		default:
			w.elements(a, what, want)
		}
	}
}

// ofCode matches the wanted status, which comes first.
var ofCode = regexp.MustCompile(`^\d{3}\b`)

// none stands for the value of an attribute that does not exist.
const none = "(none)"

// ofElements matches what is wanted of the elements that a selector finds.
var ofElements = regexp.MustCompile(`^(.+?)(?: @([\w-]+))? (is|has|lacks|as|×)(?: (.*))?$`)

// elements checks the text of the elements that a selector finds, or an
// attribute of the first, or how many there are. With "as" it keeps the text
// under a name for later steps, and there must be one.
func (w *walk) elements(a Answer, what, want string) {
	w.Helper()
	found := ofElements.FindStringSubmatch(want)
	testenv.Need(w, found != nil, "%s: nobody knows what is wanted", what)
	elements := a.Page(w).Find(found[1])
	got := Words(elements)
	if found[2] != "" {
		got = elements.AttrOr(found[2], none)
	}
	switch found[3] {
	case "is":
		Want(w, what, got, found[4])
	case "has":
		WantIn(w, what, got, found[4])
	case "lacks":
		WantNot(w, what, got, found[4])
	case "as":
		testenv.Need(w, elements.Length() > 0 && got != none, "%s: there is none", what)
		w.keep(found[4], strings.TrimPrefix(got, w.b.Server.URL))
	case "×":
		Want(w, what, elements.Length(), found[4])
	}
}
