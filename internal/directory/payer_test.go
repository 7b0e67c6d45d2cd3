package directory_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/testenv"
)

// The hosts that payers may be led back to are names, kept in small letters. Unset leaves them, and
// an empty list is any.
func TestReturnHosts(t *testing.T) {
	b := setup(t)
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	set := func(hosts ...string) (directory.Change, error) {
		return b.boxSet(directory.CashboxUpdate{ReturnHosts: &hosts})
	}
	want := func(c directory.Change, err error, before, after []any) {
		t.Helper()
		if err != nil || c.Subject != "cashbox" || c.SubjectKey != box || c.Actor != "operator:9" {
			t.Fatalf("%+v, %v", c, err)
		}
		got, want := []any{value(t, c.Before, "return_hosts"), value(t, c.After, "return_hosts")}, []any{before, after}
		testenv.Check(t, reflect.DeepEqual(got, want), "before and after: %v, want %v", got, want)
	}
	label := strings.Repeat("a", 63)
	two := []any{"shop.example", label + ".pay-1.example"}
	c, err := set("Shop.EXAMPLE", label+".pay-1.example")
	want(c, err, []any{}, two)
	c, err = b.boxSet(directory.CashboxUpdate{ReturnAutomatic: new(true)})
	want(c, err, two, two)
	c, err = set()
	want(c, err, two, []any{})
	c, err = set("Пример.рф") // other letters are kept as browsers send them
	want(c, err, []any{}, []any{"xn--e1afmkfd.xn--p1ai"})
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("shop%d.example", i)
	}
	_, err = set(many[:50]...)
	testenv.Check(t, err == nil, "50 hosts: %v", err)
	dbtest.WantFields(t, testenv.ErrOf(set(many...)), "returnHosts")
	for _, host := range []string{
		"", " ", "shop", "shop.example.", ".example", "shop..example", "https://shop.example", "shop.example/", "shop.example:443",
		"*.example", "-shop.example", "shop-.example", "127.0.0.1", "[::1]", "shop example", "user@shop.example",
		"a" + label + ".example", "пример..рф", "пример",
	} {
		_, err := set("good.example", host)
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Code == "validation_failed" && f.Fields.Wrong("returnHosts"), "%q: %v", host, err)
	}
}

// How long a payment waits for a claimed transfer, and how many cards may be tried, are 900 seconds
// and 3 until an operator sets them, and stay as they are where a call leaves them out.
func TestClaimSecondsAndCards(t *testing.T) {
	b := setup(t)
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	m := directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "mtstpay", Enabled: true, ValiditySeconds: 600}
	set := func(claim, cards *int32) (directory.Change, error) {
		m.ClaimSeconds, m.Cards = claim, cards
		return logged(b.settings.SetMethod(ctx, operator, m))
	}
	c, err := set(nil, nil)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", "new", 900.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", "new", 3.0)
	c, err = set(new(int32(86_400)), new(int32(10)))
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 900.0, 86_400.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 3.0, 10.0)
	m.ValiditySeconds = 700
	c, err = set(nil, nil)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 86_400.0, 86_400.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 10.0, 10.0)
	c, err = set(new(int32(1)), new(int32(1)))
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 86_400.0, 1.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 10.0, 1.0)
	for _, wrong := range []int32{0, -1, 86_401} {
		dbtest.WantFields(t, testenv.ErrOf(set(&wrong, nil)), "claimSeconds")
	}
	for _, wrong := range []int32{0, -1, 11, 65_539} {
		dbtest.WantFields(t, testenv.ErrOf(set(nil, &wrong)), "cards")
	}
	dbtest.WantFields(t, testenv.ErrOf(set(new(int32(0)), new(int32(0)))), "claimSeconds", "cards")
}

// Payments are made by what was set, as soon as the keeper was renewed.
func TestKeeperKnowsPayers(t *testing.T) {
	b := setup(t)
	keeper := testenv.Must(inforce.NewKeeper(ctx, b.Pool, 0, nil))(t)
	want := func(patience time.Duration, cards int, events bool, hosts ...string) {
		t.Helper()
		testenv.Must(keeper.Renew(ctx))(t)
		id := b.merchant.CashboxID
		shop := keeper.Shop(b.merchant.ID, &id, "sbp", "RUB")
		testenv.Check(t, shop != nil && fmt.Sprint(shop.ReturnHosts) == fmt.Sprint(hosts) && keeper.Patience(id, "sbp") == patience &&
			keeper.CardsAllowed(id, "sbp") == cards && keeper.PayerEvents(id) == events,
			"%+v, %s, %d cards, events %t", shop, keeper.Patience(id, "sbp"), keeper.CardsAllowed(id, "sbp"), keeper.PayerEvents(id))
	}
	want(15*time.Minute, 3, false)
	testenv.Must(b.boxSet(directory.CashboxUpdate{PayerEvents: new(true), ReturnHosts: &[]string{"shop.example"}}))(t)
	testenv.Must(b.settings.SetMethod(ctx, operator, directory.CashboxMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", Enabled: true, ValiditySeconds: 600,
		ClaimSeconds: new(int32(60)), Cards: new(int32(7)),
	}))(t)
	want(time.Minute, 7, true, "shop.example")
}
