package bankmessage

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/signature"
	"gateway.example/internal/vault"
)

// KeyHeader names a device's key, and SignatureHeader has the hex HMAC-SHA256
// of the body with its secret.
const (
	KeyHeader       = "X-Device-Key"
	SignatureHeader = "Signature"
	// appSignature is the header in which a forwarding app sends that
	// signature; the app cannot be told another name.
	appSignature = "X-Signature"
)

const maxName = 100

// Device is a phone that forwards messages.
type Device struct {
	ID        int64
	Name, Key string
	CreatedAt time.Time
	// HeardAt is when its last message arrived, and RevokedAt is since when
	// it may send none; nil is never.
	HeardAt, RevokedAt *time.Time
}

// NewDevice is a device with its secret, which is shown only here.
type NewDevice struct {
	Device
	Secret string
}

// CreateDevice pairs a phone of the caller's trader.
func (s *Service) CreateDevice(ctx context.Context, who caller.Caller, name string) (NewDevice, error) {
	if err := who.Need(caller.TraderPhones); err != nil {
		return NewDevice{}, err
	}
	f := fault.Decoded(ctx)
	name = strings.TrimSpace(name)
	if f.Required("name", name) {
		f.MaxLength("name", name, maxName)
	}
	if err := f.Err(); err != nil {
		return NewDevice{}, err
	}
	made := NewDevice{
		Device: Device{Name: name, Key: "device-" + strings.ToLower(rand.Text()), CreatedAt: s.clock.Now()},
		Secret: auth.RandomToken(),
	}
	c := db.SettingChange{At: made.CreatedAt, Actor: who.Actor(), Subject: "device"}
	_, err := db.CreateSetting(ctx, s.pools.Calls, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) {
			id, err := q.BankDeviceNextID(ctx)
			if err != nil {
				return 0, fmt.Errorf("number a device: %w", err)
			}
			made.ID = id
			return id, InsertDevice(ctx, q, s.vault, made.Secret, db.BankDeviceInsertParams{
				ID: id, TraderID: who.TraderID, Name: name, KeyID: made.Key, CreatedAt: made.CreatedAt,
			})
		},
		Read: func(q *db.Queries, id int64) ([]byte, error) {
			return q.BankDeviceOwn(ctx, db.BankDeviceOwnParams{ID: id, TraderID: who.TraderID})
		},
	})
	return made, err
}

// InsertDevice writes a device, with its secret encrypted.
func InsertDevice(ctx context.Context, q *db.Queries, v *vault.Vault, secret string, d db.BankDeviceInsertParams) error {
	d.Secret = v.Seal([]byte(secret), secretPlace(d.ID))
	return q.BankDeviceInsert(ctx, d)
}

// ListDevices lists the newest devices of the caller's trader, those that may
// send first.
func (s *Service) ListDevices(ctx context.Context, who caller.Caller) ([]Device, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, err
	}
	rows, err := s.q.BankDeviceList(ctx, who.TraderID)
	return db.Each(rows, func(row db.BankDevice) Device {
		return Device{
			ID: row.ID, Name: row.Name, Key: row.KeyID, CreatedAt: row.CreatedAt, HeardAt: row.HeardAt, RevokedAt: row.RevokedAt,
		}
	}), fault.Doing("list devices", err)
}

// RevokeDevice refuses all further messages of a device, for good.
func (s *Service) RevokeDevice(ctx context.Context, who caller.Caller, id int64) error {
	if err := who.Need(caller.TraderRequisites); err != nil {
		return err
	}
	now := s.clock.Now()
	c := db.SettingChange{At: now, Actor: who.Actor(), Subject: "device", SubjectKey: strconv.FormatInt(id, 10)}
	_, err := db.ChangeSetting(ctx, s.pools.Calls, c, db.Setting{
		Whole: true,
		Read: func(q *db.Queries) ([]byte, error) {
			return q.BankDeviceOwn(ctx, db.BankDeviceOwnParams{ID: id, TraderID: who.TraderID})
		},
		Apply: func(q *db.Queries) error {
			return q.BankDeviceRevoke(ctx, db.BankDeviceRevokeParams{ID: id, RevokedAt: now})
		},
	})
	return err
}

// Silent lists the devices of the caller's trader that have sent nothing for
// notify.PhoneSilent although a payment came whose requisite relies on them.
func (s *Service) Silent(ctx context.Context, who caller.Caller) ([]Device, error) {
	if err := who.Need(caller.TraderRead); err != nil {
		return nil, err
	}
	rows, err := s.q.BankDevicesSilent(ctx, db.BankDevicesSilentParams{
		TraderID: who.TraderID, Since: s.clock.Now().Add(-notify.PhoneSilent),
	})
	if err != nil {
		return nil, fmt.Errorf("list silent devices: %w", err)
	}
	return db.Each(rows, func(row db.BankDevicesSilentRow) Device {
		return Device{ID: row.ID, Name: row.Name, HeardAt: row.HeardAt}
	}), nil
}

// AppHeaders and AppBody are the settings of an SMS forwarding app that signs
// by itself: see docs/operate/messages.md.
func (d Device) AppHeaders() string { return `{"` + KeyHeader + `":"` + d.Key + `"}` }

// AppBody has the app's own placeholders. A message that is sent again has the
// same time of receipt, and so the same id.
const AppBody = `{"messageId":"%from%-%receivedStamp%","kind":"sms","sender":"%from%","text":"%text%",` +
	`"receivedAt":"%receivedStamp=yyyy-MM-dd'T'HH:mm:ssXXX%"}`

// Admit authenticates a device by the signature of its body.
func (s *Service) Admit(ctx context.Context, header http.Header, body auth.ReadBody) (caller.Caller, error) {
	key, signed := header.Get(KeyHeader), cmp.Or(header.Get(SignatureHeader), header.Get(appSignature))
	if key == "" || signed == "" {
		return caller.Caller{}, errSignatureRequired
	}
	if err := auth.Once(header, errInvalidSignature, KeyHeader, SignatureHeader, appSignature); err != nil {
		return caller.Caller{}, err
	}
	if fault.TextFlaw(key) != "" { // a header may hold bytes that the database cannot store as text
		return caller.Caller{}, errInvalidSignature
	}
	device, err := s.q.BankDeviceByKey(ctx, key)
	switch {
	case db.NoRows(err):
		return caller.Caller{}, errInvalidSignature
	case err != nil:
		return caller.Caller{}, fmt.Errorf("find device: %w", err)
	}
	secret, err := s.vault.Open(device.Secret, secretPlace(device.ID))
	if err != nil {
		return caller.Caller{}, err
	}
	content, err := body()
	if err != nil {
		return caller.Caller{}, err
	}
	if !signature.Verify(secret, content, signed) {
		return caller.Caller{}, errInvalidSignature
	}
	return caller.Caller{Kind: caller.Device, ID: device.ID, TraderID: device.TraderID}, nil
}
