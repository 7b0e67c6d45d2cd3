package directory_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/inforce"
	"gateway.example/internal/requisite"
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
		`insert into requisite (currency, method, trader_id, sealed, hash, last4, holder, bank, min_amount, max_amount, created_at, enabled)
			select 'RUB', 'sbp', t.id, '', sha256((t.id * 100 + n)::text::bytea), lpad(n::text, 4, '0'), 'Holder ' || n, 'Bank ' || n % 20, 1, 1000,
				now(), n % 10 > 0
			from trader t cross join generate_series(1, 50) n`,
		"analyze merchant, cashbox, trader, requisite",
	} {
		b.Exec(t, sql)
	}
}

// rows counts the rows that the statements of the pool's one busy connection
// have read so far.
func (b *bundle) rows(t *testing.T) (rows int64) {
	t.Helper()
	b.Exec(t, "select pg_stat_force_next_flush()")
	b.Exec(t, "select pg_stat_clear_snapshot()")
	b.Get(t, &rows, "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables")
	return rows
}

// Lists of everybody answer at once. What is found from the top reads little
// more than the page; a search for what is not there looks at each once.
func TestListsAreFast(t *testing.T) {
	b := setup(t)
	b.crowd(t, testenv.Pick(t, 2000, 20_000), testenv.Pick(t, 200, 2000))
	var trader int64
	b.Get(t, &trader, "select max(id) from trader")
	everything := b.Count(t, `select (select count(*) from merchant) + (select count(*) from cashbox) +
		(select count(*) from trader) + (select count(*) from requisite)`)
	requisites := func(s directory.Search) error { return testenv.ErrOf2(b.settings.Requisites(ctx, operator, s)) }
	boxes := func(s directory.Search) error { return testenv.ErrOf2(b.settings.Cashboxes(ctx, operator, s)) }
	merchants := func(s directory.Search) error { return testenv.ErrOf2(b.settings.Merchants(ctx, operator, s)) }
	for name, test := range map[string]struct {
		list   func(directory.Search) error
		search directory.Search
		// all may be looked at for it.
		all bool
	}{
		"requisites":                    {requisites, directory.Search{}, false},
		"requisites far down":           {requisites, directory.Search{Page: db.Page{Cursor: new("500")}}, false},
		"requisites that are off":       {requisites, directory.Search{On: new(false)}, false},
		"a trader's requisites":         {requisites, directory.Search{TraderID: trader}, false},
		"requisites by their end":       {requisites, directory.Search{Text: "0001"}, true},
		"requisites by value":           {requisites, directory.Search{Text: "+79000100001"}, true},
		"requisites by bank":            {requisites, directory.Search{Text: "bank 19"}, true},
		"requisites that are not there": {requisites, directory.Search{Text: "no such bank"}, true},
		"requisites of another pool":    {requisites, directory.Search{Currency: "AZN", Method: "c2c"}, true},
		"cashboxes":                     {boxes, directory.Search{}, false},
		"cashboxes by name":             {boxes, directory.Search{Text: "shop 77"}, true},
		"cashboxes that are not there":  {boxes, directory.Search{Text: "no such shop"}, true},
		"a trader's cashboxes":          {boxes, directory.Search{TraderID: trader}, true},
		"merchants that are not there":  {merchants, directory.Search{Text: "no such merchant"}, true},
	} {
		testenv.NoError(t, test.list(test.search)) // what is planned and cached once is not counted
		before := b.rows(t)
		testenv.NoError(t, test.list(test.search))
		read := b.rows(t) - before
		most := 1000
		if test.all {
			most = everything
		}
		testenv.Check(t, int(read) <= most, "%s read %d rows, %d at most", name, read, most)
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
		list, next := testenv.Must2(b.settings.Traders(ctx, operator, search))(t)
		for _, one := range list {
			ids = append(ids, one.ID)
		}
		if next == nil {
			break
		}
		search.Cursor = next
	}
	testenv.Check(t, slices.Equal(ids, []int64{5, 4, 3, 2, 1}), "listed %v", ids)
	dbtest.WantFields(t, testenv.ErrOf2(b.settings.Traders(ctx, operator, directory.Search{Page: db.Page{Cursor: new("x")}})), "cursor")
}

// A requisite is found by the whole of its value, in any currency and however
// it is typed, and by its last four characters, but by no other part of it.
func TestRequisitesAreFound(t *testing.T) {
	b := setup(t)
	made := map[string]int64{}
	for value, n := range map[string]directory.NewRequisite{
		"+79001114567":         {Currency: "RUB", Method: "sbp"},
		"2200000000000004":     {Currency: "AZN", Method: "c2c"},
		"MN340005000000000001": {Currency: "MNT", Method: "iban"},
	} {
		n.TraderID, n.Value = b.trader.ID, value
		if n.Method == "iban" {
			n.Value = requisite.Of("iban").Sample(1)
		}
		c := testenv.Must(b.settings.CreateRequisite(ctx, operator, n))(t)
		id := testenv.Must(strconv.ParseInt(c.SubjectKey, 10, 64))(t)
		made[n.Value] = id
		testenv.Check(t, !strings.Contains(string(c.After), n.Value), "the answer has it whole: %s", c.After)
	}
	iban := requisite.Of("iban").Sample(1)
	for text, want := range map[string]string{
		"+79001114567": "+79001114567", "+7900 111 45 67": "+79001114567", "4567": "+79001114567", "9001114567": "", "114567": "",
		"2200 0000 0000 0004": "2200000000000004", "22000000": "", iban: iban, iban[len(iban)-4:]: iban, iban[:12]: "",
	} {
		list, _ := testenv.Must2(b.settings.Requisites(ctx, operator, directory.Search{Text: text}))(t)
		var found []int64
		for _, r := range list {
			if r.ID == made[want] || !slices.Contains(b.trader.Requisites, r.ID) {
				found = append(found, r.ID)
			}
		}
		switch {
		case want == "" && len(found) > 0, want != "" && !slices.Equal(found, []int64{made[want]}):
			t.Errorf("%q finds %v, want %d", text, found, made[want])
		}
	}
}

// What is blocked keeps payers out where and for as long as it says, from the
// next renewal on, and every change is logged.
func TestBlocks(t *testing.T) {
	b := setup(t)
	keeper := testenv.Must(inforce.NewKeeper(ctx, b.Pool, 0, nil))(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	hour := dbtest.Start.Add(time.Hour)
	testenv.Must(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", Value: "u-9", MerchantID: other.ID, Reason: "rude"}))(t)
	b.Stays(t, "select jsonb_agg(b)::text from payer_block b where reason = 'rude'")
	for name, c := range map[string]struct {
		who                caller.Caller
		n                  directory.NewBlock
		mark               string
		here, there, later bool
	}{
		"user": {operator, directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: b.merchant.ID}, "user:u-1", true, false, true},
		"own":  {b.merchant.User(caller.Owner), directory.NewBlock{Kind: "user", Value: "u-2"}, "user:u-2", true, false, true},
		"everywhere, for an hour": {
			operator, directory.NewBlock{Kind: "address", Value: "::ffff:192.0.2.7", Until: &hour}, "address:192.0.2.7", true, true, false,
		},
		"requisite": {
			operator, directory.NewBlock{Kind: "requisite", Value: "+7\u00a0(900) 123-45-67"},
			block.RequisiteMark(dbtest.Requisites().Hash("", "+79001234567")), true, true, true,
		},
	} {
		c.n.Reason = "a stolen card"
		made := testenv.Must(b.settings.BlockPayer(ctx, c.who, c.n))(t)
		testenv.Must(keeper.Renew(ctx))(t)
		got := [3]bool{
			keeper.Blocked(b.merchant.ID, dbtest.Start, c.mark), keeper.Blocked(other.ID, dbtest.Start, c.mark),
			keeper.Blocked(b.merchant.ID, hour, c.mark),
		}
		testenv.Want(t, got, [3]bool{c.here, c.there, c.later}, "%s: blocked here, there, later", name)
		again := testenv.Must(b.settings.BlockPayer(ctx, c.who, c.n))(t)
		testenv.Want(t, again.ID, made.ID, "%s: a repeat makes another", name)
		lifted := testenv.Must(b.settings.UnblockPayer(ctx, c.who, made.ID, "it was not them"))(t)
		testenv.Want(t, *lifted.EndedReason, "it was not them", "%s: lifted because", name)
		testenv.Must(keeper.Renew(ctx))(t)
		testenv.Want(t, keeper.Blocked(b.merchant.ID, dbtest.Start, c.mark), false, "%s: blocked after it was lifted", name)
	}
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where subject = 'payer_block'"), 9, "changes in the log")
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where after::text like '%79001234567%'"), 0,
		"requisites in the log")
}

// Whoever blocks by a payment does not see that its payer is blocked already: a
// block never ends sooner for it, unless it was lifted.
func TestBlockedAgain(t *testing.T) {
	b := setup(t)
	hour, day := dbtest.Start.Add(time.Hour), dbtest.Start.Add(24*time.Hour)
	until := func(end *time.Time) directory.Block {
		t.Helper()
		return testenv.Must(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", Value: "u-1", Reason: "x", Until: end}))(t)
	}
	want := func(made directory.Block, end *time.Time, what string) {
		t.Helper()
		same := end == nil && made.Until == nil || end != nil && made.Until != nil && made.Until.Equal(*end)
		testenv.Check(t, same, "%s: it ends at %v, want %v", what, made.Until, end)
	}
	want(until(&hour), &hour, "for an hour")
	want(until(&day), &day, "longer")
	want(until(&hour), &day, "no shorter")
	want(until(nil), nil, "for good")
	made := until(&day)
	want(made, nil, "for good, as it was")
	testenv.Must(b.settings.UnblockPayer(ctx, operator, made.ID, "it was not them"))(t)
	want(until(&hour), &hour, "after it was lifted")
}

// A merchant's users see and lift what their merchant made, and block only
// there; only owners do.
func TestOwnBlocks(t *testing.T) {
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	testenv.Must(b.settings.BlockPayer(ctx, operator,
		directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: b.merchant.ID, Reason: "police"}))(t)
	made := testenv.Must(b.settings.BlockPayer(ctx, b.merchant.User(caller.Owner),
		directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: other.ID, Reason: "rude"}))(t)
	testenv.Check(t, made.MerchantID != nil && *made.MerchantID == b.merchant.ID && made.Own, "made %+v", made)
	for who, want := range map[*caller.Caller]int{
		new(operator): 2, new(b.merchant.User(caller.Owner)): 1, new(other.User(caller.Owner)): 0,
	} {
		list, _, err := b.settings.Blocks(ctx, *who, directory.BlockSearch{Holding: true})
		testenv.Check(t, err == nil && len(list) == want, "%s sees %v, %v; want %d", who.Actor(), list, err, want)
	}
	dbtest.WantCode(t, testenv.ErrOf(b.settings.UnblockPayer(ctx, other.User(caller.Owner), made.ID, "why not")), "not_found")
	support := b.merchant.User(caller.Owner)
	support.Role = caller.Support
	dbtest.WantCode(t, testenv.ErrOf(b.settings.UnblockPayer(ctx, support, made.ID, "why not")), "role_not_allowed")
}

// What cannot be compared is not blocked.
func TestWrongBlocks(t *testing.T) {
	b := setup(t)
	for field, n := range map[string]directory.NewBlock{
		"value":      {Kind: block.Address, Value: "192.0.2", Reason: "x"},
		"kind":       {Kind: "name", Value: "Anna", Reason: "x"},
		"paymentId":  {Kind: block.Card, Value: "4242424242424242", Reason: "x"},
		"reason":     {Kind: block.User, Value: "u", Reason: " "},
		"until":      {Kind: block.User, Value: "u", Reason: "x", Until: new(dbtest.Start)},
		"merchantId": {Kind: block.User, Value: "u", Reason: "x", MerchantID: 1 << 40},
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.settings.BlockPayer(ctx, operator, n)), field)
	}
	// Nothing is paid out to these, so that a block of them would keep
	// nobody from anything.
	for _, value := range []string{"89001234567", "79001234567", "+7900", "4111111111111112", "Anna S."} {
		n := directory.NewBlock{Kind: block.Requisite, Value: value, Reason: "x"}
		dbtest.WantFields(t, testenv.ErrOf(b.settings.BlockPayer(ctx, operator, n)), "value")
	}
	dbtest.WantCode(t, testenv.ErrOf(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", PaymentID: 1 << 40, Reason: "x"})), "not_found")
	testenv.Want(t, b.Count(t, "select count(*) from payer_block"), 0, "blocks")
	// Lists of blocks go by their newest, a page at a time.
	for _, value := range []string{"a", "b", "c"} {
		testenv.Must(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", Value: value, Reason: "x"}))(t)
	}
	list, next, err := b.settings.Blocks(ctx, operator, directory.BlockSearch{Page: db.Page{Limit: new(int32(2))}})
	testenv.Check(t, err == nil && len(list) == 2 && list[0].Shown == "c" && next != nil, "%v, %v, %v", list, next, err)
	rest, next, err := b.settings.Blocks(ctx, operator, directory.BlockSearch{Page: db.Page{Limit: new(int32(2)), Cursor: next}})
	testenv.Check(t, err == nil && len(rest) == 1 && rest[0].Shown == "a" && next == nil, "%v, %v, %v", rest, next, err)
	testenv.Want(t, testenv.Must(b.settings.Block(ctx, operator, list[1].ID))(t).Shown, "b", "the block by its id")
	// Those hold that were not lifted and whose time has not passed.
	testenv.Must(b.settings.UnblockPayer(ctx, operator, list[0].ID, "an error"))(t)
	testenv.Must(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", Value: "d", Reason: "x", Until: new(dbtest.Start.Add(time.Hour))}))(t)
	clock := &dbtest.Clock{}
	clock.Advance(time.Hour)
	settings := directory.NewSettings(b.Pools(), clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	list, _, err = settings.Blocks(ctx, operator, directory.BlockSearch{Holding: true})
	testenv.Check(t, err == nil && len(list) == 2 && list[0].Shown == "b" && list[1].Shown == "a", "those that hold: %v, %v", list, err)
	list, _, err = settings.Blocks(ctx, operator, directory.BlockSearch{Marks: []string{"user:a"}})
	testenv.Check(t, err == nil && len(list) == 1 && list[0].Shown == "a", "those of a mark: %v, %v", list, err)
}
