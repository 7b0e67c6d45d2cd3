package directory_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// headOf is a PNG that says how large it is, and ends.
func headOf(width, height uint32) []byte {
	chunk := append([]byte("IHDR"), make([]byte, 8)...)
	binary.BigEndian.PutUint32(chunk[4:], width)
	binary.BigEndian.PutUint32(chunk[8:], height)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	head := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), chunk...)
	return binary.BigEndian.AppendUint32(head, crc32.ChecksumIEEE(chunk))
}

// half is a picture whose left half is red, and whose right is nothing.
func half(width, height int) image.Image {
	of := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width / 2 {
			of.SetNRGBA(x, y, color.NRGBA{R: 0xff, A: 0xff})
		}
	}
	return of
}

func encoded(t *testing.T, of image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	testenv.NoError(t, png.Encode(&out, of))
	return out.Bytes()
}

// A logo is drawn anew, small, with what is transparent in it, and nothing of the file besides. It is found by its hash
// until it is removed, and the log tells of both. A file that is no picture, is too large, or would take long to
// draw is refused by its first bytes: the large one here has no others.
func TestPageLogo(t *testing.T) {
	b := setup(t)
	id, owner := b.merchant.CashboxID, userOf(b.merchant, caller.Owner)
	looks := directory.NewLooks(b.Pools())
	set := func(file []byte) (directory.OwnLook, error) {
		return b.settings.UpdateOwnLook(ctx, owner, directory.LookUpdate{CashboxID: id, Logo: file})
	}
	for size, want := range map[image.Point]image.Point{
		{480, 480}: {96, 96}, {1000, 100}: {240, 24}, {30, 20}: {30, 20}, {2000, 1}: {240, 1}, {1, 2000}: {1, 96},
	} {
		look := testenv.Must(set(append(encoded(t, half(size.X, size.Y)), "<script>kept</script>"...)))(t)
		kept := testenv.Must(looks.PageLogo(ctx, look.Logo))(t)
		drawn := testenv.Must(png.Decode(bytes.NewReader(kept)))(t)
		testenv.Check(t, drawn.Bounds().Size() == want && !bytes.Contains(kept, []byte("kept")),
			"%v becomes %v", size, drawn.Bounds())
		left, right := drawn.At(0, 0), drawn.At(want.X-1, 0)
		_, _, _, alpha := right.RGBA()
		testenv.Check(t, want.X <= 1 || left == color.NRGBA{R: 0xff, A: 0xff} && alpha == 0,
			"%v: %v and %v", size, left, right)
	}
	var photo bytes.Buffer
	testenv.NoError(t, jpeg.Encode(&photo, half(64, 64), nil))
	look := testenv.Must(set(photo.Bytes()))(t)
	for _, test := range []struct {
		want string
		file []byte
	}{
		{directory.LogoTooWide, headOf(directory.MaxLogo, 8)},
		{directory.LogoTooLarge, bytes.Repeat(encoded(t, half(8, 8)), 1+directory.MaxLogo/64)},
		{directory.LogoNoImage, []byte("<svg onload=alert(1)>")},
		{directory.LogoNoImage, headOf(8, 8)},
		{directory.LogoNoImage, append(photo.Bytes(), strings.Repeat("\xff\xda", 100)...)},
	} {
		_, err := set(test.file)
		dbtest.WantFields(t, err, "logo")
		if f := fault.As(err); f != nil && f.Fields["logo"][0] != test.want {
			t.Errorf("%s, want %s", f.Fields["logo"], test.want)
		}
	}
	testenv.Check(t, look.Logo != "", "the photo is no logo")
	testenv.Want(t, testenv.Must(looks.Of(ctx, id))(t).Logo, look.Logo, "the logo")
	after, err := set([]byte{})
	testenv.Check(t, err == nil && after.Logo == "" && after.Version() != look.Version(), "%+v, %v", after, err)
	_, err = looks.PageLogo(ctx, look.Logo)
	testenv.Check(t, fault.As(err) == fault.ErrNotFound, "%v", err)
	count := b.Count(t, `select count(*) from setting_change where before->>'page_logo_hash' = $1 and
		after->'page_logo_hash' = 'null' and not after ? 'page_logo'`, look.Logo)
	testenv.Check(t, count == 1, "%d changes tell that it is gone", count)
}
