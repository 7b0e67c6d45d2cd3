package dbtest

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { Main(m) }

// A database that tests wrote to is the next one's as the migrations leave it;
// one whose schema they changed is nobody's.
func TestNextHasItEmpty(t *testing.T) {
	fresh := state(t, Fresh(t))
	var last string
	for _, step := range []struct {
		does   string
		leaves bool
	}{
		{"insert into bank (currency, name, methods) values ('RUB', 'A bank', '{sbp}'); update account_balance set balance = 1", true},
		{"delete from method; set statement_timeout = 7; select pg_advisory_lock(1)", true},
		{"select nextval('payment_link_id_seq')", true},
		{"alter table cashbox drop constraint cashbox_merchant_id_fkey", false},
		{"alter table transfer disable trigger all", false},
		{"select 1", true},
	} {
		t.Run(step.does, func(t *testing.T) {
			d := New(t)
			testenv.Want(t, state(t, d), fresh, "a database differs from a fresh one")
			testenv.Check(t, last == "" || last == d.URL, "a database is made anew")
			for statement := range strings.SplitSeq(step.does, "; ") {
				d.Exec(t, statement)
			}
			if last = d.URL; !step.leaves {
				last = ""
			}
		})
		testenv.Check(t, step.leaves == (len(unused) == 1), "%s: %d databases wait", step.does, len(unused))
	}
}

// state is what a database has and how its sessions are set.
func state(t *testing.T, d *DB) string {
	t.Helper()
	var all strings.Builder
	for _, table := range d.Texts(t, "select relname::text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1") {
		fmt.Fprintln(&all, table, d.Text(t, fmt.Sprintf("select coalesce(string_agg(r::text, '|' order by r::text), '') from %s r", table)))
	}
	fmt.Fprintln(&all, d.Texts(t, "select format('%s %s', sequencename, last_value) from pg_sequences order by 1"))
	fmt.Fprintln(&all, d.Text(t, "show statement_timeout"), d.Count(t, "select count(*) from pg_locks where locktype = 'advisory'"))
	return all.String()
}
