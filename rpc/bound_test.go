package rpc_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/limit"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1client"
)

// Whoever has only a user's password uses up calls of their own, and not those
// of the user.
func TestPasswordBoundsNobodysCalls(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	const password = "a password of one"
	hash := testenv.Must(session.HashPassword(password))(t)
	of := d.NewTrader(t, dbtest.TraderOpts{}).ID
	id := testenv.Must(session.InsertUser(t.Context(), d.Queries(), session.NewUser{
		Kind: caller.Trader, Login: "owner", TraderID: &of,
	}, hash, time.Now()))(t)
	testenv.NoError(t, session.InsertToken(t.Context(), d.Queries(), "theirs", id, time.Now(), time.Hour))
	d.Exec(t, "insert into passkey (id, user_id, name, credential, created_at) values ('\\x01', $1, 'key', '{}', now())", id)
	d.Exec(t, "update rate_limit set calls = 5, per_seconds = 60 where name = 'user'")
	limits := limit.New(d.Pool)
	testenv.NoError(t, limits.Load(t.Context()))
	users := testenv.Must(session.New(d.Pools(), dbtest.Vault(), limits, session.Config{
		CookieKeys: [][]byte{bytes.Repeat([]byte{1}, session.CookieKeySize)},
	}))(t)
	stolen := testenv.Must(users.Login(t.Context(), session.Credentials{Login: "owner", Password: password}, session.Origin{}))(t)
	testenv.Want(t, stolen.State, session.AwaitsFactor, "a sign-in by the password")

	services := servicesWith(trouble{}, trouble{})
	keys := auth.NewKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders(), auth.Config{})
	door := testenv.Must(rpc.NewDoor(keys, users, limits, services))(t)
	mux := http.NewServeMux()
	testenv.NoError(t, services.Mount(mux, door))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	call := func(bearer string) connect.Code {
		ctx, info := connect.NewClientContext(t.Context())
		info.RequestHeader().Set("Authorization", "Bearer "+bearer)
		_, err := portalv1client.NewAuthServiceClient(server.Client(), server.URL).GetSession(ctx, &portalv1.GetSessionRequest{})
		return connect.CodeOf(err)
	}
	for range 6 {
		call(stolen.Bearer)
	}
	testenv.Want(t, call(stolen.Bearer), connect.CodeResourceExhausted, "by the password")
	testenv.Want(t, call("theirs"), connect.CodeUnimplemented, "by the user")
}
