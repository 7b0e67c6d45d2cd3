package directory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image/png"

	"gateway.example/internal/attachment"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// LogoPath is the path of logos, followed by their hash, on the addresses of
// the hosted pages and of the portals.
const LogoPath = "/logo/"

const (
	// MaxLogo is how many bytes an uploaded logo may have.
	MaxLogo = 512 << 10
	// maxLogoSide is how many pixels an uploaded logo may be wide and high;
	// it is scaled down to at most logoWidth by logoHeight.
	maxLogoSide, logoWidth, logoHeight = 2000, 240, 96
)

// What is wrong with a logo.
var (
	LogoTooLarge = fmt.Sprintf("must be at most %d KB", MaxLogo>>10)
	LogoTooWide  = fmt.Sprintf("must be at most %d pixels wide and high", maxLogoSide)
	LogoNoImage  = "must be a PNG or JPEG picture"
)

// logo checks a logo that is given, and adds it to columns; one without content
// removes the logo.
func (u LookUpdate) logo(f fault.Fields, columns map[string]any) {
	if u.Logo == nil {
		return
	}
	var drawn []byte
	if len(u.Logo) > 0 {
		var flaw string
		drawn, flaw = drawLogo(u.Logo)
		f.Flaw("logo", flaw)
	}
	setLogo(columns, drawn)
}

// setLogo adds a logo and its hash to columns; nil removes both.
func setLogo(columns map[string]any, logo []byte) {
	columns["page_logo"], columns["page_logo_hash"] = logo, nil
	if logo != nil {
		sum := sha256.Sum256(logo)
		columns["page_logo_hash"] = hex.EncodeToString(sum[:16])
	}
}

// drawLogo draws an uploaded picture again, as a PNG of at most logoWidth by
// logoHeight, so that nothing else of the upload is stored. It returns a flaw
// if it does not accept the picture.
func drawLogo(file []byte) (drawn []byte, flaw string) {
	if len(file) > MaxLogo {
		return nil, LogoTooLarge
	}
	small, err := attachment.Draw(file, attachment.Canvas{
		Width: logoWidth, Height: logoHeight,
		Fits: func(width, height int) bool { return width <= maxLogoSide && height <= maxLogoSide },
	})
	switch {
	case errors.Is(err, attachment.ErrTooWide):
		return nil, LogoTooWide
	case err != nil:
		return nil, LogoNoImage
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, small); err != nil {
		return nil, LogoNoImage
	}
	return out.Bytes(), ""
}

// PageLogo is the logo of hosted pages with a hash, as a PNG.
func (l *Looks) PageLogo(ctx context.Context, hash string) ([]byte, error) {
	logo, err := l.q.CashboxLogo(ctx, hash)
	if db.NoRows(err) {
		return nil, fault.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read logo: %w", err)
	}
	return logo, nil
}
