package portaltest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/session"
)

// Person is a user's browser without scripts.
type Person struct {
	Bundle  *Bundle
	Cookies map[string]string
	// lock protects the cookies, because a person may click twice.
	lock sync.Mutex
}

// Password is the password of all users.
const Password = "correct horse battery"

// passwordHash is computed once and is cheap to compare with; the program's own
// hashes take long on purpose.
var passwordHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(Password, &argon2id.Params{
		Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		panic(err)
	}
	return hash
})

// User makes a user who can sign in with their login and Password.
func (b *Bundle) User(t testing.TB, login string, kind caller.Kind, role caller.Role, of int64) int64 {
	t.Helper()
	n := session.NewUser{Kind: kind, Role: role, Login: login}
	switch kind {
	case caller.Trader:
		n.TraderID = &of
	case caller.MerchantPortal:
		n.MerchantID = &of
	case caller.Cabinet:
		n.MerchantIDs = []int64{of}
	case caller.Operator, caller.Anyone, caller.MerchantKey, caller.Application, caller.Device, caller.Link:
	}
	id, err := session.InsertUser(context.Background(), b.Queries(), n, passwordHash(), time.Now())
	noError(t, err)
	return id
}

// Trader makes and signs in the owner of one of the two traders.
func (b *Bundle) Trader(t testing.TB, which int) *Person {
	t.Helper()
	return b.Joins(t, fmt.Sprintf("owner-%d", which+1), caller.Trader, caller.Owner, b.Traders[which].ID)
}

// Nobody is a browser in which nobody is signed in.
func (b *Bundle) Nobody() *Person { return &Person{Bundle: b, Cookies: map[string]string{}} }

// SignIn signs a user in, in a browser of their own.
func (b *Bundle) SignIn(t testing.TB, login string) *Person {
	t.Helper()
	p := b.Nobody()
	a := p.Post(t, "/sign-in", "login", login, "password", Password)
	if a.Code != http.StatusSeeOther || p.Cookies["session"] == "" {
		t.Fatalf("%s cannot sign in: %d %s", login, a.Code, a.Text())
	}
	return p
}

// Joins makes a user and signs them in.
func (b *Bundle) Joins(t testing.TB, login string, kind caller.Kind, role caller.Role, of int64) *Person {
	t.Helper()
	b.User(t, login, kind, role, of)
	return b.SignIn(t, login)
}

// AsTrader calls a service as the owner of the first trader.
func (b *Bundle) AsTrader() caller.Caller {
	who := b.Traders[0].Caller
	who.Role = caller.Owner
	return who
}

// As makes and signs in a user of the first merchant.
func (b *Bundle) As(t testing.TB, role caller.Role) *Person {
	t.Helper()
	return b.Joins(t, "merchant-"+string(role), caller.MerchantPortal, role, b.Merchant.ID)
}

// Stranger is the owner of another merchant.
func (b *Bundle) Stranger(t testing.TB) *Person {
	t.Helper()
	return b.Joins(t, "stranger", caller.MerchantPortal, caller.Owner, b.NewMerchant(t, dbtest.MerchantOpts{}).ID)
}

// Operator signs in an operator of a role.
func (b *Bundle) Operator(t testing.TB, role caller.Role) *Person {
	t.Helper()
	return b.Joins(t, "operator-"+string(role), caller.Operator, role, 0)
}

// Clerk signs in a user of the first trader whose role is only the desk.
func (b *Bundle) Clerk(t testing.TB) *Person {
	t.Helper()
	return b.Joins(t, "desk", caller.Trader, caller.Desk, b.Traders[0].ID)
}

// Admin is an operator who may do everything, as services know them.
var Admin = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// AsMerchant calls a service as the owner of the merchant.
func (b *Bundle) AsMerchant() caller.Caller {
	return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ID: 1, MerchantID: b.Merchant.ID}
}

// Viewer is an operator of support who looks as the owner of the first trader.
func (b *Bundle) Viewer(t testing.TB) *Person {
	t.Helper()
	return b.ViewerOf(t, caller.Trader, "trader-1")
}

// ViewerOf is an operator of support who looks as an owner of the first trader
// or merchant.
func (b *Bundle) ViewerOf(t testing.TB, kind caller.Kind, login string) *Person {
	t.Helper()
	of, home := b.Traders[0].ID, "/trader"
	if kind == caller.MerchantPortal {
		of, home = b.Merchant.ID, "/merchant"
	}
	b.User(t, login, kind, caller.Owner, of)
	p := b.Joins(t, "helper", caller.Operator, caller.Support, 0)
	a := p.Post(t, "/operator/view-as", "user", login, "reason", "They see no payments")
	if a.Code != http.StatusSeeOther || a.To() != home {
		t.Fatalf("looking as %s: %d to %q: %s", login, a.Code, a.To(), a.Text())
	}
	return p
}

// Two are two operators who may decide everything.
func (b *Bundle) Two(t testing.TB) (ann, bob *Person) {
	t.Helper()
	return b.Joins(t, "ann", caller.Operator, caller.Admin, 0), b.Joins(t, "bob", caller.Operator, caller.Admin, 0)
}
