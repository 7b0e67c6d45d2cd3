package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// harmless refuses what the library that reads workbooks would not survive, or would keep quiet about: more cells than memory
// may have, a text by a number below zero, which panics where nobody can recover it, and a sheet that breaks off.
// A workbook may have a sheet in any of its files, whatever that is called.
func harmless(file *zip.File) error {
	content, err := file.Open()
	if err != nil {
		return ErrBook
	}
	defer func() { _ = content.Close() }()
	decoder := xml.NewDecoder(content)
	for cells, inside, shared, value := 0, false, false, false; ; {
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
			switch one.Name.Local {
			case "c":
				if cells++; cells > maxCells {
					return ErrLong
				}
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
			value = value && one.Name.Local != "v"
			inside = inside && one.Name.Local != "c"
		case xml.CharData:
			if shared && value && strings.HasPrefix(strings.TrimSpace(string(one)), "-") {
				return ErrBook
			}
		}
	}
}
