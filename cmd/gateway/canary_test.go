package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway/rpc/gen/portal/v1"
)

// canaries are what must not be found anywhere.
type canaries struct{ pans, cvvs, codes []string }

// cvv makes one that no number looks like: it begins with 0.
func (c *canaries) cvv() string {
	cvv := fmt.Sprintf("0%d", 111+rand.IntN(888))
	c.cvvs = append(c.cvvs, cvv)
	return cvv
}

func (c *canaries) code() string {
	code := fmt.Sprint(10_000_000 + rand.IntN(89_999_999))
	c.codes = append(c.codes, code)
	return code
}

// pan makes one that begins with a digit.
func (c *canaries) pan(digit string) string {
	pan := randomPAN(digit)
	c.pans = append(c.pans, pan)
	return pan
}

// randomPAN makes a valid number of 16 digits that begins with one. Its last four digits do not look like a canary's CVV.
func randomPAN(digit string) string {
	for {
		pan := fmt.Sprintf("%s%015d", digit, rand.Int64N(1_000_000_000_000_000))
		if passesLuhn(pan) && pan[12] != '0' {
			return pan
		}
	}
}

// passesLuhn doubles every second digit from the right; the sum of all digits must be a multiple of ten.
func passesLuhn(pan string) bool {
	sum := 0
	for i, digit := range pan {
		d := int(digit - '0')
		if (len(pan)-i)%2 == 0 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == 0
}

// After every card's way through a sandbox of its own, no table, log or metric holds a PAN, a CVV or a code.
func TestNothingOfCardsIsLeft(t *testing.T) {
	t.Parallel()
	g := newSandbox(t, t.TempDir(), newDatabase(t))
	c := &canaries{pans: []string{"4242424242424242", "4000002500003155", "4000000000000002", "4000000000009995"}}
	enter := func(pan string) (string, string) {
		created, token := g.cardPayment(t, object{"payer": object{"userId": "payer"}})
		got := g.checkout(t, token, "payer-details", typedCard(pan, object{"cvv": c.cvv(), "cardHolder": "ANNA B"}))
		if got.status != 200 {
			t.Errorf("card: %s", got)
		}
		return created.text("data.id"), token
	}
	otp := func(token, code string) { g.checkout(t, token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, code)) }
	for _, pan := range []string{"4242424242424242", "4000000000000002", "4000000000009995"} {
		_, token := enter(pan)
		g.awaitCheckout(t, token, "isTerminal", "true")
	}
	_, token := enter("4000002500003155")
	for _, code := range []string{c.code(), c.code(), "123456"} {
		g.awaitCheckout(t, token, "phase", "awaiting_payer_otp")
		otp(token, code)
	}
	id, token := enter(c.pan("4"))
	otp(token, c.code())
	desk := g.desk(g.traderOf(t, id).Token)
	_, err := desk.RequestCodeResend(t.Context(), connect.NewRequest(&portalv1.RequestCodeResendRequest{PaymentId: number(id)}))
	noError(t, err)
	otp(token, c.code())
	_, err = desk.ConfirmReceived(t.Context(), connect.NewRequest(&portalv1.ConfirmReceivedRequest{PaymentId: number(id)}))
	noError(t, err)
	enter(c.pan("4")) // and one left open
	// What is refused is not remembered either.
	_, token = g.cardPayment(t, nil)
	g.checkout(t, token, "payer-details", typedCard(c.pan("4"), object{"cvv": c.cvv(), "expYear": "2020"}))
	g.checkout(t, token, "payer-details", `{"pan":"`+c.pan("4")+`","cvv":"`+c.cvv()+`",`)
	g.checkout(t, token, "payer-otp", `{"otp":["`+c.code()+`"]}`)
	g.search(t, c)

	// The acquirer's book and ours agree.
	for _, line := range g.texts(t, `select format('payment %s is %s, its attempt %s, the acquirer has %s, voided %s', p.id, p.status, a.status, s.script, s.voided)
		from payment p left join card_attempt a on a.payment_id = p.id left join sandbox_acquirer s on s.attempt_id = a.id
		where p.status = 'completed' and (s.attempt_id is null or s.voided or s.script not in ('approve', 'code', 'desk'))
		   or p.status in ('failed', 'cancelled') and s.script in ('approve', 'desk') and not s.voided`) {
		t.Error(line)
	}
}

// search looks for the canaries in every table's text, in the logs and in the metrics.
func (g *instance) search(t *testing.T, c *canaries) {
	t.Helper()
	places := map[string]string{"log": g.stderr.String(), "standard output": g.stdout.String()}
	response, err := http.Get(g.OpsURL + "/metrics")
	noError(t, err)
	defer func() { _ = response.Body.Close() }()
	metrics, err := io.ReadAll(response.Body)
	noError(t, err)
	places["metrics"] = string(metrics)
	tables := g.texts(t, "select format('%I.%I', table_schema, table_name) from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'")
	if len(tables) < 20 {
		t.Errorf("only %d tables", len(tables))
	}
	for _, table := range tables {
		places[table] = strings.Join(g.texts(t, "select t::text from "+table+" t"), "\n")
	}
	if !strings.Contains(places["public.payment"], "quasi_ecom") || !strings.Contains(places["log"], "SubmitPayerDetails") {
		t.Error("the search does not see what is there")
	}
	for place, content := range places {
		for _, canary := range append(c.pans, c.codes...) {
			if strings.Contains(content, canary) || strings.Contains(content, hex.EncodeToString([]byte(canary))) {
				t.Errorf("%s holds %s", place, canary)
			}
		}
		for _, cvv := range c.cvvs {
			if regexp.MustCompile(`(^|[^0-9A-Za-z.])`+cvv+`($|[^0-9A-Za-z])`).MatchString(content) ||
				strings.Contains(content, hex.EncodeToString([]byte(`"`+cvv+`"`))) {
				t.Errorf("%s holds CVV %s", place, cvv)
			}
		}
	}
}
