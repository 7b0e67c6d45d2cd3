package db_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// What is written as an amount or a uuid is what PostgreSQL reads, with all digits, in arrays too.
func TestAmountsAreWrittenWhole(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	d := dbtest.Empty(t)
	for _, text := range []string{
		"0", "0.00", "1", "-1", "10000", "9999", "100000000", "0.00000001", "-0.00000001", "1500.00", "92.5", "123456789012345",
		"-999999999999.99", "1234567.12345678", "12345678901234567890.12345678", "0.0000000000000001", "99999999999999999999999999",
	} {
		want := decimal.RequireFromString(text)
		var got, zeros string
		var list []decimal.Decimal
		var null *string
		noError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric::text, $2::numeric::text, $3::numeric[], $4::numeric::text",
			want, decimal.NewNullDecimal(want), []decimal.Decimal{want, want}, decimal.NullDecimal{}).Scan(&got, &zeros, &list, &null))
		testenv.Check(t, got == text && zeros == text && list[1].Equal(want) && null == nil, "%s: %s, %s, %v, %v", text, got, zeros, list, null)
	}
	for exponent := range int32(30) {
		want := decimal.New(1234567890123, exponent-20)
		var got decimal.Decimal
		noError(t, d.Pool.QueryRow(t.Context(), "select $1::numeric", want).Scan(&got))
		testenv.Check(t, got.Equal(want), "%s: %s", want, got)
	}
	id := uuid.New()
	var text string
	noError(t, d.Pool.QueryRow(t.Context(), "select ($1::uuid)::text || ($2::uuid[])[2]::text", id, []uuid.UUID{uuid.Nil, id}).Scan(&text))
	testenv.Want(t, text, id.String()+id.String(), "uuid")
}
