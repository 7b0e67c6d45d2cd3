package main

import (
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// call is a statement as it was executed, and what came of it.
type call struct {
	sql     string
	formats []int16
	params  [][]byte
	// row is the first row answered, nil without one; its columns have resultFormats.
	row           [][]byte
	resultFormats []int16
	tag           string
}

// group is what a client sends before it waits for the server: everything up to a Sync, or a simple
// Query. The server answers each with one ReadyForQuery, so a group is exactly one round trip, also
// where it begins with BEGIN and ends with COMMIT. One without calls only prepares statements.
type group struct {
	calls  []*call
	simple bool
	// completed are the statements that were carried out: a simple Query may hold several, and what
	// follows an error is passed over.
	completed int
}

// unit is the groups of a transaction, from the one that begins it to the one that ends it, or a
// group outside any.
type unit []*group

// tap follows what is said on one connection. The two sides are heard by two goroutines.
type tap struct {
	heard func(unit)

	mu         sync.Mutex
	statements map[string]string
	bound      *call
	// sending is the group the client is still putting together; sent are those the server has yet
	// to answer.
	sending *group
	sent    []*group
	// answered is how many calls of the first of sent are.
	answered int
	current  unit
}

func newTap(heard func(unit)) *tap {
	return &tap{heard: heard, statements: map[string]string{}, sending: &group{}}
}

// fromClient notes a message of the frontend's. One that does not decode is the server's to refuse.
func (t *tap) fromClient(kind byte, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			t.statements[m.Name] = m.Query
		}
	case 'B':
		var m pgproto3.Bind
		if m.Decode(body) == nil {
			t.bound = &call{
				sql: t.statements[m.PreparedStatement], formats: m.ParameterFormatCodes, params: m.Parameters,
				resultFormats: m.ResultFormatCodes,
			}
		}
	case 'E':
		if t.bound != nil {
			t.sending.calls = append(t.sending.calls, t.bound)
		}
	case 'S':
		t.send()
	case 'Q':
		var m pgproto3.Query
		if m.Decode(body) == nil {
			t.sending.simple = true
			t.sending.calls = append(t.sending.calls, &call{sql: m.String})
		}
		t.send()
	}
}

func (t *tap) send() {
	t.sent = append(t.sent, t.sending)
	t.sending = &group{}
}

// fromServer notes a message of the backend's.
func (t *tap) fromServer(kind byte, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch kind {
	case 'D':
		var m pgproto3.DataRow
		if c := t.answering(); c != nil && c.row == nil && m.Decode(body) == nil {
			c.row = m.Values
		}
	case 'C':
		var m pgproto3.CommandComplete
		if c := t.answering(); c != nil && m.Decode(body) == nil {
			c.tag = string(m.CommandTag)
		}
		t.answered++
		if len(t.sent) > 0 {
			t.sent[0].completed++
		}
	case 'I', 's', 'E':
		t.answered++
	case 'Z':
		t.ready(body)
	}
}

// answering is the call whose answer is coming in.
func (t *tap) answering() *call {
	if len(t.sent) == 0 || t.answered >= len(t.sent[0].calls) {
		return nil
	}
	return t.sent[0].calls[t.answered]
}

// ready ends a round trip, and outside a transaction the unit. The first ReadyForQuery answers the
// connection itself.
func (t *tap) ready(body []byte) {
	if len(t.sent) == 0 {
		return
	}
	t.current = append(t.current, t.sent[0])
	t.sent, t.answered = t.sent[1:], 0
	const idle = 'I'
	if len(body) > 0 && body[0] == idle {
		t.heard(t.current)
		t.current = nil
	}
}
