package site

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sync"
)

// gzipHeader begins a stream of RFC 1952: deflated, no name, no time.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// packers keeps compressors for later answers, because making one costs more
// than using it.
var packers = sync.Pool{New: func() any { return newPacker(flate.DefaultCompression) }}

func newPacker(level int) *flate.Writer {
	w, err := flate.NewWriter(nil, level)
	must(err)
	return w
}

// must panics on errors that cannot happen: the level is valid, and a buffer
// accepts everything.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// packedSheet is the stylesheet of the hosted pages, which is most of each
// page, and the same compressed, as a part of a stream that it does not end.
var packedSheet = sync.OnceValues(func() (sheet, packed []byte) {
	sheet = []byte(paySheet())
	var out bytes.Buffer
	w := newPacker(flate.BestCompression)
	w.Reset(&out)
	_, err := w.Write(sheet)
	must(errors.Join(err, w.Flush()))
	return sheet, out.Bytes()
})

// pack compresses with gzip. The stylesheet of the hosted pages is compressed
// once, and the rest of such a page around it: to compress all of it took
// nearly half of the time of an answer. The length of an answer tells nothing,
// because no page has a secret of one party beside a text that another one
// chose.
func pack(content []byte) []byte {
	w, _ := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	var out bytes.Buffer
	out.Write(gzipHeader)
	w.Reset(&out)
	rest := content
	if bytes.Contains(content, []byte("<style>")) { // few others have any inline
		sheet, packed := packedSheet()
		if before, after, styled := bytes.Cut(content, sheet); styled {
			_, err := w.Write(before)
			must(errors.Join(err, w.Flush()))
			out.Write(packed)
			w.Reset(&out)
			rest = after
		}
	}
	_, err := w.Write(rest)
	must(errors.Join(err, w.Close()))
	end := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(content))
	out.Write(binary.LittleEndian.AppendUint32(end, uint32(len(content))))
	return out.Bytes()
}
