// Command describe writes docs/openapi.json, the description of the REST API as
// a gateway at https://api.gateway.test serves it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"gateway.example/internal/auth"
	"gateway.example/rpc"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
	"gateway.example/rpc/rest"
)

//go:generate go run .

// file is seen from this directory: go generate and go test run a package's
// code in its directory.
const file = "../../../docs/openapi.json"

func main() {
	content, err := describe()
	if err == nil {
		//nolint:gosec // documentation is for everybody to read
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "describe:", err)
		os.Exit(1)
	}
}

// describe is the description, indented for people and for changes to be seen.
func describe() ([]byte, error) {
	content, err := rest.OpenAPI(rpc.Services{
		Payment:    gatewayv1connect.UnimplementedPaymentServiceHandler{},
		Checkout:   gatewayv1connect.UnimplementedCheckoutServiceHandler{},
		Payin:      gatewayv1connect.UnimplementedPayinServiceHandler{},
		Deposit:    gatewayv1connect.UnimplementedDepositServiceHandler{},
		Cashbox:    gatewayv1connect.UnimplementedCashboxServiceHandler{},
		Operator:   portalv1connect.UnimplementedOperatorServiceHandler{},
		Credential: portalv1connect.UnimplementedCredentialServiceHandler{},
		Events:     gatewayv1connect.UnimplementedEventServiceHandler{},
		Messages:   gatewayv1connect.UnimplementedMessageServiceHandler{},

		Withdrawals: gatewayv1connect.UnimplementedWithdrawalServiceHandler{},

		Sandbox: sandboxv1connect.UnimplementedSandboxServiceHandler{},
	}, rest.About{BaseURL: "https://api.gateway.test", Headers: auth.DefaultHeaders()})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, content, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the description: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
