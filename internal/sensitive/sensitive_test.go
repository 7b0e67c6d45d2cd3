package sensitive_test

import (
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/sensitive"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// What was read stands in the list for good, by who read it, also while they
// looked as another.
func TestReads(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 7, Login: "root", RequestID: "r-1"}
	viewing := caller.Caller{Kind: caller.Trader, Role: caller.Owner, ID: 9, Login: "desk", ViewAs: true, Behind: 7}
	for i, who := range []caller.Caller{admin, viewing} {
		subject := sensitive.Subject{Kind: "requisite", Key: "5", What: []string{"value", "receipt"}[i]}
		testenv.NoError(t, sensitive.Record(t.Context(), d.Queries(), who, dbtest.Start, subject))
	}
	reads := sensitive.New(d.Pools())
	list, next, err := reads.List(t.Context(), admin, sensitive.Filter{SubjectKey: new("5"), UserID: new(int64(7))})
	testenv.Need(t, err == nil && next == nil && len(list) == 2, "%v %v %v", list, next, err)
	one := list[0]
	testenv.Check(t, one.Login == "as desk" && one.What == "receipt" && one.At.Equal(dbtest.Start), "the newest is %+v", one)
	one = list[1]
	testenv.Check(t, one.Login == "root" && one.RequestID == "r-1" && one.Subject == "requisite", "the oldest is %+v", one)
	list, _, err = reads.List(t.Context(), admin, sensitive.Filter{SubjectKey: new("6")})
	testenv.Check(t, err == nil && len(list) == 0, "of another: %v %v", list, err)
	_, _, err = reads.List(t.Context(), viewing, sensitive.Filter{})
	testenv.Check(t, err != nil, "a trader reads the list")
	_, err = d.Pool.Exec(t.Context(), "delete from sensitive_read")
	testenv.Check(t, err != nil, "what was read can be deleted")
}
