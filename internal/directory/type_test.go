package directory_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/requisite"
)

// The methods in the database ask for types that are known, and a payout by each method may be sent
// to some type.
func TestMethodsAskForKnownTypes(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	asked := func(query string) []string {
		t.Helper()
		rows, err := d.Pool.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(list) == 0 {
			t.Fatalf("%v, %v", list, err)
		}
		return list
	}
	for _, name := range asked("select distinct requisite_type from method where requisite_type is not null") {
		if !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool { return kind.Name == name }) {
			t.Errorf("%s is not a known type", name)
		}
	}
	for _, method := range asked("select distinct method from payout_method") {
		if !slices.ContainsFunc(requisite.Types, func(kind requisite.Type) bool {
			return requisite.WrongRecipient(method, kind.Sample(1)) == ""
		}) {
			t.Errorf("a payout by %s may be sent to nothing", method)
		}
	}
}
