package attachment

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"gateway.example/internal/fault"
)

// A photo of a receipt says where and when it was taken, and by which device.
// The trader who sees it is a stranger to the payer, so that is removed before
// the file is stored, without encoding anything anew. The orientation and the
// colour profile stay, because showing the picture needs them. A PDF is stored
// unchanged: its metadata cannot be removed without rewriting it.

// WithoutMetadata is a file of a media type without its metadata, and the new
// size. A picture that is damaged behind its first pixels ends where it is
// damaged, as decoders show it; one without pixels is refused, because whatever
// it tells would be kept.
func WithoutMetadata(file *io.SectionReader, media string) (io.Reader, int64, error) {
	k := keeping{file: file}
	var err error
	switch media {
	case "image/jpeg":
		err = k.jpeg()
	case "image/png":
		err = k.png()
	case "image/webp":
		err = k.webp()
	default:
		k.keep(0, file.Size())
		k.pictured = true
	}
	switch {
	case err != nil && !damaged(err):
		return nil, 0, err
	case !k.pictured:
		return nil, 0, fault.Fields{"file": {"is damaged: it cannot be read as a picture"}}.Err()
	}
	return io.MultiReader(k.parts...), k.size, nil
}

func damaged(err error) bool {
	return errors.Is(err, errOtherwiseBuilt) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// maxPieces is more segments or chunks than a picture has, which are remembered
// one by one.
const maxPieces = 100_000

var errOtherwiseBuilt = errors.New("the file is not built as its type says")

// keeping collects the parts of a file that are kept, in order.
type keeping struct {
	file  *io.SectionReader
	parts []io.Reader
	size  int64
	// pictured tells that pixels were found.
	pictured bool
	// way is the orientation that a JPEG states, 0 if it is upright.
	way int
}

func (k *keeping) keep(from, size int64) {
	k.parts, k.size = append(k.parts, io.NewSectionReader(k.file, from, size)), k.size+size
}

func (k *keeping) put(content []byte) {
	k.parts, k.size = append(k.parts, bytes.NewReader(content)), k.size+int64(len(content))
}

// read reads bytes at a position.
func (k *keeping) read(at, size int64) ([]byte, error) {
	if at+size > k.file.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	content := make([]byte, size)
	_, err := k.file.ReadAt(content, at)
	if errors.Is(err, io.EOF) && at+size == k.file.Size() {
		err = nil
	}
	return content, err
}

// The JPEG markers that matter here.
const (
	markStart = 0xd8
	markEnd   = 0xd9
	markScan  = 0xda
	markApp0  = 0xe0
	markExif  = 0xe1
	markICC   = 0xe2
	markAdobe = 0xee // says how colours are encoded
	markApp15 = 0xef
	markText  = 0xfe
)

// jpeg keeps what shows the first picture of a JPEG, and notes its orientation.
// What was kept before an error stays in k, and the caller decides by pictured
// whether it serves.
func (k *keeping) jpeg() error {
	head, err := k.read(0, 2)
	if err != nil || head[0] != 0xff || head[1] != markStart {
		return errors.Join(errOtherwiseBuilt, err)
	}
	k.keep(0, 2)
	at := int64(2)
	for range maxPieces {
		mark, err := k.read(at, 2)
		if err != nil {
			return err
		}
		switch {
		case mark[0] != 0xff || mark[1] == 0xff: // other bytes, or a fill byte: decoders pass over both
			if at, err = k.scanned(at); err != nil {
				return err
			}
			continue
		case mark[1] == markEnd:
			k.keep(at, 2)
			return nil // after the picture only another picture or a film follows
		}
		length, err := k.read(at+2, 2)
		if err != nil {
			return err
		}
		size := 2 + int64(binary.BigEndian.Uint16(length))
		if size < 4 || at+size > k.file.Size() {
			return errOtherwiseBuilt
		}
		if err := k.segment(mark[1], at, size); err != nil {
			return err
		}
		at += size
		if mark[1] == markScan {
			end, err := k.scanned(at)
			if err != nil {
				return err
			}
			k.keep(at, end-at)
			k.pictured, at = true, end
		}
	}
	return errOtherwiseBuilt
}

// segment keeps a segment of a JPEG that belongs to the picture.
func (k *keeping) segment(mark byte, at, size int64) error {
	begins := func(with string) bool {
		if size < int64(4+len(with)) {
			return false
		}
		got, err := k.read(at+4, int64(len(with)))
		return err == nil && string(got) == with
	}
	const exif = "Exif\x00\x00"
	switch {
	case mark == markExif && begins(exif):
		content, err := k.read(at+10, size-10)
		if err != nil {
			return err
		}
		if tiff := onlyOrientation(content); tiff != nil {
			k.way = int(tiff[orientationAt])
			k.put(append([]byte{0xff, markExif, 0, byte(2 + len(exif) + len(tiff))}, exif+string(tiff)...))
		}
	case mark == markText,
		mark == markApp0 && !begins("JFIF\x00"),
		mark == markICC && !begins("ICC_PROFILE\x00"),
		mark > markApp0 && mark <= markApp15 && mark != markICC && mark != markAdobe:
	default:
		k.keep(at, size)
	}
	return nil
}

// scanned finds the next marker after the pixels that begin at a position, or
// the end of the file.
func (k *keeping) scanned(at int64) (int64, error) {
	pixels := bufio.NewReader(io.NewSectionReader(k.file, at, k.file.Size()-at))
	marked := false
	for ; ; at++ {
		b, err := pixels.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return at, nil
		case err != nil:
			return 0, err
		case marked && b != 0 && b != 0xff && (b < 0xd0 || b > 0xd7): // not stuffed, nor a restart
			return at - 1, nil
		}
		marked = b == 0xff
	}
}

// maxExif is more than EXIF data needs up to the end of its first directory.
const maxExif = 64 << 10

// png keeps all chunks of a PNG but texts, time and EXIF, of which only the
// orientation stays. It checks neither the signature nor checksums. Pixels that
// reach beyond the end of the file are kept as far as they go, with an error.
func (k *keeping) png() error {
	const signature = 8
	k.keep(0, signature)
	at := int64(signature)
	for range maxPieces {
		head, err := k.read(at, 8)
		if err != nil {
			return err
		}
		kind, data := string(head[4:]), int64(binary.BigEndian.Uint32(head))
		size := 12 + data
		pixels := kind == "IDAT"
		k.pictured = k.pictured || pixels
		if left := k.file.Size() - at; size > left {
			if pixels {
				k.keep(at, left)
			}
			return errOtherwiseBuilt
		}
		switch kind {
		case "tEXt", "zTXt", "iTXt", "tIME":
		case "eXIf":
			content, err := k.read(at+8, min(data, maxExif))
			if err != nil {
				return err
			}
			if tiff := onlyOrientation(content); tiff != nil {
				chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(tiff))), kind+string(tiff)...)
				k.put(binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:])))
			}
		case "IEND":
			k.keep(at, size)
			return nil
		default:
			k.keep(at, size)
		}
		at += size
	}
	return errOtherwiseBuilt
}

// The flags of an extended WebP for the removed chunks.
const (
	webpXMP  = 0x04
	webpExif = 0x08
)

// webp keeps the pieces of the picture, and writes the head anew with their
// size. A damaged file ends where it is damaged and is no error. Of EXIF only
// the orientation stays, if the file has flags that can announce it.
func (k *keeping) webp() error {
	head, err := k.read(0, 12)
	if err != nil {
		return err
	}
	var w webp
	if err := k.pieces(&w, 8+int64(binary.LittleEndian.Uint32(head[4:]))); err != nil && !damaged(err) {
		return err
	}
	if w.exif != nil && w.extended != nil {
		w.extended[8] |= webpExif
		k.put(append(binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(w.exif))), w.exif...))
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(4+k.size))
	k.parts, k.size = append([]io.Reader{bytes.NewReader(head)}, k.parts...), k.size+int64(len(head))
	return nil
}

// webp is what the pieces of a WebP tell: its orientation as EXIF, and its
// piece with the flags.
type webp struct{ exif, extended []byte }

// pieces keeps the pieces of a WebP that belong to the picture, up to the end
// that the file states.
func (k *keeping) pieces(w *webp, end int64) error {
	end = min(end, k.file.Size())
	at := int64(12)
	for range maxPieces {
		if at >= end {
			return nil
		}
		chunk, err := k.read(at, 8)
		if err != nil {
			return err
		}
		kind, data := string(chunk[:4]), int64(binary.LittleEndian.Uint32(chunk[4:]))
		size := min(8+data+data%2, end-at) // the last zero may be missing
		pixels := kind == "VP8 " || kind == "VP8L" || kind == "ANMF"
		k.pictured = k.pictured || pixels
		if size < 8+data {
			if pixels {
				k.keep(at, size)
			}
			return errOtherwiseBuilt
		}
		switch kind {
		case "XMP ":
		case "EXIF":
			content, err := k.read(at+8, min(data, maxExif))
			if err != nil {
				return err
			}
			w.exif = onlyOrientation(bytes.TrimPrefix(content, []byte("Exif\x00\x00")))
		case "VP8X":
			head, err := k.read(at, size)
			if err != nil || data < 1 {
				return errors.Join(errOtherwiseBuilt, err)
			}
			head[8] &^= webpXMP | webpExif
			w.extended = head
			k.put(head)
		default:
			k.keep(at, size)
		}
		at += size
	}
	return errOtherwiseBuilt
}

const (
	tagOrientation = 0x0112
	upright        = 1
	orientations   = 8
	// orientationAt is the offset of the orientation in the result of
	// onlyOrientation.
	orientationAt = 19
)

// onlyOrientation is EXIF data with nothing but the orientation; nil if the
// picture is upright or the data do not state it.
func onlyOrientation(tiff []byte) []byte {
	if len(tiff) < 8 {
		return nil
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	first := int64(order.Uint32(tiff[4:]))
	if first+2 > int64(len(tiff)) {
		return nil
	}
	const entry = 12
	at := first + 2
	for range order.Uint16(tiff[first:]) {
		if at+entry > int64(len(tiff)) {
			return nil
		}
		if order.Uint16(tiff[at:]) == tagOrientation {
			way := order.Uint16(tiff[at+8:])
			if way <= upright || way > orientations {
				return nil
			}
			return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(way), 0, 0, 0, 0, 0, 0}
		}
		at += entry
	}
	return nil
}
