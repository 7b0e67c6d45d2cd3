// Package chart draws charts as SVG and HTML that need no script and no inline
// style: bars, parts of a whole, stacks, lines, sparklines and rows of bars.
// Colours and sizes are the stylesheet's, by classes. Each value shows on hover
// and on focus, and all of them stand in a table below.
//
// The charts of go-analyze/charts v0.6.4 would need style attributes, which our
// Content-Security-Policy forbids, have no names, focus or themes, and bring
// fonts and rasterizers for images.
package chart

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/shopspring/decimal"
)

// Kind is how values are drawn.
type Kind int

// The kinds of charts.
const (
	// Bars draws each series over the one before, of which it is a part.
	Bars Kind = iota
	// Stacked draws each series on top of the one before.
	Stacked
	// Lines draws a line for each series, on a scale that need not begin at
	// zero.
	Lines
	// Area is Lines with the space below the first one filled, and a scale
	// that begins at zero.
	Area
)

// Chart is values over slots of time.
type Chart struct {
	// Title says what is drawn, to those who cannot see it too.
	Title  string
	Kind   Kind
	Slots  []Slot
	Series []Series
	// Bands are ranges behind lines, as far as they are on the scale.
	Bands []Band
	// Whole tells that values are counts, so that the scale has no
	// fractions.
	Whole bool
	// Write writes a value, Axis one beside the scale, where that is
	// shorter.
	Write, Axis func(decimal.Decimal) string
	// Slot heads the column of slots in the table, and Numbers opens it.
	Slot, Numbers string
}

// Slot is a part of the time, of the same width as all others.
type Slot struct {
	// Name is the slot in full, Tick what stands below the chart; "" is
	// nothing.
	Name, Tick string
	// Href leads to what the slot is about; "" leads nowhere.
	Href string
}

// Series are the values of all slots in their order; nil is none.
type Series struct {
	Name   string
	Values []*decimal.Decimal
}

// Band is a range of values.
type Band struct {
	Name      string
	Low, High decimal.Decimal
}

// height is that of the plot in pixels, and unit the width of a slot where
// lines are stretched.
const (
	height = 180
	unit   = 10
)

// Render writes the chart.
func (c Chart) Render(_ context.Context, w io.Writer) error {
	p := page{Chart: c, scale: c.scaleOf()}
	p.add(`<figure class="plot">`)
	p.legend()
	p.add(`<div class="drawing"><div class="scale" aria-hidden="true">`)
	for i := len(p.scale.lines) - 1; i >= 0; i-- {
		p.add(`<span>%s</span>`, p.axis(p.scale.lines[i]))
	}
	p.add(`</div><div class="area"><svg width="100%%" height="%d" role="img" aria-label="%s">`, height, p.Title)
	p.draw()
	p.add(`</svg>`)
	p.marks()
	p.add(`</div></div>`)
	p.table()
	p.add(`</figure>`)
	_, err := io.WriteString(w, p.out.String())
	return err
}

// page is a chart that is being written.
type page struct {
	out strings.Builder
	Chart
	scale scale
}

// add writes markup, in which texts are escaped.
func (p *page) add(markup string, fill ...any) {
	for i, one := range fill {
		if text, ok := one.(string); ok {
			fill[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(&p.out, markup, fill...)
}

func (c Chart) axis(d decimal.Decimal) string {
	if c.Axis != nil {
		return c.Axis(d)
	}
	return c.Write(d)
}

// tone is the class of a series: of bars that are parts of others, the last has
// the accent.
func (c Chart) tone(series int) string {
	if c.Kind == Bars && series < len(c.Series)-1 {
		return "whole"
	}
	if c.Kind == Bars {
		series = 0
	}
	if c.Kind == Lines { // thin lines of one tint could not be told apart
		series = series*2%tones + series*2/tones
	}
	return fmt.Sprintf("s%d", min(series+1, tones))
}

// tones is how many the stylesheet has.
const tones = 6

// legend names series and bands, where there is more than one thing to tell
// apart.
func (p *page) legend() {
	if len(p.Series)+len(p.Bands) < 2 {
		return
	}
	p.add(`<ul class="legend">`)
	for i, series := range p.Series {
		p.add(`<li><em class="%s"></em>%s</li>`, p.tone(i), series.Name)
	}
	for _, band := range p.Bands {
		p.add(`<li><em class="band"></em>%s</li>`, band.Name)
	}
	p.add(`</ul>`)
}

// marks are where a slot's values show on hover and on focus.
func (p *page) marks() {
	p.add(`<div class="marks" role="group" aria-label="%s">`, p.Title)
	ticks := 0
	for at, slot := range p.Slots {
		p.add(`<div class="%s">`, p.side(at))
		if said := p.said(at); len(said) > 0 {
			p.add(`<span class="mark" tabindex="0" role="img" aria-label="%s">`,
				slot.Name+": "+strings.Join(said, ", "))
			p.tip(at)
			p.add(`</span>`)
		}
		if slot.Tick != "" {
			class := "stamp"
			if ticks++; ticks%2 == 0 {
				class = "stamp odd"
			}
			p.add(`<span class="%s" aria-hidden="true">%s</span>`, class, slot.Tick)
		}
		p.add(`</div>`)
	}
	p.add(`</div>`)
}

// side is to which side of the chart a slot lies, so that what it shows stays
// within.
func (c Chart) side(at int) string {
	switch {
	case 5*at < 2*len(c.Slots):
		return "west"
	case 5*at >= 3*len(c.Slots):
		return "east"
	}
	return "middle"
}

// said are a slot's values with their names.
func (p *page) said(at int) []string {
	var said []string
	for _, series := range p.Series {
		if value := series.at(at); value != nil {
			said = append(said, cmp.Or(series.Name, p.Title)+" "+p.Write(*value))
		}
	}
	return said
}

func (p *page) tip(at int) {
	p.add(`<span class="tip"><b>%s</b>`, p.Slots[at].Name)
	for i, series := range p.Series {
		if value := series.at(at); value != nil {
			p.add(`<span><em class="%s"></em>%s <b>%s</b></span>`, p.tone(i), series.Name, p.Write(*value))
		}
	}
	p.add(`</span>`)
}

// table has the same numbers, of the slots in which there is something.
func (p *page) table() {
	p.add(`<details><summary>%s</summary><div class="table" tabindex="0" role="region" aria-label="%s"><table>`,
		p.Numbers, p.Title)
	p.add(`<thead><tr><th scope="col">%s</th>`, p.Slot)
	for _, series := range p.Series {
		p.add(`<th scope="col" class="right">%s</th>`, cmp.Or(series.Name, p.Title))
	}
	p.add(`</tr></thead><tbody>`)
	for at, slot := range p.Slots {
		if p.empty(at) {
			continue
		}
		p.add(`<tr><td class="lead">`)
		if slot.Href != "" {
			p.add(`<a href="%s">%s</a>`, slot.Href, slot.Name)
		} else {
			p.add(`%s`, slot.Name)
		}
		p.add(`</td>`)
		for _, series := range p.Series {
			text := "–"
			if value := series.at(at); value != nil {
				text = p.Write(*value)
			}
			p.add(`<td class="right num" data-label="%s">%s</td>`, cmp.Or(series.Name, p.Title), text)
		}
		p.add(`</tr>`)
	}
	p.add(`</tbody></table></div></details>`)
}

// empty tells that a slot has nothing but zeros.
func (p *page) empty(at int) bool {
	for _, series := range p.Series {
		if value := series.at(at); value != nil && !value.IsZero() {
			return false
		}
	}
	return true
}

func (s Series) at(slot int) *decimal.Decimal {
	if slot < len(s.Values) {
		return s.Values[slot]
	}
	return nil
}
