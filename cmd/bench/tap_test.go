package main

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// said is a message's type and body.
func said(t *testing.T, m pgproto3.Message) (byte, []byte) {
	t.Helper()
	var wire []byte
	var err error
	switch m := m.(type) {
	case pgproto3.FrontendMessage:
		wire, err = m.Encode(nil)
	case pgproto3.BackendMessage:
		wire, err = m.Encode(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return wire[0], wire[5:]
}

// A transaction of BEGIN, two statements sent together and COMMIT is one unit of three round trips.
func TestTap(t *testing.T) {
	t.Parallel()
	var units []unit
	tap := newTap(func(u unit) { units = append(units, u) })
	client := func(m pgproto3.FrontendMessage) { tap.fromClient(said(t, m)) }
	server := func(m pgproto3.BackendMessage) { tap.fromServer(said(t, m)) }
	server(&pgproto3.ReadyForQuery{TxStatus: 'I'}) // answers the connection

	client(&pgproto3.Query{String: "begin"})
	server(&pgproto3.CommandComplete{CommandTag: []byte("BEGIN")})
	server(&pgproto3.ReadyForQuery{TxStatus: 'T'})
	client(&pgproto3.Parse{Name: "a", Query: "select $1"})
	for _, value := range []string{"1", "2"} {
		client(&pgproto3.Bind{PreparedStatement: "a", Parameters: [][]byte{[]byte(value)}})
		client(&pgproto3.Execute{})
	}
	client(&pgproto3.Sync{})
	for _, value := range []string{"1", "2"} {
		server(&pgproto3.DataRow{Values: [][]byte{[]byte(value)}})
		server(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
	}
	server(&pgproto3.ReadyForQuery{TxStatus: 'T'})
	if len(units) != 0 {
		t.Fatal("heard before the transaction ended")
	}
	client(&pgproto3.Query{String: "commit"})
	server(&pgproto3.CommandComplete{CommandTag: []byte("COMMIT")})
	server(&pgproto3.ReadyForQuery{TxStatus: 'I'})

	if len(units) != 1 || len(units[0]) != 3 || len(units[0][1].calls) != 2 {
		t.Fatalf("heard %+v", units)
	}
	second := units[0][1].calls[1]
	if second.sql != "select $1" || string(second.params[0]) != "2" || string(second.row[0]) != "2" || second.tag != "SELECT 1" {
		t.Errorf("the second statement is %+v", second)
	}
	if !units[0].mentions("select") || units[0].mentions("insert") {
		t.Error("mentions is wrong")
	}
}
