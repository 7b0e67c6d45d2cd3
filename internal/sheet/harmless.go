package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// most is how many elements of a kind a file of a workbook may have. Of each
// cell style the library looks through the number formats, and of each sheet
// through the relationships; Excel itself makes no more than these.
var most = map[string]int{"c": maxCells, "xf": 1 << 16, "numFmt": 1000, "sheet": 1000, "Relationship": 10_000}

// deepest is how many elements may be in one another. Each that is open takes
// much more memory than it has bytes.
const deepest = 100

// longestFormat is how many bytes a number format may have. It is read again
// for each style.
const longestFormat = 2 * 255

// harmless refuses what the library that reads workbooks would not survive, or
// would keep quiet about: more of anything than there is memory or time for, a
// text by a number below zero, which panics where nobody can recover it, and a
// sheet that breaks off. A workbook may have a sheet in any of its files,
// whatever that is called.
func harmless(file *zip.File) error {
	content, err := file.Open()
	if err != nil {
		return ErrBook
	}
	defer func() { _ = content.Close() }()
	decoder := xml.NewDecoder(content)
	found, depth := map[string]int{}, 0
	for inside, shared, value := false, false, false; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if strings.HasSuffix(file.Name, ".xml") {
				return ErrBook
			}
			return nil // a picture, say: nobody reads cells of it
		}
		switch one := token.(type) {
		case xml.StartElement:
			if depth++; depth > deepest || !modest(one) {
				return ErrBook
			}
			if limit, limited := most[one.Name.Local]; limited {
				if found[one.Name.Local]++; found[one.Name.Local] > limit {
					return ErrLong
				}
			}
			switch one.Name.Local {
			case "c":
				if inside {
					return ErrBook
				}
				inside, shared = true, false
				for _, attribute := range one.Attr {
					shared = shared || attribute.Name.Local == "t" && attribute.Value == "s"
				}
			case "v":
				value = true
			}
		case xml.EndElement:
			depth--
			value = value && one.Name.Local != "v"
			inside = inside && one.Name.Local != "c"
		case xml.CharData:
			if shared && value && strings.HasPrefix(strings.TrimSpace(string(one)), "-") {
				return ErrBook
			}
		}
	}
}

// modest reports whether what an element says of itself is bounded: its number
// of parts, such as texts, for which the library makes room at once, and a
// number format.
func modest(one xml.StartElement) bool {
	for _, attribute := range one.Attr {
		switch attribute.Name.Local {
		case "count":
			if parts, err := strconv.Atoi(attribute.Value); err == nil && (parts < 0 || parts > maxCells) {
				return false
			}
		case "formatCode":
			if len(attribute.Value) > longestFormat {
				return false
			}
		}
	}
	return true
}
