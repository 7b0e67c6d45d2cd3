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

// conversation is what a tap hears of a client and a server.
type conversation struct {
	t     *testing.T
	tap   *tap
	units []unit
}

func newConversation(t *testing.T) *conversation {
	c := &conversation{t: t}
	c.tap = newTap(func(u unit) { c.units = append(c.units, u) })
	c.server(&pgproto3.ReadyForQuery{TxStatus: 'I'}) // answers the connection
	return c
}

func (c *conversation) client(messages ...pgproto3.FrontendMessage) {
	for _, m := range messages {
		c.tap.fromClient(said(c.t, m))
	}
}

func (c *conversation) server(messages ...pgproto3.BackendMessage) {
	for _, m := range messages {
		c.tap.fromServer(said(c.t, m))
	}
}

// execute has the client prepare and execute a statement, without a Sync.
func (c *conversation) execute(sql, value string) {
	c.client(
		&pgproto3.Parse{Name: sql, Query: sql},
		&pgproto3.Bind{PreparedStatement: sql, Parameters: [][]byte{[]byte(value)}},
		&pgproto3.Execute{},
	)
}

func complete(tag string) *pgproto3.CommandComplete {
	return &pgproto3.CommandComplete{CommandTag: []byte(tag)}
}

// A transaction of BEGIN, two statements sent together and COMMIT is one unit of three round trips.
// What is set with the BEGIN is a statement, too.
func TestTap(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.client(&pgproto3.Query{String: "begin; set local jit = off"})
	c.server(complete("BEGIN"), complete("SET"), &pgproto3.ReadyForQuery{TxStatus: 'T'})
	c.execute("select $1", "1")
	c.execute("select $1", "2")
	c.client(&pgproto3.Sync{})
	for _, value := range []string{"1", "2"} {
		c.server(&pgproto3.DataRow{Values: [][]byte{[]byte(value)}}, complete("SELECT 1"))
	}
	c.server(&pgproto3.ReadyForQuery{TxStatus: 'T'})
	if len(c.units) != 0 {
		t.Fatal("heard before the transaction ended")
	}
	c.client(&pgproto3.Query{String: "commit"})
	c.server(complete("COMMIT"), &pgproto3.ReadyForQuery{TxStatus: 'I'})

	if len(c.units) != 1 || len(c.units[0]) != 3 || len(c.units[0][1].calls) != 2 {
		t.Fatalf("heard %+v", c.units)
	}
	u := c.units[0]
	if u[0].completed != 2 || u[1].completed != 2 || u[2].completed != 1 {
		t.Errorf("%d, %d and %d statements, want 2, 2 and 1", u[0].completed, u[1].completed, u[2].completed)
	}
	second := u[1].calls[1]
	if second.sql != "select $1" || string(second.params[0]) != "2" || string(second.row[0]) != "2" ||
		second.tag != "SELECT 1" {
		t.Errorf("the second statement is %+v", second)
	}
	if !u.names("2") || u.names("3") {
		t.Error("names is wrong")
	}
	idle := background(c.units)
	if !u.within(idle) {
		t.Error("what was said while idle is not known again")
	}
	delete(idle, "commit")
	if u.within(idle) {
		t.Error("what was not said while idle is taken for it")
	}
}

// A pipeline that begins with BEGIN and ends with COMMIT is one round trip.
func TestTapPipeline(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	for _, sql := range []string{"begin", "insert", "commit"} {
		c.execute(sql, "order-1")
	}
	c.client(&pgproto3.Sync{})
	c.server(complete("BEGIN"), complete("INSERT 0 1"), complete("COMMIT"), &pgproto3.ReadyForQuery{TxStatus: 'I'})
	if len(c.units) != 1 || len(c.units[0]) != 1 || c.units[0][0].completed != 3 || !c.units[0].names("order-1") {
		t.Fatalf("heard %+v", c.units)
	}
}

// One that an error stops is rolled back in a round trip of its own. What the server passed over
// was not made.
func TestTapPipelineRefused(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	for _, sql := range []string{"begin", "insert", "commit"} {
		c.execute(sql, "order-1")
	}
	c.client(&pgproto3.Sync{})
	c.server(complete("BEGIN"), &pgproto3.ErrorResponse{Code: "23505"}, &pgproto3.ReadyForQuery{TxStatus: 'E'})
	if len(c.units) != 0 {
		t.Fatal("heard before the transaction ended")
	}
	c.client(&pgproto3.Query{String: "rollback"})
	c.server(complete("ROLLBACK"), &pgproto3.ReadyForQuery{TxStatus: 'I'})
	if len(c.units) != 1 || len(c.units[0]) != 2 || c.units[0][0].completed != 1 || c.units[0][0].calls[2].tag != "" {
		t.Fatalf("heard %+v", c.units)
	}
}
