package signing

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// The example of the Standard Webhooks specification, and the plain signature
// reckoned with openssl dgst -hmac.
func TestSignKnownAnswer(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	at, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	testenv.NoError(t, Sign(header, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, []string{secret}))
	for name, want := range map[string]string{
		"webhook-id":        "msg_p5jXN8AQM9LWM0D4loKWxJek",
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		"Signature":         "e2cb4f5251572539d458bfb8a7adb533b08801e6a794467e06f771debbb0818b",
	} {
		testenv.Want(t, header.Get(name), want, "%s", name)
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	first, second := NewSecret(), NewSecret()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(first, "whsec_"))
	testenv.Check(t, strings.HasPrefix(first, "whsec_") && err == nil && len(raw) == 32, "secret of %d bytes, %v", len(raw), err)
	testenv.Check(t, first != second, "two secrets are the same")
	_, err = Signature("whsec_%%%", nil)
	testenv.Check(t, err != nil, "a secret that is not base64 signs")
}
