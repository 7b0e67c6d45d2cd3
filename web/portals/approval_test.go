package portals_test

import (
	"reflect"
	"strings"
	"testing"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/say"
)

// Whatever an approval sets has a name in the reader's language.
func TestProposedFieldsHaveNames(t *testing.T) {
	t.Parallel()
	for action, params := range map[foureyes.Action]any{
		foureyes.SetRateFeed: &rate.Feed{}, foureyes.SetAcquirer: &acquirer.Setting{},
		foureyes.CreateUser: &session.NewUser{}, foureyes.UpdateUser: &session.UserUpdate{},
		foureyes.CreateRequisite: &directory.NewRequisite{}, foureyes.SetCashboxMethod: &directory.CashboxMethod{},
		foureyes.UpdateMerchant: &directory.MerchantUpdate{}, foureyes.UpdateTrader: &directory.TraderUpdate{},
		foureyes.ResolveAppeal: &payment.AppealDecision{}, foureyes.ResolvePayin: &payout.Decision{},
		foureyes.DecideCase: &payment.CaseDecision{}, foureyes.AttachArrival: &payment.Attachment{}, foureyes.ReversePayin: &payout.Decision{}, foureyes.SetReceiving: &deposit.Receiving{},
	} {
		fill(reflect.ValueOf(params).Elem())
		details := proposal.Proposal{Params: params}.Details()
		testenv.Check(t, len(details) >= 2, "%s sets %v", action, details)
		for _, d := range details {
			name := say.Field(string(action), d.Name)
			english, russian := name.In(say.English), name.In(say.Russian)
			testenv.Check(t, strings.ContainsAny(russian, "№абвгдежзийклмнопрстуфхцчшщыьэюя") && english != "",
				"%s: %s is %q and %q", action, d.Name, english, russian)
		}
	}
}

// fill sets every field of a struct.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("set")
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.SetInt(1)
	}
}
