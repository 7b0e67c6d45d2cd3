package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// callbackV2 is a Signature-V2 of the application, made as the contract has it.
func (g *instance) callbackV2(at time.Time, uuid, body string) string {
	mac := hmac.New(sha256.New, []byte(g.ExternalPaymentsSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s.%s", at.Unix(), uuid, body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// updateStatus calls the callback with the headers given, over REST or Connect.
func (g *instance) updateStatus(t testing.TB, overConnect bool, id, status string, headers header) answer {
	t.Helper()
	address, body := g.BaseURL+payments+"/"+id+"/callback", statusBody(overConnect, id, status)
	if overConnect {
		address = g.BaseURL + "/gateway.v1.PaymentService/UpdatePaymentStatus"
	}
	got := fetched(t, http.MethodPost, address, body, headers)
	return got
}

func statusBody(overConnect bool, id, status string) string {
	if overConnect {
		return fmt.Sprintf(`{"paymentId":%s,"status":%q}`, id, status)
	}
	return fmt.Sprintf(`{"status":%q}`, status)
}

// A Signature-V2 lets the application in for one payment, over REST and Connect. The same call again changes nothing.
func TestCallbackSignatureV2(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for _, overConnect := range []bool{false, true} {
		first, second := g.create(t, g.first(), nil), g.create(t, g.first(), nil)
		id, now := first.text("data.id"), time.Now()
		body := statusBody(overConnect, id, "completed")
		wrong := with(g.application(body), "Signature-V2", g.callbackV2(now, second.text("data.uuid"), body))
		if got := g.updateStatus(t, overConnect, id, "completed", wrong); got.status != 403 ||
			!strings.Contains(got.raw, "invalid_signature") {
			t.Errorf("another's: %s", got)
		}
		good := header{"Signature-V2": g.callbackV2(now, first.text("data.uuid"), body)}
		for _, queued := range []string{"true", map[bool]string{true: "<nil>", false: "false"}[overConnect]} {
			g.updateStatus(t, overConnect, id, "completed", good).want(t, "", 200, "data.callbackQueued", queued)
		}
	}
	// Only who is proved otherwise learns that there is no such payment.
	const none, body = "999999999999", `{"status":"failed"}`
	v2 := g.callbackV2(time.Now(), "01890a5d-ac96-774b-bcce-b302099a8057", body)
	g.updateStatus(t, false, none, "failed", header{"Signature-V2": v2}).want(t, "no payment", 403)
	g.updateStatus(t, false, none, "failed",
		header{"Signature-V2": v2, "Signature": g.application(body)["Signature"]}).want(t, "no payment, proved", 404)
}

// Where Signature-V2 is demanded, a Signature alone is not enough.
func callbackSignatureV2Demanded(t *testing.T, g *instance) {
	made := g.create(t, g.first(), nil)
	id, body := made.text("data.id"), `{"status":"failed"}`
	if got := g.callback(t, id, body); got.status != 401 || got.text("code") != "signature_required" ||
		!strings.Contains(got.text("message"), "Signature-V2") {
		t.Errorf("by Signature: %s", got)
	}
	v2 := header{"Signature-V2": g.callbackV2(time.Now(), made.text("data.uuid"), body)}
	g.updateStatus(t, false, id, "failed", v2).want(t, "by Signature-V2", 200, "data.callbackQueued", "true")
}
