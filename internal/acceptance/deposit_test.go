package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/uuid"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/sign"
)

const (
	deposits = "/api/v1/deposits"
	tron     = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
)

// depositOrder is the body of a deposit: the defaults, and over them what more says.
func depositOrder(more object) string {
	fields := object{
		"amount": "250.5", "network": "TRC20", "currency": "USDT", "address": tron,
		"idempotencyKey": uuid.NewString(),
	}
	maps.Copy(fields, more)
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func (g *instance) postDeposit(t testing.TB, box sandbox.Cashbox, body string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.BaseURL+deposits, body, signed(box, body))
}

func TestDeposit(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, reference := g.first(), newOrder()
	key := uuid.NewString()
	ask := func(more object) answer {
		fields := object{"idempotencyKey": key, "externalReference": reference}
		maps.Copy(fields, more)
		return g.postDeposit(t, box, depositOrder(fields))
	}
	created := ask(nil)
	g.golden(t, "deposit", created, reference)
	id := created.text("data.id")
	if created.status != 201 || created.text("data.idempotencyKey") != key ||
		created.text("data.merchantCashboxId") != fmt.Sprint(box.MerchantCashboxID) ||
		created.header.Get("Idempotent-Replay") != "" {
		t.Errorf("created %v %s", created.header, created)
	}
	for mismatch, more := range map[string]object{
		"":                       {"merchantCashboxId": box.MerchantCashboxID, "currency": nil, "idempotencyKey": strings.ToUpper(key)},
		"amount":                 {"amount": "250.50000001"},
		"amount,network,address": {"amount": "1", "network": "BEP20", "address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"},
	} {
		got := ask(more)
		if got.status != 200 || got.raw != created.raw || got.header.Get("Idempotent-Replay") != "true" ||
			got.header.Get("Idempotent-Mismatch") != mismatch {
			t.Errorf("%s: %v %s", mismatch, got.header, got)
		}
	}
	other := g.box(t, "sandbox-azn").MerchantCashboxID
	ask(object{"merchantCashboxId": other}).want(t, "another cashbox", 409, "code", "idempotency_key_conflict")
	// Another cashbox of the same merchant may be named.
	g.postDeposit(t, box, depositOrder(object{"merchantCashboxId": other})).
		want(t, "for another cashbox", 201, "data.merchantCashboxId", fmt.Sprint(other))
	g.golden(t, "deposit", send(t, "GET", g.BaseURL+deposits+"/"+id, "", signed(box, "")), reference)

	var confirming sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 8 {
		confirming.Go(func() {
			_, err := g.operator(t).
				ConfirmDeposit(t.Context(), connect.NewRequest(&portalv1.ConfirmDepositRequest{DepositId: number(id)}))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				done++
			} else if code, why, _ := connectFault(t, err); code != connect.CodeFailedPrecondition || why != "deposit_not_pending" {
				t.Errorf("confirm: %s %s", code, why)
			}
		})
	}
	confirming.Wait()
	balance := send(t, "GET", fmt.Sprintf("%s/api/v1/cashboxes/%d/balance", g.BaseURL, box.MerchantCashboxID), "",
		signed(box, ""))
	if done != 1 || balance.text("data.totalBalance") != "100250.50000000" {
		t.Errorf("%d confirmations did: %s", done, balance)
	}
	if got := send(t, "GET", g.BaseURL+deposits+"/"+id, "", signed(box, "")); got.text("data.status") != "confirmed" {
		t.Errorf("afterwards: %s", got)
	}
	rejected := number(g.postDeposit(t, box, depositOrder(nil)).text("data.id"))
	answer := called(t, g.operator(t).RejectDeposit, &portalv1.RejectDepositRequest{DepositId: rejected})
	list := called(t, g.operator(t).ListDeposits, &portalv1.ListDepositsRequest{})
	if answer.GetData().GetStatus() != "rejected" || len(list.GetData()) != 3 {
		t.Errorf("rejected %v, listed %v", answer, list)
	}
	g.wantAudit(t)
}

func TestDepositConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	for codec, options := range codecs {
		signing := &http.Client{
			Timeout:   testenv.Patience,
			Transport: sign.Transport(client.Transport, box.KeyID, box.Secret),
		}
		merchant := gatewayv1connect.NewDepositServiceClient(signing, g.BaseURL, options...)
		ask := &gatewayv1.CreateDepositRequest{
			Amount: "1.5", Network: "TRC20", Address: tron, IdempotencyKey: uuid.NewString(),
		}
		created := called(t, merchant.CreateDeposit, ask)
		again := succeeds(t, merchant.CreateDeposit, ask)
		read := called(t, merchant.GetDeposit, &gatewayv1.GetDepositRequest{DepositId: created.GetData().GetId()})
		if created.GetData().GetAmount() != "1.50000000" || again.Header().Get("Idempotent-Replay") != "true" ||
			again.Msg.GetData().GetId() !=
				created.GetData().GetId() ||
			read.GetData().GetStatus() != "pending" {
			t.Errorf("%s: created %v, again %v, read %v", codec, created, again.Msg, read)
		}
		elsewhere := g.box(t, "sandbox-try").MerchantCashboxID
		ask.MerchantCashboxId = &elsewhere
		refuses(t, "", merchant.CreateDeposit, ask, connect.CodeAlreadyExists, "idempotency_key_conflict")
		invalid(
			t,
			codec,
			merchant.CreateDeposit,
			&gatewayv1.CreateDepositRequest{Amount: "0", Network: "X", Address: "a\x00"},
			"address",
			"amount",
			"idempotencyKey",
			"network",
		)
		cashboxes := gatewayv1connect.NewCashboxServiceClient(signing, g.BaseURL, options...)
		balance := called(t, cashboxes.GetBalance, &gatewayv1.GetBalanceRequest{MerchantCashboxId: elsewhere})
		if balance.GetData().GetTotalBalance() != "100000.00000000" || balance.GetData().GetCurrency() != "USDT" {
			t.Errorf("%s: balance %v", codec, balance)
		}
	}
}
