package portals_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/jackc/pgx/v5"
	"golang.org/x/net/html"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// hostile are what strangers write to have pages and spreadsheets do what they
// want, and worst one of each kind.
var (
	worst = []string{
		`</title></textarea></pre><script>alert(1)</script>`, `"'><img src=x onerror=alert(1)>`, `javascript:alert(1)`,
		`=cmd|' /C calc'!A0`, "\t=1", strings.Repeat("long ", 40) + "<b>",
	}
	hostile = append(worst,
		`' onfocus='alert(1)`, `'><svg/onload=alert(1)>{{7*7}}&lt;b&gt;`, "\u2066\u202e=1\u202c", strings.Repeat("W", 255),
	)
)

// planted are texts that strangers wrote, each by what it is, and what of them
// was taken.
type planted struct {
	t     *testing.T
	b     *portaltest.Bundle
	taken map[string]string
	kinds map[string]int
	// hostile are the texts.
	hostile []string
	// made counts payments, each of an amount of its own.
	made int
}

func (p *planted) amount() string {
	p.made++
	return fmt.Sprint(100 + p.made)
}

// mark makes a text of a stranger's one of its own, which pages can be searched
// for. The longest are cut to what a field takes.
func (p *planted) mark(text, kind string, most int) string {
	end := "~" + kind + fmt.Sprint(len(p.taken))
	runes := []rune(text)
	return string(runes[:min(len(runes), most-len(end))]) + end
}

// plant has something written, which the service may refuse for what is wrong
// with it and for nothing else.
func (p *planted) plant(kind, text string, most int, write func(text string) error) {
	p.t.Helper()
	marked := p.mark(text, kind, most)
	err := write(marked)
	if f := fault.As(err); f != nil && f.Kind == fault.Invalid {
		return
	}
	testenv.NoError(p.t, err)
	p.taken[marked] = kind
	p.kinds[kind]++
}

// signsIn signs somebody in by a browser that calls itself something.
func (p *planted) signsIn(login, agent string) error {
	browser := p.b.Nobody()
	form := url.Values{"login": {login}, "password": {portaltest.Password}}
	if strings.ContainsAny(agent, "\r\n\t") {
		return fault.Fields{"agent": {"no header can have it"}}.Err()
	}
	browser.PostForm(p.t, "/sign-in", form, "Origin", p.b.Server.URL, "User-Agent", agent)
	return nil
}

// posted turns what a form was answered with into what a service would have
// said.
func posted(a portaltest.Answer) error {
	switch a.Code {
	case http.StatusOK, http.StatusSeeOther:
		return nil
	case http.StatusUnprocessableEntity, http.StatusConflict:
		return fault.Fields{"form": {"is refused"}}.Err()
	}
	return fmt.Errorf("a form is answered with %d: %s", a.Code, a.Text())
}

// everything plants a text wherever strangers write.
func (p *planted) everything(owner *portaltest.Person, text string, at int) {
	p.t.Helper()
	b, ctx := p.b, p.t.Context()
	p.payment(text, at)
	p.plant("external", text, 255, func(text string) error {
		box := b.Merchant.CashboxID
		made, err := b.Services.Deposits.Create(ctx, b.AsMerchant(), deposit.Request{
			CashboxID: &box, Amount: "1", Network: "TRC20", Address: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
			ExternalReference: &text, IdempotencyKey: fmt.Sprintf("%08d-0000-4000-8000-000000000000", at),
		})
		if err == nil {
			p.plant("rejected", text, 255, func(text string) error {
				_, err := b.Services.Deposits.Reject(ctx, portaltest.Admin, made.Deposit.ID, &text)
				return err
			})
		}
		return err
	})
	p.plant("key", text, 100, func(text string) error {
		path := b.BoxPath("keys/new")
		return posted(owner.Post(p.t, path, hidden(owner.Page(p.t, path), "name", text, "scopes", "payments")...))
	})
	p.plant("login", text, 255, func(text string) error {
		_, err := b.Sessions.InviteMember(ctx, b.AsMerchant(), text, caller.Support)
		return err
	})
	p.plant("view", text, 60, func(text string) error {
		return posted(owner.Post(p.t, "/views", "name", text, "path", "/merchant/payments", "query", "q="+url.QueryEscape(text)))
	})
	p.plant("agent", text, 200, func(text string) error { return p.signsIn("shop-owner", text) })
	p.payout(text, at)
}

// payment makes one that fails with a receipt and is appealed, and one that its
// trader cancels.
func (p *planted) payment(text string, at int) {
	p.t.Helper()
	b, ctx := p.b, p.t.Context()
	var made payment.Payment
	p.plant("order", text, 255, func(order string) error {
		method := "sbp"
		created, err := b.Payments.Create(ctx, b.Merchant.Caller, payment.Request{
			OrderID: order, Amount: p.amount(), Currency: "RUB", Method: &method,
			CallbackURI: "https://shop.example/hook?" + url.QueryEscape(order) + `&x=<script>"'`,
		})
		made = created.Payment
		return err
	})
	if made.ID == 0 {
		return
	}
	for _, field := range []string{"description", "user", "name", "back"} {
		p.plant(field, text, 250, func(text string) error { return p.detailed(field, text, at) })
	}
	testenv.Must(b.Payments.Claim(ctx, made.UUID))(p.t)
	p.plant("receipt", text, 200, func(text string) error {
		return b.Payments.AddReceipt(ctx, made.UUID, text+".pdf", portaltest.Section(portaltest.PDF))
	})
}

// detailed makes a payment with a text in one of the fields beside, and has its
// trader cancel it for a reason.
func (p *planted) detailed(field, text string, at int) error {
	b, ctx, method := p.b, p.t.Context(), "sbp"
	r := payment.Request{
		OrderID: fmt.Sprint(field, at), Amount: p.amount(), Currency: "RUB", Method: &method,
		CallbackURI: "https://shop.example/hook", Payer: &payment.Payer{Type: "ftd", FullName: "Ivan Petrov"},
	}
	switch field {
	case "description":
		r.Description = &text
	case "user":
		r.Payer.UserID = &text
	case "name":
		r.Payer.FullName = text
	case "back":
		back := "https://shop.example/" + text
		r.ReturnURL = &back
	}
	created, err := b.Payments.Create(ctx, b.Merchant.Caller, r)
	if err != nil {
		return err
	}
	p.plant("cancelled", text, 255, func(text string) error {
		_, err := b.Payments.Cancel(ctx, b.AsTrader(), created.Payment.ID, &text)
		return err
	})
	return nil
}

// payout makes one, which a trader takes and ends.
func (p *planted) payout(text string, at int) {
	p.t.Helper()
	b, ctx := p.b, p.t.Context()
	for _, field := range []string{"payout", "recipient", "bank", "client"} {
		p.plant(field, text, 255, func(text string) error {
			r := payout.Request{
				OrderID: fmt.Sprint("payout-", field, at), Amount: "100", Currency: "RUB", Method: "sbp",
				CallbackURI: "https://shop.example/hook", Address: "+79001234567", Recipient: "Ivan Petrov",
			}
			switch field {
			case "payout":
				r.OrderID = text
			case "recipient":
				r.Recipient = text
			case "bank":
				r.BankName = &text
			case "client":
				r.UserID = &text
			}
			who := b.Merchant.Caller
			who.Scopes = append(slices.Clone(who.Scopes), caller.ScopePayouts)
			made, err := b.Payouts.Create(ctx, who, r)
			if err != nil {
				return err
			}
			p.ended(made.Payout.UUID.String(), text, at%2 == 0)
			return nil
		})
	}
}

func (p *planted) ended(id, text string, paid bool) {
	p.t.Helper()
	b, ctx := p.b, p.t.Context()
	testenv.Must(b.Payouts.Take(ctx, b.AsTrader(), id))(p.t)
	if paid {
		p.plant("proof", text, 255, func(text string) error {
			_, err := b.Payouts.Complete(ctx, b.AsTrader(), id, &text)
			return err
		})
		return
	}
	p.plant("unpaid", text, 255, func(text string) error {
		_, err := b.Payouts.Fail(ctx, b.AsTrader(), id, &text)
		return err
	})
}

// settle fails what is open, appeals it and has a receiver answer each webhook
// with a text.
func (p *planted) settle() {
	p.t.Helper()
	b, ctx := p.b, p.t.Context()
	b.Clock.Advance(2 * time.Hour)
	testenv.Must(b.Payments.Expire(ctx))(p.t)
	failed := testenv.Must(b.Pool.Query(ctx, "select id from payment where status = 'failed' order by id"))(p.t)
	ids := testenv.Must(pgx.CollectRows(failed, pgx.RowTo[int64]))(p.t)
	for i, id := range ids {
		text := p.hostile[i%len(p.hostile)]
		p.plant("reason", text, 1000, func(reason string) error {
			name := p.mark(text, "file", 200) + ".pdf"
			made, err := b.Payments.OpenAppeal(ctx, b.AsMerchant(), id, payment.AppealRequest{
				Reason: &reason, FileName: &name, File: portaltest.Section(portaltest.PDF),
			})
			if err == nil {
				p.decide(made.ID, text)
			}
			return err
		})
	}
	for _, text := range p.hostile {
		p.plant("answer", text, 150, func(text string) error {
			_, err := b.Pool.Exec(ctx, `insert into webhook_attempt
				(merchant_id, event_id, at, duration_ms, status_code, answer, error)
				select merchant_id, id, created_at, 12, 500, $1::bytea, $2 from webhook_event order by id limit 1`,
				[]byte(text), text)
			return err
		})
	}
}

// decide has an operator decide an appeal for a reason.
func (p *planted) decide(id int64, text string) {
	p.t.Helper()
	testenv.Must(p.b.Payments.ReviewAppeal(p.t.Context(), portaltest.Admin, id))(p.t)
	p.plant("decision", text, 255, func(reason string) error {
		_, err := p.b.Payments.ResolveAppeal(p.t.Context(), portaltest.Admin, id,
			payment.Resolution{Outcome: "failed", Reason: &reason, Statement: &reason})
		return err
	})
}

// Whatever strangers write, wherever they may, is text on every page of
// merchants, traders and operators and in every file of theirs: it makes no
// element, no attribute and no address of a page, and no formula of a
// spreadsheet, and files are kept and not shown.
func TestInjection(t *testing.T) {
	testenv.OneByOne(t)
	b := portaltest.Parallel(t)
	b.Exec(t, `update requisite set holder = '<script>alert("holder")</script>', bank = '=cmd|''bank''!A0'`)
	b.Exec(t, "update rate_limit set calls = calls * 100 where name = 'trader_takes'")
	b.Exec(t, `update cashbox set name = '"><img src=x onerror=alert("box")>'`)
	b.Exec(t, `update merchant set name = '=1+1|<b onclick="x">merchant</b>'`)
	b.Exec(t, `update trader set name = '=1+1|<b onclick="x">trader</b>' || id`)
	owner := b.As(t, caller.Owner)
	p := &planted{t: t, b: b, taken: map[string]string{}, kinds: map[string]int{}, hostile: testenv.Pick(t, worst, hostile)}
	b.User(t, "shop-owner", caller.MerchantPortal, caller.Owner, b.Merchant.ID)
	b.PayOut(t, 0)
	for i, text := range p.hostile {
		p.everything(owner, text, i)
	}
	p.settle()
	seen := &crawl{t: t, files: map[string]int{}}
	seen.from(owner, "/merchant", "/account", "/merchant/payments", "/merchant/payouts")
	b.User(t, "root", caller.Operator, caller.Admin, 0)
	seen.from(b.SignIn(t, "root"), "/operator", "/account")
	seen.from(b.Trader(t, 0), "/trader", "/trader/payments", "/trader/payouts")
	t.Logf("%d pages, files %v, planted %v", seen.pages, seen.files, p.kinds)
	all := strings.Join(strings.Fields(seen.text.String()), " ")
	for text, kind := range p.taken {
		sought := strings.Join(strings.Fields(text), " ")
		if kind == "receipt" { // of a file's name what names files elsewhere is left out
			_, sought, _ = strings.Cut(text, "~")
		}
		testenv.Check(t, slices.Contains(shownNowhere, kind) || strings.Contains(all, sought), "%s %q is on no page", kind, text)
	}
	for _, kind := range everyKind {
		testenv.Check(t, p.kinds[kind] >= len(p.hostile)/3, "%s was written only %d times", kind, p.kinds[kind])
	}
	testenv.Check(t, seen.files["text/csv; charset=utf-8"] >= 5 && seen.files["application/pdf"] >= len(p.hostile)/2 &&
		seen.files["application/json"] >= len(p.hostile)/2, "files: %v", seen.files)
}

// everyKind is every text that strangers write, and shownNowhere are those of
// them that no page of the portals shows: of a browser they name the family.
var (
	everyKind = []string{
		"order", "description", "user", "name", "back", "receipt", "reason", "decision", "cancelled", "payout",
		"recipient", "bank", "client", "proof", "unpaid", "external", "rejected", "key", "login", "view", "agent",
		"answer",
	}
	shownNowhere = []string{"name", "back", "agent"}
)

// crawl reads every page that pages lead to.
type crawl struct {
	t     *testing.T
	found map[string]bool
	pages int
	text  strings.Builder
	// files counts what is no page by its type.
	files map[string]int
}

func (c *crawl) from(p *portaltest.Person, paths ...string) {
	c.t.Helper()
	queries := map[string]int{}
	c.found = map[string]bool{} // pages are others for others
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		base, _, asked := strings.Cut(path, "?")
		if c.found[path] || base == "/trader/live" || asked && queries[base] > 10 {
			continue
		}
		c.found[path] = true
		queries[base]++
		a := p.Get(c.t, path)
		if a.Code == http.StatusSeeOther {
			paths = append(paths, a.To())
			continue
		}
		unsealed := a.Code == http.StatusConflict && strings.HasSuffix(base, "/proof.json") // until the day is over
		testenv.Check(c.t, a.Code == http.StatusOK || unsealed, "GET %s: %d", path, a.Code)
		if media := a.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/html") {
			c.files[media]++
			c.file(path, a)
			continue
		}
		c.pages++
		paths = append(paths, c.page(path, a)...)
	}
}

// file checks what a browser keeps.
func (c *crawl) file(path string, a portaltest.Answer) {
	c.t.Helper()
	testenv.Check(c.t, strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") &&
		a.Header.Get("X-Content-Type-Options") == "nosniff", "%s is shown: %v", path, a.Header)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") {
		return
	}
	reader := csv.NewReader(strings.NewReader(a.Body))
	reader.FieldsPerRecord = -1
	for {
		cells, err := reader.Read()
		if err == io.EOF {
			return
		}
		testenv.NoError(c.t, err)
		for _, cell := range cells {
			testenv.Check(c.t, !strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r\n") ||
				plainNumber.MatchString(cell), "%s: the cell %q", path, cell)
			c.text.WriteString(" " + strings.TrimPrefix(cell, "'"))
		}
	}
}

// ownAddress is within the portals, or of an authenticator app.
var ownAddress = regexp.MustCompile(`^(/([^/]|$)|#|otpauth://)`)

var plainNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// foreign are elements that no page has: they would be a stranger's.
var foreign = []string{"img", "iframe", "object", "embed", "base", "frame", "marquee", "video", "audio", "math", "i"}

// proofAddress is where the picture of an appeal or a payout is shown from.
var proofAddress = regexp.MustCompile(`^/(operator/appeals|(operator|merchant|trader)/payouts)/[0-9a-f-]+/file/shown$`)

// page checks that there is nothing on a page but what is the page's, and tells
// where it leads.
func (c *crawl) page(path string, a portaltest.Answer) (links []string) {
	c.t.Helper()
	document := a.Page(c.t)
	document.Find("*").Each(func(_ int, element *goquery.Selection) {
		name := goquery.NodeName(element)
		sandbox, sandboxed := element.Attr("sandbox")
		preview := name == "iframe" && strings.HasPrefix(path, "/merchant/looks") && sandboxed && sandbox == ""
		proof := name == "img" && proofAddress.MatchString(element.AttrOr("src", ""))
		testenv.Check(c.t, (!slices.Contains(foreign, name) || preview || proof) && (name != "script" ||
			strings.TrimSpace(element.Text()) == ""), "%s has a %s", path, name)
		for _, attribute := range element.Nodes[0].Attr {
			c.attribute(path, attribute)
		}
	})
	testenv.Check(c.t, !strings.Contains(a.Body, "<script>alert") && !strings.Contains(a.Body, "<img src=x"),
		"%s: a stranger's text is markup", path)
	c.text.WriteString(" " + document.Find("body").Text())
	document.Find("a[href^='/']").Each(func(_ int, link *goquery.Selection) {
		links = append(links, link.AttrOr("href", ""))
	})
	return links
}

func (c *crawl) attribute(path string, attribute html.Attribute) {
	c.t.Helper()
	value := strings.ToLower(strings.TrimSpace(attribute.Val))
	address := slices.Contains([]string{"href", "src", "action", "formaction"}, attribute.Key)
	testenv.Check(c.t, !strings.HasPrefix(attribute.Key, "on") && attribute.Key != "style" &&
		attribute.Key != "srcdoc" && (!address || ownAddress.MatchString(value)),
		"%s has %s=%q", path, attribute.Key, attribute.Val)
}
