package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/testenv"

	"github.com/google/uuid"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gateway.example/internal/caller"
	"gateway.example/internal/sandbox"
	"gateway.example/rpc"
)

// owning are the kinds of callers who have records of their own, as the table
// of foreign calls names them.
var owning = map[caller.Kind]string{
	caller.MerchantKey: "key", caller.MerchantPortal: "merchant", caller.Trader: "trader",
}

// unowned are ids that are not looked up among the records of others: names
// that merchants give themselves, and filters and cursors of lists, which
// TestForeign tries.
var unowned = regexp.MustCompile(`(^|\.)(order_id|user_id|key_id|request_id|before_id)$`)

// untried are procedures of which no foreign call is refused for the id, each
// with the reason.
var untried = map[string]string{
	"/portal.v1.TraderService/TakePayin":      "a payout that waits is any trader's to take",
	"/gateway.v1.PaymentService/CreateAppeal": "its signature covers a form: TestForeign sends it",
	"/portal.v1.ReportService/GetStatement":   "a trader's is always their own: TestForeign asks",
	"/portal.v1.MerchantService/ListDeposits": "a filter: TestForeign asks",
	"/portal.v1.MerchantService/ListAppeals":  "a filter: TestForeign asks",

	"/portal.v1.LinkService/ListLinks":             "a filter of operators: strangersReadNothing asks",
	"/portal.v1.WithdrawalService/ListWithdrawals": "a filter of the caller's own: strangersReadNothing asks",
}

// ids are the fields of a request that name records.
func ids(request protoreflect.MessageDescriptor) []string {
	var found []string
	for i := range request.Fields().Len() {
		name := string(request.Fields().Get(i).Name())
		if (strings.HasSuffix(name, "_id") || name == "id") && !unowned.MatchString(name) {
			found = append(found, name)
		}
	}
	return found
}

// foreignCall is a call about records of others, and how strangers of each kind
// are refused: of some they are told that they are not theirs, of others that
// there are none. Sessions and events of others are not there for anybody.
type foreignCall struct {
	procedure, body string
	codes           map[string]string
}

// foreign are those of testdata/foreign.txt.
func foreign(t *testing.T) (calls []foreignCall) {
	t.Helper()
	for _, line := range linesOf(t, "foreign.txt") {
		cells := strings.Fields(line)
		call := foreignCall{procedure: cells[0], body: cells[1], codes: map[string]string{}}
		for _, cell := range cells[2:] {
			stranger, code, _ := strings.Cut(cell, "=")
			call.codes[stranger] = code
		}
		calls = append(calls, call)
	}
	return calls
}

// Every procedure that takes an id, of whoever has records of their own, is
// called with another's in TestForeign. A new one fails here until it is.
func TestForeignRecordsAreComplete(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, row := range foreign(t) {
		for stranger := range row.codes {
			tried["/"+row.procedure+" "+stranger] = true
		}
	}
	eachProcedure(func(procedure string, request protoreflect.MessageDescriptor) {
		for _, kind := range rpc.Access(procedure) {
			stranger, owns := owning[kind]
			testenv.Check(t, !owns || len(ids(request)) == 0 || untried[procedure] != "" || tried[procedure+" "+stranger],
				"%s takes %v, and no %s tried another's", procedure, ids(request), stranger)
		}
	})
}

// owned are a merchant's and a trader's records, of which strangers are to
// learn nothing.
type owned struct {
	// values are what a field of each name may be set to.
	values map[string][]any
	// secrets are texts that stand in the records.
	secrets []string
	// ids puts the ids of the records in the place of their names.
	ids *strings.Replacer
	// persons are those whose records they are, and strangers others of the
	// same kinds.
	persons, strangers map[string]func(body string) header
}

// victims makes records of every sort, as [owned] of steps.txt says.
func (g *instance) victims(t *testing.T) owned {
	t.Helper()
	box, second := g.first(), g.box(t, "sandbox-second-rub")
	g.begin(t)
	g.runs(t, steps, "owned")
	var pairs []string
	for name, id := range g.ids {
		if name == strings.ToUpper(name) {
			pairs = append(pairs, name, id)
		}
	}
	owner := func(login string, box sandbox.Cashbox) func(string) header {
		merchant := g.count(t, "select merchant_id from cashbox where id = $1", box.MerchantCashboxID)
		return as(g.newUser(t, newUser{login: login, kind: "merchant_portal", role: "owner", state: "whole", merchant: merchant}))
	}
	text := func(name string) any { return g.ids[name] }
	number := func(name string) any { return json.Number(g.ids[name]) }
	marked := g.ids["marked_uuid"]
	return owned{
		ids: strings.NewReplacer(pairs...),
		persons: map[string]func(string) header{
			"key": func(body string) header { return signed(box, body) }, "merchant": owner("victims-owner", box),
			"trader": as(g.user(t, "trader-1").Token),
		},
		strangers: map[string]func(string) header{
			"key": func(body string) header { return signed(second, body) }, "merchant": owner("stranger", second),
			"trader": as(g.newUser(t, newUser{login: "stranger-trader", kind: "trader", role: "owner", state: "whole", trader: 3})),
		},
		values: map[string][]any{
			"payment_id": {number("PAYMENT"), number("OF_APPEAL"), text("PAYMENT"), marked},
			"payin_id":   {text("PAYIN")}, "deposit_id": {number("DEPOSIT")}, "appeal_id": {number("APPEAL")},
			"merchant_cashbox_id": {number("CASHBOX")}, "cashbox_id": {number("CASHBOX")},
			"event_id": {text("EVENT")}, "replay_id": {number("REPLAY")}, "requisite_id": {number("REQUISITE")},
			"credential_id": {number("CREDENTIAL")}, "member_id": {number("MEMBER")}, "id": {number("SESSION")},
			"owner_id": {number("CASHBOX"), 1}, "trader_id": {1}, "merchant_id": {number("MERCHANT")},
			"order_id": {"victims-order"}, "user_id": {"victims-user"}, "key_id": {box.KeyID},
			"q": {"victims-order", marked}, "query": {"victims-order"}, "search": {"victims-order"},
			"before_id": {json.Number("1000000")}, "idempotency_key": {text("KEY")},
		},
		secrets: []string{"victims-", "Victims-Name", marked, g.ids["UUID"], g.ids["PAYIN"], g.ids["EVENT"]},
	}
}

// as calls by a token.
func as(token string) func(string) header { return func(string) header { return bearer(token) } }

// What belongs to somebody else is not there for those whom a procedure lets in
// to their own.
func TestForeign(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	o := g.victims(t)
	t.Run("records", func(t *testing.T) { foreignRecords(t, g, o) })
	t.Run("REST", func(t *testing.T) { foreignREST(t, g, o) })
	t.Run("reads", func(t *testing.T) { strangersReadNothing(t, g, o) })
}

// strangersReadNothing: whoever calls any procedure, with any id, filter or
// cursor of another's, reads nothing of theirs. The same calls show their
// owners what is theirs.
func strangersReadNothing(t *testing.T, g *instance, o owned) {
	calls, shown := 0, 0
	eachProcedure(func(procedure string, request protoreflect.MessageDescriptor) {
		procedure = strings.TrimPrefix(procedure, "/")
		for _, kind := range rpc.Access("/" + procedure) {
			person := owning[kind]
			if person == "" || changes.MatchString(procedure) {
				continue
			}
			for _, body := range o.bodies(g, t, procedure, person, request) {
				calls++
				if o.reveals(g.ask(t, procedure, body, o.persons[person](body)), body) != "" {
					shown++
				}
				got := g.ask(t, procedure, body, o.strangers[person](body))
				secret := o.reveals(got, body)
				testenv.Check(t, secret == "", "%s %s shows another %s %q: %s", procedure, body, person, secret, got)
				testenv.Check(t, got.status < 500, "%s %s: %s", procedure, body, got)
			}
		}
	})
	testenv.Check(t, calls >= 150 && shown >= 40, "of %d calls only %d show their owners what is theirs", calls, shown)
}

// changes are procedures that do something: they are not repeated for the
// owner. TestForeign calls them.
var changes = regexp.MustCompile(
	`/(Create|Close|Cancel|Confirm|Request|Mark|Give|Complete|Fail|Update|Set|Rotate|Replay|Stop|Revoke|Invite|End|Reinvite|Take|` +
		`Resend|Appeal|Remove|Renew|Change|Begin|Logout|SecondFactor)`,
)

// bodies are calls with nothing named, and with each value of each field alone.
// A cursor is the one that the owner is given.
func (o owned) bodies(
	g *instance, t *testing.T, procedure, person string, request protoreflect.MessageDescriptor,
) []string {
	t.Helper()
	all := []object{{}}
	for i := range request.Fields().Len() {
		field := request.Fields().Get(i)
		for _, value := range o.values[string(field.Name())] {
			if field.IsList() {
				value = []any{value}
			}
			one := object{field.JSONName(): value}
			if field.Name() == "owner_id" {
				one["owner"] = "cashbox"
			}
			all = append(all, one)
		}
		if field.Name() == "cursor" {
			first := g.ask(t, procedure, `{"limit":1}`, o.persons[person](`{"limit":1}`))
			for _, name := range []string{"nextCursor", "next_cursor"} {
				if cursor, ok := first.at(name).(string); ok && cursor != "" {
					all = append(all, object{"cursor": cursor}, object{"cursor": cursor, "backward": true})
				}
			}
		}
	}
	var bodies []string
	for _, one := range all {
		body := testenv.Must(json.Marshal(one))(t)
		bodies = append(bodies, string(body))
	}
	return bodies
}

// reveals is the first of the secrets that an answer has and the question had
// not, or "".
func (o owned) reveals(a answer, body string) string {
	for _, secret := range o.secrets {
		if strings.Contains(a.raw, secret) && !strings.Contains(body, secret) {
			return secret
		}
	}
	return ""
}

// foreignRecords: of an id that is another's a caller is told no more than the
// table of foreign calls says: the same of every record and, where it says that
// there is none, the same as of an id that nobody has. Nothing changes.
func foreignRecords(t *testing.T, g *instance, o owned) {
	before, refusals := g.kept(t), map[string]string{}
	for _, test := range foreign(t) {
		theirs := o.ids.Replace(test.body)
		for person, code := range test.codes {
			foreign := g.ask(t, test.procedure, theirs, o.strangers[person](theirs))
			testenv.Check(t, why(foreign) == code,
				"%s %s as another %s: %s; want %s", test.procedure, theirs, person, foreign, code)
			known := refusals[code]
			testenv.Check(t, known == "" || known == unstamped(foreign), "%s %s: refused as no other: %s", test.procedure, theirs, foreign)
			refusals[code] = unstamped(foreign)
			nobodys := missingIDs(theirs)
			missing := g.ask(t, test.procedure, nobodys, o.strangers[person](nobodys))
			testenv.Check(t, code != "not_found" || unstamped(foreign) == unstamped(missing),
				"%s %s: another's %s\nnobody's %s", test.procedure, theirs, foreign, missing)
		}
	}
	testenv.Want(t, g.kept(t), before, "what is kept")
	testenv.Want(t, len(refusals), 2, "kinds of refusals")
}

var idInBody = regexp.MustCompile(`("\w+I[dD]":)("?)([0-9a-f-]+)("?)`)

// missingIDs are the same call with ids that nobody has.
func missingIDs(body string) string {
	return idInBody.ReplaceAllStringFunc(body, func(found string) string {
		parts := idInBody.FindStringSubmatch(found)
		if _, err := uuid.Parse(parts[3]); err == nil {
			return parts[1] + `"0190a5d0-ac96-774b-bcce-b302099a8057"`
		}
		return parts[1] + parts[2] + "987654321" + parts[4]
	})
}

var stamp = regexp.MustCompile(`"(requestId|value)":"[^"]*"`)

// unstamped is an answer without the id of its request.
func unstamped(a answer) string { return fmt.Sprint(a.status, " ", stamp.ReplaceAllString(a.raw, "")) }

// foreignREST: every documented path with an id refuses another merchant's key
// and user, over REST too, as it refuses an id that nobody has or, by the
// contract, with cashbox_access_denied. Nothing changes.
func foreignREST(t *testing.T, g *instance, o owned) {
	values := map[string]string{
		"payins/{payin_id}": "PAYIN", "{payment_id}": "OF_APPEAL", "{deposit_id}": "DEPOSIT", "{withdrawal_id}": "WITHDRAWAL",
		"{merchant_cashbox_id}": "CASHBOX", "{credential_id}": "CREDENTIAL", "{appeal_id}": "APPEAL",
	}
	before, tried := g.kept(t), 0
	description := send(t, http.MethodGet, g.BaseURL+"/openapi.json", "", nil)
	for path, methods := range description.at("paths").(object) {
		if !strings.Contains(path, "{") || strings.Contains(path, "{token}") {
			continue // who has a link's token may do what it is for
		}
		for name, value := range values {
			if strings.Contains(path, name) {
				path = strings.Replace(path, inBraces.FindString(name), g.ids[value], 1)
			}
		}
		for method := range methods.(object) {
			testenv.Need(t, !strings.Contains(path, "{"), "%s: say which id it names", path)
			tried++
			got, want := o.sendREST(t, g, strings.ToUpper(method), path), wantedREST(path)
			testenv.Check(t, slices.Contains(want, got.text("code")) && o.reveals(got, "") == "",
				"%s %s by another: %s; want one of %v", method, path, got, want)
		}
	}
	testenv.Want(t, g.kept(t), before, "what is kept")
	testenv.Check(t, tried >= 12, "only %d were tried", tried)
}

// sendREST calls a path as another merchant does.
func (o owned) sendREST(t *testing.T, g *instance, method, path string) answer {
	body, who := "", "key"
	if method == http.MethodPost {
		body = `{"status":"completed","name":"mine"}`
	}
	if !strings.HasPrefix(path, "/api/v1/") {
		who = "merchant"
	}
	headers := o.strangers[who](body)
	if strings.HasSuffix(path, "/appeal") {
		body = form(reasonPart("mine"), filePart("a.pdf", pdf))
		headers = appealHeaders(g.box(t, "sandbox-second-rub"), "mine", "a.pdf", len(pdf))
	}
	return send(t, method, g.BaseURL+path, body, headers)
}

// wantedREST are the codes of refusals of which a path gives one.
func wantedREST(path string) []string {
	switch {
	case strings.HasSuffix(path, "/callback"):
		return []string{"invalid_signature"}
	case strings.HasPrefix(path, "/api/operator/"):
		return []string{"token_kind_not_allowed"}
	}
	return []string{"cashbox_access_denied", "not_found"}
}
