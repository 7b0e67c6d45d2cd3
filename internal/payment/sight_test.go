package payment_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// Operators are shown every field of a payment, also one that is added, and the others all but those that are named here.
func TestShown(t *testing.T) {
	t.Parallel()
	var p payment.Payment
	for field, value := range reflect.ValueOf(&p).Elem().Fields() {
		switch value.Kind() {
		case reflect.Pointer:
			value.Set(reflect.New(value.Type().Elem()))
		case reflect.Map:
			value.Set(reflect.MakeMap(value.Type()))
		case reflect.String:
			value.SetString("text")
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int32, reflect.Int64:
			value.SetInt(1)
		default:
			known := []any{decimal.New(1, 0), decimal.NewNullDecimal(decimal.New(1, 0)), time.Now(), uuid.New()}
			at := slices.IndexFunc(known, func(one any) bool { return reflect.TypeOf(one) == value.Type() })
			testenv.Need(t, at >= 0, "say here what a %s is, so that %s can be filled", value.Type(), field.Name)
			value.Set(reflect.ValueOf(known[at]))
		}
	}
	for kind, hidden := range map[caller.Kind]string{
		caller.Operator: "",
		caller.Trader: `OrderID Description PayerUserID ReturnURL Metadata BaseRate MarkupPercent ProfitUSDT
			SpreadPlatformUSDT`,
		caller.MerchantPortal: "TraderID RequisiteID ProfitUSDT SpreadTraderUSDT SpreadPlatformUSDT",
	} {
		var missing []string
		for field, value := range reflect.ValueOf(p.Shown(caller.Caller{Kind: kind})).Fields() {
			if value.IsZero() {
				missing = append(missing, field.Name)
			}
		}
		testenv.Want(t, strings.Join(missing, " "), strings.Join(strings.Fields(hidden), " "), "hidden from %v", kind)
	}
}
