package rest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/chain"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/requisite"
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

// walk walks to a value in a document; a path is of names and indexes,
// separated by spaces.
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

// What is described, and what may go wrong with an operation, is what
// testdata/description.txt says.
func TestDescription(t *testing.T) {
	t.Parallel()
	document := described(t)
	for _, row := range testenv.Rows(t, "description.txt") {
		testenv.Want(t, fmt.Sprint(walk(t, document, row[0])), row[1], "%s", row[0])
	}
}

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

// Generators name the type of a closed list by its message and its field. No
// schema has such a name.
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

// The closed lists of the description are those that the program goes by.
func TestClosedLists(t *testing.T) {
	t.Parallel()
	document := described(t)
	methods, payouts := names(catalogue.Methods), names(catalogue.Payouts("RUB"))
	var types, ways []string
	for _, kind := range requisite.Types {
		types = append(types, kind.Name)
	}
	for _, m := range catalogue.Methods {
		if m.RequisiteMethod != "" {
			ways = append(ways, m.RequisiteMethod)
		}
	}
	statuses, phases := texts(payment.Statuses), texts(checkout.Phases)
	for path, want := range map[string][]string{
		"CreatePaymentRequest method":          methods,
		"Payment method":                       methods,
		"PaymentEventMeta method":              methods,
		"Payment status":                       statuses,
		"UpdatedPayment status":                statuses,
		"PaymentListItem status":               statuses,
		"UpdatePaymentStatusRequest status":    statuses,
		"Checkout paymentStatus":               statuses,
		"PaymentEventData status":              upper(statuses),
		"PaymentEventMeta previousStatus":      upper(statuses),
		"Checkout phase":                       phases,
		"QuasiEcom phase":                      phases,
		"CodeResend phase":                     phases,
		"Payin status":                         texts(payout.Statuses),
		"PayinEventMeta previousStatus":        upper(texts(payout.Statuses)),
		"CreatePayinRequest method":            payouts,
		"Payin method":                         payouts,
		"PayinEventData method":                payouts,
		"Deposit status":                       deposit.Statuses,
		"Deposit network":                      chain.Names(),
		"CreateDepositRequest network":         chain.Names(),
		"Requisite type":                       types,
		"Requisite method":                     ways,
		"Credential scopes items":              caller.Scopes,
		"CreateCredentialRequest scopes items": caller.Scopes,
		"Checkout lastError": {
			acquirer.CardDeclined, acquirer.InsufficientFunds, acquirer.CardExpired, acquirer.LimitExceeded,
			"code_rejected", "acquirer_unavailable",
		},
	} {
		message, field, _ := strings.Cut(path, " ")
		values, _ := walk(t, document, "components schemas "+message+" properties "+field+" enum").([]any)
		got := set(values)
		testenv.Check(t, slices.Equal(got, set(want)), "%s: described %v, in the program %v", path, got, set(want))
	}
}

// Operations tell what may go wrong by codes that exist: Error knows each of
// them.
func TestCodesOfOperations(t *testing.T) {
	t.Parallel()
	document := described(t)
	all, _ := walk(t, document, "components schemas Error properties code enum").([]any)
	for _, code := range all {
		_, known := fault.FindCode(fmt.Sprint(code))
		testenv.Check(t, known, "Error has %s, which is no code", code)
	}
}

// A method without a summary, and a code that no list has, keep the program
// from starting.
func TestContradictionsAreTold(t *testing.T) {
	t.Parallel()
	d := &description{}
	d.listed([]string{"not_found", "no_such_code"}, "Somewhere")
	testenv.Check(t, d.wrong != nil && strings.Contains(d.wrong.Error(), "no_such_code"), "%v", d.wrong)
	d = &description{}
	d.methodOf(route{procedure: "/gateway.v1.PaymentService/NoSuchMethod"})
	testenv.Check(t, d.wrong != nil, "a method that is not described is taken")
}

// An example that has a method and a currency has two that go together.
func TestExamplesGoTogether(t *testing.T) {
	t.Parallel()
	compared := 0
	forEachIn(described(t), "example", func(example any) {
		var method, currency string
		forEachIn(example, "method", func(value any) { method, _ = value.(string) })
		forEachIn(example, "currency", func(value any) { currency, _ = value.(string) })
		if method == "" || currency == "" {
			return
		}
		compared++
		taken := slices.Contains(names(catalogue.Payments(currency)), method) || slices.Contains(names(catalogue.Payouts(currency)), method)
		testenv.Check(t, taken, "an example of %s in %s: %v", method, currency, example)
	})
	testenv.Check(t, compared > 5, "%d examples have both", compared)
}

// forEachIn calls do with whatever a document has by the name.
func forEachIn(document any, name string, do func(any)) {
	switch inside := document.(type) {
	case map[string]any:
		for key, value := range inside {
			if key == name {
				do(value)
			}
			forEachIn(value, name, do)
		}
	case []any:
		for _, value := range inside {
			forEachIn(value, name, do)
		}
	}
}

func names(methods []catalogue.Method) []string {
	list := make([]string, 0, len(methods))
	for _, m := range methods {
		list = append(list, m.Name)
	}
	return list
}

func texts[T ~string](values []T) []string {
	list := make([]string, 0, len(values))
	for _, value := range values {
		list = append(list, string(value))
	}
	return list
}

func upper(values []string) []string {
	list := make([]string, 0, len(values))
	for _, value := range values {
		list = append(list, strings.ToUpper(value))
	}
	return list
}

// set are the values but null, in order and each once.
func set[T any](values []T) []string {
	var list []string
	for _, value := range values {
		if text := fmt.Sprint(value); text != "<nil>" {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
