package view

import (
	"fmt"
	"time"

	"github.com/a-h/templ"
)

// Overview is how a merchant stands.
type Overview struct {
	// Balance is what all cashboxes have, in USDT; empty for who sees no money.
	Balance   []OverviewFigure
	Days      []OverviewDay
	Methods   []OverviewRow
	Hours     []OverviewHour
	Queues    []OverviewQueue
	Endpoints []OverviewQueue
}

// OverviewDay are figures of today, each with what it was a week ago.
type OverviewDay struct {
	Title   string
	Figures []OverviewFigure
}

// OverviewFigure is a number and what it was, if that is known. Href leads to what is counted; ""
// leads nowhere.
type OverviewFigure struct {
	Label, Now, Before string
	Href               templ.SafeURL
}

// OverviewRow are the figures of a method, or of an hour.
type OverviewRow struct{ Name, Payments, Completed, Amount, Success, Median string }

// OverviewHour is an hour of the charts.
type OverviewHour struct {
	At                  time.Time
	Payments, Completed int64
	// Success is a percentage; Ended tells that there is one.
	Success float64
	Ended   bool
	Row     OverviewRow
}

// OverviewQueue is what waits or fails, and where it is; Count is capped.
type OverviewQueue struct {
	Label, Count string
	Href         templ.SafeURL
}

// Sizes of the charts, in units of their own.
const (
	barWidth    = 4
	chartHeight = 100
)

// bar is a rectangle of a chart.
type bar struct{ X, Y, Width, Height string }

func barOf(at int, share float64) bar {
	height := share * chartHeight
	return bar{
		X: fmt.Sprint(at * barWidth), Width: fmt.Sprint(barWidth - 1),
		Y: fmt.Sprintf("%.1f", chartHeight-height), Height: fmt.Sprintf("%.1f", height),
	}
}

func (o Overview) box() string { return fmt.Sprintf("0 0 %d %d", len(o.Hours)*barWidth, chartHeight) }

// any tells that there were payments.
func (o Overview) any() bool { return len(o.Methods) > 0 }

// bars are those of the hours in which there is something, as shares of the greatest.
func (o Overview) bars(of func(OverviewHour) float64) []bar {
	var most float64 = 1
	for _, h := range o.Hours {
		most = max(most, float64(h.Payments))
	}
	var bars []bar
	for i, h := range o.Hours {
		if share := of(h) / most; share > 0 {
			bars = append(bars, barOf(i, share))
		}
	}
	return bars
}

func (o Overview) paymentBars() []bar {
	return o.bars(func(h OverviewHour) float64 { return float64(h.Payments) })
}

func (o Overview) completedBars() []bar {
	return o.bars(func(h OverviewHour) float64 { return float64(h.Completed) })
}

func (o Overview) successBars() []bar {
	var bars []bar
	for i, h := range o.Hours {
		if h.Ended {
			bars = append(bars, barOf(i, max(h.Success/100, 0.01)))
		}
	}
	return bars
}

// rows are the hours in which there were payments, the newest first.
func (o Overview) rows() []OverviewRow {
	var rows []OverviewRow
	for i := len(o.Hours) - 1; i >= 0; i-- {
		if o.Hours[i].Payments > 0 {
			rows = append(rows, o.Hours[i].Row)
		}
	}
	return rows
}
