package search_test

import (
	"net/http"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A list that takes too long is left out and said to be; what the others have
// found is shown, and no list waits for another.
func TestSearchIsBound(t *testing.T) {
	b, operator := portaltest.Operator(t, caller.Admin)
	b.Exec(t, "update merchant set name = 'Slow shop'")
	lock := testenv.Must(b.Pool.Begin(t.Context()))(t)
	defer func() { _ = lock.Rollback(t.Context()) }()
	testenv.Must(lock.Exec(t.Context(), "lock table deposit, payin_key in access exclusive mode"))(t)
	a := operator.Get(t, "/operator/search?q=slow")
	portaltest.Want(t, "the page", a.Code, http.StatusOK)
	portaltest.WantIn(t, "what was found", portaltest.Words(a.Page(t).Find("main")), "Merchants Slow shop", "Not everything could be searched in time")
}

func TestWalks(t *testing.T) { portaltest.Walks(t, "walks.txt") }

func TestMain(m *testing.M) { portaltest.Main(m) }
