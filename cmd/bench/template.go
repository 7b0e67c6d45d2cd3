package main

import (
	"errors"
	"fmt"
	"strings"
)

// template is a creation's round trips with the places where its values go. It is drawn from
// recorded creations, so that the replay follows changes in the gateway's SQL.
type template []round

// round is one round trip: statements sent together.
type round []statement

// statement is one of a round's statements.
type statement struct {
	sql  string
	args []source
	// tag is how the recorded one ended: one that ends otherwise was refused.
	tag string
}

// compiler draws a template.
type compiler struct {
	creations []creation
	// times and ids are each creation's time and its payment's id, once they are found.
	times, ids []any
}

// compile draws the template of the recorded creations that went the usual way, and says how many
// those are.
func compile(recorded []creation) (template, int, error) {
	usual := mostAlike(recorded)
	if len(usual) < 2 {
		return nil, 0, errors.New("too few creations were recorded to tell what varies")
	}
	c := &compiler{creations: usual}
	var t template
	for i, made := range usual[0].trips {
		var next round
		for j, said := range made {
			s := statement{sql: said.sql, tag: said.tag}
			for k := range said.args {
				s.args = append(s.args, c.source(c.given(i, j, k)))
			}
			next = append(next, s)
		}
		t = append(t, next)
	}
	return t, len(usual), nil
}

// given is what the creations gave for one argument.
func (c *compiler) given(i, j, k int) []any {
	var values []any
	for _, recorded := range c.creations {
		values = append(values, recorded.trips[i][j].args[k])
	}
	return values
}

// mostAlike leaves out the creations that took another way than most, as those do that find a slot
// taken.
func mostAlike(recorded []creation) []creation {
	byShape := map[string][]creation{}
	var best []creation
	for _, c := range recorded {
		var shape strings.Builder
		for _, made := range c.trips {
			for _, said := range made {
				fmt.Fprintf(&shape, "%s\x00%s\x00", said.sql, said.tag)
			}
			shape.WriteString("\x01")
		}
		alike := append(byShape[shape.String()], c)
		byShape[shape.String()] = alike
		if len(alike) > len(best) {
			best = alike
		}
	}
	return best
}
