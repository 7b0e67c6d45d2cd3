package reference

import "strings"

// piece is a part of a text: words, or code between backticks.
type piece struct {
	text string
	code bool
}

// pieces splits a text at its backticks.
func pieces(text string) []piece {
	var list []piece
	for i, part := range strings.Split(text, "`") {
		if part != "" {
			list = append(list, piece{part, i%2 == 1})
		}
	}
	return list
}

// paragraphs splits a text at its empty lines.
func paragraphs(text string) []string { return strings.Split(text, "\n\n") }

// guideLinks are the pages of the guide in reading order.
var guideLinks = []struct{ name, title string }{
	{"signing", "Sign a request"}, {"java", "Java"}, {"csharp", "C#"}, {"generated", "Generated clients"},
	{"repeats", "Idempotency and repeats"}, {"webhooks", "Webhooks"},
	{"errors", "Error codes"}, {"limits", "Limits"}, {"portal", "Keys, portal calls and Connect"},
}
