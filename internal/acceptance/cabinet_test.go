package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
			t.Skip("there is no " + needed + " to paste into")
		}
	}
	g := sharedSandbox(t)
	box := g.first()
	created := g.create(t, box, object{"orderId": "it's $(id) \"`id`\" <b>; " + newOrder()})
	page := g.cabinet(t, "merchant")("/merchant/payments/" + created.text("data.id"))
	found := curlOnPage.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no command on the page: %s", page)
	}
	command := html.UnescapeString(found[1])
	if strings.Contains(command, box.Secret) || strings.Contains(command, box.KeyID) {
		t.Errorf("a key or secret is on the page: %s", command)
	}
	filled := strings.NewReplacer("YOUR_KEY_ID", box.KeyID, "YOUR_SECRET", box.Secret).Replace(command)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", filled).Output()
	var got struct {
		Data struct {
			OrderID string `json:"orderId"`
			UUID    string `json:"uuid"`
		} `json:"data"`
	}
	if err != nil || json.Unmarshal(out, &got) != nil || got.Data.UUID != created.text("data.uuid") {
		t.Errorf("%s\n%s%v", command, out, err)
	}
}

// changed is a file with one byte of a part changed: the first one after the part's last name.
func changed(t *testing.T, file []byte, after string) []byte {
	t.Helper()
	at := bytes.LastIndex(file, []byte(after))
	if at < 0 {
		t.Fatalf("%s is not in the file", after)
	}
	other := bytes.Clone(file)
	other[at+len(after)] ^= 1
	return other
}

// A signed timeline is proven by the command with the keys of either address or of a file, and what
// was changed in it, or is none of the gateway's, is told and ends with status 1.
func TestVerifyTimeline(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	created := g.create(t, g.first(), nil)
	file := []byte(g.cabinet(t, "merchant")("/merchant/payments/" + created.text("data.id") + "/timeline.json"))
	const published = "/.well-known/gateway-keys.json"
	keys := fetched(t, http.MethodGet, g.BaseURL+published, "", nil).raw
	if portals := fetched(t, http.MethodGet, g.PortalURL+published, "", nil).raw; portals != keys ||
		!strings.Contains(keys, `"Ed25519"`) {
		t.Errorf("the API publishes %s, the portal %s", keys, portals)
	}
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		noError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	keyFile, good := write("keys.json", []byte(keys)), write("timeline.json", file)
	for _, from := range []string{keyFile, g.BaseURL + published, g.PortalURL + published} {
		for _, args := range [][]string{{good, "-keys", from}, {"-keys", from, good}} {
			if out, _, err := command(t, "", nil, append([]string{"verify-timeline"}, args...)...); err != nil ||
				!strings.HasPrefix(out, "valid:") {
				t.Errorf("%v: %s %v", args, out, err)
			}
		}
	}
	refused := func(name, path, keys, told string) {
		t.Helper()
		out, errs, err := command(t, "", nil, "verify-timeline", path, "-keys", keys)
		if err == nil || !strings.Contains(out+errs+fmt.Sprint(err), told) || strings.Contains(out, "valid:") {
			t.Errorf("%s: %s%s %v, want %q", name, out, errs, err, told)
		}
	}
	for name, c := range map[string]struct{ after, told string }{
		"header":    {`"uuid":"`, "the head was changed"},
		"line":      {`"what":"`, "was changed or added"},
		"signature": {`"value":"`, "the signature was not made by the key"},
	} {
		refused("a changed "+name, write(name, changed(t, file, c.after)), keyFile, c.told)
	}
	strange := write("strange.json", changed(t, []byte(keys), `"kid":"`))
	refused("an unknown key", good, strange, "is none of the gateway's")
	refused("no keys", good, write("none.json", []byte(`{"keys":[]}`)), "is none of the gateway's")
	refused("garbage", write("garbage", []byte("\x00not a file {")), keyFile, "the file: not JSON")
	refused("an empty file", write("empty", nil), keyFile, "the file: not JSON")
	refused("garbage for keys", good, write("bad keys", []byte("<html>")), "keys")
	refused("no such file", filepath.Join(dir, "nothing"), keyFile, "read the signed file")
	refused("no such keys", good, filepath.Join(dir, "nothing"), "read the public keys")
	away := httptest.NewServer(http.NotFoundHandler())
	defer away.Close()
	refused("keys that are not there", good, away.URL, "404")
	refused("nobody at the address", good, "http://127.0.0.1:1/", "read the public keys")
	if _, _, err := command(t, "", nil, "verify-timeline"); err == nil {
		t.Error("without a file")
	}
}
