package rest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gateway.example/internal/auth"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

func described(t *testing.T) map[string]any {
	t.Helper()
	content := testenv.Must(OpenAPI(services(&stub{}), About{BaseURL: "https://api.example", Headers: auth.DefaultHeaders()}))(t)
	var document map[string]any
	testenv.NoError(t, json.Unmarshal(content, &document))
	return document
}

// walk walks to a value in a document; a path is of names and indexes, separated by spaces.
func walk(t *testing.T, document any, path string) any {
	t.Helper()
	for _, name := range strings.Fields(path) {
		switch inside := document.(type) {
		case map[string]any:
			document = inside[name]
		case []any:
			document = inside[int(name[0]-'0')]
		default:
			t.Fatalf("nothing at %s of %s", name, path)
		}
	}
	return document
}

func TestDescription(t *testing.T) {
	t.Parallel()
	document := described(t)
	for path, want := range map[string]any{
		"openapi": "3.1.0", "info version": "1.0.0", "servers 0 url": "https://api.example",
		"paths /api/v1/payments post operationId":                                "CreatePayment",
		"paths /api/v1/payments/{payment_id} get operationId":                    "GetPayment",
		"paths /api/v1/payments/{payment_id}/callback post operationId":          "UpdatePaymentStatus",
		"paths /api/v1/payments/{payment_id}/callback post parameters 0 name":    "payment_id",
		"paths /api/v1/deposits post responses 201 description":                  "Created",
		"paths /api/v1/deposits post responses 200 description":                  "A repeat: what was created before.",
		"paths /api/v1/payins post responses 201":                                nil,
		"components schemas CreatePayinRequest properties code type 1":           "null",
		"components schemas CreateDepositRequest properties amount type":         "string",
		"components securitySchemes keyId name":                                  "X-Merchant-Key-Id",
		"components schemas CreatePaymentRequest properties amount oneOf 0 type": "string",
		"components schemas CreatePaymentRequest properties amount oneOf 1 type": "number",
		"components schemas CreatePaymentRequest properties ratePercent type 0":  "number",
		"components schemas CreatePaymentRequest properties ratePercent type 1":  "null",
		"components schemas CreatePaymentRequest required 0":                     "orderId",
		"components schemas Payment properties amount description":               "Two decimals.",
		"components schemas Payment properties id type":                          "integer",
		"components schemas Ledger properties sellerRateMarkupPercent type 0":    "number",
		"components schemas UpdatePaymentStatusRequest properties payment_id":    nil,
		"components schemas UpdatePaymentStatusRequest properties paymentId":     nil,
		"components schemas Ledger properties restricted":                        nil,

		appealPath + " multipart/form-data schema properties file contentMediaType": "application/octet-stream",
		appealPath + " multipart/form-data schema properties reason type":           "string",
		appealPath + " multipart/form-data schema properties fileName":              nil,
		appealPath + " multipart/form-data schema required 1":                       "file",
		appealPath + " application/json":                                            nil,
		"paths /api/v1/payments/{payment_id}/appeal post responses 201 description": "Created",
		"paths /api/v1/payments get parameters 0 name":                              "status",
		"paths /api/v1/payments get parameters 3 name":                              "limit",
		"paths /api/v1/payments get parameters 5 name":                              "orderId",
		"paths /api/v1/payments get parameters 5 in":                                "query",
		"components schemas ListPaymentsResponse properties signed":                 nil,
		"components schemas PaymentListItem required 2":                             "order_id",
		keysPath + " post responses 201 description":                                "Created",
		keysPath + "/{credential_id} delete operationId":                            "RevokeCredential",
	} {
		testenv.Want(t, walk(t, document, path), want, "%s", path)
	}
}

const (
	appealPath = "paths /api/v1/payments/{payment_id}/appeal post requestBody content"
	keysPath   = "paths /api/merchant-portal/merchant-cashboxes/{merchant_cashbox_id}/api-credentials"
)

// What the codec writes is what the description says.
func TestAnswersFitTheDescription(t *testing.T) {
	t.Parallel()
	compiler := jsonschema.NewCompiler()
	testenv.NoError(t, compiler.AddResource("gateway.json", described(t)))
	valid := compiler.MustCompile("gateway.json#/components/schemas/CreatePaymentResponse")
	full, least, hidden := sbpPayment(), sbpPayment(), sbpPayment()
	full.Description, full.StatusReason = new("text"), new("text")
	least.ExpiresAt, least.Requisite, least.PaymentPageUrl = nil, nil, nil
	least.Extra, least.Ledger = &gatewayv1.Extra{}, nil
	hidden.Ledger = &gatewayv1.Ledger{Restricted: true}
	for name, payment := range map[string]*gatewayv1.Payment{"full": full, "least": least, "hidden": hidden} {
		body := testenv.Must(encode(newSchema((&gatewayv1.CreatePaymentResponse{}).ProtoReflect().Descriptor()),
			(&gatewayv1.CreatePaymentResponse{Message: "Payment created", Data: payment}).ProtoReflect()))(t)
		err := valid.Validate(testenv.Must(jsonschema.UnmarshalJSON(strings.NewReader(string(body))))(t))
		testenv.Check(t, err == nil, "%s: %v", name, err)
	}
	wrong, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"message":"Payment created","data":{"id":"7"}}`))
	testenv.Check(t, valid.Validate(wrong) != nil, "the description takes anything")
}

// Generators name the type of a closed list by its message and its field. No schema has such a name.
func TestNamesOfSchemas(t *testing.T) {
	t.Parallel()
	schemas, ok := walk(t, described(t), "components schemas").(map[string]any)
	testenv.Need(t, ok && len(schemas) >= 50, "%d schemas", len(schemas))
	for name, schema := range schemas {
		described, _ := schema.(map[string]any)
		fields, _ := described["properties"].(map[string]any)
		for field, value := range fields {
			inner, _ := value.(map[string]any)
			_, taken := schemas[name+strings.ToUpper(field[:1])+field[1:]]
			_, closed := inner["enum"]
			testenv.Check(t, !taken || !closed, "the type of %s of %s has the name of a schema", field, name)
			types, _ := inner["type"].([]any)
			testenv.Check(t, len(types) <= 1 || types[1] == "null",
				"%s of %s has the types %v, of which generators know one", field, name, types)
		}
	}
}
