package seal_test

import (
	"bytes"
	"testing"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/seal"
)

// BenchmarkSeal seals a day of 100,000 transfers.
func BenchmarkSeal(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		d := dbtest.New(b)
		_, err := d.Pool.Exec(b.Context(), `
			insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
			select 14, 12 + 8 * (n % 100), 1, 'pending-completed', 'payment', n, $1::timestamptz + make_interval(secs => n / 10.0)
			from generate_series(1, 100000) n`, dbtest.Start.Truncate(24*time.Hour))
		if err != nil {
			b.Fatal(err)
		}
		clock := &dbtest.Clock{}
		clock.Advance(24 * time.Hour)
		sealer := seal.NewSealer(d.Pool, clock, benchSigner(b, d))
		b.StartTimer()
		if err := sealer.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func benchSigner(b *testing.B, d *dbtest.DB) *attest.Signer {
	b.Helper()
	signer, err := attest.New(d.Pool, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		b.Fatal(err)
	}
	if err := signer.Note(b.Context(), dbtest.Start); err != nil {
		b.Fatal(err)
	}
	return signer
}
