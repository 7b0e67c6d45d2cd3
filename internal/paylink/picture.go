package paylink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"

	"gateway.example/internal/attachment"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

const (
	// maxPixels is enough for photos of phones. pictureWidth and
	// pictureHeight are the size to which a picture is reduced.
	maxPixels, pictureWidth, pictureHeight = 16_000_000, 960, 720
	// pictureQuality is the quality of the JPEG that is kept.
	pictureQuality = 82
	// hashLength is how many characters of the picture's hash its address
	// has.
	hashLength = 32
	// MaxReason is how long the reason of an operator may be.
	MaxReason = 500
)

// What is wrong with a picture.
const (
	PictureTooWide = "must have at most 16 million pixels"
	PictureIsNone  = "must be a PNG or JPEG picture"
)

// SetPicture sets the picture of a link of the caller's merchant, in place of
// the old one. No file removes it.
func (s *Service) SetPicture(ctx context.Context, who caller.Caller, id int64, file []byte) error {
	if err := who.Need(caller.MerchantSell); err != nil {
		return err
	}
	var hash *string
	picture, flaw := drawPicture(file)
	if flaw != "" {
		return fault.Fields{"file": {flaw}}.Err()
	}
	if len(picture) > 0 {
		sum := sha256.Sum256(picture)
		hash = new(hex.EncodeToString(sum[:])[:hashLength])
	}
	_, err := s.changePicture(ctx, who.Actor(), nil, db.PaymentLinkPictureParams{ID: id, MerchantID: who.MerchantID, PictureHash: hash}, picture)
	return err
}

// RemovePicture lets an operator remove the picture from the page of any
// merchant's link, with a reason.
func (s *Service) RemovePicture(ctx context.Context, who caller.Caller, id int64, reason string) (db.SettingChange, error) {
	l, err := s.Pictured(ctx, who, id)
	if err != nil {
		return db.SettingChange{}, err
	}
	f := fault.Decoded(ctx)
	reason = f.RequiredText("reason", reason, MaxReason)
	if err := f.Err(); err != nil {
		return db.SettingChange{}, err
	}
	return s.changePicture(ctx, who.Actor(), &reason, db.PaymentLinkPictureParams{ID: id, MerchantID: l.MerchantID}, nil)
}

// Pictured finds a link of any merchant for an operator who may remove its
// picture. It returns fault.ErrNotFound if the link has no picture.
func (s *Service) Pictured(ctx context.Context, who caller.Caller, id int64) (Terms, error) {
	if err := who.Need(caller.OperatorDirectory); err != nil {
		return Terms{}, err
	}
	row, err := db.New(s.pools.Calls).PaymentLinkPictured(ctx, id)
	switch {
	case db.NoRows(err):
		return Terms{}, fault.ErrNotFound
	case err != nil:
		return Terms{}, fmt.Errorf("read a link with a picture: %w", err)
	}
	return Terms(row), nil
}

// changePicture records the new picture of a link and stores it, or removes the
// picture if there is no hash.
func (s *Service) changePicture(
	ctx context.Context, actor string, reason *string, to db.PaymentLinkPictureParams, picture []byte,
) (db.SettingChange, error) {
	change := db.SettingChange{At: s.clock.Now(), Actor: actor, Subject: "payment_link", SubjectKey: fmt.Sprint(to.ID), Reason: reason}
	return db.ChangeSetting(ctx, s.pools.Calls, change, db.Setting{
		Whole: true,
		Read: func(q *db.Queries) ([]byte, error) {
			return q.PaymentLinkSetting(ctx, db.PaymentLinkSettingParams{ID: to.ID, MerchantID: to.MerchantID})
		},
		Apply: func(q *db.Queries) error {
			err := q.PaymentLinkPicture(ctx, to)
			switch {
			case err != nil:
				return err
			case to.PictureHash == nil:
				return q.LinkPictureDrop(ctx, db.LinkPictureDropParams{LinkID: to.ID, MerchantID: to.MerchantID})
			}
			return q.LinkPictureSet(ctx, db.LinkPictureSetParams{
				LinkID: to.ID, MerchantID: to.MerchantID, Hash: *to.PictureHash, Content: picture,
			})
		},
	})
}

// drawPicture draws an uploaded picture again as a JPEG on white, or says what
// is wrong with it. No file gives no picture.
func drawPicture(file []byte) (drawn []byte, flaw string) {
	if len(file) == 0 {
		return nil, ""
	}
	small, err := attachment.Draw(file, attachment.Canvas{
		Width: pictureWidth, Height: pictureHeight,
		Fits: func(width, height int) bool { return height == 0 || width <= maxPixels/height },
	})
	switch {
	case errors.Is(err, attachment.ErrTooWide):
		return nil, PictureTooWide
	case err != nil:
		return nil, PictureIsNone
	}
	on := image.NewRGBA(small.Bounds())
	draw.Draw(on, on.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(on, on.Bounds(), small, image.Point{}, draw.Over)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, on, &jpeg.Options{Quality: pictureQuality}); err != nil {
		return nil, PictureIsNone
	}
	return out.Bytes(), ""
}

// Picture is the JPEG of an open link's picture with this hash.
func (s *Service) Picture(ctx context.Context, l Open, hash string) ([]byte, error) {
	content, err := s.q.LinkPicture(ctx, db.LinkPictureParams{LinkID: l.ID, Hash: hash})
	return content, db.Missing(err, fault.ErrNotFound, "read the picture of a link")
}
