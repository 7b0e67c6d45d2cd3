// Package tongue has what traders read in languages other than English and Russian: a catalogue for each, by the English text.
package tongue

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Catalogues are all languages that have one, begun or complete.
var Catalogues = []string{"az", "kk", "tr", "uz"}

// Complete are those whose catalogue has everything that a trader meets: these are offered.
var Complete = []string{"az", "kk", "tr", "uz"}

// Offered tells that a trader may choose a language, by its code.
func Offered(language string) bool { return slices.Contains(Complete, language) }

// Entry is an English text with its translation.
type Entry struct{ English, Text string }

//go:embed *.txt
var files embed.FS

// texts are the translations of each language, by the English text.
var texts = func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, language := range Catalogues {
		all[language] = map[string]string{}
		for _, e := range Entries(language) {
			if all[language][e.English] != "" {
				panic(fmt.Sprintf("tongue: %s has two of %q", language, e.English))
			}
			all[language][e.English] = e.Text
		}
	}
	return all
}()

// Entries are a language's, in the order of its file: a line of English, a line of translation, and an empty line. Lines that
// begin with # are comments.
func Entries(language string) []Entry {
	file, err := files.ReadFile(language + ".txt")
	if err != nil {
		panic(fmt.Sprintf("tongue: %v", err))
	}
	var list []Entry
	for part := range strings.SplitSeq(string(file), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(part), "\n"), func(line string) bool {
			return line == "" || strings.HasPrefix(line, "#")
		})
		switch len(lines) {
		case 0:
		case 2:
			list = append(list, Entry{English: lines[0], Text: lines[1]})
		default:
			panic(fmt.Sprintf("tongue: %s has %d lines where there must be two: %q", language, len(lines), lines))
		}
	}
	return list
}

// missed is told of every text that was asked for and has no translation. Only tests set it.
var missed atomic.Pointer[func(language, english string)]

// OnMissed has a function told of every text that lacks a translation, in a language that has a catalogue.
func OnMissed(tell func(language, english string)) { missed.Store(&tell) }

// In is an English text in a language that has a catalogue; without a translation it is the English. Other languages are not
// known here.
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
