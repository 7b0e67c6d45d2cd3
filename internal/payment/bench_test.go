package payment_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/outbound"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// BenchmarkCreate is a creation from the request to the answer, with the driver's work and the database's time. What HTTP and
// the codec take besides is in rpc's.
func BenchmarkCreate(b *testing.B) {
	d := dbtest.New(b)
	d.SetRate(b, "RUB", "92.50", true)
	merchant := d.NewMerchant(b, dbtest.MerchantOpts{})
	d.Exec(b, "update merchant set max_open_payments = 50000")
	for range 20 {
		d.NewTrader(b, dbtest.TraderOpts{USDT: "1000000000", Requisites: 10, SharePercent: "1.5"})
	}
	settings := testenv.Must(directory.NewKeeper(b.Context(), d.Pool, time.Hour, nil))(b)
	service := testenv.Must(payment.New(d.Pools(), &dbtest.Clock{}, outbound.NewAddresses(false), settings, configuration))(b)
	user, ip := "user-1", "203.0.113.7"
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		r := requestOf(fmt.Sprint("order-", n), decimal.New(int64(10_000+n), -2).String())
		r.Payer = &payment.Payer{UserID: &user, UserIP: &ip, FullName: "Ivan Petrov", Type: "trusted", Successful: 3, Counted: true}
		if _, err := service.Create(context.Background(), merchant.Caller, r); err != nil {
			b.Fatal(err)
		}
	}
}
