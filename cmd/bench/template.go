package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// template is a creation's round trips with the places where its values go. It is drawn from
// recorded creations, so that the replay follows changes in the gateway's SQL.
type template []round

// round is one round trip: a simple command, or statements sent together.
type round struct {
	command string
	calls   []statement
}

// statement is one of a round's statements.
type statement struct {
	sql  string
	args []source
	// tag is how the recorded one ended: one that ends otherwise was refused.
	tag string
	// needed tells that later statements use its row.
	needed bool
}

// compiler draws a template.
type compiler struct {
	conn      *pgx.Conn
	known     map[string]*pgconn.StatementDescription
	creations []creation
	// results are the decoded rows of the calls before, by round, call and creation.
	results [][][][]any
	// needed are the calls whose rows are used.
	needed map[[2]int]bool
	// times and ids are each creation's time and its payment's id, once they are found.
	times, ids []any
}

// compile draws the template of the recorded creations that went the usual way.
func compile(ctx context.Context, conn *pgx.Conn, recorded []creation) (template, error) {
	usual := mostAlike(recorded)
	if len(usual) < 2 {
		return nil, errors.New("too few creations were recorded to tell what varies")
	}
	c := &compiler{
		conn: conn, known: map[string]*pgconn.StatementDescription{}, creations: usual, needed: map[[2]int]bool{},
	}
	var t template
	for i := range usual[0].unit {
		next, err := c.round(ctx, i)
		if err != nil {
			return nil, err
		}
		t = append(t, next)
	}
	for at := range c.needed {
		t[at[0]].calls[at[1]].needed = true
	}
	return t, nil
}

// mostAlike leaves out what only prepares, and the creations that took another way than most, as
// those do that find a slot taken.
func mostAlike(recorded []creation) []creation {
	byShape := map[string][]creation{}
	var best []creation
	for _, c := range recorded {
		var said unit
		var shape strings.Builder
		for _, g := range c.unit {
			if len(g.calls) == 0 {
				continue
			}
			said = append(said, g)
			for _, statement := range g.calls {
				fmt.Fprintf(&shape, "%s\x00%s\x00", statement.sql, statement.tag)
			}
			shape.WriteString("\x01")
		}
		c.unit = said
		alike := append(byShape[shape.String()], c)
		byShape[shape.String()] = alike
		if len(alike) > len(best) {
			best = alike
		}
	}
	return best
}

func (c *compiler) round(ctx context.Context, i int) (round, error) {
	first := c.creations[0].unit[i]
	c.results = append(c.results, make([][][]any, len(first.calls)))
	if first.simple {
		return round{command: first.calls[0].sql}, nil
	}
	var r round
	for j, recorded := range first.calls {
		s := statement{sql: recorded.sql, tag: recorded.tag}
		d, err := c.describe(ctx, recorded.sql)
		if err != nil {
			return r, err
		}
		for k := range recorded.params {
			values, err := c.params(d, i, j, k)
			if err != nil {
				return r, err
			}
			s.args = append(s.args, c.source(values))
		}
		if c.results[i][j], err = c.rows(d, i, j); err != nil {
			return r, err
		}
		r.calls = append(r.calls, s)
	}
	return r, nil
}

// describe asks the server for the types of a statement's parameters and columns.
func (c *compiler) describe(ctx context.Context, sql string) (*pgconn.StatementDescription, error) {
	if d := c.known[sql]; d != nil {
		return d, nil
	}
	d, err := c.conn.Prepare(ctx, fmt.Sprintf("bench_%d", len(c.known)), sql)
	if err != nil {
		return nil, fmt.Errorf("prepare a recorded statement: %w", err)
	}
	c.known[sql] = d
	return d, nil
}

// params are what the creations gave for one parameter.
func (c *compiler) params(d *pgconn.StatementDescription, i, j, k int) ([]any, error) {
	values := make([]any, 0, len(c.creations))
	for _, recorded := range c.creations {
		said := recorded.unit[i].calls[j]
		value, err := c.decode(d.ParamOIDs[k], format(said.formats, k), said.params[k])
		if err != nil {
			return nil, fmt.Errorf("parameter %d of %.60q: %w", k+1, said.sql, err)
		}
		values = append(values, value)
	}
	return values, nil
}

// rows are what the creations were answered: nil for those without a row.
func (c *compiler) rows(d *pgconn.StatementDescription, i, j int) ([][]any, error) {
	rows := make([][]any, 0, len(c.creations))
	for _, recorded := range c.creations {
		said := recorded.unit[i].calls[j]
		var row []any
		for k, raw := range said.row {
			value, err := c.decode(d.Fields[k].DataTypeOID, format(said.resultFormats, k), raw)
			if err != nil {
				return nil, fmt.Errorf("column %d of %.60q: %w", k+1, said.sql, err)
			}
			row = append(row, value)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// decode makes a value of what went over the wire.
func (c *compiler) decode(oid uint32, format int16, raw []byte) (any, error) {
	if raw == nil {
		return nil, nil //nolint:nilnil // SQL's null
	}
	types := c.conn.TypeMap()
	known, ok := types.TypeForOID(oid)
	if !ok {
		return string(raw), nil
	}
	return known.Codec.DecodeValue(types, oid, format, raw)
}

// format is a value's: none given is text, a single one is everybody's.
func format(given []int16, i int) int16 {
	switch {
	case len(given) == 0:
		return pgx.TextFormatCode
	case len(given) == 1:
		return given[0]
	}
	return given[i]
}
