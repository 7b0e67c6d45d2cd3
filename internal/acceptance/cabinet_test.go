package acceptance

import (
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

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
	page := g.visit(t, "/merchant/payments/"+created.text("data.id"), g.enter(t, "merchant"))
	found := curlOnPage.FindStringSubmatch(page)
	testenv.Need(t, found != nil, "no command on the page: %s", page)
	command := html.UnescapeString(found[1])
	testenv.Check(t, !strings.Contains(command, box.Secret) && !strings.Contains(command, box.KeyID),
		"a key or secret is on the page: %s", command)
	filled := strings.NewReplacer("YOUR_KEY_ID", box.KeyID, "YOUR_SECRET", box.Secret).Replace(command)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", filled).Output()
	got := answer{body: decoded(string(out))}
	testenv.Check(t, err == nil && got.text("data.uuid") == created.text("data.uuid"), "%s\n%s%v", command, out, err)
}

// A signed timeline is proven by the command with the keys that either address publishes. What else
// the command says, the scripts of cmd/gateway say.
func TestVerifyTimeline(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	created := g.create(t, g.first(), nil)
	timeline := g.visit(t, "/merchant/payments/"+created.text("data.id")+"/timeline.json", g.enter(t, "merchant"))
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
