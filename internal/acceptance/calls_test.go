package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// caller is who makes a call of refused.txt, and what is different about what
// they send.
func (g *instance) caller(t *testing.T, cell, body string) header {
	t.Helper()
	changes := strings.Split(cell, " + ")
	kind, name, _ := strings.Cut(changes[0], " ")
	headers, secret, text := header{}, "", body
	switch kind {
	case "key":
		headers, secret = signed(g.box(t, name), body), g.box(t, name).Secret
	case "appeal":
		headers, secret = signedForm(g.box(t, name), body, "", "", 0), g.box(t, name).Secret
	case "application":
		headers, secret = g.application(body), g.ExternalPaymentsSecret
	case "user":
		headers = bearer(g.user(t, name).Token)
	case "trader": // of a payment
		headers = bearer(g.traderOf(t, name).Token)
	case "nobody":
	default:
		t.Fatalf("nobody knows %q", cell)
	}
	for _, change := range changes[1:] {
		word, rest, _ := strings.Cut(change, " ")
		by, bySecret := strings.CutPrefix(rest, "by")
		switch {
		case word == "no":
			headers[rest] = ""
		case word == "signs" && bySecret:
			headers["Signature"] = signature(strings.TrimSpace(by), text)
		case word == "signs":
			headers["Signature"] = signature(secret, rest)
		case word == "capitals":
			headers["Signature"] = strings.ToUpper(headers["Signature"])
		case word == "v2": // of a payment's UUID
			headers["Signature-V2"] = g.callbackV2(time.Now(), rest, text)
		default:
			headers[strings.TrimSuffix(word, ":")] = rest
		}
	}
	return headers
}

// tried makes the call of a row, and says what is wrong about its answer.
func (g *instance) tried(t *testing.T, row []string) (answer, string) {
	t.Helper()
	testenv.Need(t, len(row) == 4, "no call, or more than one: %q", row)
	for i, cell := range row {
		row[i] = unfolded(g.path(t, cell))
	}
	method, path, _ := strings.Cut(row[1], " ")
	address := g.BaseURL + path
	for prefix, pages := range map[string]string{
		"portal:": g.PortalURL, "pay:": g.PayURL, "ops:": g.OpsURL, "api:": g.BaseURL, // for what is no JSON
	} {
		if below, onPage := strings.CutPrefix(path, prefix); onPage {
			address = pages + below
		}
	}
	headers := g.caller(t, row[0], row[2])
	if !strings.HasPrefix(path, "/") || strings.Contains(path, ".v1.") || method == http.MethodOptions {
		got := fetched(t, method, address, row[2], headers)
		return g.hears(row, got), wrongAnswer(got, why(got), row[3])
	}
	got := send(t, method, address, row[2], headers)
	return g.hears(row, got), wrongAnswer(got, got.text("code"), row[3])
}

func (g *instance) hears(row []string, got answer) answer {
	if g.heard != nil {
		g.heard(row, got)
	}
	return got
}

var ofAnswer = regexp.MustCompile(`^(\d{3})(?: ([a-z_]+))?((?: [\w.\[\]]+)*?)(?: ([A-Z][\w-]+): (.*))?$`)

// wrongAnswer is what of an answer is not as its cell has it.
func wrongAnswer(got answer, code, cell string) string {
	if cell == "no fault" {
		if got.status >= http.StatusInternalServerError {
			return got.String()
		}
		return ""
	}
	if one, another, either := strings.Cut(cell, " or "); either && (strconv.Itoa(got.status) == one || strconv.Itoa(got.status) == another) {
		return ""
	}
	want := ofAnswer.FindStringSubmatch(cell)
	if want == nil {
		return "no answer is " + cell
	}
	if want[2] == "" && got.status < http.StatusBadRequest {
		code = ""
	}
	right := strconv.Itoa(got.status) == want[1] && code == want[2] &&
		slices.Equal(got.fields(), strings.Fields(want[3])) &&
		(want[4] == "" || got.header.Get(want[4]) == want[5])
	if right {
		return ""
	}
	return fmt.Sprintf("%.500s; want %s", got, cell)
}

// wholeForm is an appeal that lacks nothing.
var wholeForm = form(reasonPart("x"), filePart("a.pdf", pdf))

// Every call of testdata/refused.txt is answered as it has it, and changes
// nothing. Then come the bodies of wrong.txt.
func TestTables(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	g.begin(t)
	g.ids["cookie"] = g.browser(t, "merchant")
	g.runs(t, steps, "refusable")
	before, tried := g.rows(t), 0
	for title, rows := range tables(t, "refused.txt") {
		t.Run(title, func(t *testing.T) {
			answers := map[string]bool{}
			for _, row := range rows {
				tried++
				got, wrong := g.tried(t, row)
				testenv.Check(t, wrong == "", "%.200q: %s", row, wrong)
				answers[unstamped(got)] = true
			}
			testenv.Check(t, !strings.HasSuffix(title, "all alike") || len(answers) == 1,
				"%d answers: %v", len(answers), answers)
		})
	}
	testenv.Want(t, g.rows(t), before, "the rows")
	t.Logf("%d calls", tried)
	bodies(t, g)
}

const (
	platformPassword = "correct horse battery staple"

	htaName = `attachment; filename*=utf-8''` +
		`.._%D1%87%D0%B5%D0%BA%20%E2%84%961%20%22%D0%BA%D0%BE%D0%BF%D0%B8%D1%8F%22.hta.pdf`
	// moved is what a payment moved in all, account by account.
	moved = `select a.owner_kind || ' ' || a.purpose || ' ' || sum(m.amount)
		from transfer t cross join lateral (values (debit_account, -amount), (credit_account, amount)) m (account_id, amount)
		join account a on a.id = m.account_id where t.subject = 'payment' and`
)

// walk does what the sections of a file of testdata say, one after the other.
func (g *instance) walk(t *testing.T, file string) {
	t.Helper()
	for _, s := range sections(t, file) {
		t.Run(s.title, func(t *testing.T) {
			for _, line := range s.lines {
				g.does(t, line)
			}
		})
	}
	g.wantAudit(t)
}

// What users of the portals and of the sandbox do.
func TestWalks(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := freshSandbox(t)
	g.begin(t)
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"rates":[{"a/b":"93.125"}]}`))
	}))
	t.Cleanup(feed.Close)
	keepSecret("feedkey-of-the-walk")
	g.ids["rate_feed"] = feed.URL + "/?key=feedkey-of-the-walk"
	g.walk(t, "walks.txt")
}

// From an empty database to the first payment, in production: only the first
// operator is made by a command.
func TestPlatform(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	keepSecret(platformPassword)
	const secret = "the external payments secret of a new platform"
	g := empty(t, map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": secret})
	g.ExternalPaymentsSecret = secret
	_, _, err := command(t, platformPassword, map[string]string{"DATABASE_URL": g.DatabaseURL},
		"operator", "create", "-login", "root", "-data-dir", t.TempDir())
	noError(t, err)
	g.walk(t, "platform.txt")
}

// Flags and limits of one gateway, each of which changes something else.
func TestFlags(t *testing.T) {
	t.Parallel()
	plan := fresh(t, "-trusted-proxies", "127.0.0.0/8",
		"-portal-origins=https://desk.example.com,https://other.example.com:8443")
	altered(t, plan.database, `update rate_limit set calls = case name when 'address_writes' then 21 when 'user' then 20
		else calls / 50 end, per_seconds = per_seconds * 1000 where name in ('address_writes', 'user') or name like '%login%'`)
	g := plan.start(t)
	g.begin(t)
	g.walk(t, "flags.txt")
}

// callbackV2 is a Signature-V2 of the application, made as the contract has it.
func (g *instance) callbackV2(at time.Time, uuid, body string) string {
	mac := hmac.New(sha256.New, []byte(g.ExternalPaymentsSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s.%s", at.Unix(), uuid, body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}
