// Package say has the texts of the portals, in English and in Russian. A phrase
// without one of the two does not compile. What traders read has catalogues of
// more languages, by the English.
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

// Phrase is a text in both languages, with verbs of package fmt for its values.
type Phrase struct{ en, ru string }

// Both makes a phrase of a feature from its English and Russian text.
func Both(en, ru string) Phrase { return Phrase{en, ru} }

// In is the phrase in a language, with its values inserted.
func (p Phrase) In(language string, fill ...any) string {
	text := p.en
	switch language {
	case English:
	case Russian:
		text = p.ru
	default:
		if p.en != p.ru { // a text that is the same in both is a name
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

// Read reads the phrases of names from a file. Below each name are the English
// and the Russian text.
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

// Of is the phrase of a name. A name without a phrase is shown as it is.
func (n Names) Of(name string) Phrase { return Named(n, name) }

// orNothing is the phrase of a name, or an empty phrase.
func (n Names) orNothing(name string) Phrase { return n[name] }

// Named is the phrase of a name, as Names.Of returns it.
func Named(names map[string]Phrase, name string) Phrase {
	if p, known := names[name]; known {
		return p
	}
	return Phrase{name, name}
}

// Count is a phrase about a number of things, in the plural forms of both
// languages. Each form has a place for the number.
type Count struct {
	en [2]string
	ru [3]string
}

// In is the phrase for a number.
func (c Count) In(language string, n int) string {
	if language == Russian {
		return fmt.Sprintf(c.ru[russianForm(n)], n)
	}
	// The languages with a catalogue need only one form after a number.
	form, known := tongue.In(language, c.en[1])
	if !known && n == 1 {
		form = c.en[0]
	}
	return fmt.Sprintf(form, n)
}

// russianForm is the index of the plural form that a Russian noun has after a
// number.
func russianForm(n int) int {
	switch {
	case n%10 == 1 && n%100 != 11:
		return 0
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		return 1
	}
	return 2
}

// Flash is a message that is shown once about what has just been done. Tone is
// a CSS class; "" means that it went well.
type Flash struct {
	Text Phrase
	Tone string
}

// Flashes are the messages about what was done, by name. In the file, a message
// that is not good has its tone after the name.
var Flashes = func() map[string]Flash {
	flashes := map[string]Flash{}
	for name, text := range Read(files, "flash.txt") {
		word, tone, _ := strings.Cut(name, " ")
		flashes[word] = Flash{text, tone}
	}
	return flashes
}()
