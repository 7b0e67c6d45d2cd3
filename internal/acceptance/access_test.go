package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
)

// callers are groups by name, and who may call each procedure, as
// testdata/access.txt has them.
func callers(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{"device": {"device"}}
	for _, line := range linesOf(t, "access.txt") {
		cells := strings.Fields(line)
		name, group := strings.CutSuffix(cells[0], ":")
		for _, cell := range cells[1:] {
			members := found[cell]
			if members == nil {
				testenv.Need(t, group || slices.Contains(found["everybody"], cell), "no group %s: %s", cell, line)
				members = []string{cell}
			}
			found[name] = append(found[name], members...)
		}
	}
	return found
}

// nothing is the body of all calls: it names nothing that could be changed.
const nothing = "{}"

// logout ends what everybody calls by, and so comes last.
const logout = "portal.v1.AuthService/Logout"

// moveClock takes long, because everything that is due is done, and looks at
// nobody who calls.
const moveClock = "sandbox.v1.SandboxService/AdvanceClock"

// Every procedure lets in whom it should, and refuses others for what they are:
// for nothing proved, for a sign-in that is not finished, for their kind, for
// their role.
func TestEveryProcedureAsEveryCaller(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	may, persons := callers(t), g.persons(t)
	var procedures []string
	eachProcedure(func(procedure string, _ protoreflect.MessageDescriptor) {
		procedures = append(procedures, strings.TrimPrefix(procedure, "/"))
	})
	for listed := range may {
		testenv.Check(t, !strings.Contains(listed, "/") || slices.Contains(procedures, listed),
			"%s is in the table and nowhere else", listed)
	}
	before := g.kept(t)
	for n, procedure := range procedures {
		if procedure != logout {
			g.checkAccess(t, procedure, may, persons, n)
		}
	}
	testenv.Want(t, g.kept(t), before, "what is kept")
	g.checkAccess(t, logout, may, persons, 0)
}

// checkAccess calls a procedure as everybody or, in the short run, as those
// whom apart leaves.
func (g *instance) checkAccess(
	t *testing.T, procedure string, may map[string][]string, persons map[string]func(body string) header, turn int,
) {
	t.Helper()
	allowed, listed := may[procedure]
	testenv.Check(t, listed, "%s is not in the table: say who may call it", procedure)
	asked := testenv.Pick(t, apart(may["everybody"], allowed, turn), may["everybody"])
	if procedure == moveClock {
		asked = testenv.Pick(t, []string{"nobody"}, may["everybody"])
	}
	for _, person := range asked {
		got := g.ask(t, procedure, nothing, persons[person](nothing))
		want := refusalsOf(person, allowed)
		testenv.Check(t, slices.Contains(want, why(got)) || len(want) == 0 && !slices.Contains(unwelcome, why(got)),
			"%s as %s: %d %s; want one of %v", procedure, person, got.status, why(got), want)
	}
}

// apart leaves out who is refused for what they are as others are, but for
// nobody and two of them in turn; who is let in, and roles, are all asked.
func apart(everybody, allowed []string, turn int) []string {
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

// unproved are the refusals of callers who have no token, or whose token is not
// looked at; unwelcome are all refusals of callers for who they are.
var (
	unproved  = []string{"unauthenticated", "invalid_signature", "signature_required", "merchant_key_id_required"}
	unwelcome = append([]string{
		"second_factor_required", "token_kind_not_allowed", "merchant_portal_token_required", "role_not_allowed",
		"view_only",
	}, unproved...)
)

// refusalsOf are the codes of which a caller gets one; none where they are let
// in.
func refusalsOf(person string, allowed []string) []string {
	kind, _, _ := strings.Cut(person, "-")
	of := func(kind string) func(string) bool {
		return func(one string) bool { return strings.HasPrefix(one, kind+"-") }
	}
	switch {
	case slices.Contains(allowed, person):
		return nil
	case !isUser(person) || !slices.ContainsFunc(allowed, isUser):
		return unproved
	case strings.HasPrefix(person, "awaits_"):
		return []string{"second_factor_required"}
	case slices.ContainsFunc(allowed, of(kind)):
		return []string{"role_not_allowed"}
	case !slices.ContainsFunc(allowed, func(one string) bool { return !of("merchant")(one) }):
		return []string{"merchant_portal_token_required"}
	}
	return []string{"token_kind_not_allowed"}
}

// isUser reports whether somebody has a token.
func isUser(person string) bool {
	return !slices.Contains([]string{"nobody", "key", "application", "device"}, person)
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
	for _, person := range callers(t)["begun"] {
		kind, role, _ := strings.Cut(person, "-")
		u := newUser{login: person + "-of-all", role: role, state: "whole"}
		switch kind {
		case "merchant":
			u.kind, u.merchant = "merchant_portal", merchant
		case "trader":
			u.kind, u.trader = kind, 1
		case "operator":
			u.kind = kind
		case "payer":
			u.kind = "cabinet"
		default:
			u.kind, u.role, u.state = "operator", "admin", person
		}
		found[person] = as(g.newUser(t, u))
	}
	return found
}

// newUser is a user to be made; merchant and trader are 0 for those who belong
// to none.
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

// kept is what callers could have made or changed. A break that is set to what
// it was raises a trader's version.
func (g *instance) kept(t *testing.T) string {
	t.Helper()
	return g.value(t, `select unnest(array[
		'payments ' || (select count(*) from payment), 'payouts ' || (select count(*) from payin),
		'deposits ' || (select count(*) from deposit), 'settings ' || (select count(*) from setting_change),
		'transfers ' || (select count(*) from transfer), 'sessions ' || (select count(*) from session),
		'keys ' || (select count(*) from api_key), 'appeals ' || (select count(*) from appeal),
		'users ' || (select md5(string_agg(u::text, ',' order by id)) from app_user u),
		'cashboxes ' || (select md5(string_agg(c::text, ',' order by id)) from cashbox c),
		'traders ' || (select md5(string_agg((to_jsonb(d) - 'version')::text, ',' order by id)) from trader d)])`)
}

// eachProcedure calls fn with every procedure of every service of ours.
func eachProcedure(fn func(procedure string, request protoreflect.MessageDescriptor)) {
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		options, _ := file.Options().(*descriptorpb.FileOptions)
		if !strings.HasPrefix(options.GetGoPackage(), "gateway.example/") {
			return true // of a library
		}
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				method := service.Methods().Get(j)
				fn(fmt.Sprintf("/%s/%s", service.FullName(), method.Name()), method.Input())
			}
		}
		return true
	})
}

// textFields are the paths of a message's texts, each with a body that sets
// nothing but it.
func textFields(m protoreflect.MessageDescriptor, text string) map[string]object {
	bodies := map[string]object{}
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		name, element := field.JSONName(), ""
		wrap := func(inside any) object { return object{name: inside} }
		if field.IsList() {
			element = "[0]"
			wrap = func(inside any) object { return object{name: []any{inside}} }
		}
		switch {
		case field.Kind() == protoreflect.StringKind:
			bodies[name+element] = wrap(text)
		case field.Message() != nil && field.Message().FullName().Parent() != "google.protobuf":
			for path, body := range textFields(field.Message(), text) {
				bodies[name+element+"."+path] = wrap(body)
			}
		default:
		}
	}
	return bodies
}

// named are records that a body may name beside the text it is tried with.
func (g *instance) named(t *testing.T) (records object, trader string) {
	t.Helper()
	payment := g.create(t, g.first(), nil)
	checkout := g.create(t, g.first(), object{"method": "mtstpay"})
	id := payment.text("data.id")
	return object{
		"paymentId":         id,
		"merchantCashboxId": g.first().MerchantCashboxID,
		"traderId":          1,
		"token":             path.Base(checkout.text("data.checkoutUrl")),
	}, g.traderOf(t, id).Token
}

// callerOf are the headers of a caller whom a procedure lets in.
func (g *instance) callerOf(t *testing.T, procedure, body, trader string) header {
	var cell string
	switch kind := rpc.Access(procedure)[0]; kind {
	case caller.Trader:
		return bearer(trader)
	case caller.Device:
		paired := send(t, http.MethodPost, g.BaseURL+"/portal.v1.TraderService/CreateDevice", `{"name":"phone"}`, bearer(trader))
		return header{"X-Device-Key": paired.text("device.key"), "Signature": signature(paired.text("secret"), body)}
	case caller.MerchantKey:
		cell = "key " + g.first().KeyID
		if strings.Contains(procedure, "WithdrawalService") {
			cell = "key " + g.withdrawing(t, g.Cashboxes[1]).KeyID
		}
	default:
		cell = map[caller.Kind]string{
			caller.Application: "application", caller.Cabinet: "user payer", caller.MerchantPortal: "user merchant",
			caller.Operator: "user operator", caller.Anyone: "nobody", caller.Link: "nobody",
		}[kind]
	}
	return g.caller(t, cell, body)
}

// unnamed reports whether a request is about a record of which the test has
// none, or names it by the very text: that there is none such is said first.
func unnamed(request protoreflect.MessageDescriptor, path string) bool {
	for _, name := range []protoreflect.Name{"payin_id", "deposit_id", "appeal_id", "message_id", "link_id"} {
		if request.Fields().ByName(name) != nil {
			return true
		}
	}
	return request.Name() == "ListFilePayoutsRequest" || path == "paymentId" || path == "paymentUuid" || path == "token"
}

// No procedure takes a text with control characters, in any of its fields: each
// is refused for exactly that field.
func TestTextEverywhere(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	tried := 0
	records, trader := g.named(t)
	eachProcedure(func(procedure string, request protoreflect.MessageDescriptor) {
		for path, fields := range textFields(request, "a\ab") {
			for name, id := range records {
				if fields[name] == nil && request.Fields().ByJSONName(name) != nil {
					fields[name] = id
				}
			}
			body := testenv.Must(json.Marshal(fields))(t)
			got := fetched(t, http.MethodPost, g.BaseURL+procedure, string(body),
				g.callerOf(t, procedure, string(body), trader))
			refused := got.status == 400 &&
				strings.Contains(got.raw, `"`+path+`":{"messages":["must not contain control characters"`)
			testenv.Check(t, refused || got.status == 404 && unnamed(request, path), "%s %s: %s", procedure, path, got)
			tried++
		}
	})
	testenv.Check(t, tried >= 60, "only %d fields were tried", tried)
}
