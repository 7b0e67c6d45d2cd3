package export

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/money"
	"gateway.example/internal/optional"
)

// Number is a cell that is a number already and stays as it is.
type Number string

// Fiat is an amount in a currency.
func Fiat(d decimal.Decimal) Number { return Number(money.Fiat(d)) }

// USDT is an amount of USDT; one that is not for the caller is an empty cell.
func USDT(d *decimal.Decimal) Number {
	if d == nil {
		return ""
	}
	return Number(money.USDT(*d))
}

// cell is a value as it stands in a file.
func cell(value any, zone *time.Location) string {
	switch v := value.(type) {
	case time.Time:
		return v.In(zone).Format(time.RFC3339)
	case Number:
		return string(v)
	case int64:
		return cell(optional.Of(v), zone)
	case *int64:
		if v == nil {
			return ""
		}
		return strconv.FormatInt(*v, 10)
	case uuid.UUID:
		if v == uuid.Nil {
			return ""
		}
		return v.String()
	case *string:
		return safeText(optional.Value(v))
	case string:
		return safeText(v)
	}
	return safeText(fmt.Sprint(value))
}
