package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/testenv"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Groups of callers, by the names that person and may have of them.
var (
	nobody      = []string{"nobody"}
	key         = []string{"key"}
	application = []string{"application"}
	device      = []string{"device"}
	payer       = []string{"payer"}
	merchants   = []string{"merchant owner", "merchant finance", "merchant developer", "merchant support"}
	developers  = []string{"merchant owner", "merchant developer"}
	financiers  = []string{"merchant owner", "merchant finance"}
	shopOwner   = []string{"merchant owner"}
	shopSupport = []string{"merchant support"}
	traders     = []string{"trader owner", "trader desk"}
	traderOwner = []string{"trader owner"}
	operators   = []string{"operator admin", "operator treasury", "operator support", "operator auditor"}
	admins      = []string{"operator admin"}
	treasurers  = []string{"operator admin", "operator treasury"}
	supporters  = []string{"operator admin", "operator support"}
	enrolling   = []string{"awaits_enrolment"}
	proving     = []string{"awaits_factor"}

	signedIn  = slices.Concat(payer, merchants, traders, operators)
	begun     = slices.Concat(signedIn, enrolling, proving)
	everybody = slices.Concat(nobody, key, application, begun)
	parties   = slices.Concat(merchants, traders, operators)
)

// groups are those by name that access.txt uses.
var groups = map[string][]string{
	"admins": admins, "application": application, "begun": begun, "developers": developers, "device": device,
	"enrolling": enrolling, "everybody": everybody, "financiers": financiers, "key": key,
	"merchants": merchants, "operators": operators, "parties": parties, "payer": payer,
	"proving": proving, "shopOwner": shopOwner, "shopSupport": shopSupport, "signedIn": signedIn,
	"supporters": supporters, "traderOwner": traderOwner, "traders": traders, "treasurers": treasurers,
}

// may says who may call each procedure: testdata/access.txt has a line for each.
var may = sync.OnceValue(func() map[string][]string {
	allowed := map[string][]string{}
	for _, cells := range rowsOf("access.txt") {
		for _, name := range cells[1:] {
			if groups[name] == nil {
				panic("access.txt names a group that there is not: " + name)
			}
			allowed[cells[0]] = append(allowed[cells[0]], groups[name]...)
		}
	}
	return allowed
})

// rowsOf reads a table of testdata: the cells of each line, between spaces.
func rowsOf(name string) [][]string {
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(content)) {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Fields(line))
		}
	}
	return rows
}

// nothing is the body of all calls: it names nothing that could be changed.
const nothing = "{}"

// logout ends what everybody calls by, and so comes last.
const logout = "portal.v1.AuthService/Logout"

// moveClock takes long, because everything that is due is done, and looks at nobody who calls.
const moveClock = "sandbox.v1.SandboxService/AdvanceClock"

// Every procedure lets in whom it should, and refuses others for what they are: for nothing proved,
// for a sign-in that is not finished, for their kind, for their role.
func TestEveryProcedureAsEveryCaller(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	persons := g.persons(t)
	var procedures []string
	eachProcedure(func(procedure string, _ protoreflect.MessageDescriptor) {
		procedures = append(procedures, strings.TrimPrefix(procedure, "/"))
	})
	for _, listed := range slices.Sorted(maps.Keys(may())) {
		testenv.Check(t, slices.Contains(procedures, listed), "%s is in the table and nowhere else", listed)
	}
	before := g.kept(t)
	for n, procedure := range procedures {
		if procedure != logout {
			g.checkAccess(t, procedure, persons, n)
		}
	}
	if after := g.kept(t); !slices.Equal(after, before) {
		t.Errorf("there was\n%s and is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	g.checkAccess(t, logout, persons, 0)
}

// checkAccess calls a procedure as everybody or, in the short run, as those whom apart leaves.
func (g *instance) checkAccess(
	t *testing.T, procedure string, persons map[string]func(body string) header, turn int,
) {
	t.Helper()
	allowed, listed := may()[procedure]
	if !listed {
		t.Errorf("%s is not in the table: say who may call it", procedure)
		return
	}
	asked := testenv.Pick(t, apart(allowed, turn), everybody)
	if procedure == moveClock {
		asked = testenv.Pick(t, nobody, everybody)
	}
	for _, person := range asked {
		got := g.ask(t, procedure, nothing, persons[person](nothing))
		want := refusalsOf(person, allowed)
		if len(want) == 0 && slices.Contains(unwelcome, why(got)) || len(want) > 0 && !slices.Contains(want, why(got)) {
			t.Errorf("%s as %s: %d %s; want one of %v", procedure, person, got.status, why(got), want)
		}
	}
}

// apart leaves out who is refused for what they are as others are, but for nobody and two of them in turn; who is let in,
// and roles, are all asked.
func apart(allowed []string, turn int) []string {
	var asked, others []string
	for _, person := range everybody {
		codes := refusalsOf(person, allowed)
		if len(codes) == 0 || codes[0] == "role_not_allowed" || person == "nobody" {
			asked = append(asked, person)
		} else {
			others = append(others, person)
		}
	}
	for n := range min(2, len(others)) {
		asked = append(asked, others[(2*turn+n)%len(others)])
	}
	return asked
}

// unproved are the refusals of callers who have no token, or whose token is not looked at; unwelcome
// are all refusals of callers for who they are.
var (
	unproved  = []string{"unauthenticated", "invalid_signature", "signature_required", "merchant_key_id_required"}
	unwelcome = append([]string{
		"second_factor_required", "token_kind_not_allowed", "merchant_portal_token_required", "role_not_allowed",
		"view_only",
	}, unproved...)
)

// refusalsOf are the codes of which a caller gets one; none where they are let in.
func refusalsOf(person string, allowed []string) []string {
	kind, _, _ := strings.Cut(person, " ")
	switch {
	case slices.Contains(allowed, person):
		return nil
	case !isUser(person) || !slices.ContainsFunc(allowed, isUser):
		return unproved
	case slices.Contains(enrolling, person) || slices.Contains(proving, person):
		return []string{"second_factor_required"}
	case slices.ContainsFunc(allowed, func(one string) bool { return strings.HasPrefix(one, kind+" ") }):
		return []string{"role_not_allowed"}
	case slices.ContainsFunc(allowed, func(one string) bool { return !strings.HasPrefix(one, "merchant ") }):
		return []string{"token_kind_not_allowed"}
	}
	return []string{"merchant_portal_token_required"}
}

// isUser reports whether somebody has a token.
func isUser(person string) bool {
	return !slices.Contains(slices.Concat(nobody, key, application, device), person)
}

// why is the code of a refusal, "" of none.
func why(a answer) string {
	if a.status == http.StatusOK || a.at("details") == nil {
		return ""
	}
	return a.detail().text("code")
}

// ask calls a procedure, again where it was called too often.
func (g *instance) ask(t *testing.T, procedure, body string, headers header) answer {
	t.Helper()
	var got answer
	noError(t, testenv.Eventually(func() error {
		var err error
		if got, err = trySend(http.MethodPost, g.BaseURL+"/"+procedure, body, headers); err != nil {
			return err
		}
		if got.status == http.StatusTooManyRequests {
			time.Sleep(200 * time.Millisecond)
			return fmt.Errorf("%s: %s", procedure, got)
		}
		return nil
	}))
	return got
}

// persons are the headers by which everybody calls.
func (g *instance) persons(t *testing.T) map[string]func(body string) header {
	t.Helper()
	merchant := g.count(t, "select merchant_id from cashbox where id = $1", g.first().MerchantCashboxID)
	found := map[string]func(string) header{
		"nobody":      func(string) header { return nil },
		"key":         func(body string) header { return signed(g.first(), body) },
		"application": g.application,
	}
	for _, person := range begun {
		kind, role, _ := strings.Cut(person, " ")
		u := newUser{login: strings.ReplaceAll(person, " ", "-") + "-of-all", role: role, state: "whole"}
		switch kind {
		case "merchant":
			u.kind, u.merchant = "merchant_portal", merchant
		case "trader":
			u.kind, u.trader = "trader", 1
		case "operator":
			u.kind = "operator"
		case "payer":
			u.kind = "cabinet"
		default:
			u.kind, u.role, u.state = "operator", "admin", person
		}
		headers := bearer(g.newUser(t, u))
		found[person] = func(string) header { return headers }
	}
	return found
}

// newUser is a user to be made; merchant and trader are 0 for those who belong to none.
type newUser struct {
	login, kind, role, state string
	merchant, trader         int
}

// newUser makes a user who has just signed in, and returns their token.
func (g *instance) newUser(t *testing.T, u newUser) (token string) {
	t.Helper()
	token = "token-of-" + u.login
	keepSecret(token)
	testenv.Must(g.pool.Exec(t.Context(), `with made as (
			insert into app_user (kind, role, login, password_hash, merchant_id, trader_id, created_at)
			values ($1, nullif($2, ''), $3, '', nullif($4, 0), nullif($5, 0), now()) returning id
		) insert into session (hash, user_id, door, state, created_at, seen_at, expires_at)
		select sha256($6), id, 'api', $7, now(), now(), now() + interval '1 day' from made`,
		u.kind, u.role, u.login, u.merchant, u.trader, []byte(token), u.state))(t)
	return token
}

// newPayer makes a cabinet user of every merchant.
func (g *instance) newPayer(t *testing.T, login string) (token string, id int) {
	t.Helper()
	token = g.newUser(t, newUser{login: login, kind: "cabinet", state: "whole"})
	id = g.count(t, "select id from app_user where login = $1", login)
	g.exec(t, "insert into cabinet_merchant (user_id, merchant_id) select $1, id from merchant", id)
	return token, id
}

// kept is what callers could have made or changed. A break that is set to what it was raises a
// trader's version.
func (g *instance) kept(t *testing.T) []string {
	t.Helper()
	return g.texts(t, `select unnest(array[
		'payments ' || (select count(*) from payment), 'payouts ' || (select count(*) from payin),
		'deposits ' || (select count(*) from deposit), 'settings ' || (select count(*) from setting_change),
		'transfers ' || (select count(*) from transfer), 'sessions ' || (select count(*) from session),
		'keys ' || (select count(*) from api_key), 'appeals ' || (select count(*) from appeal),
		'users ' || (select md5(string_agg(u::text, ',' order by id)) from app_user u),
		'cashboxes ' || (select md5(string_agg(c::text, ',' order by id)) from cashbox c),
		'traders ' || (select md5(string_agg((to_jsonb(d) - 'version')::text, ',' order by id)) from trader d)])`)
}

// foreign are calls about records of others: testdata/foreign.txt has them. Other merchants are told that a record is not
// theirs, other traders that there is none. Sessions and events of others are not there for anybody.
var foreign = sync.OnceValue(func() []foreignCall {
	var calls []foreignCall
	for _, cells := range rowsOf("foreign.txt") {
		call := foreignCall{procedure: cells[0], body: cells[1], codes: map[string]string{}}
		for _, cell := range cells[2:] {
			stranger, code, _ := strings.Cut(cell, "=")
			call.codes[stranger] = code
		}
		calls = append(calls, call)
	}
	return calls
})

// foreignCall is a call, and how strangers of each kind are refused.
type foreignCall struct {
	procedure, body string
	codes           map[string]string
}

// records makes what belongs to the first merchant and to the first or second trader, and puts its
// ids into bodies.
func (g *instance) records(t *testing.T) *strings.Replacer {
	t.Helper()
	box, failed := g.first(), g.failed(t)
	payment := g.create(t, box, nil)
	payin := g.createPayin(t, box, nil).text("data.id")
	trader := bearer(g.user(t, "trader-1").Token)
	g.ask(t, "portal.v1.TraderService/TakePayin", `{"payinId":"`+payin+`"}`, trader).must(t, "take the payout", 200)
	g.appeal(t, box, failed, "why", "proof.pdf").must(t, "open an appeal", http.StatusCreated)
	testenv.Must(g.pool.Exec(t.Context(), `insert into webhook_replay (merchant_id, url, last_number, state, started_at)
		select merchant_id, 'https://shop.example/hook', 0, 'done', now() from cashbox where id = $1`, box.MerchantCashboxID))(t)
	testenv.Must(g.pool.Exec(t.Context(), `insert into payment_link (uuid, merchant_id, cashbox_id, title, methods, callback_uri, created_at, created_by)
		select gen_random_uuid(), merchant_id, id, 'A lamp', '{}', '', now(), 'merchant_portal:1' from cashbox where id = $1`, box.MerchantCashboxID))(t)
	testenv.Must(g.pool.Exec(t.Context(), `insert into payout_file (merchant_id, key_id, cashbox_id, hash, name, content, sent_at, sent_by)
		select merchant_id, 1, id, repeat('0', 64), 'pay.csv', '', now(), 'merchant_portal:1' from cashbox where id = $1`, box.MerchantCashboxID))(t)
	for _, one := range g.Cashboxes {
		g.withdrawing(t, one)
	}
	g.signedTo(t, "/api/v1/withdrawals", box, `{"orderId":"victims-withdrawal","amount":"20","network":"TRC20",
		"address":"T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm"}`).must(t, "withdraw", http.StatusOK)
	ids := map[string]string{
		"TRON": tron, "PAYMENT": payment.text("data.id"), "UUID": payment.text("data.uuid"), "PAYIN": payin,
		"DEPOSIT": g.createDeposit(t, box, nil).text("data.id"), "KEY": uuid.NewString(),
		"CASHBOX": fmt.Sprint(box.MerchantCashboxID), "OF_APPEAL": failed,
	}
	for name, query := range map[string]string{
		"EVENT":       "select id::text from webhook_event where subject_id = " + failed,
		"LINK":        "select id::text from payment_link",
		"PAYOUT_FILE": "select id::text from payout_file",
		"WITHDRAWAL":  "select id::text from withdrawal",
		"ADDRESS":     "select address_id::text from withdrawal",
		"REPLAY":      "select id::text from webhook_replay",
		"APPEAL":      "select id::text from appeal",
		"MEMBER":      "select id::text from app_user where login = 'merchant'",
		"REQUISITE":   "select min(id)::text from requisite where trader_id = 1",
		"CREDENTIAL":  "select min(id)::text from api_key where cashbox_id = " + ids["CASHBOX"],
		"SESSION": `select min(s.id)::text from session s join app_user u on u.id = s.user_id
			where u.login = 'trader-1'`,
	} {
		found := g.texts(t, query)
		testenv.Need(t, len(found) != 0, "there is no %s", name)
		ids[name] = found[0]
	}
	var pairs []string
	for name, id := range ids {
		pairs = append(pairs, name, id)
	}
	return strings.NewReplacer(pairs...)
}
