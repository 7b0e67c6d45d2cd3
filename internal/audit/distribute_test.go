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

// What is broken on a distributed database is found, once it has been asked again while nobody writes.
func TestBrokenDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	found, err := audit.Everything(t.Context(), d.Pool)
	if err != nil || len(found) > 0 {
		t.Fatalf("%v, %v", found, err)
	}
	if _, err := d.Pool.Exec(
		t.Context(),
		"update account_balance set balance = balance + 1 where account_id % 8 = 6",
	); err != nil {
		t.Fatal(err)
	}
	found, err = audit.Everything(t.Context(), d.Pool)
	if err != nil || len(found) != 1 ||
		found[0].Rule != "an account's balance is what was moved to it less what was moved from it" {
		t.Errorf("%v, %v", found, err)
	}
}
