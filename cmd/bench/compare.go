package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
)

// result is what is compared of a run.
type result struct {
	Samples map[string][]float64 `json:"samples"`
}

// compare writes two results beside one another. Where the samples of the one do not reach those of the
// other, and there are several of each, they differ by more than the runs do.
func compare(w io.Writer, paths []string) error {
	var reports [2]*report
	for i, path := range paths {
		content, err := os.ReadFile(path) //nolint:gosec // the caller's own
		if err != nil {
			return fmt.Errorf("read a result: %w", err)
		}
		var read result
		if err := json.Unmarshal(content, &read); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		reports[i] = newReport()
		reports[i].samples = read.Samples
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "what\tfirst\tfrom\tto\tsecond\tfrom\tto\tsecond/first\t")
	for _, f := range figures() {
		a, b := reports[0].value(f), reports[1].value(f)
		if a == nil || b == nil {
			continue
		}
		of, by := reports[0].samples[f.name], reports[1].samples[f.name]
		quotient, differ := "-", ""
		if *a != 0 {
			quotient = fmt.Sprintf("%.2f", *b / *a)
		}
		if min(len(of), len(by)) > 1 && (slices.Max(of) < slices.Min(by) || slices.Max(by) < slices.Min(of)) {
			differ = "differ"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.name, short(*a), short(slices.Min(of)), short(slices.Max(of)),
			short(*b), short(slices.Min(by)), short(slices.Max(by)), quotient, differ)
	}
	return table.Flush()
}
