package checkdigit_test

import (
	"testing"

	"gateway.example/internal/checkdigit"
	"gateway.example/internal/testenv"
)

// The card numbers are the schemes' published test numbers; 79927398713 is the usual example of the
// sum.
func TestLuhn(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"79927398713", "4111111111111111", "2200000000000004", "5555555555554444", "378282246310005", "4222222222222", "0",
	} {
		testenv.Check(t, checkdigit.Luhn(number), "%s is refused", number)
		short := number[:len(number)-1]
		testenv.Want(t, checkdigit.WithLuhn(short), number, "%s becomes", short)
		for digit := byte('0'); digit <= '9'; digit++ {
			if other := short + string(digit); other != number && checkdigit.Luhn(other) {
				t.Errorf("%s is taken", other)
			}
		}
	}
}

// The IBANs are the examples of the standard's registry.
func TestIBAN(t *testing.T) {
	t.Parallel()
	for _, iban := range []string{
		"GB29NWBK60161331926819", "DE89370400440532013000", "NO9386011117947", "MT84MALT011000012345MTLCAST001S", "MN121234123456789123",
		"KZ86125KZT5004100100", "TR330006100519786457841326", "AZ21NABZ00000000137010001944",
	} {
		testenv.Check(t, checkdigit.IBAN(iban), "%s is refused", iban)
		testenv.Want(t, checkdigit.NewIBAN(iban[:2], iban[4:]), iban, "the number made is")
	}
	for _, wrong := range []string{
		"", "GB", "GB29", "GB28NWBK60161331926819", "GB29NWBK60161331926891", "gb29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19",
		"GBX9NWBK60161331926819", "NO938601111794", "MT84MALT011000012345MTLCAST001SMT84MALT", "GB29NWBK6016133192681\xff",
	} {
		testenv.Check(t, !checkdigit.IBAN(wrong), "%q is taken", wrong)
	}
}
