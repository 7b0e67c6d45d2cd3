// Package say is what the portals say, in English and in Russian. A phrase without one of the two
// does not compile. What traders read has catalogues of more languages, by the English.
package say

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"gateway.example/internal/tongue"
)

// The languages of the portals.
const (
	English = "en"
	Russian = "ru"
)

// Phrase is a text in both languages, with places to fill as fmt has them.
type Phrase struct{ en, ru string }

// Both is a phrase of a feature, in English and in Russian.
func Both(en, ru string) Phrase { return Phrase{en, ru} }

// In is the phrase in a language, its places filled.
func (p Phrase) In(language string, fill ...any) string {
	text := p.en
	switch language {
	case English:
	case Russian:
		text = p.ru
	default:
		if p.en != p.ru { // what is the same in both is a name
			text, _ = tongue.In(language, p.en)
		}
	}
	if len(fill) == 0 {
		return text
	}
	return fmt.Sprintf(text, fill...)
}

//go:embed *.txt
var files embed.FS

// Names are the phrases of names.
type Names map[string]Phrase

// Read are the phrases that a file has for names: below a name the English and the Russian.
func Read(files fs.FS, file string) Names {
	names := Names{}
	for name, lines := range tongue.Parts(files, file) {
		if len(lines) != 2 {
			panic(fmt.Sprintf("%s: %q has %d lines below it where there must be two", file, name, len(lines)))
		}
		names[name] = Phrase{lines[0], lines[1]}
	}
	return names
}

// Of is a name's phrase. A name that has none stands for itself.
func (n Names) Of(name string) Phrase { return Named(n, name) }

// orNothing is a name's phrase, which is empty where there is none.
func (n Names) orNothing(name string) Phrase { return n[name] }

// Named is a name's phrase, as Names has it.
func Named(names map[string]Phrase, name string) Phrase {
	if p, known := names[name]; known {
		return p
	}
	return Phrase{name, name}
}

// Count is a phrase about a number of things, in the forms that the languages have for it. Each form
// has a place for the number.
type Count struct {
	en [2]string
	ru [3]string
}

// In is the phrase for a number.
func (c Count) In(language string, n int) string {
	if language == Russian {
		return fmt.Sprintf(c.ru[russianForm(n)], n)
	}
	// The languages with a catalogue have one form after a number.
	form, known := tongue.In(language, c.en[1])
	if !known && n == 1 {
		form = c.en[0]
	}
	return fmt.Sprintf(form, n)
}

// russianForm is which of its three forms a Russian noun takes after a number.
func russianForm(n int) int {
	switch {
	case n%10 == 1 && n%100 != 11:
		return 0
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		return 1
	}
	return 2
}

// Flash is what a page says once of what has just been done. Tone is the stylesheet's; "" is good.
type Flash struct {
	Text Phrase
	Tone string
}

// Flashes are what pages say once, by the word for what was done. The file has the tone of one that is not good behind its word.
var Flashes = func() map[string]Flash {
	flashes := map[string]Flash{}
	for name, text := range Read(files, "flash.txt") {
		word, tone, _ := strings.Cut(name, " ")
		flashes[word] = Flash{text, tone}
	}
	return flashes
}()
