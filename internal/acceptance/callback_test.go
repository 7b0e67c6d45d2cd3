package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// callbackV2 is a Signature-V2 of the application, made as the contract has it.
func (g *instance) callbackV2(at time.Time, uuid, body string) string {
	mac := hmac.New(sha256.New, []byte(g.ExternalPaymentsSecret))
	_, _ = fmt.Fprintf(mac, "%d.%s.%s", at.Unix(), uuid, body)
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}
