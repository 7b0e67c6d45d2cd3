package rest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/acquirer"
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
)

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
	scopes := []string{caller.ScopePayments, caller.ScopeDeposits, caller.ScopePayouts}
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
		"Credential scopes items":              scopes,
		"CreateCredentialRequest scopes items": scopes,
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

// Every operation tells what may go wrong by codes that exist, and Error knows each of them.
func TestCodesOfOperations(t *testing.T) {
	t.Parallel()
	document := described(t)
	all, _ := walk(t, document, "components schemas Error properties code enum").([]any)
	for _, code := range all {
		_, known := fault.FindCode(fmt.Sprint(code))
		testenv.Check(t, known, "Error has %s, which is no code", code)
	}
	for path, want := range map[string]string{
		"paths /api/v1/payments post responses 403 content application/json schema allOf 1 properties code enum": "" +
			"[invalid_signature key_address_not_allowed key_expired merchant_api_disabled merchant_binding_required merchant_collect_disabled " +
			"merchant_collect_method_disabled merchant_collect_open_limit merchant_key_id_required merchant_scope_required " +
			"merchant_secret_required]",
		"paths /api/v1/payments/{payment_id}/callback post responses 401 content application/json schema allOf 1 " +
			"properties code enum": "[signature_required]",
		"paths /api/v1/checkout/{token} get responses 404 content application/json schema allOf 1 properties code enum": "" +
			"[not_found]",
		"paths /api/v1/checkout/{token} get responses 401": "<nil>",
	} {
		testenv.Want(t, fmt.Sprint(walk(t, document, path)), want, "%s", path)
	}
}

// A method without a summary, and a code that no list has, keep the program from starting.
func TestContradictionsAreTold(t *testing.T) {
	t.Parallel()
	d := &description{}
	d.listed([]string{"not_found", "no_such_code"}, "Somewhere")
	testenv.Check(t, d.wrong != nil && strings.Contains(d.wrong.Error(), "no_such_code"), "%v", d.wrong)
	d = &description{}
	d.methodOf(route{procedure: "/gateway.v1.PaymentService/NoSuchMethod"})
	testenv.Check(t, d.wrong != nil, "a method that is not described is taken")
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
