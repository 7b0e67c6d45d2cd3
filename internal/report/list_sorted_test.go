package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// Payments are listed from the oldest on, and by amount, each once whatever the size of the pages; the list from the oldest
// on leads back as well.
func TestPaymentsSorted(t *testing.T) {
	b := setup(t)
	p := b.create(t, b.shop, "order-1")
	b.copies(t, p, 1001, 1010)
	b.Exec(t, "delete from payment where id = $1", p.ID)
	// 1001 to 1010 have 300, 400, 100, 200 and so on: some have the same amount.
	b.Exec(t, "update payment set amount = 100 * ((id + 1) % 4 + 1), status = case when id % 2 = 0 then 'pending' else 'failed' end")
	merchant := merchantUser(b.shop, caller.Owner)
	read := func(f report.PaymentFilter) (all []int64) {
		f.Limit = 3
		for {
			page := testenv.Must(b.reports.Payments(t.Context(), merchant, f))(t)
			all = append(all, ids(page)...)
			if page.Next == nil {
				return all
			}
			f.Cursor = *page.Next
		}
	}
	ordered := func(key func(id int64) int64) []int64 {
		var list []int64
		for id := int64(1001); id <= 1010; id++ {
			list = append(list, id)
		}
		slices.SortStableFunc(list, func(a, b int64) int { return int(key(a) - key(b)) })
		return list
	}
	amount := func(id int64) int64 { return (id + 1) % 4 }
	for sort, wanted := range map[report.Sort][]int64{
		report.Oldest: ordered(func(id int64) int64 { return id }), "": ordered(func(id int64) int64 { return -id }),
		report.Least: ordered(amount), report.Greatest: ordered(func(id int64) int64 { return -amount(id) }),
	} {
		want(t, string(sort), fmt.Sprint(read(report.PaymentFilter{Paging: report.Paging{Sort: sort}})), fmt.Sprint(wanted))
		wanted = slices.DeleteFunc(wanted, func(id int64) bool { return id%2 == 0 })
		want(t, string(sort)+", of a status", fmt.Sprint(read(report.PaymentFilter{
			Paging: report.Paging{Sort: sort}, Status: []string{"failed"},
		})), fmt.Sprint(wanted))
	}
	first := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{Paging: report.Paging{Sort: report.Oldest, Limit: 3}}))(t)
	second := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *first.Next},
	}))(t)
	back := testenv.Must(b.reports.Payments(t.Context(), merchant, report.PaymentFilter{
		Paging: report.Paging{Sort: report.Oldest, Limit: 3, Cursor: *second.Previous, Backward: true},
	}))(t)
	want(t, "back", fmt.Sprint(ids(back)), "[1001 1002 1003]")
	other := merchantUser(b.other, caller.Owner)
	_, err := b.reports.Payments(t.Context(), other, report.PaymentFilter{Paging: report.Paging{Sort: report.Least, Cursor: "1005"}})
	testenv.Check(t, err != nil && strings.Contains(fmt.Sprint(err), "invalid"), "a cursor of another merchant's: %v", err)
}
