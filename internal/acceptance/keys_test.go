package acceptance

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// testKey is a key that looks like one drawn at random, and the form it is given in.
func testKey(n byte) (key []byte, text string) {
	key = append(bytes.Repeat([]byte{n}, vault.KeySize-1), n+1)
	return key, base64.StdEncoding.EncodeToString(key)
}

// readiness is what readyz answers.
func (g *instance) readiness(t *testing.T) answer {
	t.Helper()
	return fetched(t, http.MethodGet, g.OpsURL+"/readyz", "", nil)
}

// Without the key that alone opens what is stored, the start is refused and says which key and
// what. Behind a new one it is enough; and once nothing needs it, it may go, or where it was lost.
func TestVaultKeyIsGone(t *testing.T) {
	t.Parallel()
	old, oldText := testKey(1)
	_, newText := testKey(2)
	g := live(t, map[string]string{"GATEWAY_VAULT_KEYS": oldText})
	v := testenv.Must(vault.New(old))(t)
	sealed, err := signing.SealSecret(v, 1, signing.NewSecret())
	noError(t, err)
	g.exec(t, "update cashbox set webhook_secret = $1", sealed)

	start := func(keys string) (*instance, error) {
		other := setup{
			live: true, database: g.DatabaseURL, variables: map[string]string{"GATEWAY_VAULT_KEYS": keys},
		}.prepare(t)
		return other, other.tryStart()
	}
	_, err = start(newText)
	for _, word := range []string{"GATEWAY_VAULT_KEYS", vault.Fingerprint(old), "opens 1 of card_hash_key.key, 1 of cashbox.webhook_secret:"} {
		testenv.Check(t, err != nil && strings.Contains(err.Error(), word) && !strings.Contains(err.Error(), oldText),
			"without the key: %v", err)
	}
	testenv.Want(t, g.readiness(t).raw, "ready\n", "a start that was refused has changed others")
	both := testenv.Must(start(newText + "," + oldText))(t)
	noError(t, both.stop())
	// The key is lost: what only it opens is given up.
	g.exec(t, "delete from secret_key where purpose = 'vault' and fingerprint = $1", vault.Fingerprint(old))
	without := testenv.Must(start(newText))(t)
	noError(t, without.stop())
	// It was in use, and nothing needs it any more.
	g.exec(t, "update cashbox set webhook_secret = ''")
	g.exec(t, "insert into secret_key values ('vault', $1, now())", vault.Fingerprint(old))
	testenv.Must(start(newText))(t)
}

// A replica that lacks a key others use is not ready and says which, by fingerprint alone. One
// whose keys are simply wrong does not start, and does not pull the others down.
func TestReplicasNeedTheSameKeys(t *testing.T) {
	t.Parallel()
	old, oldText := testKey(1)
	fresh, freshText := testKey(2)
	_, strangeText := testKey(3)
	url := dbtest.URL(t)
	replica := func(links string) *instance {
		return setup{live: true, database: url, variables: map[string]string{"GATEWAY_LINK_KEYS": links}}.prepare(t)
	}
	isNot := func(g *instance, why string) {
		t.Helper()
		testenv.Until(t, "it is not ready: "+why, func() bool {
			got := g.readiness(t)
			return got.status == 503 && strings.Contains(got.raw, why) && !strings.Contains(got.raw, freshText)
		})
	}
	first := replica(oldText)
	first.start(t)
	// Links of the last day would not open: it does not start.
	strange := replica(strangeText)
	err := strange.tryStart()
	want := "GATEWAY_LINK_KEYS lacks the key with the fingerprint " + vault.Fingerprint(old)
	testenv.Check(t, err != nil && strings.Contains(err.Error(), want), "with another link key: %v", err)
	noError(t, first.awaitReady())
	second := replica(freshText + "," + oldText)
	second.start(t)
	isNot(first, "GATEWAY_LINK_KEYS lacks "+vault.Fingerprint(fresh))
	noError(t, first.stop())
	replica(oldText + "," + freshText).start(t)
	noError(t, second.awaitReady())
}
