package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	"github.com/google/uuid"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Groups of callers, by the names that person and may have of them.
var (
	nobody      = []string{"nobody"}
	key         = []string{"key"}
	application = []string{"application"}
	payer       = []string{"payer"}
	merchants   = []string{"merchant owner", "merchant finance", "merchant developer", "merchant support"}
	developers  = []string{"merchant owner", "merchant developer"}
	financiers  = []string{"merchant owner", "merchant finance"}
	shopOwner   = []string{"merchant owner"}
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

// may says who may call each procedure, by the contract and by what roles are for.
var may = map[string][][]string{
	"gateway.v1.CashboxService/GetBalance":             {key},
	"gateway.v1.CheckoutService/CancelCheckout":        {everybody},
	"gateway.v1.CheckoutService/GetCheckout":           {everybody},
	"gateway.v1.CheckoutService/SubmitPayerDetails":    {everybody},
	"gateway.v1.CheckoutService/SubmitPayerOtp":        {everybody},
	"gateway.v1.DepositService/CreateDeposit":          {key},
	"gateway.v1.DepositService/GetDeposit":             {key},
	"gateway.v1.PayinService/CancelPayin":              {key},
	"gateway.v1.PayinService/CreatePayin":              {key},
	"gateway.v1.DepositService/ListDeposits":           {key},
	"gateway.v1.EventService/ListEvents":               {key},
	"gateway.v1.PayinService/GetPayin":                 {key},
	"gateway.v1.PayinService/ListPayins":               {key},
	"gateway.v1.PaymentService/CreateAppeal":           {key},
	"gateway.v1.PaymentService/CreatePayment":          {key},
	"gateway.v1.PaymentService/GetPayment":             {key, signedIn},
	"gateway.v1.PaymentService/ListPayments":           {key, payer},
	"gateway.v1.PaymentService/ResendCode":             {key},
	"gateway.v1.PaymentService/UpdatePaymentStatus":    {application},
	"sandbox.v1.SandboxService/AdvanceClock":           {everybody},
	"sandbox.v1.SandboxService/GetSimulation":          {everybody},
	"sandbox.v1.SandboxService/StartSimulation":        {everybody},
	"sandbox.v1.SandboxService/StopSimulation":         {everybody},
	"sandbox.v1.SandboxService/Trigger":                {everybody},
	"portal.v1.AuthService/Login":                      {everybody},
	"portal.v1.AuthService/BeginTotp":                  {signedIn, enrolling},
	"portal.v1.AuthService/ConfirmTotp":                {begun},
	"portal.v1.AuthService/GetSession":                 {begun},
	"portal.v1.AuthService/Logout":                     {begun},
	"portal.v1.AuthService/SecondFactor":               {signedIn, proving},
	"portal.v1.AuthService/ChangePassword":             {signedIn},
	"portal.v1.AuthService/EndSession":                 {signedIn},
	"portal.v1.AuthService/ListSessions":               {signedIn},
	"portal.v1.AuthService/RemoveTotp":                 {signedIn},
	"portal.v1.AuthService/RenewRecoveryCodes":         {signedIn},
	"portal.v1.AuthService/SetPreferences":             {signedIn},
	"portal.v1.CredentialService/CreateCredential":     {developers},
	"portal.v1.CredentialService/ListCredentials":      {developers},
	"portal.v1.CredentialService/RevokeCredential":     {developers},
	"portal.v1.LookService/ListCashboxLooks":           {developers},
	"portal.v1.LookService/UpdateCashboxLook":          {developers},
	"portal.v1.RequestLogService/ListRequests":         {developers},
	"portal.v1.MerchantService/CancelPayin":            {financiers},
	"portal.v1.MerchantService/GetReplay":              {developers},
	"portal.v1.MerchantService/ListEvents":             {developers},
	"portal.v1.MerchantService/ListPayins":             {merchants},
	"portal.v1.MerchantService/ReplayEvents":           {developers},
	"portal.v1.MerchantService/RotateWebhookSecret":    {developers},
	"portal.v1.MerchantService/StopReplay":             {developers},
	"portal.v1.MerchantService/ListCashboxes":          {merchants},
	"portal.v1.MerchantService/ListBalances":           {financiers},
	"portal.v1.MerchantService/ListDeposits":           {financiers},
	"portal.v1.MerchantService/GetDeposit":             {financiers},
	"portal.v1.MerchantService/CreateDeposit":          {financiers},
	"portal.v1.MerchantService/ListDepositNetworks":    {merchants},
	"portal.v1.MerchantService/ListAppeals":            {merchants},
	"portal.v1.MerchantService/GetAppeal":              {merchants},
	"portal.v1.MerchantService/GetAppealFile":          {merchants},
	"portal.v1.MerchantService/GetEvent":               {developers},
	"portal.v1.MerchantService/GetEndpointHealth":      {developers},
	"portal.v1.MerchantService/ListDeadEndpoints":      {developers},
	"portal.v1.MerchantService/ListOldWebhookSecrets":  {developers},
	"portal.v1.CredentialService/DiagnoseSignature":    {developers},
	"portal.v1.ReportService/ListEvents":               {developers},
	"portal.v1.ReportService/GetSignedTimeline":        {parties},
	"portal.v1.ReportService/GetSigningKeys":           {everybody},
	"portal.v1.TeamService/ListMembers":                {shopOwner},
	"portal.v1.TeamService/InviteMember":               {shopOwner},
	"portal.v1.TeamService/UpdateMember":               {shopOwner},
	"portal.v1.TeamService/EndMemberSessions":          {shopOwner},
	"portal.v1.TeamService/ReinviteMember":             {shopOwner},
	"portal.v1.TeamService/ListTeamChanges":            {shopOwner},
	"portal.v1.TeamService/ListTeamSessions":           {shopOwner},
	"portal.v1.ReceiptService/AppealWithReceipt":       {financiers, {"merchant support"}},
	"portal.v1.ReceiptService/GetReceipt":              {parties},
	"portal.v1.ReceiptService/ListReceipts":            {parties},
	"portal.v1.ReportService/GetPayinTimeline":         {parties},
	"portal.v1.ReportService/GetPaymentTimeline":       {parties},
	"portal.v1.ReportService/GetOverview":              {merchants},
	"portal.v1.ReportService/GetStatement":             {traderOwner, financiers, operators},
	"portal.v1.ReportService/ListPayins":               {parties},
	"portal.v1.ReportService/ListPayments":             {parties},
	"portal.v1.TraderService/CancelPayment":            {traders},
	"portal.v1.TraderService/CompletePayin":            {traders},
	"portal.v1.TraderService/ConfirmReceived":          {traders},
	"portal.v1.TraderService/ExplainRequisites":        {traders},
	"portal.v1.TraderService/FailPayin":                {traders},
	"portal.v1.TraderService/GetDesk":                  {traders},
	"portal.v1.TraderService/GiveBackPayin":            {traders},
	"portal.v1.TraderService/ListPayins":               {traders},
	"portal.v1.TraderService/ListPayments":             {traders},
	"portal.v1.TraderService/ListRequisites":           {traders},
	"portal.v1.TraderService/MarkCodeNotNeeded":        {traders},
	"portal.v1.TraderService/RequestCode":              {traders},
	"portal.v1.TraderService/RequestCodeResend":        {traders},
	"portal.v1.TraderService/SetBreak":                 {traders},
	"portal.v1.TraderService/TakePayin":                {traders},
	"portal.v1.TraderService/UpdateRequisite":          {traderOwner},
	"portal.v1.OperatorService/ExplainRate":            {operators},
	"portal.v1.OperatorService/QuoteRate":              {operators},
	"portal.v1.OperatorService/ExplainRouting":         {operators},
	"portal.v1.OperatorService/GetAppealFile":          {operators},
	"portal.v1.OperatorService/GetReplay":              {operators},
	"portal.v1.OperatorService/ListAppeals":            {operators},
	"portal.v1.OperatorService/ListBanks":              {operators},
	"portal.v1.OperatorService/ListCardConflicts":      {operators},
	"portal.v1.OperatorService/ListDeadEvents":         {operators},
	"portal.v1.OperatorService/ListDeposits":           {operators},
	"portal.v1.OperatorService/ListOverduePayins":      {operators},
	"portal.v1.OperatorService/ListRates":              {operators},
	"portal.v1.OperatorService/ReplayRouting":          {operators},
	"portal.v1.OperatorService/ListRoutingRefusals":    {operators},
	"portal.v1.OperatorService/GetRateDay":             {operators},
	"portal.v1.OperatorService/ListWaitingSettlements": {operators},
	"portal.v1.OperatorService/ListProposals":          {operators},
	"portal.v1.OperatorService/ApproveProposal":        {treasurers},
	"portal.v1.OperatorService/RefuseProposal":         {treasurers},
	"portal.v1.OperatorService/CorrectBalance":         {treasurers},
	"portal.v1.ReportService/ListAccounts":             {operators},
	"portal.v1.ReportService/GetIncome":                {operators},
	"portal.v1.OperatorService/ListSettingChanges":     {operators},
	"portal.v1.OperatorService/ListMerchants":          {operators},
	"portal.v1.OperatorService/GetMerchant":            {operators},
	"portal.v1.OperatorService/ListCashboxes":          {operators},
	"portal.v1.OperatorService/GetCashbox":             {operators},
	"portal.v1.OperatorService/ListTraders":            {operators},
	"portal.v1.OperatorService/GetTrader":              {operators},
	"portal.v1.OperatorService/ListRequisites":         {operators},
	"portal.v1.OperatorService/GetRequisite":           {operators},
	"portal.v1.OperatorService/RevealRequisite":        {operators},
	"portal.v1.OperatorService/ListUsers":              {operators},
	"portal.v1.OperatorService/GetUser":                {operators},
	"portal.v1.OperatorService/ListPlatformLimits":     {operators},
	"portal.v1.OperatorService/RemoveTraderAcquirer":   {admins},
	"portal.v1.OperatorService/ListSensitiveReads":     {operators},
	"portal.v1.OperatorService/ListWork":               {operators},
	"portal.v1.OperatorService/ReleaseWork":            {treasurers, supporters},
	"portal.v1.OperatorService/TakeWork":               {treasurers, supporters},
	"portal.v1.ProofService/GetPaymentProof":           {merchants},
	"portal.v1.ProofService/GetPayinProof":             {merchants},
	"portal.v1.ProofService/GetDepositProof":           {financiers},
	"portal.v1.ProofService/ListSealedDays":            {operators},
	"portal.v1.TrustService/ListAuditLog":              {operators},
	"portal.v1.TrustService/GetReconciliation":         {operators},
	"portal.v1.TrustService/ListAlarms":                {operators},
	"portal.v1.OperatorService/CreateCashbox":          {admins},
	"portal.v1.OperatorService/CreateMerchant":         {admins},
	"portal.v1.OperatorService/CreateRequisite":        {admins},
	"portal.v1.OperatorService/CreateTrader":           {admins},
	"portal.v1.OperatorService/CreateUser":             {admins},
	"portal.v1.OperatorService/InviteUser":             {admins},
	"portal.v1.OperatorService/RevokeTokens":           {admins},
	"portal.v1.OperatorService/SetBank":                {admins},
	"portal.v1.OperatorService/SetCashboxMethod":       {admins},
	"portal.v1.OperatorService/SetPlatformLimit":       {admins},
	"portal.v1.OperatorService/SetTraderAcquirer":      {admins},
	"portal.v1.OperatorService/UpdateCashbox":          {admins},
	"portal.v1.OperatorService/UpdateMerchant":         {admins},
	"portal.v1.OperatorService/UpdateRequisite":        {admins},
	"portal.v1.OperatorService/UpdateTrader":           {admins},
	"portal.v1.OperatorService/UpdateUser":             {admins},
	"portal.v1.OperatorService/ConfirmDeposit":         {treasurers},
	"portal.v1.OperatorService/FundTrader":             {treasurers},
	"portal.v1.OperatorService/RejectDeposit":          {treasurers},
	"portal.v1.OperatorService/SetInsurance":           {treasurers},
	"portal.v1.OperatorService/SetRate":                {treasurers},
	"portal.v1.OperatorService/SetRateFeed":            {treasurers},
	"portal.v1.OperatorService/WithdrawTrader":         {treasurers},
	"portal.v1.OperatorService/CloseCardConflict":      {supporters},
	"portal.v1.OperatorService/ReclaimPayin":           {supporters},
	"portal.v1.OperatorService/ReplayEvents":           {supporters},
	"portal.v1.OperatorService/ResolveAppeal":          {supporters},
	"portal.v1.OperatorService/ResolvePayin":           {supporters},
	"portal.v1.OperatorService/ReversePayin":           {supporters},
	"portal.v1.OperatorService/ReviewAppeal":           {supporters},
	"portal.v1.OperatorService/StopReplay":             {supporters},
	"portal.v1.OperatorService/SetTraderPayoutMethod":  {admins},
	"portal.v1.OperatorService/SetCashboxPayoutMethod": {admins},
}

// nothing is the body of all calls: it names nothing that could be changed.
const nothing = "{}"

// logout ends what everybody calls by, and so comes last.
const logout = "portal.v1.AuthService/Logout"

// Every procedure lets in whom it should, and refuses others for what they are: for nothing proved,
// for a sign-in that is not finished, for their kind, for their role.
func TestEveryProcedureAsEveryCaller(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	persons := g.persons(t)
	var procedures []string
	eachProcedure(func(procedure string, _ protoreflect.MessageDescriptor) {
		procedures = append(procedures, strings.TrimPrefix(procedure, "/"))
	})
	for _, listed := range slices.Sorted(maps.Keys(may)) {
		if !slices.Contains(procedures, listed) {
			t.Errorf("%s is in the table and nowhere else", listed)
		}
	}
	before := g.kept(t)
	for _, procedure := range procedures {
		if procedure != logout {
			g.checkAccess(t, procedure, persons)
		}
	}
	if after := g.kept(t); !slices.Equal(after, before) {
		t.Errorf("there was\n%s and is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	g.checkAccess(t, logout, persons)
}

func (g *instance) checkAccess(t *testing.T, procedure string, persons map[string]func(body string) header) {
	t.Helper()
	groups, listed := may[procedure]
	if !listed {
		t.Errorf("%s is not in the table: say who may call it", procedure)
		return
	}
	allowed := slices.Concat(groups...)
	for _, person := range everybody {
		got := g.ask(t, procedure, nothing, persons[person](nothing))
		want := refusalsOf(person, allowed)
		if len(want) == 0 && slices.Contains(unwelcome, why(got)) || len(want) > 0 && !slices.Contains(want, why(got)) {
			t.Errorf("%s as %s: %d %s; want one of %v", procedure, person, got.status, why(got), want)
		}
	}
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
	return !slices.Contains(slices.Concat(nobody, key, application), person)
}

// why is the code of a refusal, "" of none.
func why(a answer) string {
	details, _ := a.at("details").([]any)
	if a.status == http.StatusOK || len(details) == 0 {
		return ""
	}
	detail, _ := details[0].(object)
	return answer{body: detail}.text("debug.code")
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
	_, err := g.pool.Exec(t.Context(), `with made as (
			insert into app_user (kind, role, login, password_hash, merchant_id, trader_id, created_at)
			values ($1, nullif($2, ''), $3, '', nullif($4, 0), nullif($5, 0), now()) returning id
		) insert into session (hash, user_id, door, state, created_at, seen_at, expires_at)
		select sha256($6), id, 'api', $7, now(), now(), now() + interval '1 day' from made`,
		u.kind, u.role, u.login, u.merchant, u.trader, []byte(token), u.state)
	noError(t, err)
	return token
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

// What belongs to somebody else is not there for those whom a procedure lets in to their own.
func TestForeignRecords(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	id := g.records(t)
	second := g.box(t, "sandbox-second-rub")
	// They would be let in to records of their own.
	owner := bearer(g.newUser(t, newUser{
		login: "other-owner", kind: "merchant_portal", role: "owner", state: "whole",
		merchant: g.count(t, "select merchant_id from cashbox where id = $1", second.MerchantCashboxID),
	}))
	stranger := bearer(
		g.newUser(t, newUser{login: "other-trader", kind: "trader", role: "owner", state: "whole", trader: 3}))
	before := g.kept(t)
	strangers := map[string]func(body string) header{
		"key":      func(body string) header { return signed(second, body) },
		"merchant": func(string) header { return owner },
		"trader":   func(string) header { return stranger },
	}
	for _, test := range foreign {
		body := id.Replace(test.body)
		for stranger, want := range test.codes {
			if got := g.ask(t, test.procedure, body, strangers[stranger](body)); why(got) != want {
				t.Errorf("%s %s as another %s: %s; want %s", test.procedure, body, stranger, got, want)
			}
		}
	}
	if after := g.kept(t); !slices.Equal(after, before) {
		t.Errorf("there was\n%s and is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// codes are those by which strangers of each sort are refused.
type codes map[string]string

// Other merchants are told that a record is not theirs, other traders that there is none. Sessions and
// events of others are not there for anybody.
var (
	forKey      = codes{"key": "cashbox_access_denied"}
	forMerchant = codes{"merchant": "cashbox_access_denied"}
	forTrader   = codes{"trader": "not_found"}
	forParties  = codes{"merchant": "cashbox_access_denied", "trader": "not_found"}
	forAll      = codes{"key": "cashbox_access_denied", "merchant": "cashbox_access_denied", "trader": "not_found"}
)

// foreign are calls about records, and how strangers are refused.
var foreign = []struct {
	procedure, body string
	codes           codes
}{
	{"gateway.v1.PaymentService/GetPayment", `{"paymentId":"PAYMENT"}`, forAll},
	{"gateway.v1.PaymentService/GetPayment", `{"paymentId":"UUID"}`, forAll},
	{"gateway.v1.PaymentService/ResendCode", `{"paymentId":"PAYMENT"}`, forKey},
	{"gateway.v1.PayinService/GetPayin", `{"payinId":"PAYIN"}`, forKey},
	{"gateway.v1.PayinService/CancelPayin", `{"payinId":"PAYIN"}`, forKey},
	{"gateway.v1.DepositService/GetDeposit", `{"depositId":DEPOSIT}`, forKey},
	{"gateway.v1.DepositService/CreateDeposit", `{"merchantCashboxId":CASHBOX,"amount":"1","network":"TRC20",` +
		`"address":"` + tron + `","idempotencyKey":"KEY"}`, forKey},
	{"gateway.v1.CashboxService/GetBalance", `{"merchantCashboxId":CASHBOX}`, forKey},

	{"portal.v1.TraderService/ConfirmReceived", `{"paymentId":PAYMENT}`, forTrader},
	{"portal.v1.TraderService/CancelPayment", `{"paymentId":PAYMENT}`, forTrader},
	{"portal.v1.TraderService/RequestCode", `{"paymentId":PAYMENT}`, forTrader},
	{"portal.v1.TraderService/RequestCodeResend", `{"paymentId":PAYMENT}`, forTrader},
	{"portal.v1.TraderService/MarkCodeNotNeeded", `{"paymentId":PAYMENT}`, forTrader},
	{"portal.v1.TraderService/GiveBackPayin", `{"payinId":"PAYIN"}`, forTrader},
	{"portal.v1.TraderService/CompletePayin", `{"payinId":"PAYIN","proofReference":"1"}`, forTrader},
	{"portal.v1.TraderService/FailPayin", `{"payinId":"PAYIN","reason":"other"}`, forTrader},
	{"portal.v1.TraderService/UpdateRequisite", `{"requisiteId":REQUISITE,"enabled":false}`, forTrader},
	{"portal.v1.TraderService/ExplainRequisites", `{"requisiteId":REQUISITE}`, forTrader},

	{"portal.v1.MerchantService/CancelPayin", `{"payinId":"PAYIN"}`, forMerchant},
	{"portal.v1.MerchantService/GetDeposit", `{"depositId":DEPOSIT}`, forMerchant},
	{"portal.v1.MerchantService/CreateDeposit", `{"merchantCashboxId":CASHBOX,"amount":"1","network":"TRC20",` +
		`"address":"` + tron + `","idempotencyKey":"KEY"}`, forMerchant},
	{"portal.v1.MerchantService/GetAppeal", `{"appealId":APPEAL}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/GetAppeal", `{"paymentId":OF_APPEAL}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/GetAppealFile", `{"appealId":APPEAL}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/GetEvent", `{"eventId":"EVENT"}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/GetEvent", `{"merchantCashboxId":CASHBOX}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/ListOldWebhookSecrets",
		`{"merchantCashboxId":CASHBOX}`,
		codes{"merchant": "not_found"}},
	{"portal.v1.TeamService/UpdateMember", `{"memberId":MEMBER,"role":"support"}`, codes{"merchant": "not_found"}},
	{"portal.v1.TeamService/EndMemberSessions", `{"memberId":MEMBER}`, codes{"merchant": "not_found"}},
	{"portal.v1.TeamService/ReinviteMember", `{"memberId":MEMBER}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/RotateWebhookSecret", `{"merchantCashboxId":CASHBOX}`, forMerchant},
	{"portal.v1.MerchantService/ReplayEvents", `{"eventId":"EVENT"}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/GetReplay", `{"replayId":REPLAY}`, codes{"merchant": "not_found"}},
	{"portal.v1.MerchantService/StopReplay", `{"replayId":REPLAY}`, codes{"merchant": "not_found"}},
	{"portal.v1.CredentialService/ListCredentials", `{"merchantCashboxId":CASHBOX}`, forMerchant},
	{"portal.v1.CredentialService/CreateCredential", `{"merchantCashboxId":CASHBOX,"name":"n"}`, forMerchant},
	{"portal.v1.CredentialService/RevokeCredential",
		`{"merchantCashboxId":CASHBOX,"credentialId":CREDENTIAL}`,
		forMerchant},

	{"portal.v1.LookService/UpdateCashboxLook",
		`{"merchantCashboxId":CASHBOX,"pageColor":"#123456"}`,
		codes{"merchant": "not_found"}},
	{"portal.v1.ReceiptService/ListReceipts", `{"paymentId":PAYMENT}`, forParties},
	{"portal.v1.ReceiptService/GetReceipt", `{"paymentId":PAYMENT,"number":1}`, forParties},
	{"portal.v1.ReceiptService/AppealWithReceipt", `{"paymentId":PAYMENT,"number":1,"reason":"why"}`, forMerchant},
	{"portal.v1.ReportService/GetPaymentTimeline", `{"paymentId":"PAYMENT"}`, forParties},
	{"portal.v1.ReportService/GetSignedTimeline", `{"paymentId":"PAYMENT"}`, forParties},
	{"portal.v1.ReportService/GetPayinTimeline", `{"payinId":"PAYIN"}`, forParties},
	{"portal.v1.ProofService/GetPaymentProof", `{"paymentId":"PAYMENT"}`, forMerchant},
	{"portal.v1.ProofService/GetPayinProof", `{"payinId":"PAYIN"}`, forMerchant},
	{"portal.v1.ProofService/GetDepositProof", `{"depositId":DEPOSIT}`, forMerchant},
	{"portal.v1.ReportService/GetStatement", `{"owner":"cashbox","ownerId":CASHBOX}`, forMerchant},
	{"portal.v1.AuthService/EndSession", `{"id":SESSION}`, codes{"merchant": "not_found", "trader": "not_found"}},
}

// records makes what belongs to the first merchant and to the first or second trader, and puts its
// ids into bodies.
func (g *instance) records(t *testing.T) *strings.Replacer {
	t.Helper()
	box, failed := g.first(), g.failed(t, nil)
	payment := g.create(t, box, nil)
	payin := g.createPayin(t, box, nil).text("data.id")
	trader := bearer(g.user(t, "trader-1").Token)
	g.ask(t, "portal.v1.TraderService/TakePayin", `{"payinId":"`+payin+`"}`, trader).must(t, "take the payout", 200)
	g.appeal(t, box, failed, "why", "proof.pdf", pdf).must(t, "open an appeal", http.StatusCreated)
	_, err := g.pool.Exec(t.Context(), `insert into webhook_replay (merchant_id, url, last_number, state, started_at)
		select merchant_id, 'https://shop.example/hook', 0, 'done', now() from cashbox where id = $1`, box.MerchantCashboxID)
	noError(t, err)
	ids := map[string]string{
		"PAYMENT": payment.text("data.id"), "UUID": payment.text("data.uuid"), "PAYIN": payin,
		"DEPOSIT": g.postDeposit(t, box, depositOrder(nil)).text("data.id"), "KEY": uuid.NewString(),
		"CASHBOX": fmt.Sprint(box.MerchantCashboxID), "OF_APPEAL": failed,
	}
	for name, query := range map[string]string{
		"EVENT":      "select id::text from webhook_event where subject_id = " + failed,
		"REPLAY":     "select id::text from webhook_replay",
		"APPEAL":     "select id::text from appeal",
		"MEMBER":     "select id::text from app_user where login = 'merchant'",
		"REQUISITE":  "select min(id)::text from requisite where trader_id = 1",
		"CREDENTIAL": "select min(id)::text from api_key where cashbox_id = " + ids["CASHBOX"],
		"SESSION": `select min(s.id)::text from session s join app_user u on u.id = s.user_id
			where u.login = 'trader-1'`,
	} {
		found := g.texts(t, query)
		if len(found) == 0 {
			t.Fatalf("there is no %s", name)
		}
		ids[name] = found[0]
	}
	var pairs []string
	for name, id := range ids {
		pairs = append(pairs, name, id)
	}
	return strings.NewReplacer(pairs...)
}
