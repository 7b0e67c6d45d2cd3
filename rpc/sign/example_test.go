package sign_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"gateway.example/rpc/sign"
)

// A client whose transport signs: requests are written as if the API needed no signature.
func Example() {
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Header.Get("X-Merchant-Key-Id"))
		fmt.Println(r.Header.Get("Signature") == sign.Signature("secret", body))
	}))
	defer gateway.Close()

	client := &http.Client{Transport: sign.Transport(nil, "key_1", "secret")}
	response, err := client.Post(
		gateway.URL+"/api/v1/payments",
		"application/json",
		strings.NewReader(`{"orderId":"A-1"}`),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	// Output:
	// key_1
	// true
}
