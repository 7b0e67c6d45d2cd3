package audit_test

import "testing"

// auditableWithdrawals has withdrawals of a cashbox, each of 10 for a fee of 1.
func auditableWithdrawals(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, data(t, "withdrawals.sql"))
	b.Fund(t, shop, "100")
	for id := range int64(4) {
		check(t, b.Post(causeOf("withdrawal", id+1), move(shop, reserved, "11")))
	}
	check(t, b.Post(causeOf("withdrawal", 3), move(reserved, outside, "10"), move(reserved, platform, "1")))
	check(t, b.Post(causeOf("withdrawal", 4), move(reserved, shop, "11")))
	return b
}

func TestAuditFindsEachWithdrawalBreakage(t *testing.T) {
	auditableWithdrawals(t).wantFound(t, breakagesOf(t, "withdrawals.txt"))
}
