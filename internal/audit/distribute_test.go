package audit_test

import (
	"testing"

	"gateway.example/internal/audit"
	"gateway.example/internal/dbtest"
)

// Every rule can be asked on a distributed database, about all and about what is new.
func TestRulesDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	for _, wrong := range audit.AskEach(t.Context(), d.Pool) {
		t.Error(wrong)
	}
}
