package chart

import (
	"context"
	"io"
)

// Ranks are rows of bars, each as long as its share of the greatest.
type Ranks []Rank

// Rank is a row. Href leads to what it counts; "" leads nowhere.
type Rank struct {
	Label, Text, Note, Href string
	// Value is the length, as a share of 1.
	Value float64
	// Tone is the class of the bar; "" is the accent.
	Tone string
}

// Render writes the rows.
func (r Ranks) Render(_ context.Context, w io.Writer) error {
	p := page{}
	p.add(`<dl class="ranks">`)
	for _, row := range r {
		p.add(`<div><dt>`)
		if row.Href != "" {
			p.add(`<a href="%s">%s</a>`, row.Href, row.Label)
		} else {
			p.add(`%s`, row.Label)
		}
		p.add(`</dt><dd class="num"><b>%s</b> <span class="quiet">%s</span></dd>`, row.Text, row.Note)
		p.add(`<dd class="bar-of" aria-hidden="true"><svg width="100%%" height="8"><rect class="track" width="100%%" height="8"></rect>`)
		p.add(`<rect class="full %s" width="%.2f%%" height="8"></rect></svg></dd></div>`, row.Tone, 100*min(max(row.Value, 0), 1))
	}
	p.add(`</dl>`)
	_, err := io.WriteString(w, p.out.String())
	return err
}
