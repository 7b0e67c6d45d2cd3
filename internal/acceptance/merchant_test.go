package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"gateway.example/internal/attest"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/sign"
)

// What a merchant's users do by Connect, on one gateway.
func TestMerchantByConnect(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	for _, test := range []struct {
		name string
		run  func(t *testing.T, g *instance)
	}{
		{"team", teamByConnect}, {"money", moneyByConnect}, {"cases", casesByConnect},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, g) })
	}
}

// A merchant's money by Connect: cashboxes, balances, and a deposit from its request on.
func moneyByConnect(t *testing.T, g *instance) {
	own, other := g.merchantDesk(g.user(t, "merchant").Token), g.merchantDesk(g.user(t, "merchant-2").Token)
	box := g.first().MerchantCashboxID
	named := called(t, own.ListCashboxes, &portalv1.ListCashboxesRequest{}).GetData()
	at := slices.IndexFunc(named, func(b *portalv1.OwnCashbox) bool { return b.GetId() == box })
	if at < 0 || named[at].GetCurrency() != "RUB" || !named[at].GetCollects() || !named[at].GetSignsWebhooks() {
		t.Fatalf("the cashboxes are %v", named)
	}
	held := called(t, own.ListBalances, &portalv1.ListBalancesRequest{}).GetData()
	rest := send(t, http.MethodGet, fmt.Sprintf("%s/api/v1/cashboxes/%d/balance", g.BaseURL, box), "",
		signed(g.first(), ""))
	if held[at].GetTotal() != rest.text("data.totalBalance") ||
		held[at].GetAvailable() != rest.text("data.available") ||
		held[at].GetReserved() != rest.text("data.reserved") || held[at].GetName() != named[at].GetName() {
		t.Errorf("it holds %v; by REST %s", held[at], rest)
	}
	if networks := called(t, own.ListDepositNetworks, &portalv1.ListDepositNetworksRequest{}).GetNetworks(); !slices.
		Equal(networks, []string{"ARBITRUM", "BEP20", "ERC20", "POLYGON", "TRC20"}) {
		t.Errorf("the networks are %v", networks)
	}

	asked := &gatewayv1.CreateDepositRequest{
		MerchantCashboxId: &box, Amount: "12.5", Network: "TRC20", Address: tron, IdempotencyKey: uuid.NewString(),
	}
	made := called(t, own.CreateDeposit, asked).GetData()
	again := succeeds(t, own.CreateDeposit, asked)
	if again.Msg.GetData().GetId() != made.GetId() || again.Header().Get("Idempotent-Replay") != "true" {
		t.Errorf("asked again: %v", again.Msg)
	}
	called(t, g.operator(t).ConfirmDeposit, &portalv1.ConfirmDepositRequest{DepositId: made.GetId()})
	read := called(t, own.GetDeposit, &gatewayv1.GetDepositRequest{DepositId: made.GetId()})
	moves := read.GetHistory()
	if read.GetData().GetStatus() != "confirmed" || read.GetData().GetAmount() != "12.50000000" || len(moves) != 2 ||
		moves[0].FromStatus != nil || !strings.HasPrefix(moves[0].GetActor(), "merchant_portal:") ||
		moves[1].GetFromStatus() != "pending" || moves[1].GetToStatus() != "confirmed" || moves[1].GetActor() != "operator" {
		t.Errorf("the deposit is %v", read)
	}
	page := called(t, own.ListDeposits, &portalv1.MerchantServiceListDepositsRequest{
		Status: proto.String("confirmed"), MerchantCashboxId: &box, Limit: proto.Int32(1),
	})
	if list := page.GetData(); len(list) != 1 || list[0].GetId() != made.GetId() || page.NextCursor != nil {
		t.Errorf("the deposits are %v", page)
	}
	theirs := called(t, other.ListDeposits, &portalv1.MerchantServiceListDepositsRequest{MerchantCashboxId: &box})
	if len(theirs.GetData()) > 0 {
		t.Errorf("another merchant sees %v", theirs)
	}
	invalid(t, "an unknown status", own.ListDeposits,
		&portalv1.MerchantServiceListDepositsRequest{Status: proto.String("paid")}, "status")
}

// A merchant's cases by Connect: an appeal with its file, events, endpoints, and the signed timeline.
func casesByConnect(t *testing.T, g *instance) {
	own, other := g.merchantDesk(g.user(t, "merchant").Token), g.merchantDesk(g.user(t, "merchant-2").Token)
	s := newShop(t, g.first().WebhookSecret, http.StatusGone)
	id := g.failed(t, object{"callbackUri": s.URL})
	payment := number(id)
	opened := g.appeal(t, g.first(), id, "why", "proof.pdf", pdf)
	appeal := called(t, own.GetAppeal, &portalv1.GetAppealRequest{PaymentId: &payment}).GetData()
	if number(opened.text("data.id")) != appeal.GetId() || appeal.GetReason() != "why" ||
		appeal.GetStatus() != "open" || appeal.GetPaymentStatus() != "failed" || appeal.GetFileName() != "proof.pdf" {
		t.Errorf("the appeal is %v; opened %s", appeal, opened)
	}
	list := called(t, own.ListAppeals, &portalv1.MerchantServiceListAppealsRequest{Status: proto.String("open")})
	if len(list.GetData()) != 1 || !proto.Equal(list.GetData()[0], appeal) {
		t.Errorf("the appeals are %v", list)
	}
	file := called(t, own.GetAppealFile, &portalv1.GetAppealFileRequest{AppealId: appeal.GetId()})
	if string(file.GetContent()) != pdf || file.GetFileType() != "application/pdf" {
		t.Errorf("the file is %v", file)
	}
	if theirs := called(t, other.ListAppeals,
		&portalv1.MerchantServiceListAppealsRequest{}); len(theirs.GetData()) > 0 {
		t.Errorf("another merchant sees %v", theirs)
	}
	g.checkEventsByConnect(t, own, s.URL, payment)
	if theirs := called(t, other.ListDeadEndpoints, &portalv1.ListDeadEndpointsRequest{}); len(theirs.GetData()) > 0 {
		t.Errorf("another merchant sees %v", theirs)
	}

	reports := portalv1connect.NewReportServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	signed := called(t, reports.GetSignedTimeline, &portalv1.GetSignedTimelineRequest{PaymentId: id}).GetDocument()
	published := called(t, portalv1connect.NewReportServiceClient(client, g.BaseURL).GetSigningKeys,
		&portalv1.GetSigningKeysRequest{}).GetDocument()
	keys, err := attest.ParseKeys([]byte(published))
	noError(t, err)
	if wrong := attest.Verify([]byte(signed), keys); len(wrong) > 0 {
		t.Errorf("the signed timeline: %v", wrong)
	}
	if wrong := attest.Verify([]byte(strings.Replace(signed, `"failed"`, `"completed"`, 1)), keys); len(wrong) == 0 {
		t.Error("a changed timeline is found valid")
	}
}

// checkEventsByConnect reads the event of a failed payment that its endpoint refused for good.
func (g *instance) checkEventsByConnect(
	t *testing.T, own portalv1connect.MerchantServiceClient, url string, payment int64,
) {
	t.Helper()
	var dead []*portalv1.DeadEndpoint
	testenv.Until(t, "the endpoint is dead", func() bool {
		dead = called(t, own.ListDeadEndpoints, &portalv1.ListDeadEndpointsRequest{}).GetData()
		return len(dead) != 0
	})
	if len(dead) != 1 || dead[0].GetUrl() != url || dead[0].GetEvents() != 1 {
		t.Errorf("the dead endpoints are %v", dead)
	}
	reports := portalv1connect.NewReportServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	listed := called(t, reports.ListEvents, &portalv1.ReportServiceListEventsRequest{
		Status: []string{"dead"}, Type: "payment.status.updated",
	}).GetData()
	if len(listed) != 1 || listed[0].GetSubjectId() != payment || listed[0].GetAttempts() != 1 ||
		listed[0].GetLastStatusCode() != http.StatusGone || listed[0].GetUrl() != url || listed[0].Number == nil {
		t.Fatalf("the events are %v", listed)
	}
	id := listed[0].GetEventId()
	event := called(t, own.GetEvent, &portalv1.GetEventRequest{EventId: &id})
	box := g.first().MerchantCashboxID
	latest := called(t, own.GetEvent, &portalv1.GetEventRequest{MerchantCashboxId: &box})
	if !proto.Equal(event, latest) || event.GetMerchantCashboxId() != box || event.GetSubject() != "payment" ||
		len(event.GetData().GetAttempts()) != 1 || event.GetSequence() != 1 {
		t.Errorf("the event is %v, the latest %v", event, latest)
	}
	health := called(t, own.GetEndpointHealth, &portalv1.GetEndpointHealthRequest{})
	if boxes := health.GetCashboxes(); len(boxes) != 1 || boxes[0].GetAttempts() != 1 || boxes[0].GetTaken() != 0 ||
		len(health.GetFailures()) != 1 || health.GetFailures()[0].GetEventId() != id ||
		health.GetFailures()[0].GetAttempt().GetStatusCode() != http.StatusGone {
		t.Errorf("the health is %v", health)
	}
	ask := &portalv1.ListOldWebhookSecretsRequest{MerchantCashboxId: box}
	if old := called(t, own.ListOldWebhookSecrets, ask).GetUntil(); len(old) > 0 {
		t.Errorf("old secrets: %v", old)
	}
	made := called(t, own.RotateWebhookSecret, &portalv1.RotateWebhookSecretRequest{MerchantCashboxId: box})
	keepSecret(made.GetWebhookSecret())
	if old := called(t, own.ListOldWebhookSecrets, ask).GetUntil(); len(old) != 1 ||
		!old[0].AsTime().Equal(made.GetPreviousUntil().AsTime()) {
		t.Errorf("old secrets: %v; want %v", old, made.GetPreviousUntil())
	}
}

// A merchant's team by Connect: somebody is invited, gets another role, is switched off, and is
// invited anew; the log has all of it.
func teamByConnect(t *testing.T, g *instance) {
	team := portalv1connect.NewTeamServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	link := called(t, team.InviteMember, &portalv1.InviteMemberRequest{Login: "new-one", Role: "support"}).GetLink()
	keepSecret(link)
	find := func(login string) *portalv1.Member {
		list := called(t, team.ListMembers, &portalv1.ListMembersRequest{}).GetData()
		at := slices.IndexFunc(list, func(m *portalv1.Member) bool { return m.GetLogin() == login })
		if at < 0 {
			t.Fatalf("%s is not among %v", login, list)
		}
		return list[at]
	}
	made := find("new-one")
	if link == "" || made.GetRole() != "support" || !made.GetInvited() || !made.GetEnabled() ||
		made.GetSessions() != 0 || made.SeenAt != nil {
		t.Errorf("invited: %v", made)
	}
	changed := called(t, team.UpdateMember, &portalv1.UpdateMemberRequest{
		MemberId: made.GetId(), Role: proto.String("finance"), Enabled: proto.Bool(false),
	}).GetData()
	if changed.GetRole() != "finance" || changed.GetEnabled() {
		t.Errorf("changed: %v", changed)
	}
	called(t, team.EndMemberSessions, &portalv1.EndMemberSessionsRequest{MemberId: made.GetId()})
	again := called(t, team.ReinviteMember, &portalv1.ReinviteMemberRequest{MemberId: made.GetId()}).GetLink()
	keepSecret(again)
	if again == "" || again == link {
		t.Error("the new link is the old one")
	}
	log := called(t, team.ListTeamChanges, &portalv1.ListTeamChangesRequest{})
	if list := log.GetData(); len(list) != 4 || list[3].Before != nil || list[0].GetLogin() != "merchant" ||
		!strings.Contains(list[2].GetAfter(), `"finance"`) || log.NextBeforeId != nil {
		t.Errorf("the log is %v", log)
	}
	older := called(t, team.ListTeamChanges, &portalv1.ListTeamChangesRequest{BeforeId: log.GetData()[2].GetId()})
	if len(older.GetData()) != 1 {
		t.Errorf("the rest of the log is %v", older)
	}
	sessions := called(t, team.ListTeamSessions, &portalv1.ListTeamSessionsRequest{}).GetData()
	if len(sessions) == 0 || sessions[0].GetLogin() != "merchant" || sessions[0].GetDoor() != "api" {
		t.Errorf("the sessions are %v", sessions)
	}
	refuses(t, "the last owner", team.UpdateMember,
		&portalv1.UpdateMemberRequest{MemberId: find("merchant").GetId(), Role: proto.String("support")},
		connect.CodeAlreadyExists, "team_last_owner")
	invalid(t, "an invitation of nobody", team.InviteMember,
		&portalv1.InviteMemberRequest{Login: "a\x00"}, "login", "role")
}

// The doctor by Connect: what is wrong is told to whoever has the secret.
func TestDiagnoseByConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	own := portalv1connect.NewCredentialServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	other := portalv1connect.NewCredentialServiceClient(withToken(g.user(t, "merchant-2").Token), g.BaseURL)
	body := `{"amount":1}`
	asked := &portalv1.DiagnoseSignatureRequest{
		Method: "POST", Path: payments, Body: []byte(body), Secret: box.Secret, Headers: []*portalv1.SentHeader{
			{Name: "X-Merchant-Key-Id", Value: box.KeyID},
			{Name: "Signature", Value: sign.Signature(box.Secret, []byte(`{"amount": 1}`))},
		},
	}
	got := called(t, own.DiagnoseSignature, asked)
	if got.GetMistake() != "reserialised" || got.Offset == nil || got.GetOffset() != 10 || got.Header != nil ||
		!strings.Contains(got.GetHint(), "in another form") {
		t.Errorf("another form: %v", got)
	}
	if got := called(t, other.DiagnoseSignature, asked); got.GetMistake() != "key" || got.Offset != nil {
		t.Errorf("another merchant is told %v", got)
	}
	hook := sign.Signature(box.WebhookSecret, []byte(body))
	got = called(t, own.DiagnoseSignature, &portalv1.DiagnoseSignatureRequest{
		Request: "curl -d '" + body + "' " + g.BaseURL + payments + " -H 'X-Merchant-Key-Id: " + box.KeyID +
			"' -H 'Signature: " + hook + "' -H 'X-Merchant-Secret: " + box.Secret + "'",
	})
	if got.GetMistake() != "secret_webhook" {
		t.Errorf("a webhook secret: %v", got)
	}
	got = called(t, own.DiagnoseSignature, &portalv1.DiagnoseSignatureRequest{})
	if got.GetMistake() != "header_missing" || got.GetHeader() != "Signature" {
		t.Errorf("nothing: %v", got)
	}
}
