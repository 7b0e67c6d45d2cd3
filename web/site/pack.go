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

// packers are kept for the next answer: making one costs more than using it.
var packers = sync.Pool{New: func() any { return newPacker(flate.DefaultCompression) }}

func newPacker(level int) *flate.Writer {
	w, err := flate.NewWriter(nil, level)
	must(err)
	return w
}

// must is for errors that cannot be: the level is known, and a buffer takes
// everything.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// packedSheet is the stylesheet of the hosted pages, most of each of them, and
// the same packed, as part of a stream that it does not end.
var packedSheet = sync.OnceValues(func() (sheet, packed []byte) {
	sheet = []byte(paySheet())
	var out bytes.Buffer
	w := newPacker(flate.BestCompression)
	w.Reset(&out)
	_, err := w.Write(sheet)
	must(errors.Join(err, w.Flush()))
	return sheet, out.Bytes()
})

// pack compresses with gzip. What stands before and after the stylesheet of the
// hosted pages is packed around it: packing all of such a page was nearly half
// of what answering with it took. A page holds no secret of one party beside
// words of another's choice, so that its length tells nothing.
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
