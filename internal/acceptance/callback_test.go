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

// A Signature-V2 lets the application in for one payment and five minutes, over REST and Connect. The
// same call again changes nothing.
func TestCallbackSignatureV2(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for _, overConnect := range []bool{false, true} {
		first, second := g.create(t, g.first(), nil), g.create(t, g.first(), nil)
		id, uuid, otherUUID := first.text("data.id"), first.text("data.uuid"), second.text("data.uuid")
		now, body := time.Now(), statusBody(overConnect, id, "completed")
		good := g.callbackV2(now, uuid, body)
		v1 := g.application(body)["Signature"]
		for name, headers := range map[string]header{
			"old":           {"Signature-V2": g.callbackV2(now.Add(-5*time.Minute-2*time.Second), uuid, body)},
			"future":        {"Signature-V2": g.callbackV2(now.Add(5*time.Minute+time.Minute), uuid, body)},
			"another's":     {"Signature-V2": g.callbackV2(now, otherUUID, body)},
			"another body":  {"Signature-V2": g.callbackV2(now, uuid, body+" ")},
			"truncated":     {"Signature-V2": good[:len(good)-1]},
			"wrong, v1":     {"Signature-V2": g.callbackV2(now, otherUUID, body), "Signature": v1},
			"right, bad v1": {"Signature-V2": good, "Signature": strings.Repeat("0", 64)},
		} {
			if got := g.updateStatus(t, overConnect, id, "completed", headers); got.status != 403 ||
				!strings.Contains(got.raw, "invalid_signature") || strings.Contains(got.raw, good[len(good)-64:]) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if got := g.updateStatus(t, overConnect, id, "completed", nil); got.status != 401 ||
			!strings.Contains(got.raw, "signature_required") {
			t.Errorf("without a signature: %s", got)
		}
		for i, queued := range []string{"true", "<nil>", "<nil>"} {
			headers := header{"Signature-V2": good}
			if i == 2 {
				headers = header{
					"Signature-V2": strings.Replace(good, good[len(good)-64:], strings.ToUpper(good[len(good)-64:]), 1),
					"Signature":    v1,
				}
			}
			got := g.updateStatus(t, overConnect, id, "completed", headers)
			if !overConnect && queued == "<nil>" {
				queued = "false"
			}
			got.want(t, fmt.Sprintf("call %d", i+1), 200, "data.callbackQueued", queued)
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
func TestCallbackSignatureV2Demanded(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t, "-callback-signature", "v2")
	made := g.create(t, g.first(), nil)
	id, body := made.text("data.id"), `{"status":"failed"}`
	if got := g.callback(t, id, body); got.status != 401 || got.text("code") != "signature_required" ||
		!strings.Contains(got.text("message"), "Signature-V2") {
		t.Errorf("by Signature: %s", got)
	}
	v2 := header{"Signature-V2": g.callbackV2(time.Now(), made.text("data.uuid"), body)}
	g.updateStatus(t, false, id, "failed", v2).want(t, "by Signature-V2", 200, "data.callbackQueued", "true")
}
