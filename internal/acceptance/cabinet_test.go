package acceptance

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// enter signs a user in at the portal, and returns the cookies that a browser has then.
func (g *instance) enter(t *testing.T, login string) []*http.Cookie {
	t.Helper()
	user := g.user(t, login)
	form := url.Values{"login": {user.Login}, "password": {user.Password}}
	in := submitted(t, g.PortalURL, "/sign-in", form, nil)
	return (&http.Response{Header: in.header}).Cookies()
}

// cabinet is a merchant's user signed in at the portal.
func (g *instance) cabinet(t *testing.T, login string) func(path string) string {
	t.Helper()
	cookies := g.enter(t, login)
	return func(path string) string { return g.visit(t, path, cookies) }
}

// visit opens a page of the portals.
func (g *instance) visit(t *testing.T, path string, cookies []*http.Cookie) string {
	t.Helper()
	var pairs []string
	for _, cookie := range cookies {
		pairs = append(pairs, cookie.Name+"="+cookie.Value)
	}
	page := fetched(t, http.MethodGet, g.PortalURL+path, "", header{"Cookie": strings.Join(pairs, "; ")})
	return page.must(t, "GET "+path, http.StatusOK).raw
}

var curlOnPage = regexp.MustCompile(`(?s)<pre[^>]* id="curl"[^>]*>(.*?)</pre>`)

// What a payment's page offers to be copied reads that payment, once key and secret are filled in.
func TestCurlOnPage(t *testing.T) {
	t.Parallel()
	for _, needed := range []string{"sh", "curl", "openssl"} {
		if _, err := exec.LookPath(needed); err != nil {
			testenv.Missing(t, "there is no "+needed+" to paste into")
		}
	}
	g := sharedSandbox(t)
	box := g.first()
	created := g.create(t, box, object{"orderId": "it's $(id) \"`id`\" <b>; " + newOrder()})
	page := g.cabinet(t, "merchant")("/merchant/payments/" + created.text("data.id"))
	found := curlOnPage.FindStringSubmatch(page)
	testenv.Need(t, found != nil, "no command on the page: %s", page)
	command := html.UnescapeString(found[1])
	testenv.Check(t, !strings.Contains(command, box.Secret) && !strings.Contains(command, box.KeyID),
		"a key or secret is on the page: %s", command)
	filled := strings.NewReplacer("YOUR_KEY_ID", box.KeyID, "YOUR_SECRET", box.Secret).Replace(command)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", filled).Output()
	var got struct {
		Data struct {
			OrderID string `json:"orderId"`
			UUID    string `json:"uuid"`
		} `json:"data"`
	}
	testenv.Check(t, err == nil && json.Unmarshal(out, &got) == nil && got.Data.UUID == created.text("data.uuid"),
		"%s\n%s%v", command, out, err)
}

// A signed timeline is proven by the command with the keys that either address publishes. What else
// the command says, the scripts of cmd/gateway say.
func TestVerifyTimeline(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	created := g.create(t, g.first(), nil)
	timeline := g.cabinet(t, "merchant")("/merchant/payments/" + created.text("data.id") + "/timeline.json")
	path := filepath.Join(t.TempDir(), "timeline.json")
	noError(t, os.WriteFile(path, []byte(timeline), 0o600))
	const published = "/.well-known/gateway-keys.json"
	keys := fetched(t, http.MethodGet, g.BaseURL+published, "", nil).raw
	portals := fetched(t, http.MethodGet, g.PortalURL+published, "", nil).raw
	testenv.Check(t, portals == keys && strings.Contains(keys, `"Ed25519"`),
		"the API publishes %s, the portal %s", keys, portals)
	for _, address := range []string{g.BaseURL, g.PortalURL} {
		out, status := program(t, "verify-timeline", path, "-keys", address+published)
		wantExit(t, address, out, status, 0, "valid: ")
	}
}
