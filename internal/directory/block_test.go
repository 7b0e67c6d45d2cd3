package directory_test

import (
	"testing"
	"time"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/inforce"
	"gateway.example/internal/testenv"
)

// What is blocked keeps payers out where and for as long as it says, from the next renewal on, and every change is logged.
func TestBlocks(t *testing.T) {
	b := setup(t)
	keeper := testenv.Must(inforce.NewKeeper(ctx, b.Pool, 0, nil))(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	hour := dbtest.Start.Add(time.Hour)
	for name, c := range map[string]struct {
		who                caller.Caller
		n                  directory.NewBlock
		mark               string
		here, there, later bool
	}{
		"user": {operator, directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: b.merchant.ID}, "user:u-1", true, false, true},
		"own":  {userOf(b.merchant, caller.Owner), directory.NewBlock{Kind: "user", Value: "u-2"}, "user:u-2", true, false, true},
		"everywhere, for an hour": {
			operator, directory.NewBlock{Kind: "address", Value: "::ffff:192.0.2.7", Until: &hour}, "address:192.0.2.7", true, true, false,
		},
		"requisite": {
			operator, directory.NewBlock{Kind: "requisite", Value: "+7 900 123-45-67"},
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
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where subject = 'payer_block'"), 8, "changes in the log")
	testenv.Want(t, b.Count(t, "select count(*) from setting_change where after::text like '%79001234567%'"), 0,
		"requisites in the log")
}

// A merchant's users see and lift what their merchant made, and block only there; only owners do.
func TestOwnBlocks(t *testing.T) {
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	testenv.Must(b.settings.BlockPayer(ctx, operator,
		directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: b.merchant.ID, Reason: "police"}))(t)
	made := testenv.Must(b.settings.BlockPayer(ctx, userOf(b.merchant, caller.Owner),
		directory.NewBlock{Kind: "user", Value: "u-1", MerchantID: other.ID, Reason: "rude"}))(t)
	testenv.Check(t, made.MerchantID != nil && *made.MerchantID == b.merchant.ID && made.Own, "made %+v", made)
	for who, want := range map[*caller.Caller]int{
		new(operator): 2, new(userOf(b.merchant, caller.Owner)): 1, new(userOf(other, caller.Owner)): 0,
	} {
		list, _, err := b.settings.Blocks(ctx, *who, directory.BlockSearch{Holding: true})
		testenv.Check(t, err == nil && len(list) == want, "%s sees %v, %v; want %d", who.Actor(), list, err, want)
	}
	dbtest.WantCode(t, testenv.ErrOf(b.settings.UnblockPayer(ctx, userOf(other, caller.Owner), made.ID, "why not")), "not_found")
	support := userOf(b.merchant, caller.Owner)
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
	dbtest.WantCode(t, testenv.ErrOf(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", PaymentID: 1 << 40, Reason: "x"})), "not_found")
	testenv.Want(t, b.Count(t, "select count(*) from payer_block"), 0, "blocks")
	// Lists of blocks go by their newest, a page at a time.
	for _, value := range []string{"a", "b", "c"} {
		testenv.Must(b.settings.BlockPayer(ctx, operator, directory.NewBlock{Kind: "user", Value: value, Reason: "x"}))(t)
	}
	list, next, err := b.settings.Blocks(ctx, operator, directory.BlockSearch{Page: db.Page{Limit: new(int32(2))}})
	testenv.Check(t, err == nil && len(list) == 2 && list[0].Shown == "c" && next != nil, "%v, %v, %v", list, next, err)
}
