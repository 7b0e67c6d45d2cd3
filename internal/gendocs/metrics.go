package main

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gateway.example/internal/tongue"
)

// alerts say when to alert on each metric.
var alerts = tongue.Pairs(files, "alerts.txt")

// metricName is a literal that names a metric of ours.
var metricName = regexp.MustCompile(`^gateway_[a-z_]+$`)

// metricTable lists every metric with its help.
func metricTable(src source) (string, error) {
	names, helps := metricsOf(src)
	known := map[string]bool{}
	var rows [][]string
	for _, metric := range slices.Sorted(maps.Keys(names)) {
		alert := alerts[metric]
		if helps[metric] == "" || alert == "" {
			return "", fmt.Errorf("%s: the metric %s has no help, or internal/gendocs/alerts.txt does not say when to alert on it",
				names[metric], metric)
		}
		known[metric] = true
		rows = append(rows, []string{code(metric), strings.TrimSpace(sentence(helps[metric])), alert})
	}
	for metric := range alerts {
		if !known[metric] {
			return "", fmt.Errorf("internal/gendocs/alerts.txt has an alert for %s, which is no metric", metric)
		}
	}
	return table([]string{"metric", "meaning", "alert"}, rows), nil
}

// metricsOf finds the names of metrics with the files that have them, and what
// is said of each. A metric is written in one of three ways: as options with
// Name and Help, as a call whose argument after the name is the help, or as a
// key of a map whose value begins with the help.
func metricsOf(src source) (names, helps map[string]string) {
	names, helps = map[string]string{}, map[string]string{}
	src.inspect(func(path string, node ast.Node) {
		switch node := node.(type) {
		case *ast.BasicLit:
			if text, ok := literal(node); ok && metricName.MatchString(text) {
				names[text] = path
			}
		case *ast.CompositeLit:
			f := fields(node)
			if f["Name"] != nil && f["Help"] != nil {
				metric, _ := literal(f["Name"])
				helps[metric], _ = literal(f["Help"])
			}
		case *ast.CallExpr:
			for i := range len(node.Args) - 1 {
				if metric, ok := literal(node.Args[i]); ok && metricName.MatchString(metric) {
					helps[metric], _ = literal(node.Args[i+1])
				}
			}
		case *ast.KeyValueExpr:
			metric, ok := literal(node.Key)
			if value, isComposite := node.Value.(*ast.CompositeLit); ok && isComposite && len(value.Elts) > 0 {
				helps[metric], _ = literal(value.Elts[0])
			}
		}
	})
	return names, helps
}
