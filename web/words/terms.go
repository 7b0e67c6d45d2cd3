package words

import (
	"strings"

	"gateway.example/internal/tongue"
)

// Terms are a language's word for each thing, by its English name. Whatever
// else speaks the language keeps to them.
func Terms(code string) map[string]string {
	terms := map[string]string{}
	for language, lines := range tongue.Parts(files, "terms.txt") {
		for _, line := range lines {
			if thing, stem, _ := strings.Cut(line, ": "); language == code {
				terms[thing] = stem
			}
		}
	}
	return terms
}
