package portal_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/signature"
	"gateway.example/web/portal/say"
)

func (b *bundle) userStands(t testing.TB, id int64) string {
	t.Helper()
	var role string
	var enabled, password bool
	noError(t, b.Pool.QueryRow(context.Background(),
		"select role, enabled, password_hash is not null from app_user where id = $1",
		id).Scan(&role, &enabled, &password))
	return line(role, enabled, password)
}

func memberPath(id int64, step string) string { return fmt.Sprintf("/merchant/team/%d%s", id, step) }

// An owner invites somebody by a link that is shown once and works once.
func TestInvite(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Owner)
	page := p.page(t, "/merchant/team/invite")
	a := p.post(t, "/merchant/team/invite", hidden(page, "login", "merchant-owner", "role", "finance")...)
	want(t, "a login that is taken", line(a.code, words(a.page(t).Find(".wrong"))), "422 is taken")
	want(t, "typed", a.page(t).Find("#login").AttrOr("value", ""), "merchant-owner")
	a = p.post(t, "/merchant/team/invite", hidden(page, "login", "x", "role", "admin")...)
	want(t, "a foreign role", a.code, http.StatusUnprocessableEntity)
	fields := hidden(p.page(t, "/merchant/team/invite"), "login", "<i>new</i>", "role", "finance")
	a = p.post(t, "/merchant/team/invite", fields...)
	link := a.page(t).Find("#secret").Text()
	_, token, found := strings.Cut(link, "/invitation/")
	if a.code != http.StatusOK || !found {
		t.Fatalf("invited: %d, link %q", a.code, link)
	}
	want(t, "a name's elements", a.page(t).Find("main i").Length(), 0)
	a = p.post(t, "/merchant/team/invite", fields...)
	want(t, "sent twice", line(a.code, a.to(), p.cookies["flash"]), "303 /merchant/team invited-before")
	wantIn(t, "the team", words(p.page(t, "/merchant/team").Find("main")),
		"<i>new</i> Finance not set up not signed in Invited")
	invited := b.nobody()
	a = invited.post(t, "/invitation/"+token, "password", password, "again", password)
	want(t, "accepted", a.code, http.StatusSeeOther)
	want(t, "no team of theirs", invited.get(t, "/merchant/team").code, http.StatusForbidden)
}

// An owner changes roles, switches users off and ends their sessions, but never leaves no owner.
func TestManageTeam(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p, stranger := b.as(t, caller.Owner), b.stranger(t)
	other := b.user(t, "other", caller.MerchantPortal, caller.Developer, b.merchant.ID)
	signed := b.signIn(t, "other")
	var own int64
	b.Get(t, &own, "select id from app_user where login = 'merchant-owner'")
	for _, step := range []string{"/role", "/off", "/end", "/reinvite"} {
		want(t, "a stranger: "+step, stranger.post(t, memberPath(other, step), "role", "owner").code,
			http.StatusNotFound)
	}
	want(t, "another kind", p.get(t, memberPath(b.user(t, "t", caller.Trader, caller.Owner, b.traders[0].ID), "")).code,
		http.StatusNotFound)
	want(t, "after strangers", b.userStands(t, other), "developer true true")
	a := p.post(t, memberPath(other, "/role"), "role", "king")
	want(t, "an unknown role", a.code, http.StatusUnprocessableEntity)
	for _, step := range []string{"/off", "/role", "/reinvite"} {
		a = p.post(t, memberPath(own, step), hidden(p.page(t, memberPath(own, "/reinvite")), "role", "support")...)
		want(t, "the last owner: "+step, line(a.code, p.cookies["flash"], b.userStands(t, own)),
			"303 last-owner owner true true")
	}
	p.post(t, memberPath(other, "/role"), "role", "finance")
	want(t, "another role", b.userStands(t, other), "finance true true")
	want(t, "their session", signed.get(t, "/account").code, http.StatusSeeOther)
	signed = b.signIn(t, "other")
	p.post(t, memberPath(other, "/end"))
	want(t, "ended", signed.get(t, "/account").code, http.StatusSeeOther)
	p.post(t, memberPath(other, "/off"))
	want(t, "off", b.userStands(t, other), "finance false true")
	p.post(t, memberPath(other, "/on"))
	fields := hidden(p.page(t, memberPath(other, "/reinvite")))
	a = p.post(t, memberPath(other, "/reinvite"), fields...)
	want(t, "invited anew", line(a.page(t).Find("#secret").Length(), b.userStands(t, other)), "1 finance true false")
	a = p.post(t, memberPath(other, "/reinvite"), fields...)
	want(t, "sent twice", line(a.code, p.cookies["flash"]), "303 invited-before")
	text := words(p.page(t, "/merchant/log").Find("main"))
	wantIn(t, "the log", text, `role: "developer" → "finance"`, "enabled: true → false",
		"Sessions of user № ")
	wantNot(t, "a stranger's log", words(stranger.page(t, "/merchant/log").Find("main")), "finance",
		"merchant-owner")
}

// What is wrong with a request is said, and neither the secret nor the right signature.
func TestDoctor(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	p := b.as(t, caller.Developer)
	const path, body = "/merchant/developers/doctor", `{"note":"<i>b</i>"}`
	right := hmac.New(sha256.New, []byte(b.merchant.Secret))
	right.Write([]byte(body + "\n"))
	headers := "X-Merchant-Key-Id: " + b.merchant.KeyID + "\r\nSignature: " + hex.EncodeToString(right.Sum(nil))
	a := p.post(t, path, "headers", headers, "secret", b.merchant.Secret, "body", body)
	for _, fact := range []string{"A line break at the end differs", "differ at byte 19,"} {
		if !strings.Contains(a.text(), fact) || strings.Contains(a.body, b.merchant.Secret) {
			t.Errorf("%d: %s", a.code, a.text())
		}
	}
	want(t, "typed", a.page(t).Find("#body").Text(), body)

	whole := "POST /api/v1/payments HTTP/1.1\r\n" + headers + "\r\nX-Merchant-Secret: " + b.merchant.Secret +
		"\r\n\r\n" + body + "\r\n"
	a = p.post(t, path, "request", whole, "headers", "Signature: 00", "path", "/before", "body", "{}")
	if !strings.Contains(a.text(), "The signature is right") || strings.Contains(a.body, b.merchant.Secret) {
		t.Errorf("the whole request: %d: %s", a.code, a.text())
	}
	want(t, "read", a.page(t).Find("#path").AttrOr("value", ""), "/api/v1/payments")

	a = p.post(t, path, "headers", headers, "secret", "guess", "body", body)
	wantIn(t, "a wrong secret", a.text(), "not one of yours")
	a = p.post(t, path, "headers", "X-Signature: 00", "body", body)
	wantIn(t, "a misnamed header", a.text(), "a header of a similar name", "Header: Signature")
	a = p.post(t, path, "request", "what is wrong?")
	want(t, "no request", line(a.code, words(a.page(t).Find(".wrong"))),
		"422 must be a request as it is on the wire, or a line of curl")
}

// Every mistake is said in both languages.
func TestDoctorSpeaks(t *testing.T) {
	t.Parallel()
	for _, m := range signature.Mistakes() {
		said := say.Diagnosis(string(m), m.Hint())
		if said.In(say.English) == "" || said.In(say.Russian) == "" {
			t.Errorf("%s: %q, %q", m, said.In(say.English), said.In(say.Russian))
		}
	}
}
