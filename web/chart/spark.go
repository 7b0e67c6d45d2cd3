package chart

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/shopspring/decimal"
)

// The size of a sparkline in pixels, with room for its last point.
const (
	sparkWidth  = 64
	sparkHeight = 20
	sparkEdge   = 3
)

// Spark is how values went, as a small line for a table; nil is none.
type Spark struct {
	// Title says of what and how they went.
	Title  string
	Values []*decimal.Decimal
}

// Render writes the sparkline; nothing where there is nothing to see.
func (s Spark) Render(_ context.Context, w io.Writer) error {
	low, high, seen := decimal.Zero, decimal.Zero, false
	for _, value := range s.Values {
		if value != nil {
			low, high, seen = decimal.Min(low, *value), decimal.Max(high, *value), true
		}
	}
	if !seen || len(s.Values) < 2 {
		return nil
	}
	span := max(high.Sub(low).InexactFloat64(), 1e-9)
	var points []string
	for i, value := range s.Values {
		if value != nil {
			points = append(points, fmt.Sprintf("%.1f,%.1f",
				sparkEdge+float64(i)*(sparkWidth-2*sparkEdge)/float64(len(s.Values)-1),
				sparkHeight-sparkEdge-value.Sub(low).InexactFloat64()*(sparkHeight-2*sparkEdge)/span))
		}
	}
	p := page{}
	p.add(`<svg class="spark" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s"><title>%s</title>`,
		sparkWidth, sparkHeight, sparkWidth, sparkHeight, s.Title, s.Title)
	x, y, _ := strings.Cut(points[len(points)-1], ",")
	p.add(`<polyline points="%s"></polyline><circle cx="%s" cy="%s" r="2"></circle></svg>`, strings.Join(points, " "), x, y)
	_, err := io.WriteString(w, p.out.String())
	return err
}
