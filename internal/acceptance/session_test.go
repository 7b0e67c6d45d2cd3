package acceptance

import (
	"fmt"
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
	offer := called(t, g.account(token).BeginTotp, &portalv1.BeginTotpRequest{})
	secret := offer.GetSecret()
	keepSecret(secret)
	if !strings.HasPrefix(offer.GetUrl(), "otpauth://totp/") {
		t.Errorf("URL %s", offer.GetUrl())
	}
	code, err := totp.GenerateCode(secret, time.Now())
	noError(t, err)
	done := called(t, g.account(token).ConfirmTotp, &portalv1.ConfirmTotpRequest{Code: code})
	for _, recovery := range done.GetRecoveryCodes() {
		keepSecret(recovery)
	}
	if len(done.GetRecoveryCodes()) != 10 {
		t.Errorf("%d recovery codes", len(done.GetRecoveryCodes()))
	}
	keepSecret(done.GetToken())
	return done.GetToken()
}

// In production an operator's password alone opens nothing but the way to the second factor.
func (p *platform) secondFactor(t *testing.T) {
	in, err := p.signInAs(t, "root", platformPassword)
	noError(t, err)
	token := in.Msg.GetToken()
	keepSecret(token)
	if in.Msg.GetState() != "awaits_factor" {
		t.Fatalf("state %s", in.Msg.GetState())
	}
	operator := portalv1connect.NewOperatorServiceClient(withToken(token), p.BaseURL)
	refuses(t, "without the factor", operator.ListRates, &portalv1.ListRatesRequest{}, connect.CodePermissionDenied,
		"second_factor_required")
	_, err = p.account(token).ListSessions(t.Context(), connect.NewRequest(&portalv1.ListSessionsRequest{}))
	if _, why, _ := connectFault(t, err); why != "second_factor_required" {
		t.Errorf("its sessions: %s", why)
	}
	half := called(t, p.account(token).GetSession, &portalv1.GetSessionRequest{})
	if half.GetState() != "awaits_factor" || half.Role != nil || len(half.GetCapabilities()) != 0 {
		t.Errorf("session %v", half)
	}
	_, err = p.account(token).
		SecondFactor(t.Context(), connect.NewRequest(&portalv1.SecondFactorRequest{Code: "12345x"}))
	if _, why, _ := connectFault(t, err); why != "factor_wrong" {
		t.Errorf("a wrong code: %s", why)
	}
}

// A new operator comes by an invitation, which the API gives once, and is an auditor as they were
// made.
func (p *platform) invitedUser(t *testing.T) {
	role := "auditor"
	made := called(t, p.operator.CreateUser, &portalv1.CreateUserRequest{Kind: "operator", Login: "eva", Role: &role})
	link := made.GetInvitationLink()
	keepSecret(link)
	if !strings.HasPrefix(link, "https://portal.example/invitation/") {
		t.Errorf("link %s", link)
	}
	id := number(made.GetChange().GetSubjectKey())
	again := called(t, p.operator.InviteUser, &portalv1.InviteUserRequest{UserId: id})
	keepSecret(again.GetInvitationLink())
	if again.GetInvitationLink() == link {
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
	refuses(t, "an auditor sets rates", eva.SetRate, &portalv1.SetRateRequest{Currency: "RUB", FiatPerUsdt: "1"},
		connect.CodePermissionDenied, "role_not_allowed")
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
	me := called(t, g.account(token).GetSession, &portalv1.GetSessionRequest{})
	if me.GetLogin() != user.Login || me.GetKind() != "trader" || me.GetRole() != "owner" ||
		me.GetState() != "whole" || me.GetPreferences().GetZone() != "UTC" || me.GetFactors().GetTotp() ||
		!slices.Equal(me.GetCapabilities(),
			[]string{"trader.money", "trader.read", "trader.requisites", "trader.team", "trader.work"}) {
		t.Errorf("session %v", me)
	}
	list := called(t, g.account(token).ListSessions, &portalv1.ListSessionsRequest{})
	current := slices.IndexFunc(list.GetData(), (*portalv1.UserSession).GetCurrent)
	if len(list.GetData()) != 3 || current < 0 || list.GetData()[current].GetId() != me.GetId() {
		t.Errorf("sessions %v", list) // two signed in, and the one of the sandbox's file
	}
	language := "ru"
	changed := called(t, g.account(token).SetPreferences, &portalv1.SetPreferencesRequest{
		Zone: "Asia/Baku", Language: &language, Theme: "dark",
	})
	if p := changed.GetPreferences(); p.GetZone() != "Asia/Baku" || p.GetLanguage() != "ru" || p.GetShortcuts() {
		t.Errorf("preferences %v", p)
	}
	token = g.enrol(t, token)
	codes := called(t, g.account(token).RenewRecoveryCodes, &portalv1.RenewRecoveryCodesRequest{})
	renewed := called(t, g.account(token).SecondFactor, &portalv1.SecondFactorRequest{
		Code: codes.GetRecoveryCodes()[0],
	})
	token = renewed.GetToken()
	keepSecret(token)
	called(t, g.account(token).RemoveTotp, &portalv1.RemoveTotpRequest{})
	after := called(t, g.account(token).ChangePassword, &portalv1.ChangePasswordRequest{
		OldPassword: user.Password, NewPassword: platformPassword,
	})
	g.isOut(t, token, other, user.Token)
	token = after.GetToken()
	keepSecret(token)
	other = login(platformPassword)
	called(t, g.account(token).EndSession, &portalv1.EndSessionRequest{})
	g.isOut(t, other)
	called(t, g.account(token).Logout, &portalv1.LogoutRequest{})
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
		wantFault(t, fmt.Sprintf("token %d", n), err, connect.CodeUnauthenticated, "unauthenticated")
	}
}
