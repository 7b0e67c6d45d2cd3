package acceptance

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"

	"gateway.example/internal/testenv"
)

// ways are the main ways of money, each to its end. They take an order id,
// which is new.
var ways = map[string]func(p *pointed, order string){
	"payment": (*pointed).payment, "application": (*pointed).application, "payout": (*pointed).payout, "deposit": (*pointed).deposit,
	"withdrawal": (*pointed).withdrawal, "card": (*pointed).card, "appeal": (*pointed).appealed, "cancel": (*pointed).cancel,
	"link": (*pointed).link, "code": (*pointed).code,
	"funding" + byTwo: (*pointed).funding, "deposit" + byTwo: (*pointed).confirmed, "withdrawal" + byTwo: (*pointed).withdrawal,
	"appeal" + byTwo: (*pointed).appealed,
}

// pays makes a payment and returns its answer.
func (p *pointed) pays(orderID, amount string) answer {
	return p.asks(payments, order(object{"orderId": orderID, "callbackUri": p.shop.URL, "amount": amount}))
}

// paid wants a payment to be completed, and its merchant to be told.
func (p *pointed) paid(id, orderID string) {
	p.ends(payments+"/"+id, "completed", p.box)
	p.told(orderID)
}

func (p *pointed) payment(orderID string) {
	id := p.pays(orderID, "150.00").text("data.id")
	p.rpc(p.traderOf(p.t, id).Login, "TraderService/ConfirmReceived", `{"paymentId":`+id+`}`)
	p.paid(id, orderID)
}

// application has the other application's word complete a payment.
func (p *pointed) application(orderID string) {
	id := p.pays(orderID, "160.00").text("data.id")
	p.says(id, "completed")
	p.paid(id, orderID)
}

// says has the other application say what a payment is.
func (p *pointed) says(id, status string) {
	body := fmt.Sprintf(`{"status":%q}`, status)
	p.call(http.MethodPost, p.BaseURL+payments+"/"+id+"/callback", body, p.instance.application(body))
}

// appealed has a payment that has failed be completed by its merchant's appeal.
func (p *pointed) appealed(orderID string) {
	id := p.pays(orderID, "170.00").text("data.id")
	p.says(id, "failed")
	p.call(http.MethodPost, p.appealURL(id), form(reasonPart("paid"), filePart("a.pdf", pdf)),
		appealHeaders(p.box, "paid", "a.pdf", len(pdf)))
	opened := p.count(p.t, "select id from appeal where payment_id = $1::text::bigint", id)
	p.operate("OperatorService/ReviewAppeal", fmt.Sprintf(`{"appealId":%d}`, opened))
	p.operate("OperatorService/ResolveAppeal", fmt.Sprintf(`{"appealId":%d,"outcome":"completed","reason":"it came"}`, opened))
	p.paid(id, orderID)
}

// cancel has a payer give up one payment, and its trader another.
func (p *pointed) cancel(orderID string) {
	made := p.pays(orderID, "180.00")
	p.onPage(http.MethodPost, made.text("data.paymentPageUrl")+"/cancel")
	p.ends(payments+"/"+made.text("data.id"), "cancelled", p.box)
	p.toldOf(orderID, "CANCELLED")
	orderID += "-trader"
	id := p.pays(orderID, "180.00").text("data.id")
	p.rpc(p.traderOf(p.t, id).Login, "TraderService/CancelPayment", `{"paymentId":`+id+`}`)
	p.ends(payments+"/"+id, "cancelled", p.box)
	p.toldOf(orderID, "CANCELLED")
}

// link has a payer begin a payment by a link for one, and pay it.
func (p *pointed) link(string) {
	made := p.rpc("merchant", "LinkService/CreateLink", bodyOf(object{
		"cashboxId": p.box.MerchantCashboxID, "title": "A lamp", "amount": "190", "maxPayments": 1, "callbackUri": p.shop.URL,
	}, nil))
	page := made.text("link.url")
	attempt := attemptField.FindStringSubmatch(p.onPage(http.MethodGet, page).raw)
	testenv.Need(p.t, attempt != nil, "%s has no form", page)
	p.onPage(http.MethodPost, page, "attempt", attempt[1], "method", "sbp")
	orderID := p.texts(p.t, "select order_id from payment where order_id like $1", "link-"+made.text("link.id")+"-%")[0]
	id := fmt.Sprint(p.count(p.t, "select id from payment where order_id = $1", orderID))
	p.rpc(p.traderOf(p.t, id).Login, "TraderService/ConfirmReceived", `{"paymentId":`+id+`}`)
	p.paid(id, orderID)
}

var attemptField = regexp.MustCompile(`name="attempt" value="([^"]+)"`)

// onPage reads a payer's page, or sends its form.
func (p *pointed) onPage(method, address string, fields ...string) answer {
	p.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return p.call(method, address, form.Encode(), header{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": "null", "Sec-Fetch-Site": "same-origin",
	})
}

func (p *pointed) payout(orderID string) {
	id := p.asks(payins, payinOrder(object{"orderId": orderID, "callbackUri": p.shop.URL, "amount": 100})).text("data.id")
	p.rpc("trader-1", "TraderService/TakePayin", `{"payinId":"`+id+`"}`)
	p.rpc("trader-1", "TraderService/CompletePayin", `{"payinId":"`+id+`","proofReference":"done"}`)
	p.ends(payins+"/"+id, "completed", p.box)
	p.told(orderID)
}

// wallet has the sandbox's wallet send something, which its network shows with
// all its confirmations at once.
func (p *pointed) wallet(path string) {
	form := url.Values{}
	p.call(http.MethodPost, p.PortalURL+"/sandbox/wallet/"+path, form.Encode(), header{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": p.PortalURL, "Sec-Fetch-Site": "same-origin",
	})
	p.count(p.t, `with older as (update sandbox_transfer set sent_at = sent_at - interval '1 hour' returning 1) select count(*) from older`)
}

func (p *pointed) deposit(string) {
	id := p.asks(deposits, depositOrder(object{
		"merchantCashboxId": p.box.MerchantCashboxID, "amount": fmt.Sprint(100 + len(p.final)), "address": "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
	})).text("data.id")
	p.wallet("deposits/" + id)
	p.ends(deposits+"/"+id, "confirmed", p.box)
	p.confirmed("")
}

// confirmed has an operator confirm a deposit that no watched network has.
func (p *pointed) confirmed(string) {
	id := p.asks(deposits, depositOrder(object{"merchantCashboxId": p.box.MerchantCashboxID})).text("data.id")
	p.operate("OperatorService/ConfirmDeposit", `{"depositId":`+id+`}`)
	p.ends(deposits+"/"+id, "confirmed", p.box)
}

func (p *pointed) withdrawal(orderID string) {
	id := p.asks("/api/v1/withdrawals", bodyOf(object{
		"orderId": orderID, "merchantCashboxId": p.box.MerchantCashboxID, "amount": "11", "network": "TRC20",
		"address": "T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm", "callbackUri": p.shop.URL,
	}, nil)).text("data.id")
	p.operate("WithdrawalService/ApproveWithdrawal", `{"withdrawalId":`+id+`}`)
	p.list = p.operate("WithdrawalService/ExportHandOver", `{"past":`+p.list+`}`).text("data.id")
	p.wallet("withdrawals/" + id)
	p.ends("/api/v1/withdrawals/"+id, "completed", p.box)
	p.told(orderID)
	testenv.Want(p.t, p.count(p.t, `select count(*) from withdrawal_hand_over where document like '%"id":' || $1 || ',%'`, id), 1,
		"lists with withdrawal %s", id)
}

func (p *pointed) card(orderID string) {
	p.byCard(orderID, "5", func(page, pan, phase string) {
		if phase == "awaiting_payer_details" {
			_, _ = trySend(http.MethodPost, p.BaseURL+"/api/v1/checkout/"+filepath.Base(page)+"/payer-details", typedCard(pan, nil), nil)
		}
	})
}

// byCard has a payer do what the phase of their payment wants until it is
// charged. The digit of the card says what the processor does.
func (p *pointed) byCard(orderID, digit string, pay func(page, pan, phase string)) {
	box := p.box
	defer func() { p.box = box }()
	p.box = p.instance.box(p.t, "sandbox-azn")
	made := p.asks(payments, order(object{
		"orderId": orderID, "callbackUri": p.shop.URL, "method": "quasi_ecom", "currency": "AZN", "amount": "100",
	}))
	pan, page := randomPAN(digit), made.text("data.checkoutUrl")
	noError(p.t, testenv.Eventually(func() error {
		if p.revived() {
			return errors.New("the gateway was started again")
		}
		got, err := trySend(http.MethodGet, p.BaseURL+"/api/v1/checkout/"+filepath.Base(page), "", nil)
		if err != nil || got.text("data.paymentStatus") == "completed" {
			return err
		}
		pay(page, pan, got.text("data.phase"))
		return fmt.Errorf("%s is not charged: %s", orderID, got.raw)
	}))
	p.paid(made.text("data.id"), orderID)
	charged, kept, _, _ := p.processor.ofCard(pan)
	testenv.Check(p.t, charged == 1 && kept == 1, "%s: charged %d times, %d stand", orderID, charged, kept)
}

// code has a payer type a card on the payment's page, have another code sent,
// and type a wrong one and the right one.
func (p *pointed) code(orderID string) {
	p.byCard(orderID, "4", func(page, pan, phase string) {
		if phase == "awaiting_payer_details" {
			p.onPage(http.MethodPost, page+"/card", "pan", pan, "expiry", "12/35", "cvv", "123")
		}
		if phase != "awaiting_payer_otp" {
			return
		}
		resent := func() bool { _, _, _, resends := p.processor.ofCard(pan); return resends > 0 }
		if !resent() {
			p.onPage(http.MethodPost, page+"/resend")
			p.until("the processor is asked for another code", resent)
		}
		otp := wrongCode
		if _, _, wrong, _ := p.processor.ofCard(pan); wrong > 0 {
			otp = rightCode
		}
		if attempt := attemptField.FindStringSubmatch(p.onPage(http.MethodGet, page+"/code").raw); attempt != nil {
			p.onPage(http.MethodPost, page+"/code", "attempt", attempt[1], "otp", otp)
		}
	})
}

// funding has a trader be given money, and not what is refused.
func (p *pointed) funding(orderID string) {
	fund := func(reference string) string {
		return fmt.Sprintf(`{"traderId":1,"amount":"7","reference":%q}`, reference)
	}
	moved := func(reference string) int {
		return p.count(p.t, `select count(*) from trader_funding f join transfer t on t.subject = 'trader_funding' and t.subject_id = f.id
			where f.reference = $1`, reference)
	}
	p.operate("OperatorService/FundTrader", fund(orderID))
	testenv.Want(p.t, moved(orderID), 1, "movements of %s", orderID)
	refused := orderID + "-refused"
	id := proposedBy(p.rpc("operator", "OperatorService/FundTrader", fund(refused)))
	p.decide("RefuseProposal", `{"proposalId":`+id+`}`)
	testenv.Want(p.t, moved(refused), 0, "movements of %s", refused)
}
