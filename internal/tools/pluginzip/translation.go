package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// read reads the texts of a .po file: translations by what they translate.
// Plurals and contexts are unknown to it.
func read(po []byte) (map[string]string, error) {
	texts := map[string]string{}
	var id, translation string
	into := &id
	keep := func() {
		if translation != "" {
			texts[id] = translation
		}
		id, translation = "", ""
	}
	for number, line := range strings.Split(string(po), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "msgid "):
			keep()
			into, line = &id, strings.TrimPrefix(line, "msgid ")
		case strings.HasPrefix(line, "msgstr "):
			into, line = &translation, strings.TrimPrefix(line, "msgstr ")
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is none of a .po file", number+1)
		}
		*into += text
	}
	keep()
	return texts, nil
}

// compile makes of a .po file what gettext and WordPress read, a .mo file: a
// head, two tables with the length and place of each text, sorted, and the
// texts.
func compile(po []byte) ([]byte, error) {
	texts, err := read(po)
	if err != nil {
		return nil, err
	}
	const magic, head, row = 0x950412de, 28, 8
	ids := slices.Sorted(maps.Keys(texts))
	count := uint32(len(ids))
	place := head + 2*row*count
	var tables, content bytes.Buffer
	for _, of := range []func(string) string{func(id string) string { return id }, func(id string) string { return texts[id] }} {
		for _, id := range ids {
			text := of(id)
			length := uint32(len(text))
			tables.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, length), place))
			content.WriteString(text + "\x00")
			place += length + 1
		}
	}
	var out bytes.Buffer
	for _, word := range []uint32{magic, 0, count, head, head + row*count, 0, head + 2*row*count} {
		out.Write(binary.LittleEndian.AppendUint32(nil, word))
	}
	out.Write(tables.Bytes())
	out.Write(content.Bytes())
	return out.Bytes(), nil
}
