package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// signIn tries a login from an address, which a proxy names.
func (g *instance) signIn(t *testing.T, from, login, password string) (int, string) {
	t.Helper()
	body := fmt.Sprintf(`{"login":%q,"password":%q}`, login, password)
	got := fetched(t, http.MethodPost, g.BaseURL+"/portal.v1.AuthService/Login", body, header{"X-Forwarded-For": from})
	for _, code := range []string{"invalid_credentials", "rate_limited", "validation_failed"} {
		if strings.Contains(got.raw, code) {
			return got.status, code
		}
	}
	return got.status, ""
}

// Only passwords that were compared and found wrong count, against their address first: nobody
// locks another out from where that other is, but by a hundred.
func TestSignInLimits(t *testing.T) {
	t.Parallel()
	plan := fresh(t, "-trusted-proxies", "127.0.0.0/8")
	// As outside a sandbox, where ten wrong passwords are let through, or with a fifth of that, because each takes time
	// to compare. Nothing comes back while the test lasts.
	divisor, few := testenv.Pick(50, 10), testenv.Pick(2, 10)
	many := 10 * few
	altered(t, plan.database,
		"update rate_limit set calls = calls / $1, per_seconds = per_seconds * 1000 where name like '%login%'", divisor)
	g := plan.start(t)
	password := g.user(t, "operator").Password
	try := func(from, login, password string, status int, code string) {
		t.Helper()
		if gotStatus, got := g.signIn(t, from, login, password); gotStatus != status || got != code {
			t.Errorf("%s as %s: %d %s; want %d %s", from, login, gotStatus, got, status, code)
		}
	}
	for range few + 1 {
		try("192.0.2.1", "operator", "", 400, "validation_failed")
		try("192.0.2.1", "operator", strings.Repeat("x", 300), 401, "invalid_credentials")
		try("192.0.2.1", "operator", password, 200, "")
	}
	for range few {
		try("192.0.2.1", "operator", "a wrong password", 401, "invalid_credentials")
	}
	try("192.0.2.1", "operator", password, 429, "rate_limited")
	try("192.0.2.2", "operator", password, 200, "")
	// A login that nobody has is no different.
	for range few {
		try("192.0.2.1", "nobody", "a wrong password", 401, "invalid_credentials")
	}
	try("192.0.2.1", "nobody", "a wrong password", 429, "rate_limited")
	// As many wrong ones from each of ten addresses count against the login. Those above do not: they came from an address
	// that the operator has signed in from.
	for address := 10; address < 20; address++ {
		for range few {
			try(fmt.Sprintf("192.0.2.%d", address), "operator", "a wrong password", 401, "invalid_credentials")
		}
	}
	try("192.0.2.77", "operator", password, 429, "rate_limited")
	// But not against who has signed in from their address before.
	try("192.0.2.2", "operator", password, 200, "")
	// And as many against an address, whatever the logins: those of two logins were above.
	for n := range many - 2*few {
		try("192.0.2.1", fmt.Sprintf("somebody-%d", n), "a wrong password", 401, "invalid_credentials")
	}
	try("192.0.2.1", "trader-1", g.user(t, "trader-1").Password, 429, "rate_limited")
	try("192.0.2.3", "trader-1", g.user(t, "trader-1").Password, 200, "")
}

// A player's id is its merchant's own: a cabinet user sees the payments of the merchants they are
// linked to alone.
func TestCabinetUsersSeeTheirMerchants(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	second := g.box(t, "sandbox-second-rub")
	var merchantID int64
	noError(
		t,
		g.pool.QueryRow(t.Context(), "select merchant_id from cashbox where id = $1", second.MerchantCashboxID).
			Scan(&merchantID),
	)
	change := called(t, g.operator(t).CreateUser, &portalv1.CreateUserRequest{
		Kind: "cabinet", Login: "player", Password: "correct horse battery", MerchantIds: []int64{merchantID},
	})
	userID := change.GetChange().GetSubjectKey()
	invalid(t, "of no merchant", g.operator(t).CreateUser, &portalv1.CreateUserRequest{
		Kind: "cabinet", Login: "loose", Password: "correct horse battery",
	}, "merchantIds")
	signedIn, err := g.signInAs(t, "player", "correct horse battery")
	noError(t, err)
	token := bearer(signedIn.Msg.GetToken())
	own := g.create(t, second, object{"payer": object{"userId": userID}}).text("data.id")
	named := g.create(t, second, object{"payer": object{"userId": "  player "}}).text("data.id")
	others := g.create(t, g.first(), object{"payer": object{"userId": userID}}).text("data.id")
	blank := g.create(t, second, object{"payer": object{"userId": "  "}}).text("data.id")
	list := send(t, http.MethodGet, g.BaseURL+payments, "", token)
	if got := fmt.Sprint(list.at("data")); strings.Count(got, "order_id") != 2 || list.text("next_cursor") != "<nil>" {
		t.Errorf("listed: %s", list)
	}
	for id, status := range map[string]int{own: 200, named: 200, others: 404, blank: 404} {
		send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", token).want(t, "payment "+id, status)
	}
	if n := g.count(t, "select count(*) from payment where payer_user_id is null"); n != 1 {
		t.Errorf("%d payments are of nobody", n)
	}
	// The sandbox's own player is one of every merchant.
	payer := g.user(t, "payer")
	for _, box := range []string{"sandbox-rub", "sandbox-second-rub"} {
		id := g.create(t, g.box(t, box), object{"payer": object{"userId": "payer"}}).text("data.id")
		send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", bearer(payer.Token)).want(t, box, 200)
	}
}

func (g *instance) signInAs(t *testing.T, login, password string) (*connect.Response[portalv1.LoginResponse], error) {
	t.Helper()
	return portalv1connect.NewAuthServiceClient(client, g.BaseURL).
		Login(t.Context(), connect.NewRequest(&portalv1.LoginRequest{Login: login, Password: password}))
}

// A user calls so often and no more, whatever is called, and keeps nobody else from calling.
func TestUsersAreLimited(t *testing.T) {
	t.Parallel()
	plan := fresh(t)
	const calls = "select calls from rate_limit where name = 'user' and per_seconds = 1"
	if got := sharedSandbox(t).count(t, calls); got != 200 {
		t.Errorf("a sandbox's user may call %d times a second", got)
	}
	altered(t, plan.database, "update rate_limit set calls = 20, per_seconds = 3600 where name = 'user'")
	g := plan.start(t)
	desk := g.merchantDesk(g.user(t, "merchant").Token)
	var let, refused int
	var mu sync.Mutex
	var making sync.WaitGroup
	status := "delivered"
	for range 60 {
		making.Go(func() {
			_, err := desk.ListEvents(t.Context(), connect.NewRequest(&portalv1.ListEventsRequest{Status: &status}))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				let++
			} else if code, why, _ := connectFault(t, err); code == connect.CodeResourceExhausted && why == "rate_limited" {
				refused++
			}
		})
	}
	making.Wait()
	if let != 20 || refused != 40 {
		t.Errorf("%d were let through, %d refused", let, refused)
	}
	began := time.Now()
	if got := g.create(
		t,
		g.box(t, "sandbox-second-rub"),
		nil,
	); got.status != 200 ||
		testenv.Whole() && time.Since(began) > 5*time.Second {
		t.Errorf("another merchant: %s after %s", got, time.Since(began))
	}
	read := gatewayv1connect.NewPaymentServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	_, err := read.GetPayment(t.Context(), connect.NewRequest(&gatewayv1.GetPaymentRequest{PaymentId: "1"}))
	if code, _, _ := connectFault(t, err); code != connect.CodeResourceExhausted {
		t.Errorf("another procedure: %s", code)
	}
	if _, err := g.merchantDesk(g.user(t, "merchant-2").Token).
		ListEvents(t.Context(), connect.NewRequest(&portalv1.ListEventsRequest{})); err != nil {
		t.Errorf("another user: %v", err)
	}
}
