package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// puppet has the operator make a user, take up the invitation, and sign in as them.
func (g *instance) puppet(t *testing.T, user *portalv1.CreateUserRequest) (token string) {
	t.Helper()
	user.Login = "puppet-" + user.GetKind()
	user.Password = platformPassword
	invalid(t, "a password for "+user.GetKind(), g.operator(t).CreateUser, user, "password")
	user.Password = ""
	link := called(t, g.operator(t).CreateUser, user).GetInvitationLink()
	_, path, _ := strings.Cut(link, "/invitation/")
	keepSecret(path)
	form := url.Values{"password": {platformPassword}, "again": {platformPassword}}
	submitted(t, g.PortalURL, "/invitation/"+path, form, nil).must(t, "the invitation", http.StatusSeeOther)
	in, err := g.signInAs(t, user.GetLogin(), platformPassword)
	noError(t, err)
	keepSecret(in.Msg.GetToken())
	return in.Msg.GetToken()
}

// An operator who makes themselves a user of a merchant makes no key that pays out, and one who makes themselves a trader's user
// takes no payout and confirms no payment: both wait for the owner, also through the API.
func TestOperatorPaysThemselves(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	keepSecret(platformPassword)
	box := g.first()
	waiting := g.createPayin(t, box, nil).text("data.id")
	paid := g.create(t, box, nil).text("data.id")
	merchant := int64(g.count(t, "select merchant_id from app_user where login = 'merchant'"))
	trader := int64(g.count(t, "select trader_id from payment where id = $1::text::bigint", paid))

	ghost := g.puppet(t, &portalv1.CreateUserRequest{Kind: "merchant_portal", MerchantId: &merchant})
	made := send(t, "POST", g.credentials(box.MerchantCashboxID), `{"name":"mine","scopes":["payouts"]}`, bearer(ghost))
	made.want(t, "a key that pays out", http.StatusForbidden, "code", "consent_awaited")
	if !strings.Contains(made.raw, "until 20") {
		t.Errorf("nothing says until when: %s", made)
	}
	secret := portalv1connect.NewMerchantServiceClient(withToken(ghost), g.BaseURL)
	refuses(t, "a signing secret", secret.RotateWebhookSecret,
		&portalv1.RotateWebhookSecretRequest{MerchantCashboxId: box.MerchantCashboxID},
		connect.CodePermissionDenied, "consent_awaited")
	team := portalv1connect.NewTeamServiceClient(withToken(ghost), g.BaseURL)
	refuses(t, "another user", team.InviteMember, &portalv1.InviteMemberRequest{Login: "friend", Role: "owner"},
		connect.CodePermissionDenied, "consent_awaited")

	desk := g.desk(g.puppet(t, &portalv1.CreateUserRequest{Kind: "trader", TraderId: &trader}))
	refuses(t, "to take a payout", desk.TakePayin, &portalv1.TakePayinRequest{PayinId: waiting},
		connect.CodePermissionDenied, "consent_awaited")
	refuses(t, "to confirm a payment", desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(paid)},
		connect.CodePermissionDenied, "consent_awaited")
	// The merchant's own user goes on, sees the puppet, and has them out.
	owner := portalv1connect.NewTeamServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	changes := called(t, owner.ListTeamChanges, &portalv1.ListTeamChangesRequest{}).GetData()
	if !strings.Contains(fmt.Sprint(changes), "puppet-merchant_portal") {
		t.Errorf("the owner's log: %v", changes)
	}
	for _, member := range called(t, owner.ListMembers, &portalv1.ListMembersRequest{}).GetData() {
		if member.GetAwaitsUntil() != nil {
			called(t, owner.AnswerMember, &portalv1.AnswerMemberRequest{MemberId: member.GetId()})
		}
	}
	_, err := g.signInAs(t, "puppet-merchant_portal", platformPassword)
	wantFault(t, "the puppet is out", err, connect.CodeUnauthenticated, "invalid_credentials")
}
