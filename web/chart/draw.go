package chart

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// draw draws lines across, then the values.
func (p *page) draw() {
	for _, band := range p.Bands {
		// A wide band would flatten the lines: what of it is beyond the
		// scale is cut off.
		top, bottom := max(p.scale.y(band.High), 0), min(p.scale.y(band.Low), height)
		if top < bottom {
			p.add(`<rect class="band" y="%.1f" width="100%%" height="%.1f"></rect>`, top, bottom-top)
		}
	}
	for i, line := range p.scale.lines {
		class := "rule"
		if i == 0 {
			class = "base"
		}
		y := p.scale.y(line)
		p.add(`<line class="%s" x2="100%%" y1="%.1f" y2="%.1f"></line>`, class, y, y)
	}
	if p.Kind == Lines || p.Kind == Area {
		p.lines()
	} else {
		p.bars()
	}
}

// bars draws bars, whose places are percentages: so they keep their round
// corners at any width.
func (p *page) bars() {
	share := 0.72
	if len(p.Slots) < 12 {
		share = 0.5
	}
	slot := 100 / float64(len(p.Slots))
	for at := range p.Slots {
		below := decimal.Zero
		for i, series := range p.Series {
			value := series.at(at)
			if value == nil || value.IsZero() {
				continue
			}
			from, to := decimal.Min(below, below.Add(*value)), decimal.Max(below, below.Add(*value))
			top := p.scale.y(to)
			p.add(`<rect class="%s" x="%.2f%%" y="%.1f" width="%.2f%%" height="%.1f"></rect>`, p.tone(i),
				(float64(at)+(1-share)/2)*slot, top, share*slot, max(p.scale.y(from)-top, 1))
			if p.Kind == Stacked {
				below = below.Add(*value)
			}
		}
	}
}

// lines draws lines, which are stretched to the width there is.
func (p *page) lines() {
	p.add(`<svg width="100%%" height="%d" viewBox="0 0 %d %d" preserveAspectRatio="none">`,
		height, len(p.Slots)*unit, height)
	var alone strings.Builder
	for i, series := range p.Series {
		for from := 0; from < len(p.Slots); from++ {
			var points []string
			first := from
			for ; series.at(from) != nil; from++ {
				points = append(points, fmt.Sprintf("%d,%.1f", from*unit+unit/2, p.scale.y(*series.at(from))))
			}
			switch len(points) {
			case 0:
				continue
			case 1: // a line has two ends, a point has none
				fmt.Fprintf(&alone, `<circle class="%s" cx="%.2f%%" cy="%.1f" r="2.5"></circle>`, p.tone(i),
					(float64(first)+0.5)*100/float64(len(p.Slots)), p.scale.y(*series.at(first)))
				continue
			}
			if p.Kind == Area && i == 0 {
				p.add(`<polygon class="under" points="%d,%d %s %d,%d"></polygon>`, first*unit+unit/2, height,
					strings.Join(points, " "), from*unit-unit/2, height)
			}
			p.add(`<polyline class="%s" points="%s"></polyline>`, p.tone(i), strings.Join(points, " "))
		}
	}
	p.add(`</svg>`)
	p.out.WriteString(alone.String())
}
