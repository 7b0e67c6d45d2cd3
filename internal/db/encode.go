package db

import (
	"encoding/binary"

	"github.com/google/uuid"
	pgxdecimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"
)

// registerTypes lets a connection write amounts and uuids directly into its
// send buffer. The driver would use a big integer for each amount and a text
// for each uuid, which was a fifth of everything that creating a payment
// allocates.
func registerTypes(m *pgtype.Map) {
	pgxdecimal.Register(m)
	m.RegisterType(&pgtype.Type{Name: "numeric", OID: pgtype.NumericOID, Codec: numericCodec{}})
	m.RegisterType(&pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: uuidCodec{}})
}

type uuidCodec struct{ pgtype.UUIDCodec }

// PlanEncode implements pgtype.Codec.
func (c uuidCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, is := value.(uuid.UUID); is && format == pgtype.BinaryFormatCode {
		return encodeUUID{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

type encodeUUID struct{}

// Encode implements pgtype.EncodePlan.
func (encodeUUID) Encode(value any, buf []byte) ([]byte, error) {
	id, _ := value.(uuid.UUID)
	return append(buf, id[:]...), nil
}

type numericCodec struct{ pgxdecimal.NumericCodec }

// PlanEncode implements pgtype.Codec.
func (c numericCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	switch value.(type) {
	case decimal.Decimal, decimal.NullDecimal:
		if format == pgtype.BinaryFormatCode {
			return encodeDecimal{large: c.NumericCodec.PlanEncode(m, oid, format, pgxdecimal.Decimal{})}
		}
	}
	return c.NumericCodec.PlanEncode(m, oid, format, value)
}

// encodeDecimal writes a decimal in PostgreSQL's format, digits to the base of
// 10,000. large is for decimals whose digits do not fit into an integer.
type encodeDecimal struct{ large pgtype.EncodePlan }

// fitting is how many decimal digits may be shifted by three more within 64
// bits.
const fitting = 15

// Encode implements pgtype.EncodePlan.
func (e encodeDecimal) Encode(value any, buf []byte) ([]byte, error) {
	d, plain := value.(decimal.Decimal)
	if !plain {
		null, _ := value.(decimal.NullDecimal)
		if !null.Valid {
			return nil, nil
		}
		d = null.Decimal
	}
	exponent := int(d.Exponent())
	if d.NumDigits() > fitting || exponent < -100 || exponent > 100 {
		return e.large.Encode(pgxdecimal.Decimal(d), buf)
	}
	n, sign := d.CoefficientInt64(), uint16(0)
	if n < 0 {
		n, sign = -n, 0x4000
	}
	scale := max(-exponent, 0)
	for ; exponent%4 != 0; exponent-- {
		n *= 10
	}
	var digits [5]uint16 // the least significant one first
	count := 0
	for ; n > 0; n /= 10_000 {
		digits[count] = uint16(n % 10_000)
		count++
	}
	for _, head := range []uint16{uint16(count), uint16(exponent/4 + count - 1), sign, uint16(scale)} {
		buf = binary.BigEndian.AppendUint16(buf, head)
	}
	for i := count - 1; i >= 0; i-- {
		buf = binary.BigEndian.AppendUint16(buf, digits[i])
	}
	return buf, nil
}
