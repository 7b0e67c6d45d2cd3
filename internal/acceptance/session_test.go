package acceptance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/pquerna/otp/totp"

	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

func (g *instance) account(token string) portalv1connect.AuthServiceClient {
	return portalv1connect.NewAuthServiceClient(withToken(token), g.BaseURL)
}

// enrol sets an authenticator app up with a token that waits for it, and returns the token that may
// do everything.
func (g *instance) enrol(t *testing.T, token string) string {
	t.Helper()
	offer, err := g.account(token).BeginTotp(t.Context(), connect.NewRequest(&portalv1.BeginTotpRequest{}))
	noError(t, err)
	secret := offer.Msg.GetSecret()
	keepSecret(secret)
	if !strings.HasPrefix(offer.Msg.GetUrl(), "otpauth://totp/") {
		t.Errorf("URL %s", offer.Msg.GetUrl())
	}
	code, err := totp.GenerateCode(secret, time.Now())
	noError(t, err)
	done, err := g.account(token).ConfirmTotp(t.Context(), connect.NewRequest(&portalv1.ConfirmTotpRequest{Code: code}))
	noError(t, err)
	for _, recovery := range done.Msg.GetRecoveryCodes() {
		keepSecret(recovery)
	}
	if len(done.Msg.GetRecoveryCodes()) != 10 {
		t.Errorf("%d recovery codes", len(done.Msg.GetRecoveryCodes()))
	}
	keepSecret(done.Msg.GetToken())
	return done.Msg.GetToken()
}

// In production an operator's password alone opens nothing but the way to the second factor.
func TestSecondFactorInProduction(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	in, err := p.signInAs(t, "root", platformPassword)
	noError(t, err)
	token := in.Msg.GetToken()
	keepSecret(token)
	if in.Msg.GetState() != "awaits_factor" {
		t.Fatalf("state %s", in.Msg.GetState())
	}
	operator := portalv1connect.NewOperatorServiceClient(withToken(token), p.BaseURL)
	_, err = operator.ListRates(t.Context(), connect.NewRequest(&portalv1.ListRatesRequest{}))
	if code, why, _ := connectFault(t, err); code != connect.CodePermissionDenied || why != "second_factor_required" {
		t.Errorf("without the factor: %s %s", code, why)
	}
	_, err = p.account(token).ListSessions(t.Context(), connect.NewRequest(&portalv1.ListSessionsRequest{}))
	if _, why, _ := connectFault(t, err); why != "second_factor_required" {
		t.Errorf("its sessions: %s", why)
	}
	half, err := p.account(token).GetSession(t.Context(), connect.NewRequest(&portalv1.GetSessionRequest{}))
	noError(t, err)
	if half.Msg.GetState() != "awaits_factor" || half.Msg.Role != nil || len(half.Msg.GetCapabilities()) != 0 {
		t.Errorf("session %v", half.Msg)
	}
	_, err = p.account(token).
		SecondFactor(t.Context(), connect.NewRequest(&portalv1.SecondFactorRequest{Code: "12345x"}))
	if _, why, _ := connectFault(t, err); why != "factor_wrong" {
		t.Errorf("a wrong code: %s", why)
	}
}

// A new operator comes by an invitation, which the API gives once, and is an auditor as they were
// made.
func TestInvitedUser(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	role := "auditor"
	made, err := p.operator.CreateUser(t.Context(), connect.NewRequest(&portalv1.CreateUserRequest{
		Kind: "operator", Login: "eva", Role: &role,
	}))
	noError(t, err)
	link := made.Msg.GetInvitationLink()
	keepSecret(link)
	if !strings.HasPrefix(link, "https://portal.example/invitation/") {
		t.Errorf("link %s", link)
	}
	id := number(made.Msg.GetChange().GetSubjectKey())
	again, err := p.operator.InviteUser(t.Context(), connect.NewRequest(&portalv1.InviteUserRequest{UserId: id}))
	noError(t, err)
	keepSecret(again.Msg.GetInvitationLink())
	if again.Msg.GetInvitationLink() == link {
		t.Error("the same link again")
	}
	word := platformPassword
	done(p.operator.UpdateUser(
		t.Context(),
		connect.NewRequest(&portalv1.UpdateUserRequest{UserId: id, Password: &word}),
	))(t)
	eva := portalv1connect.NewOperatorServiceClient(withToken(p.login(t, "eva")), p.BaseURL)
	if _, err := eva.ListRates(t.Context(), connect.NewRequest(&portalv1.ListRatesRequest{})); err != nil {
		t.Errorf("an auditor reads: %v", err)
	}
	_, err = eva.SetRate(t.Context(), connect.NewRequest(&portalv1.SetRateRequest{Currency: "RUB", FiatPerUsdt: "1"}))
	if code, why, _ := connectFault(t, err); code != connect.CodePermissionDenied || why != "role_not_allowed" {
		t.Errorf("an auditor sets rates: %s %s", code, why)
	}
}

// A user's whole account over the API: who they are, their sessions, factor, password and
// preferences.
func TestAccountOverTheAPI(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	user := g.user(t, "trader-3")
	login := func(password string) string {
		in, err := g.signInAs(t, user.Login, password)
		noError(t, err)
		keepSecret(in.Msg.GetToken())
		return in.Msg.GetToken()
	}
	token, other := login(user.Password), login(user.Password)
	me, err := g.account(token).GetSession(t.Context(), connect.NewRequest(&portalv1.GetSessionRequest{}))
	noError(t, err)
	if me.Msg.GetLogin() != user.Login || me.Msg.GetKind() != "trader" || me.Msg.GetRole() != "owner" ||
		me.Msg.GetState() != "whole" || me.Msg.GetPreferences().GetZone() != "UTC" || me.Msg.GetFactors().GetTotp() ||
		!slices.Equal(me.Msg.GetCapabilities(),
			[]string{"trader.money", "trader.read", "trader.requisites", "trader.work"}) {
		t.Errorf("session %v", me.Msg)
	}
	list, err := g.account(token).ListSessions(t.Context(), connect.NewRequest(&portalv1.ListSessionsRequest{}))
	noError(t, err)
	current := slices.IndexFunc(list.Msg.GetData(), (*portalv1.UserSession).GetCurrent)
	if len(list.Msg.GetData()) != 3 || current < 0 || list.Msg.GetData()[current].GetId() != me.Msg.GetId() {
		t.Errorf("sessions %v", list.Msg) // two signed in, and the one of the sandbox's file
	}
	language := "ru"
	changed, err := g.account(token).SetPreferences(t.Context(), connect.NewRequest(&portalv1.SetPreferencesRequest{
		Zone: "Asia/Baku", Language: &language, Theme: "dark",
	}))
	noError(t, err)
	if p := changed.Msg.GetPreferences(); p.GetZone() != "Asia/Baku" || p.GetLanguage() != "ru" || p.GetShortcuts() {
		t.Errorf("preferences %v", p)
	}
	token = g.enrol(t, token)
	codes, err := g.account(token).
		RenewRecoveryCodes(t.Context(), connect.NewRequest(&portalv1.RenewRecoveryCodesRequest{}))
	noError(t, err)
	renewed, err := g.account(token).SecondFactor(t.Context(), connect.NewRequest(&portalv1.SecondFactorRequest{
		Code: codes.Msg.GetRecoveryCodes()[0],
	}))
	noError(t, err)
	token = renewed.Msg.GetToken()
	keepSecret(token)
	_, err = g.account(token).RemoveTotp(t.Context(), connect.NewRequest(&portalv1.RemoveTotpRequest{}))
	noError(t, err)
	after, err := g.account(token).ChangePassword(t.Context(), connect.NewRequest(&portalv1.ChangePasswordRequest{
		OldPassword: user.Password, NewPassword: platformPassword,
	}))
	noError(t, err)
	g.isOut(t, token, other, user.Token)
	token = after.Msg.GetToken()
	keepSecret(token)
	other = login(platformPassword)
	_, err = g.account(token).EndSession(t.Context(), connect.NewRequest(&portalv1.EndSessionRequest{}))
	noError(t, err)
	g.isOut(t, other)
	_, err = g.account(token).Logout(t.Context(), connect.NewRequest(&portalv1.LogoutRequest{}))
	noError(t, err)
	g.isOut(t, token)
}

// isOut wants tokens to open nothing.
func (g *instance) isOut(t *testing.T, tokens ...string) {
	t.Helper()
	for n, token := range tokens {
		_, err := g.account(token).GetSession(t.Context(), connect.NewRequest(&portalv1.GetSessionRequest{}))
		if err == nil {
			t.Errorf("token %d still opens a session", n)
			continue
		}
		if code, why, _ := connectFault(t, err); code != connect.CodeUnauthenticated || why != "unauthenticated" {
			t.Errorf("token %d: %s %s", n, code, why)
		}
	}
}
