package main

import (
	"slices"
	"testing"

	"gateway.example/internal/testenv"
)

// A function counts to its package, one of assembly to the runtime, and a generic one not to the package of its types.
func TestByPackage(t *testing.T) {
	t.Parallel()
	const top = `Type: cpu
Showing nodes accounting for 100ms, 100% of 100ms total
      flat  flat%   sum%        cum   cum%
      40ms 40.00% 40.00%       40ms 40.00%  runtime.mallocgc
      20ms 20.00% 60.00%       20ms 20.00%  aeshashbody
      15ms 15.00% 75.00%       15ms 15.00%  github.com/jackc/pgx/v5.(*Conn).Exec
      15ms 15.00% 90.00%       15ms 15.00%  gateway.example/internal/db.Look[gateway.example/internal/payment.Payment]
      10ms 10.00%   100%       10ms 10.00%  gateway.example/internal/db.(*Queries).RequisiteTake
`
	want := []packageUse{
		{Name: "runtime", Percent: 60}, {Name: "gateway.example/internal/db", Percent: 25}, {Name: "github.com/jackc/pgx/v5", Percent: 15},
	}
	testenv.Check(t, slices.Equal(byPackage(top), want), "%v", byPackage(top))
}
