package bankmessage_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// An operator who looks as a user of the trader sees that there are messages,
// and no text of them.
func TestTextsWhileLookingOn(t *testing.T) {
	b := setup(t)
	open := b.create(t, "1500")
	b.send(t, came("a", "1500", "2500.50"))
	for _, looks := range []bool{false, true} {
		who := b.trader.Caller
		who.ViewAs = looks
		list, _ := testenv.Must2(b.messages.List(t.Context(), who, bankmessage.Page{}))(t)
		beside := testenv.Must(b.messages.Beside(t.Context(), who, []payment.Payment{open}))(t)[open.ID]
		testenv.Need(t, len(list) == 1 && len(beside) == 1, "looking on %t: %+v, beside %+v", looks, list, beside)
		one := testenv.Must(b.messages.Get(t.Context(), who, list[0].ID))(t)
		for _, m := range append(list, beside[0], one) {
			testenv.Want(t, m.Text == nil, looks, "a message has no text")
		}
	}
}

// A device signs by its own key, until it is revoked.
func TestDevice(t *testing.T) {
	b := setup(t)
	header, body := signed(b.device, came("a", "1", "1"))
	admit := func(header http.Header) error { return testenv.ErrOf(b.messages.Admit(t.Context(), header, body)) }
	who, err := b.messages.Admit(t.Context(), header, body)
	testenv.Check(t, err == nil && who.Kind == caller.Device && who.TraderID == b.trader.ID, "admitted %+v, %v", who, err)
	app := header.Clone()
	app.Set("X-Signature", app.Get(bankmessage.SignatureHeader))
	app.Del(bankmessage.SignatureHeader)
	who, err = b.messages.Admit(t.Context(), app, body)
	testenv.Check(t, err == nil && who.TraderID == b.trader.ID, "an app's own header: %+v, %v", who, err)
	app.Set("X-Signature", strings.Repeat("0", 64))
	dbtest.WantCode(t, admit(app), "invalid_signature")
	_, other := b.pair(t, 1)
	foreign, _ := signed(other, came("a", "1", "1"))
	foreign.Set(bankmessage.KeyHeader, b.device.Key)
	dbtest.WantCode(t, admit(foreign), "invalid_signature")
	dbtest.WantCode(t, admit(nil), "signature_required")
	for _, key := range []string{"\xff", "device-\x00"} {
		foreign.Set(bankmessage.KeyHeader, key)
		dbtest.WantCode(t, admit(foreign), "invalid_signature")
	}
	for _, name := range []string{bankmessage.KeyHeader, bankmessage.SignatureHeader} {
		twice := header.Clone()
		twice.Add(name, twice.Get(name))
		dbtest.WantCode(t, admit(twice), "invalid_signature")
	}
	b.StoredNowhere(t, b.device.Secret)

	silent := func(n int, when string) {
		t.Helper()
		b.clock.Advance(time.Hour)
		list, err := b.messages.Silent(t.Context(), b.trader.Caller)
		testenv.Check(t, err == nil && len(list) == n, "silent devices %s: %+v, %v", when, list, err)
	}
	silent(0, "while no payments come")
	b.create(t, "1500")
	silent(1, "since a payment came")
	b.send(t, came("b", "1", "1"))
	silent(0, "since they were heard")

	testenv.NoError(t, b.messages.RevokeDevice(t.Context(), b.trader.Caller, b.device.ID))
	dbtest.WantCode(t, admit(header), "invalid_signature")
}

// A stolen cookie pairs no phone and has no messages confirm, nor confirm
// again: that takes a fresh second factor. To turn them off takes none.
func TestPhonesTakeFactor(t *testing.T) {
	b := setup(t)
	fresh := b.trader
	b.trader.Caller.Stale = true
	who, code := b.trader.Caller, fault.ErrFactorNeeded.Code
	dbtest.WantCode(t, testenv.ErrOf(b.messages.CreateDevice(t.Context(), who, "Phone")), code)
	on := bankmessage.NewRule{
		RequisiteID: b.trader.Requisites[0], DeviceID: b.device.ID, Bank: "sber", Mode: bankmessage.On, Most: "100000",
	}
	dbtest.WantCode(t, b.messages.SetRule(t.Context(), who, on), code)
	testenv.NoError(t, b.messages.SetRule(t.Context(), fresh.Caller, on))
	dbtest.WantCode(t, b.messages.Looked(t.Context(), who, b.trader.Requisites[0]), code)
	b.rule(t, b.trader, b.device, bankmessage.ShadowMode)
	dbtest.WantCode(t, b.messages.SetRule(t.Context(), who, on), code)
	b.rule(t, b.trader, b.device, bankmessage.Off)
	testenv.NoError(t, b.messages.RevokeDevice(t.Context(), who, b.device.ID))
}
