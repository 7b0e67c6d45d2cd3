package rate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

func TestSetRate(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	known := must(b.settings.Set(ctx, operator, rate.Manual{Currency: "RUB", FiatPerUSDT: "92.35"}))(t)
	if known.Currency != "RUB" || known.Source != "operator" || known.Priority != 0 ||
		known.FiatPerUSDT.String() != "92.35" || !known.ObservedAt.Equal(after(0)) || known.StaleAt != nil || !known.InUse || !known.Fresh {
		t.Errorf("%+v", known)
	}
	b.clock.Advance(time.Hour)
	b.wantRate(t, "operator 92.35")
	known = must(b.settings.Set(ctx, operator,
		rate.Manual{Currency: "RUB", FiatPerUSDT: "93.5", ValidSeconds: new(int64(90))}))(t)
	if known.FiatPerUSDT.String() != "93.5" || !known.ObservedAt.Equal(after(3600)) || known.StaleAt == nil ||
		!known.StaleAt.Equal(after(3690)) {
		t.Errorf("%+v", known)
	}
	b.clock.Advance(90*time.Second - time.Millisecond)
	b.wantRate(t, "operator 93.5")
	b.clock.Advance(time.Millisecond)
	b.wantRate(t, "operator 93.5 stale")
	want := []settingRow{
		{"operator:7", "rate", "RUB", nil, map[string]any{
			"fiat_per_usdt": "92.35000000", "observed_at": "2026-11-20T12:00:00+00:00", "stale_at": nil,
		}, after(0)},
		{
			"operator:7",
			"rate",
			"RUB",
			map[string]any{"fiat_per_usdt": "92.35000000", "observed_at": "2026-11-20T12:00:00+00:00", "stale_at": nil},
			map[string]any{
				"fiat_per_usdt": "93.50000000",
				"observed_at":   "2026-11-20T13:00:00+00:00",
				"stale_at":      "2026-11-20T13:01:30+00:00",
			},
			after(3600),
		},
	}
	b.wantLog(t, want)
}

func (b *bundle) wantLog(t *testing.T, want []settingRow) {
	t.Helper()
	got := b.log(t)
	if len(got) != len(want) {
		t.Fatalf("%d rows in the log, want %d", len(got), len(want))
	}
	for i := range got {
		if !got[i].at.Equal(want[i].at) {
			t.Errorf("row %d is of %s", i, got[i].at)
		}
		got[i].at = want[i].at
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("row %d of the log:\n%v, want\n%v", i, got[i], want[i])
		}
	}
}

func TestSetRateValidation(t *testing.T) {
	b := setup(t)
	for _, row := range testenv.Rows(t, "rates.txt") {
		m := rate.Manual{Currency: "RUB", FiatPerUSDT: "1"}
		noError(t, json.Unmarshal([]byte(row[1]), &m))
		t.Run(row[0], func(t *testing.T) {
			_, err := b.settings.Set(t.Context(), operator, m)
			if len(row) == 2 {
				noError(t, err)
				return
			}
			wantFields(t, err, strings.Fields(row[2])...)
		})
	}
	testenv.Want(t, len(b.log(t)), 2, "changes in the log")
}

// What the codec found wrong is answered together with what is found here, and not twice.
func TestDecodedFaultsCount(t *testing.T) {
	b := setup(t)
	ctx := fault.WithDecoded(context.Background(),
		fault.Fields{"currency": {"must not contain NUL"}, "feed.url": {"must not contain NUL"}})
	err := errOf(b.settings.Set(ctx, operator, rate.Manual{FiatPerUSDT: "1"}))
	wantFields(t, err, "currency", "feed.url")
	if f := fault.As(err); f != nil && len(f.Fields["currency"]) != 1 {
		t.Errorf("%v", f.Fields)
	}
}

// Of changes at the same time each knows what the one before it left, the first one too.
func TestSetRateInParallel(t *testing.T) {
	b := setup(t)
	for _, err := range testenv.AtOnce(6, func(i int) error {
		return errOf(b.settings.Set(t.Context(), operator, rate.Manual{Currency: "RUB", FiatPerUSDT: fmt.Sprint(91 + i)}))
	}) {
		noError(t, err)
	}
	var before map[string]any
	rows := b.log(t)
	for i, row := range rows {
		if !reflect.DeepEqual(row.before, before) {
			t.Errorf("row %d: before was %v, and it says %v", i, before, row.before)
		}
		before = row.after
	}
	testenv.Want(t, len(rows), 6, "rows")
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.settings, map[string]string{
		"operator": "Bands Day List Set SetFeed",
	})
}
