package main

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
)

// eventName is a literal that names a type of webhook.
var eventName = regexp.MustCompile(`^(payment|payin|deposit|appeal|withdrawal)(\.[a-z_]+)+$`)

// eventTable lists every type of webhook. It fails where the code has one that
// webhook.proto does not describe.
func eventTable(src source, described description) (string, error) {
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
	for event := range found {
		if described.Webhooks[event].Post.Description == "" {
			return "", fmt.Errorf("the webhook %s is not described: do so in webhook.proto", event)
		}
	}
	var rows [][]string
	for _, event := range slices.Sorted(maps.Keys(described.Webhooks)) {
		if !found[event] {
			return "", fmt.Errorf("webhook.proto describes the webhook %s, which the code does not send", event)
		}
		rows = append(rows, []string{code(event), described.Webhooks[event].Post.Description})
	}
	return table([]string{"type", "when it is sent"}, rows), nil
}
