package sign_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"gateway.example/rpc/sign"
)

// A client whose transport signs: requests are written as if the API needed no
// signature.
func Example() {
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Header.Get("X-Merchant-Key-Id"))
		fmt.Println(r.Header.Get("Signature") == sign.Signature("secret", body))
	}))
	defer gateway.Close()

	client := &http.Client{Transport: sign.Transport(nil, "key_1", "secret")}
	response, err := client.Post(gateway.URL+"/api/v1/payments", "application/json",
		strings.NewReader(`{"orderId":"A-1"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	// Output:
	// key_1
	// true
}

// The signature of an appeal covers four lines and not the body. Set it before
// the request is sent.
func ExampleAppealSignature() {
	fmt.Println(sign.AppealSignature("secret", "The payer has a receipt", "receipt.pdf", 48213))
	// Output:
	// 1b3d190ec5e45d79e2552d82464b6f2f99045f551c171ff3f147d632bfede322
}

// A gateway whose operator has given the headers other names.
func ExampleHeaders_Transport() {
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("X-Shop-Key"), r.Header.Get("Signature") == sign.Signature("secret", nil))
	}))
	defer gateway.Close()

	headers := sign.Headers{KeyID: "X-Shop-Key"}
	client := &http.Client{Transport: headers.Transport(nil, "key_1", "secret")}
	response, err := client.Get(gateway.URL + "/api/v1/payments/1")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = response.Body.Close()
	// Output: key_1 true
}
