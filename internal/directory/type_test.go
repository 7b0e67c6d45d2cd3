package directory_test

import (
	"slices"
	"testing"

	"gateway.example/internal/catalogue"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/requisite"
)

// The catalogue and the database know the same methods and currencies.
func TestCatalogueIsTheDatabases(t *testing.T) {
	t.Parallel()
	q := dbtest.New(t).Queries()
	payments, err := q.MethodList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	payouts, err := q.PayoutMethodList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var left int
	for _, m := range catalogue.Methods {
		left += len(m.Currencies) + len(m.Payouts)
		for _, currency := range slices.Concat(m.Currencies, m.Payouts) {
			if !slices.Contains(catalogue.Currencies, currency) {
				t.Errorf("%s is for %s, which is not among the currencies", m.Name, currency)
			}
		}
	}
	for _, row := range payments {
		m, known := catalogue.Find(catalogue.Payments(row.Currency), row.Method)
		var kind, method string
		if row.RequisiteType != nil {
			kind, method = *row.RequisiteType, *row.RequisiteMethod
		}
		if !known || m.RequisiteType != kind || m.RequisiteMethod != method {
			t.Errorf("the catalogue has %+v, and the database %s by %s for %s", m, kind, method, row.Currency)
		}
	}
	for _, row := range payouts {
		if _, known := catalogue.Find(catalogue.Payouts(row.Currency), row.Method); !known {
			t.Errorf("the catalogue does not have %+v, which the database has", row)
		}
	}
	if rows := len(payments) + len(payouts); rows != left {
		t.Errorf("the catalogue has %d methods of currencies, the database %d", left, rows)
	}
}

// The methods ask for types that are known, and a payout by each method may be sent to some type.
func TestMethodsAskForKnownTypes(t *testing.T) {
	t.Parallel()
	for _, m := range catalogue.Methods {
		if m.RequisiteType != "" && !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return kind.Name == m.RequisiteType
		}) {
			t.Errorf("%s is not a known type", m.RequisiteType)
		}
		if len(m.Payouts) > 0 && !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return requisite.WrongRecipient(m.Name, kind.Sample(1)) == ""
		}) {
			t.Errorf("a payout by %s may be sent to nothing", m.Name)
		}
	}
}
