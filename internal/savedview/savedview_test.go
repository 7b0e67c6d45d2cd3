package savedview_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/savedview"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is the service, and two users.
type bundle struct {
	*dbtest.DB
	views    *savedview.Service
	one, two caller.Caller
}

func setup(t *testing.T) *bundle {
	t.Helper()
	d := dbtest.New(t)
	b := &bundle{DB: d, views: savedview.New(d.Pools())}
	for login, who := range map[string]*caller.Caller{"one": &b.one, "two": &b.two} {
		n := session.NewUser{Kind: caller.Operator, Role: caller.Support, Login: login}
		id := testenv.Must(session.InsertUser(context.Background(), d.Queries(), n, "no password", time.Now()))(t)
		*who = caller.Caller{Kind: caller.Operator, Role: caller.Support, ID: id}
	}
	return b
}

func (b *bundle) save(who caller.Caller, name, path, query string) error {
	return b.views.Save(context.Background(), who, savedview.View{Name: name, Path: path, Query: query})
}

// listed is a user's views of a list in short.
func (b *bundle) listed(t *testing.T, who caller.Caller, path string) string {
	t.Helper()
	list := testenv.Must(b.views.List(t.Context(), who, path))(t)
	text := ""
	for _, v := range list {
		text += v.Name + " " + v.Path + "?" + v.Query + ";"
	}
	return text
}

// Views are a user's own and a list's own. One of the same name is replaced.
func TestViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, v := range [][3]string{{"b", "/x", "p=1"}, {" a ", "/x", ""}, {"b", "/x", "p=2"}, {"b", "/y", "p=3"}} {
		testenv.NoError(t, b.save(b.one, v[0], v[1], v[2]))
	}
	for got, want := range map[string]string{
		b.listed(t, b.one, "/x"): "a /x?;b /x?p=2;", b.listed(t, b.one, "/y"): "b /y?p=3;", b.listed(t, b.two, "/x"): "",
	} {
		testenv.Check(t, got == want, "got %q, want %q", got, want)
	}
	list := testenv.Must(b.views.List(t.Context(), b.one, "/y"))(t)
	_, err := b.views.Remove(t.Context(), b.two, list[0].ID)
	testenv.Check(t, dbtest.CodeOf(err) == "not_found", "another user's: %v", err)
	path, err := b.views.Remove(t.Context(), b.one, list[0].ID)
	testenv.Check(t, err == nil && path == "/y" && b.listed(t, b.one, "/y") == "", "removed: %q, %v", path, err)
}

// A user has no more than 20 views of a list, also if they save several at a
// time.
func TestMostViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range savedview.MaxViews - 1 {
		testenv.NoError(t, b.save(b.one, fmt.Sprint("view ", i), "/x", ""))
	}
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() { errs[i] = b.save(b.one, fmt.Sprint("last ", i), "/x", "") })
	}
	all.Wait()
	refused := 0
	for _, err := range errs {
		if dbtest.CodeOf(err) == "validation_failed" {
			refused++
		}
	}
	testenv.Want(t, refused, 3, "of 4 are refused: %v", errs)
	err := b.save(b.one, "view 3", "/x", "p=1")
	testenv.Check(t, err == nil, "one is replaced: %v", err)
	err = b.save(b.one, "view", "/y", "")
	testenv.Check(t, err == nil, "of another list: %v", err)
}

// Whoever is no user has no views, and whoever only looks changes none.
func TestWhoseViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	looks := b.one
	looks.ViewAs = true
	if err := b.save(looks, "a", "/x", ""); dbtest.CodeOf(err) != fault.ErrViewOnly.Code {
		t.Errorf("who only looks saves: %v", err)
	}
	if _, err := b.views.Remove(t.Context(), looks, 1); dbtest.CodeOf(err) != fault.ErrViewOnly.Code {
		t.Errorf("who only looks removes: %v", err)
	}
	if _, err := b.views.List(t.Context(), looks, "/x"); err != nil {
		t.Errorf("who only looks lists: %v", err)
	}
	for _, kind := range []caller.Kind{caller.MerchantKey, caller.Application, caller.Anyone, ""} {
		err := b.save(caller.Caller{Kind: kind, ID: b.one.ID}, "a", "/x", "")
		testenv.Check(t, dbtest.CodeOf(err) == fault.ErrTokenKindNotAllowed.Code, "%s saves: %v", kind, err)
	}
	for _, v := range [][3]string{{" ", "/x", ""}, {"a", "x", ""}, {strings.Repeat("ы", 61), "/x", ""}, {"a\x00b", "/x", ""}} {
		err := b.save(b.one, v[0], v[1], v[2])
		testenv.Check(t, dbtest.CodeOf(err) == "validation_failed", "%q is saved: %v", v, err)
	}
}
