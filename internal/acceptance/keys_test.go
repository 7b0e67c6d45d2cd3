package acceptance

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

// testKey is a key that looks like one drawn at random, and the form it is
// given in.
func testKey(n byte) (key []byte, text string) {
	key = append(bytes.Repeat([]byte{n}, vault.KeySize-1), n+1)
	return key, base64.StdEncoding.EncodeToString(key)
}

// readiness is what readyz answers.
func (g *instance) readiness(t *testing.T) answer {
	t.Helper()
	return fetched(t, http.MethodGet, g.OpsURL+"/readyz", "", nil)
}

// Without the key that alone opens what is stored, the start is refused and
// says which key and what. Behind a new one it is enough; and once nothing
// needs it, it may go, or where it was lost.
func TestVaultKeyIsGone(t *testing.T) {
	t.Parallel()
	old, oldText := testKey(1)
	_, newText := testKey(2)
	g := live(t, map[string]string{"GATEWAY_VAULT_KEYS": oldText})
	v := testenv.Must(vault.New(old))(t)
	g.exec(t, "update cashbox set webhook_secret = $1", signing.SealSecret(v, 1, signing.NewSecret()))

	start := func(keys string) (*instance, error) {
		other := setup{
			live: true, database: g.DatabaseURL, variables: map[string]string{"GATEWAY_VAULT_KEYS": keys},
		}.prepare(t)
		return other, other.tryStart()
	}
	_, err := start(newText)
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

// A replica that lacks a key others use is not ready and says which, by
// fingerprint alone. One whose keys are simply wrong does not start, and does
// not pull the others down.
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
	// Links of the last days would not open: it does not start.
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

// Link keys are rotated by the steps of the manual: a payment link that was
// published before opens at the address that it was published with, which is
// also the one that its merchant is shown.
func TestLinkKeysRotate(t *testing.T) {
	t.Parallel()
	old, oldText := testKey(1)
	fresh, freshText := testKey(2)
	keepSecret(oldText, freshText)
	g := setup{database: dbtest.URL(t), variables: map[string]string{"GATEWAY_LINK_KEYS": oldText}}.start(t)
	pool, seller := poolOf(t, g.DatabaseURL), g.user(t, "merchant").Token
	made := g.portal(t, seller, "LinkService/CreateLink",
		fmt.Sprintf(`{"cashboxId":%d,"title":"A vase","amount":"700"}`, g.first().MerchantCashboxID))
	published := strings.TrimPrefix(made.text("link.url"), g.PayURL)
	opens := func(path string, want int) {
		t.Helper()
		testenv.Want(t, fetched(t, http.MethodGet, g.PayURL+path, "", nil).status, want, "the page %s", path)
	}
	opens(published, http.StatusOK)
	// lately sets how long ago a process last made links with the old key.
	lately := func(hours int) {
		t.Helper()
		testenv.Must(pool.Exec(t.Context(), "update secret_key set seen_at = now() - make_interval(hours => $1) where fingerprint = $2",
			hours, vault.Fingerprint(old)))(t)
	}
	for _, keys := range []string{oldText + "," + freshText, freshText + "," + oldText, freshText} {
		noError(t, g.stop())
		g.variables["GATEWAY_LINK_KEYS"] = keys
		if keys == freshText {
			lately(50) // somebody may still send a receipt by a link of then
			err := g.tryStart()
			testenv.Check(t, err != nil && strings.Contains(err.Error(), vault.Fingerprint(old)), "too early: %v", err)
			lately(73)
		}
		g.start(t)
		opens(published, http.StatusOK)
		shown := g.portal(t, seller, "LinkService/GetLink", `{"id":`+made.text("link.id")+`}`).text("link.url")
		testenv.Want(t, strings.TrimPrefix(shown, g.PayURL), published, "what its merchant is shown")
	}
	links := testenv.Must(auth.NewLinks(fresh))(t)
	opens("/l/"+links.Token(uuid.New()), http.StatusNotFound)
	opens(published[:len(published)-2]+"AA", http.StatusNotFound)
}

// rotation is a sandbox whose vault keys are rotated while it works, with one
// of everything sealed.
type rotation struct {
	*instance
	url       string
	shop      *shop
	processor *cardProcessor
	// payer has a saved card; payout was created with the old key.
	payer, payout string
	// paid is a payment that was given a requisite, which is value.
	paid, value string
	// totp is a trader's secret, offer is one that they have not confirmed
	// yet.
	totp, offer, token string
}

// Vault keys are rotated by the steps of the manual, under load, without a
// failed call; then the old key can go, and everything still opens.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	old, oldText := testKey(1)
	fresh, freshText := testKey(2)
	keepSecret(oldText, freshText)
	r := &rotation{url: dbtest.URL(t), payer: newOrder()}
	r.instance = setup{database: r.url, variables: map[string]string{"GATEWAY_VAULT_KEYS": oldText}}.start(t)
	r.sealOne(t, old)
	rotate := func() (string, error) {
		out, _, err := command(t, "", map[string]string{
			"GATEWAY_VAULT_KEYS": freshText + "," + oldText, "GATEWAY_LINK_KEYS": oldText,
		}, "keys", "rotate", "-database-url", r.url)
		return out, err
	}
	// Somebody still seals with the old key, and may not have the new one.
	_, err := rotate()
	testenv.Check(t, err != nil && strings.Contains(err.Error(), "a process has the key "+vault.Fingerprint(old)),
		"rotated although a process seals with another key: %v", err)
	noError(t, r.stop())
	r.variables["GATEWAY_VAULT_KEYS"] = freshText + "," + oldText
	r.start(t)
	r.exec(t, "update secret_key set seen_at = now() - interval '1 hour' where fingerprint = $1", vault.Fingerprint(old))
	changes := r.count(t, "select count(*) from setting_change")
	var out string
	r.underLoad(t, func() {
		out, err = rotate()
		testenv.Check(t, err == nil, "%v\n%s", err, out)
	})
	n := r.count(t, "select count(*) from setting_change")
	testenv.Check(t, n == changes, "the rotation stands in the log of settings, %d times", n-changes)
	gone := "  " + vault.Fingerprint(old) + "  given    opens nothing that is needed\n"
	sealed := 0 // and with the payments of the meantime some more
	_, _ = fmt.Sscan(out, &sealed)
	opens := "  " + vault.Fingerprint(fresh) + "  first    opens 1 of app_user.totp_secret, 1 of card_hash_key.key, "
	testenv.Check(t, strings.Contains(out, gone) && sealed >= testenv.Pick(t, 3_900, 6_400) && strings.Contains(out, opens),
		"it says %s", out)
	noError(t, r.stop())
	r.variables["GATEWAY_VAULT_KEYS"] = freshText
	r.start(t)
	r.opensAll(t)
}

// sealOne has the gateway seal one of everything, and the test many cards
// besides, so that the rotation takes its time.
func (r *rotation) sealOne(t *testing.T, old []byte) {
	t.Helper()
	box := r.first()
	r.shop, r.processor = newShop(t, box.WebhookSecret), newCardProcessor(t, nil)
	r.setProcessor(t, r.processor)
	r.payout = r.createPayin(t, box).text("data.id")
	r.paysFirst(t)
	given := r.create(t, box, nil)
	r.paid, r.value = given.text("data.id"), given.text("data.requisite.value")
	// Both secrets of the cashbox sign: the one before is sealed as well.
	r.portal(t, r.user(t, "merchant").Token, "MerchantService/RotateWebhookSecret",
		fmt.Sprintf(`{"merchantCashboxId":%d}`, box.MerchantCashboxID))
	r.token = r.user(t, "trader-3").Token
	begin := func() string {
		secret := r.portal(t, r.token, "AuthService/BeginTotp", "{}").text("secret")
		keepSecret(secret)
		return secret
	}
	r.totp = begin()
	r.token = r.confirmTOTP(t, r.totp)
	r.offer = begin()
	v := testenv.Must(vault.New(old))(t)
	var ids []int64
	var pans [][]byte
	for id := range int64(testenv.Pick(t, 500, 3_000)) {
		id += 1_000_000
		pan := v.Seal([]byte("0"), vault.Place{Table: "payment_card", Column: "pan", Row: id})
		ids, pans = append(ids, id), append(pans, pan)
	}
	r.exec(t, `insert into payment_card (merchant_id, payment_id, cashbox_id, brand, last4, pan, expiry, created_at)
		select 1, id, 1, 'visa', '4242', pan, '\x00', now() from unnest($1::bigint[], $2::bytea[]) as made (id, pan)`, ids, pans)
}

// confirmTOTP confirms a secret, and returns the token that the session has
// then.
func (r *rotation) confirmTOTP(t *testing.T, secret string) string {
	t.Helper()
	code := testenv.Must(totp.GenerateCode(secret, time.Now()))(t)
	done := r.portal(t, r.token, "AuthService/ConfirmTotp", `{"code":"`+code+`"}`)
	codes, _ := done.at("recoveryCodes").([]any)
	for _, code := range codes {
		keepSecret(fmt.Sprint(code))
	}
	return done.text("token")
}

const savedPAN = "5555555555554444"

// paysFirst pays with a card that is kept.
func (r *rotation) paysFirst(t *testing.T) {
	t.Helper()
	_, token := r.cardPayment(t, object{"payer": object{"userId": r.payer}})
	r.checkout(t, token, "payer-details", typedCard(savedPAN, object{"cardHolder": "ANNA B"}))
	r.awaitCheckout(t, token, "paymentStatus", "completed")
}

// paysAgain pays with the kept card.
func (r *rotation) paysAgain(t *testing.T) {
	t.Helper()
	_, token := r.cardPayment(t, object{"payer": object{"userId": r.payer}})
	form := url.Values{"card": {r.savedCard(t, token)}, "cvv": {"123"}}
	submitted(t, r.PayURL, "/pay/"+token, form, header{"Sec-Fetch-Site": "same-origin"}).must(t, "", http.StatusSeeOther)
	r.awaitCheckout(t, token, "paymentStatus", "completed")
}

// payoutDone creates a payout, reads it, and has a trader take it, see where to
// pay, and complete it.
func (r *rotation) payoutDone(t *testing.T, id string) {
	t.Helper()
	trader := r.user(t, "trader-1").Token
	taken := r.portal(t, trader, "TraderService/TakePayin", `{"payinId":"`+id+`"}`)
	testenv.Want(t, taken.text("data.address"), recipientPhone, "the payout goes to")
	r.portal(t, trader, "TraderService/CompletePayin", `{"payinId":"`+id+`","proofReference":"transfer"}`)
}

// told has a payment completed, and its webhook arrive as it is signed.
func (r *rotation) told(t *testing.T) {
	t.Helper()
	created := r.create(t, r.first(), object{"callbackUri": r.shop.URL})
	r.callback(t, created.text("data.id"), `{"status":"completed"}`).want(t, "callback", http.StatusOK)
	r.shop.await(t, created.text("data.orderId"))
}

// underLoad does something while calls of each kind that opens or seals go on,
// from before it to after it. None of them may fail.
func (r *rotation) underLoad(t *testing.T, do func()) {
	var rounds [3]atomic.Int64
	var stopped atomic.Bool
	var load sync.WaitGroup
	for i, call := range []func(){
		func() { r.payoutDone(t, r.createPayin(t, r.first()).text("data.id")) },
		func() { r.paysAgain(t) },
		func() { r.told(t) },
	} {
		load.Go(func() {
			for !stopped.Load() && !t.Failed() {
				call()
				rounds[i].Add(1)
			}
		})
	}
	goOn := func() {
		var before [3]int64
		for i := range rounds {
			before[i] = rounds[i].Load()
		}
		noError(t, testenv.Eventually(func() error {
			for i := range rounds {
				if rounds[i].Load() <= before[i] {
					return fmt.Errorf("load %d stands still", i)
				}
			}
			return nil
		}))
	}
	goOn()
	do()
	goOn()
	stopped.Store(true)
	load.Wait()
	t.Logf("rounds of payouts, cards and webhooks: %d, %d, %d", rounds[0].Load(), rounds[1].Load(), rounds[2].Load())
}

// opensAll uses everything that was sealed with the old key.
func (r *rotation) opensAll(t *testing.T) {
	r.payoutDone(t, r.payout)
	r.paysAgain(t)
	r.told(t)
	got := r.read(t, r.paid)
	value := got.text("data.requisite.value")
	testenv.Check(t, value == r.value && len(value) >= 10, "the payer was told %s, and now %s", r.value, got)
	testenv.Want(t, r.count(t, "select count(distinct card) from card_attempt"), 1, "cards that one is taken for")
	user := r.user(t, "trader-3")
	in := r.portal(t, "", "AuthService/Login", fmt.Sprintf(`{"login":%q,"password":%q}`, user.Login, user.Password))
	// Each code is good once: the next one is good already.
	code := testenv.Must(totp.GenerateCode(r.totp, time.Now().Add(30*time.Second)))(t)
	r.portal(t, in.text("token"), "AuthService/SecondFactor", `{"code":"`+code+`"}`)
	r.confirmTOTP(t, r.offer)
	fresh, _ := testKey(2)
	for _, line := range r.texts(t, "select distinct fingerprint from sealed_value") {
		testenv.Check(t, line == vault.Fingerprint(fresh), "something is still sealed with %s", line)
	}
}
