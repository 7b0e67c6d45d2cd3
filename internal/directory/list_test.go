package directory_test

import (
	"slices"
	"testing"
	"time"

	"fmt"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// crowd makes many merchants, cashboxes, traders and requisites.
func (b *bundle) crowd(t *testing.T, merchants, traders int) {
	t.Helper()
	for _, sql := range []string{
		fmt.Sprint("insert into merchant (name, created_at) select 'Merchant ' || n, now() from generate_series(1, ", merchants, ") n"),
		`insert into cashbox (merchant_id, name, currency, webhook_secret, created_at)
			select id, 'Shop ' || id, 'RUB', '', now() from merchant cross join generate_series(1, 2)`,
		fmt.Sprint("insert into trader (name, share_percent, created_at) select 'Trader ' || n, 1, now() from generate_series(1, ", traders, ") n"),
		`insert into requisite (currency, method, trader_id, value, holder, bank, min_amount, max_amount, created_at, enabled)
			select 'RUB', 'sbp', t.id, '+7900' || lpad((t.id * 100 + n)::text, 7, '0'), 'Holder ' || n, 'Bank ' || n % 20, 1, 1000,
				now(), n % 10 > 0
			from trader t cross join generate_series(1, 50) n`,
		"analyze merchant, cashbox, trader, requisite",
	} {
		b.Exec(t, sql)
	}
}

// blocks counts the blocks that this database's statements have read so far.
func (b *bundle) blocks(t *testing.T) (blocks int64) {
	t.Helper()
	for _, sql := range []string{"select pg_stat_force_next_flush()", "select pg_stat_clear_snapshot()"} {
		b.Exec(t, sql)
	}
	row := b.Pool.QueryRow(t.Context(),
		"select blks_hit + blks_read from pg_stat_database where datname = current_database()")
	noError(t, row.Scan(&blocks))
	return blocks
}

// Lists of everybody answer at once, also those that find nothing: none reads much more than what it is a list of.
func TestListsAreFast(t *testing.T) {
	b := setup(t)
	b.crowd(t, testenv.Pick(2000, 20_000), testenv.Pick(200, 2000))
	var trader int64
	b.Get(t, &trader, "select max(id) from trader")
	requisites := func(s directory.Search) error {
		_, _, err := b.settings.Requisites(t.Context(), operator, s)
		return err
	}
	boxes := func(s directory.Search) error {
		_, _, err := b.settings.Cashboxes(t.Context(), operator, s)
		return err
	}
	merchants := func(s directory.Search) error {
		_, _, err := b.settings.Merchants(t.Context(), operator, s)
		return err
	}
	for name, test := range map[string]struct {
		list   func(directory.Search) error
		search directory.Search
	}{
		"requisites":                    {requisites, directory.Search{}},
		"requisites far down":           {requisites, directory.Search{Page: db.Page{Cursor: new("500")}}},
		"requisites that are off":       {requisites, directory.Search{On: new(false)}},
		"a trader's requisites":         {requisites, directory.Search{TraderID: trader}},
		"requisites by their end":       {requisites, directory.Search{Text: "0001"}},
		"requisites by value":           {requisites, directory.Search{Text: "+79000100001"}},
		"requisites by bank":            {requisites, directory.Search{Text: "bank 19"}},
		"requisites that are not there": {requisites, directory.Search{Text: "no such bank"}},
		"requisites of another pool":    {requisites, directory.Search{Currency: "AZN", Method: "c2c"}},
		"cashboxes":                     {boxes, directory.Search{}},
		"cashboxes by name":             {boxes, directory.Search{Text: "shop 77"}},
		"cashboxes that are not there":  {boxes, directory.Search{Text: "no such shop"}},
		"a trader's cashboxes":          {boxes, directory.Search{TraderID: trader}},
		"merchants that are not there":  {merchants, directory.Search{Text: "no such merchant"}},
	} {
		var took []time.Duration
		for range testenv.Pick(1, 7) {
			begun := time.Now()
			if err := test.list(test.search); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took) // what else the machine does is not theirs: the fastest counts
		before := b.blocks(t)
		if err := test.list(test.search); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read := b.blocks(t) - before
		t.Logf("%s: %s, %d blocks", name, took[0], read)
		if most := testenv.Pick[int64](1000, 6000); read > most || testenv.Whole() && took[0] > 100*time.Millisecond {
			t.Errorf("%s take %s and read %d blocks", name, took[0], read)
		}
	}
}

// A list goes on where it ended, each once, and refuses what is no place in it.
func TestListPages(t *testing.T) {
	b := setup(t)
	for range 4 {
		b.NewTrader(t, dbtest.TraderOpts{})
	}
	var ids []int64
	search := directory.Search{Page: db.Page{Limit: new(int32(2))}}
	for {
		list, next, err := b.settings.Traders(t.Context(), operator, search)
		noError(t, err)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		if next == nil {
			break
		}
		search.Cursor = next
	}
	if !slices.Equal(ids, []int64{5, 4, 3, 2, 1}) {
		t.Errorf("listed %v", ids)
	}
	_, _, err := b.settings.Traders(t.Context(), operator, directory.Search{Page: db.Page{Cursor: new("x")}})
	wantFields(t, err, "cursor")
	if _, err := b.settings.Trader(t.Context(), b.trader.Caller, 1); fault.As(err) == nil {
		t.Error("a trader reads the directory")
	}
}
