package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway/rpc/gen/portal/v1"
	"gateway/rpc/gen/portal/v1/portalv1connect"
)

// cardProcessor is a trader's processor, written from the package comment of internal/acquirer. It asks for a code and takes
// any.
type cardProcessor struct {
	*httptest.Server
	mu     sync.Mutex
	states map[string]string
	calls  map[string]int
	last   map[string]object
}

const processorSecret = "what the processor and we share"

func newCardProcessor(t *testing.T) *cardProcessor {
	t.Helper()
	p := &cardProcessor{states: map[string]string{}, calls: map[string]int{}, last: map[string]object{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		var body object
		_ = json.Unmarshal(content, &body)
		answer, _ := json.Marshal(p.take(strings.TrimPrefix(r.URL.Path, "/"), body))
		mac := hmac.New(sha256.New, []byte(processorSecret))
		_, _ = io.WriteString(mac, r.Header.Get("X-Acquirer-Signature")+"\n"+string(answer))
		w.Header().Set("X-Acquirer-Signature", hex.EncodeToString(mac.Sum(nil)))
		_, _ = w.Write(answer)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *cardProcessor) take(call string, body object) object {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := body["attemptId"].(string)
	p.calls[call]++
	p.last[call] = body
	answer := object{"attemptId": id}
	switch call {
	case "authorize":
		p.states[id] = "code_needed"
	case "code":
		p.states[id] = "approved"
	case "void":
		p.states[id] = "voided"
	}
	if answer["state"] = p.states[id]; p.states[id] == "" {
		answer["state"] = "unknown"
	}
	return answer
}

func (p *cardProcessor) called(call string) (int, object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[call], p.last[call]
}

// A trader's processor, set by an operator, charges the cards of his payments.
func TestTraderProcessor(t *testing.T) {
	t.Parallel()
	g := newSandbox(t, t.TempDir(), newDatabase(t))
	p := newCardProcessor(t)
	operator := portalv1connect.NewOperatorServiceClient(withToken(g.user(t, "operator").Token), g.BaseURL)
	var traderID int64
	noError(t, g.pool.QueryRow(t.Context(), "select distinct trader_id from requisite where method = 'quasi_ecom'").Scan(&traderID))
	setting := &portalv1.SetTraderAcquirerRequest{TraderId: traderID, Url: p.URL, KeyId: "gateway", Secret: processorSecret}
	changed, err := operator.SetTraderAcquirer(context.Background(), connect.NewRequest(setting))
	noError(t, err)
	if strings.Contains(changed.Msg.String(), processorSecret) {
		t.Error("the secret is shown")
	}
	keepSecret(processorSecret)

	_, token := g.cardPayment(t, nil)
	if got := g.checkout(t, token, "payer-details", typedCard("4242 4242 4242 4242", object{"cardHolder": "ANNA B", "expMonth": "1", "expYear": "35"})); got.text("data.phase") != "awaiting_payer_otp" {
		t.Errorf("card: %s", got)
	}
	_, asked := p.called("authorize")
	if card, _ := asked["card"].(object); asked["amount"] != "100.00" || asked["currency"] != "AZN" || card["pan"] != "4242424242424242" ||
		card["expMonth"] != "01" || card["expYear"] != "2035" || card["cvv"] != "123" || card["holder"] != "ANNA B" {
		t.Errorf("authorize %v", asked)
	}
	if got := g.checkout(t, token, "payer-otp", `{"otp":"987654"}`); got.text("data.paymentStatus") != "completed" {
		t.Errorf("code: %s", got)
	}
	if _, given := p.called("code"); given["code"] != "987654" || given["number"] != 1.0 {
		t.Errorf("code %v", given)
	}
	// What the payer cancels is undone at the processor.
	_, token = g.cardPayment(t, nil)
	g.checkout(t, token, "payer-details", typedCard("4242424242424242", nil))
	g.checkout(t, token, "cancel", "")
	noError(t, waitFor(patience, func() error {
		if calls, _ := p.called("void"); calls == 0 {
			return errors.New("no void")
		}
		return nil
	}))
	conflicts, err := operator.ListCardConflicts(context.Background(), connect.NewRequest(&portalv1.ListCardConflictsRequest{}))
	if noError(t, err); len(conflicts.Msg.GetData()) != 0 {
		t.Errorf("conflicts %v", conflicts.Msg)
	}
	_, err = operator.CloseCardConflict(context.Background(), connect.NewRequest(&portalv1.CloseCardConflictRequest{ConflictId: 1}))
	if code, detail, _ := connectFault(t, err); code != connect.CodeNotFound || detail != "not_found" {
		t.Errorf("closing none: %v %s", code, detail)
	}
}
