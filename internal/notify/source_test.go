package notify

import (
	"testing"
	"time"
)

// A payout is told when it begins to wait, and again when the trader who took it gives it back.
func TestPayoutGivenBack(t *testing.T) {
	far, bot := newTelegram(t)
	b := setup(t, bot)
	b.linked(t, b.who, "41")
	b.Exec(t, "insert into trader_payout_method (trader_id, currency, method) values ($1, 'RUB', 'sbp')", b.trader.ID)
	b.Exec(t, `insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, address_mask, recipient,
		status, status_at, expires_at, created_at, base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt)
		values (1, 1, gen_random_uuid(), 1, 'o', 'sbp', 'RUB', 100, '', '1234', 'x', 'waiting', $1, now(), $1, 100, 'x', now(), 5, 1, 1)`, b.clock.Now())
	want := []string{"A payout waits to be taken.\nhttps://portal.example/trader/payouts"}
	b.round(t)
	same(t, far.heard("41"), want, "told of a payout")
	b.clock.Advance(time.Hour)
	b.Exec(t, "update payin set status_at = $1", b.clock.Now())
	b.later(t, "1 hour")
	b.round(t)
	same(t, far.heard("41"), want, "told of one that was given back")
	b.later(t, "1 hour")
	b.round(t)
	same(t, far.heard("41"), nil, "told of it once more")
}
