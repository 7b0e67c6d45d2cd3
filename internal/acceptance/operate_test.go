package acceptance

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// platform is a production gateway that its operator fills from nothing, by calls alone.
type platform struct {
	*instance
	operator                   portalv1connect.OperatorServiceClient
	trader, merchant, box      int64
	traderToken, merchantToken string
}

const platformPassword = "correct horse battery staple"

// newPlatform has nothing but its operator, whom the command made.
func newPlatform(t *testing.T) *platform {
	t.Helper()
	keepSecret(platformPassword)
	p := &platform{
		instance: empty(t,
			map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "the external payments secret of a new platform"}),
	}
	_, _, err := command(t, platformPassword, map[string]string{"DATABASE_URL": p.DatabaseURL},
		"operator", "create", "-login", "root", "-data-dir", t.TempDir())
	noError(t, err)
	p.operator = portalv1connect.NewOperatorServiceClient(withToken(p.login(t, "root")), p.BaseURL)
	return p
}

func (p *platform) login(t *testing.T, login string) string {
	t.Helper()
	in := called(t, portalv1connect.NewAuthServiceClient(client, p.BaseURL).Login,
		&portalv1.LoginRequest{Login: login, Password: platformPassword})
	keepSecret(in.GetToken())
	if in.GetState() == "awaits_enrolment" {
		return p.enrol(t, in.GetToken())
	}
	return in.GetToken()
}

// done wants a call to have changed something, under a number of the log.
func done[R any, P interface {
	*R
	GetChange() *portalv1.SettingChange
}](r *connect.Response[R], err error) func(*testing.T) *portalv1.SettingChange {
	return func(t *testing.T) *portalv1.SettingChange {
		t.Helper()
		noError(t, err)
		c := P(r.Msg).GetChange()
		if c.GetId() == 0 || !strings.HasPrefix(c.GetActor(), "operator:") {
			t.Errorf("change %v", c)
		}
		return c
	}
}

// setTerms sets rate and limit, and makes the trader with their USDT, a requisite and a user.
func (p *platform) setTerms(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	called(t, p.operator.SetRate, &portalv1.SetRateRequest{Currency: "RUB", FiatPerUsdt: "100"})
	done(p.operator.SetPlatformLimit(ctx, connect.NewRequest(&portalv1.SetPlatformLimitRequest{
		Currency: "RUB", MinAmount: "100", MaxAmount: "100000",
	})))(t)
	p.trader = number(done(p.operator.CreateTrader(ctx, connect.NewRequest(&portalv1.CreateTraderRequest{
		Name: "Trader", SharePercent: "1",
	})))(t).GetSubjectKey())
	for range 2 { // the double click
		funded := done(p.operator.FundTrader(ctx, connect.NewRequest(&portalv1.FundTraderRequest{
			TraderId: p.trader, Amount: "1000", Reference: "tx-1",
		})))(t)
		testenv.Want(t, funded.GetAfter().AsMap()["amount"], "1000.00000000", "funded with")
	}
	done(p.operator.CreateRequisite(ctx, connect.NewRequest(&portalv1.CreateRequisiteRequest{
		TraderId: p.trader, Currency: "RUB", Method: "sbp", Value: "+79001234567",
	})))(t)
	p.addUser(t, &portalv1.CreateUserRequest{Kind: "trader", Login: "trader", TraderId: &p.trader})
	p.traderToken = p.login(t, "trader")
}

// addMerchant makes the merchant with its cashbox and a user.
func (p *platform) addMerchant(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	made := called(t, p.operator.CreateMerchant, &portalv1.CreateMerchantRequest{Name: "Shop"})
	p.merchant = number(made.GetChange().GetSubjectKey())
	box := called(t, p.operator.CreateCashbox, &portalv1.CreateCashboxRequest{
		MerchantId: p.merchant, Name: "Shop RUB", Currency: "RUB", TraderCashboxId: &p.trader,
	})
	p.box = number(box.GetChange().GetSubjectKey())
	secret, isSecret := strings.CutPrefix(box.GetWebhookSecret(), "whsec_")
	keepSecret(secret)
	if !isSecret || strings.Contains(box.GetChange().String(), secret) {
		t.Error("the cashbox's secret is no secret")
	}
	done(p.operator.SetCashboxMethod(ctx, connect.NewRequest(&portalv1.SetCashboxMethodRequest{
		MerchantCashboxId: p.box, Method: "sbp", Enabled: true, MarginPercent: "5", ValiditySeconds: 900,
	})))(t)
	p.addUser(t, &portalv1.CreateUserRequest{Kind: "merchant_portal", Login: "shop", MerchantId: &p.merchant})
	p.merchantToken = p.enrol(t, p.login(t, "shop")) // keys take a second factor
}

func (p *platform) addUser(t *testing.T, user *portalv1.CreateUserRequest) {
	t.Helper()
	user.Password = platformPassword
	made := called(t, p.operator.CreateUser, user)
	if made.InvitationLink != nil {
		t.Error("a user with a password was invited")
	}
}

// firstKey is the key that the merchant makes for itself.
func (p *platform) firstKey(t *testing.T) sandbox.Cashbox {
	t.Helper()
	made := send(t, "POST", p.credentials(p.box), `{"name":"Web shop"}`, bearer(p.merchantToken)).must(t, "", 201)
	keepSecret(made.text("secret"))
	return sandbox.Cashbox{KeyID: made.text("data.key_id"), Secret: made.text("secret")}
}

func (p *platform) withdraw(t *testing.T, amount, reference string) error {
	t.Helper()
	_, err := p.operator.WithdrawTrader(t.Context(), connect.NewRequest(&portalv1.WithdrawTraderRequest{
		TraderId: p.trader, Amount: amount, Reference: reference,
	}))
	return err
}

// From an empty database to the first payment, in production, by the operator's calls alone. Then the same platform is
// read and changed, and others sign in to it.
func TestPlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.setTerms(t)
	p.addMerchant(t)
	t.Run("first payment", p.firstPayment)
	t.Run("directory", p.directoryByCalls)
	t.Run("second factor", p.secondFactor)
	t.Run("invited user", p.invitedUser)
}

func (p *platform) firstPayment(t *testing.T) {
	made := p.create(t, p.firstKey(t), object{"amount": "1500"})
	// 1500 / 100 is 15 at spot; 1500 / 105 is the merchant's; of the rest 1% of spot is the
	// trader's.
	for name, want := range map[string]string{
		"data.status": "pending", "data.requisite.value": "+79001234567", "data.ledger.amountUsdt": "14.28571428",
		"data.ledger.spreadTraderUsdt": "0.15000000", "data.ledger.spreadPlatformUsdt": "0.56428572",
	} {
		testenv.Want(t, made.text(name), want, "%s", name)
	}
	// 15 - 0.15 is held of their 1000: the rest is theirs to take, and no more.
	wantFault(t, "", p.withdraw(t, "985.15000001", "tx-2"), connect.CodeFailedPrecondition,
		"insufficient_trader_balance")
	wantFault(t, "", p.withdraw(t, "1000", "tx-1"), connect.CodeAlreadyExists, "idempotency_key_conflict")
	noError(t, p.withdraw(t, "985.15", "tx-2"))

	confirmed := called(t, p.desk(p.traderToken).ConfirmReceived, &portalv1.ConfirmReceivedRequest{
		PaymentId: number(made.text("data.id")),
	})
	testenv.Want(t, confirmed.GetData().GetStatus(), "completed", "confirmed")
	balances := p.texts(t, `select owner_kind || ' ' || a.purpose || ' ' || b.balance + coalesce(
			(select sum(w.amount) from account_pending w where w.account_id = a.id), 0)
		from account a join account_balance b on b.account_id = a.id order by a.id`)
	// 985.15 out of the 1000 that came in have left.
	want := "external available -14.85000000|external reserved 0.00000000|platform available 0.56428572|platform reserved 0.00000000|" +
		"cashbox available 14.28571428|cashbox reserved 0.00000000|trader available 0.00000000|trader reserved 0.00000000"
	testenv.Want(t, strings.Join(balances, "|"), want, "balances")
	testenv.Want(t, p.count(t, "select count(*) from webhook_event where cashbox_id = $1", p.box), 1, "events")
	p.wantAudit(t)
}
