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

// LogoPath is where logos are on the address of the hosted pages, and on that of the portals: below it, by their hash.
const LogoPath = "/logo/"

const (
	// MaxLogo is how many bytes a logo may have that is uploaded.
	MaxLogo = 512 << 10
	// maxLogoSide is how many pixels it may be wide and high, logoWidth and logoHeight what is kept of them.
	maxLogoSide, logoWidth, logoHeight = 2000, 240, 96
)

// What is wrong with a logo.
const (
	LogoTooLarge = "must be at most 512 KB"
	LogoTooWide  = "must be at most 2000 pixels wide and high"
	LogoNoImage  = "must be a PNG or JPEG picture"
)

// logo checks the logo, where one is given, and adds it to columns; one without content clears it.
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

// setLogo adds a logo and the hash that it is found by; nil is none.
func setLogo(columns map[string]any, logo []byte) {
	columns["page_logo"], columns["page_logo_hash"] = logo, nil
	if logo != nil {
		sum := sha256.Sum256(logo)
		columns["page_logo_hash"] = hex.EncodeToString(sum[:16])
	}
}

// drawLogo draws an uploaded picture anew, as a PNG of at most logoWidth by logoHeight, so that nothing else of the
// upload is kept. It says what is wrong with one that it does not draw.
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
