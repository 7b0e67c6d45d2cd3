// Package tongue has the texts for traders in languages other than English and
// Russian: a catalogue for each, by the English text. It also reads other files
// of texts.
package tongue

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
)

// Catalogues are the languages that have a catalogue, complete or not.
var Catalogues = []string{"az", "kk", "tr", "uz"}

// Complete are the languages whose catalogue has every phrase that a trader can
// meet; only these are offered.
var Complete = []string{"az", "kk", "tr", "uz"}

// Offered tells that a trader may choose a language, by its code.
func Offered(language string) bool { return slices.Contains(Complete, language) }

//go:embed *.txt
var files embed.FS

// texts are the translations of each language, by the English text.
var texts = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range Catalogues {
		all[language] = Pairs(files, language+".txt")
	}
	return all
}()

// Texts are a language's translations, by the English text.
func Texts(language string) map[string]string { return texts[language] }

// Pairs are what a file of texts says by what: its parts have two lines.
func Pairs(files fs.FS, name string) map[string]string {
	pairs := map[string]string{}
	for key, lines := range Parts(files, name) {
		if len(lines) != 1 {
			panic(fmt.Sprintf("%s: %q has %d lines below it where there must be one", name, key, len(lines)))
		}
		pairs[key] = lines[0]
	}
	return pairs
}

// Parts are the first lines of the parts of a file of texts, with the lines
// below each. An empty line is between parts. Lines that begin with # are
// comments.
func Parts(files fs.FS, name string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		file, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err) // which names the file
		}
		seen := map[string]bool{}
		for part := range strings.SplitSeq(string(file), "\n\n") {
			lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(part), "\n"), func(line string) bool {
				return line == "" || strings.HasPrefix(line, "#")
			})
			if len(lines) == 0 {
				continue
			}
			if seen[lines[0]] {
				panic(fmt.Sprintf("%s: %q stands there twice", name, lines[0]))
			}
			seen[lines[0]] = true
			if !yield(lines[0], lines[1:]) {
				return
			}
		}
	}
}

// missed is told of every text that was asked for and has no translation. Only
// tests set it.
var missed atomic.Pointer[func(language, english string)]

// OnMissed has a function told of every text that lacks a translation, in a
// language that has a catalogue.
func OnMissed(tell func(language, english string)) { missed.Store(&tell) }

// In is an English text in a language that has a catalogue; without a
// translation it is the English. Other languages are not known here.
func In(language, english string) (text string, known bool) {
	catalogue, known := texts[language]
	if !known || english == "" {
		return english, known
	}
	if text := catalogue[english]; text != "" {
		return text, true
	}
	if tell := missed.Load(); tell != nil {
		(*tell)(language, english)
	}
	return english, true
}
