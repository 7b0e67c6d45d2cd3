package checkdigit_test

import (
	"testing"

	"gateway.example/internal/checkdigit"
	"gateway.example/internal/testenv"
)

// The card numbers are the schemes' published test numbers; 79927398713 is the
// usual example of the sum.
func TestLuhn(t *testing.T) {
	t.Parallel()
	for _, number := range []string{
		"79927398713", "4111111111111111", "2200000000000004", "5555555555554444", "378282246310005", "4222222222222", "0",
	} {
		testenv.Check(t, checkdigit.Luhn(number), "%s is refused", number)
		short := number[:len(number)-1]
		testenv.Want(t, checkdigit.WithLuhn(short), number, "%s becomes", short)
		for digit := byte('0'); digit <= '9'; digit++ {
			other := short + string(digit)
			testenv.Check(t, other == number || !checkdigit.Luhn(other), "%s is taken", other)
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

// A card number is found in a text, however it is grouped and whatever is
// around it; other digits are no number.
func TestMentionsCard(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"4111111111111111", "it is 4111 1111 1111 1111.", "on 24.11 to 2200-0000-0000-0004 at 12:05", "7 4111\u00a01111\u00a01111\u00a01111",
	} {
		testenv.Check(t, checkdigit.MentionsCard(text), "%q is taken", text)
	}
	for _, text := range []string{
		"", "+7 900 000-00-00", "1500.00 came on 24.11.2026, 12:05:33", "4111 1111 1111 1112", "card ends in 1111", "1764153600000",
	} {
		testenv.Check(t, !checkdigit.MentionsCard(text), "%q is refused", text)
	}
}
