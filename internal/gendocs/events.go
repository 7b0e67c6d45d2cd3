package main

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
)

// eventName is a literal that names a type of webhook.
var eventName = regexp.MustCompile(`^(payment|payin|deposit|appeal)(\.[a-z_]+)+$`)

// eventTable lists every type of webhook. It fails where the code has one that is not described.
func eventTable(src source) (string, error) {
	found := map[string]bool{}
	src.inspect(func(_ string, node ast.Node) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return
		}
		for _, text := range texts(spec.Values) {
			if eventName.MatchString(text) {
				found[text] = true
			}
		}
	})
	var rows [][]string
	for _, event := range slices.Sorted(maps.Keys(found)) {
		if events[event] == "" {
			return "", fmt.Errorf("the webhook %s is not described: do so in internal/gendocs/remedies.go", event)
		}
		rows = append(rows, []string{code(event), events[event]})
	}
	for event := range events {
		if !found[event] {
			return "", fmt.Errorf(
				"internal/gendocs/remedies.go describes the webhook %s, which the code does not send",
				event,
			)
		}
	}
	return table([]string{"type", "when it is sent"}, rows), nil
}
