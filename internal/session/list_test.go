package session_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

// Operators find users by what they ask for and nobody else, and see of each
// what is theirs.
func TestUsersAreFound(t *testing.T) {
	p := newPeople(t)
	who := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 99}
	merchant, trader := p.NewMerchant(t, dbtest.MerchantOpts{}), p.NewTrader(t, dbtest.TraderOpts{})
	shop := p.add(t, caller.MerchantPortal, "shop", &merchant.ID, nil)
	p.add(t, caller.Trader, "desk", nil, &trader.ID)
	p.add(t, caller.Trader, "desk-off", nil, new(p.NewTrader(t, dbtest.TraderOpts{}).ID))
	p.Exec(t, "update app_user set enabled = false where login = 'desk-off'")
	p.Exec(t, `insert into session (hash, user_id, created_at, expires_at, door, state, seen_at)
		select '\x06', $1, '2001-01-01', '2001-01-02', 'web', 'whole', '2001-01-01'`, shop)
	for want, search := range map[string]session.UserSearch{
		"desk-off desk shop player bystander": {},
		"desk-off desk":                       {Text: " DESK ", Kind: caller.Trader},
		"player":                              {Kind: caller.Cabinet},
		"shop":                                {MerchantID: merchant.ID},
		"desk":                                {TraderID: trader.ID},
		"desk shop player bystander":          {On: new(true)},
		"desk-off":                            {On: new(false)},
		"shop player":                         {Page: db.Page{Limit: new(int32(2)), Cursor: new(fmt.Sprint(shop + 1))}},
		"bystander":                           {Text: "stand"},
	} {
		list, _ := testenv.Must2(p.Users(ctx, who, search))(t)
		testenv.Want(t, logins(list), want, "%+v finds", search)
	}
	list, _ := testenv.Must2(p.Users(ctx, who, session.UserSearch{Text: fmt.Sprint(shop)}))(t)
	testenv.Want(t, logins(list), "shop", "an id finds")
	dbtest.WantCode(t, testenv.ErrOf(p.User(ctx, who, 1<<40)), "not_found")
	list, _ = testenv.Must2(p.Users(ctx, who, session.UserSearch{}))(t)
	for i, want := range []string{"[] 0 0 true", "[] 0 0 true", "[] 0 0 true", "[1] 0 0 true", "[] 1 1 false"} {
		u := list[i]
		testenv.Want(t, fmt.Sprint(u.MerchantIDs, " ", u.Sessions, " ", u.Passkeys, " ", u.SeenAt.IsZero()), want, "%s has", u.Login)
	}
}

func logins(list []session.User) string {
	names := make([]string, 0, len(list))
	for _, u := range list {
		names = append(names, u.Login)
	}
	return strings.Join(names, " ")
}
