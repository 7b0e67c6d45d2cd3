package directory_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/testenv"
)

func TestLook(t *testing.T) {
	b := setup(t)
	id := b.merchant.CashboxID
	want := func(want directory.Look) {
		t.Helper()
		want.Merchant, want.ReturnAutomatic = "Merchant", true
		testenv.Want(t, testenv.Must(directory.NewLooks(b.Pools()).Of(ctx, id))(t), want, "look")
	}
	want(directory.Look{})
	key := strconv.FormatInt(id, 10)
	made(b.boxSet(directory.CashboxUpdate{PageColor: new("#1A6B54")}))(t, "cashbox", key, "page_color", nil, "#1a6b54")
	made(b.boxSet(directory.CashboxUpdate{FrameOrigin: new("https://Shop.example:8443")}))(
		t, "cashbox", key, "frame_origin", nil, "https://shop.example:8443")
	// What is not named stays.
	want(directory.Look{Color: "#1a6b54", FrameOrigin: "https://shop.example:8443"})
	made(b.boxSet(directory.CashboxUpdate{PageColor: new(""), FrameOrigin: new("")}))(
		t, "cashbox", key, "frame_origin", "https://shop.example:8443", nil)
	want(directory.Look{})
	dbtest.WantCode(t, testenv.ErrOf(directory.NewLooks(b.Pools()).Of(ctx, 1<<40)), "not_found")
}

// Nothing gets into a policy or a stylesheet but an origin and a colour.
func TestLookIsChecked(t *testing.T) {
	b := setup(t)
	for _, color := range []string{"red", "#fff", "1a6b54", "#1a6b5g", "#1a6b54;", " #1a6b54", "#1a6b54ff"} {
		dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{PageColor: &color})), "pageColor")
	}
	for _, origin := range []string{
		"http://shop.example", "shop.example", "https://", "https://shop.example/", "https://shop.example/path", "https://*.example",
		"https://shop.example; script-src *", "https://shop.example https://other.example", "https://user@shop.example", "'self'", "*",
		"https://shop.example:0", "https://shop.example:123456", "https://-shop.example", "https://shop.example?x", "https://localhost",
		"https://10.0.0.1", "https://shop.example\n", "https://" + strings.Repeat("a.", 130) + "example",
	} {
		dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{FrameOrigin: &origin})), "frameOrigin")
	}
	dbtest.WantFields(t, testenv.ErrOf(b.boxSet(directory.CashboxUpdate{
		PageColor: new("red"), FrameOrigin: new("*"), TraderID: new(int64(1 << 40)),
	})), "pageColor", "frameOrigin", "traderCashboxId")
}

// A merchant's owners and developers change the look of their own cashboxes,
// and of what was not seen to be otherwise. The version changes with every
// field, and with nothing else.
func TestOwnLook(t *testing.T) {
	b := setup(t)
	owner, developer := b.merchant.User(caller.Owner), b.merchant.User(caller.Developer)
	id := b.merchant.CashboxID
	look := func() directory.OwnLook {
		t.Helper()
		list := testenv.Must(b.settings.OwnLooks(ctx, developer))(t)
		testenv.Need(t, len(list) == 1 && list[0].CashboxID == id, "%+v", list)
		return list[0]
	}
	seen := []string{look().Version()}
	for name, u := range map[string]directory.LookUpdate{
		"colour": {Color: new("#1A6B54")}, "frame": {FrameOrigin: new("https://shop.example")},
		"hosts": {ReturnHosts: &[]string{"Shop.example"}}, "events": {PayerEvents: new(true)},
	} {
		u.CashboxID, u.Version = id, look().Version()
		after, err := b.settings.UpdateOwnLook(ctx, owner, u)
		testenv.Check(t, err == nil && after.Version() == look().Version() && !slices.Contains(seen, after.Version()),
			"%s: %+v, %v", name, after, err)
		seen = append(seen, after.Version())
		_, err = b.settings.UpdateOwnLook(ctx, owner, u)
		testenv.Check(t, errors.Is(err, directory.ErrLookChanged), "%s, with what was seen before: %v", name, err)
	}
	got := look()
	testenv.Check(t, got.Color == "#1a6b54" && got.FrameOrigin == "https://shop.example" && got.PayerEvents &&
		slices.Equal(got.ReturnHosts, []string{"shop.example"}) && got.Merchant == "Merchant", "%+v", got)
	after, err := b.settings.UpdateOwnLook(ctx, developer, directory.LookUpdate{CashboxID: id, Color: new("")})
	testenv.Check(t, err == nil && after.Color == "" && after.FrameOrigin == "https://shop.example",
		"without a version: %+v, %v", after, err)
}

// Others change nothing: not those whose role does not include it, not those
// who only look, and nobody of another merchant, to whom the cashbox is not
// there.
func TestOwnLookOfOthers(t *testing.T) {
	b := setup(t)
	other := b.NewMerchant(t, dbtest.MerchantOpts{})
	viewer := b.merchant.User(caller.Owner)
	viewer.ViewAs = true
	u := directory.LookUpdate{CashboxID: b.merchant.CashboxID, Color: new("#123456")}
	for _, test := range []struct {
		who  caller.Caller
		want error
	}{
		{b.merchant.User(caller.Finance), fault.ErrRoleNotAllowed},
		{b.merchant.User(caller.Support), fault.ErrRoleNotAllowed},
		{viewer, fault.ErrViewOnly},
		{other.User(caller.Owner), fault.ErrNotFound},
	} {
		testenv.WantError(t, testenv.ErrOf(b.settings.UpdateOwnLook(ctx, test.who, u)), test.want, "%+v", test.who)
	}
	testenv.WantError(t, testenv.ErrOf(b.settings.OwnLooks(ctx, b.merchant.User(caller.Support))), fault.ErrRoleNotAllowed, "support")
	testenv.Must(b.settings.OwnLooks(ctx, viewer))(t) // as the owner
	list, err := b.settings.OwnLooks(ctx, b.merchant.User(caller.Owner))
	testenv.Check(t, err == nil && list[0].Color == "", "%+v, %v", list, err)
}

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

// A logo is drawn anew, small, with what is transparent in it, and nothing of
// the file besides. It is found by its hash until it is removed, and the log
// tells of both. A file that is no picture, is too large, or would take long to
// draw is refused by its first bytes: the large one here has no others.
func TestPageLogo(t *testing.T) {
	b := setup(t)
	id, owner := b.merchant.CashboxID, b.merchant.User(caller.Owner)
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

// The hosts that payers may be led back to are names, kept in small letters.
// Unset leaves them, and an empty list is any.
func TestReturnHosts(t *testing.T) {
	b := setup(t)
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	set := func(hosts ...string) (directory.Change, error) {
		return b.boxSet(directory.CashboxUpdate{ReturnHosts: &hosts})
	}
	want := func(c directory.Change, err error, before, after []any) {
		t.Helper()
		testenv.Need(t, err == nil && c.Subject == "cashbox" && c.SubjectKey == box && c.Actor == "operator:9", "%+v, %v", c, err)
		got, want := []any{value(t, c.Before, "return_hosts"), value(t, c.After, "return_hosts")}, []any{before, after}
		testenv.Check(t, reflect.DeepEqual(got, want), "before and after: %v, want %v", got, want)
	}
	label := strings.Repeat("a", 63)
	two := []any{"shop.example", label + ".pay-1.example"}
	c, err := set("Shop.EXAMPLE", label+".pay-1.example")
	want(c, err, []any{}, two)
	c, err = b.boxSet(directory.CashboxUpdate{ReturnAutomatic: new(true)})
	want(c, err, two, two)
	c, err = set()
	want(c, err, two, []any{})
	c, err = set("Пример.рф") // other letters are kept as browsers send them
	want(c, err, []any{}, []any{"xn--e1afmkfd.xn--p1ai"})
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("shop%d.example", i)
	}
	_, err = set(many[:50]...)
	testenv.Check(t, err == nil, "50 hosts: %v", err)
	dbtest.WantFields(t, testenv.ErrOf(set(many...)), "returnHosts")
	for _, host := range []string{
		"", " ", "shop", "shop.example.", ".example", "shop..example", "https://shop.example", "shop.example/", "shop.example:443",
		"*.example", "-shop.example", "shop-.example", "127.0.0.1", "[::1]", "shop example", "user@shop.example",
		"a" + label + ".example", "пример..рф", "пример",
	} {
		dbtest.WantFields(t, testenv.ErrOf(set("good.example", host)), "returnHosts")
	}
}

// How long a payment waits for a claimed transfer, and how many cards may be
// tried, are 900 seconds and 3 until an operator sets them, and stay as they
// are where a call leaves them out.
func TestClaimSecondsAndCards(t *testing.T) {
	b := setup(t)
	box := strconv.FormatInt(b.merchant.CashboxID, 10)
	m := directory.CashboxMethod{CashboxID: b.merchant.CashboxID, Name: "mtstpay", Enabled: true, ValiditySeconds: 600}
	set := func(claim, cards *int32) (directory.Change, error) {
		m.ClaimSeconds, m.Cards = claim, cards
		return logged(b.settings.SetMethod(ctx, operator, m))
	}
	c, err := set(nil, nil)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", "new", 900.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", "new", 3.0)
	c, err = set(new(int32(86_400)), new(int32(10)))
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 900.0, 86_400.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 3.0, 10.0)
	m.ValiditySeconds = 700
	c, err = set(nil, nil)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 86_400.0, 86_400.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 10.0, 10.0)
	c, err = set(new(int32(1)), new(int32(1)))
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "claim_seconds", 86_400.0, 1.0)
	wantChange(t, c, err, "cashbox_method", box+"/mtstpay", "cards", 10.0, 1.0)
	for _, wrong := range []int32{0, -1, 86_401} {
		dbtest.WantFields(t, testenv.ErrOf(set(&wrong, nil)), "claimSeconds")
	}
	for _, wrong := range []int32{0, -1, 11, 65_539} {
		dbtest.WantFields(t, testenv.ErrOf(set(nil, &wrong)), "cards")
	}
	dbtest.WantFields(t, testenv.ErrOf(set(new(int32(0)), new(int32(0)))), "claimSeconds", "cards")
}

// Payments are made by what was set, as soon as the keeper was renewed.
func TestKeeperKnowsPayers(t *testing.T) {
	b := setup(t)
	keeper := testenv.Must(inforce.NewKeeper(ctx, b.Pool, 0, nil))(t)
	want := func(patience time.Duration, cards int, events bool, hosts ...string) {
		t.Helper()
		testenv.Must(keeper.Renew(ctx))(t)
		id := b.merchant.CashboxID
		shop := keeper.Shop(b.merchant.ID, &id, "sbp", "RUB")
		testenv.Check(t, shop != nil && fmt.Sprint(shop.ReturnHosts) == fmt.Sprint(hosts) && keeper.Patience(id, "sbp") == patience &&
			keeper.CardsAllowed(id, "sbp") == cards && keeper.PayerEvents(id) == events,
			"%+v, %s, %d cards, events %t", shop, keeper.Patience(id, "sbp"), keeper.CardsAllowed(id, "sbp"), keeper.PayerEvents(id))
	}
	want(15*time.Minute, 3, false)
	testenv.Must(b.boxSet(directory.CashboxUpdate{PayerEvents: new(true), ReturnHosts: &[]string{"shop.example"}}))(t)
	testenv.Must(b.settings.SetMethod(ctx, operator, directory.CashboxMethod{
		CashboxID: b.merchant.CashboxID, Name: "sbp", Enabled: true, ValiditySeconds: 600,
		ClaimSeconds: new(int32(60)), Cards: new(int32(7)),
	}))(t)
	want(time.Minute, 7, true, "shop.example")
}
