package requisite

import (
	"fmt"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"gateway.example/internal/checkdigit"
)

func isPhone(value string) bool {
	number, err := phonenumbers.Parse(value, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) &&
		phonenumbers.Format(number, phonenumbers.E164) == value
}

// international groups a phone number as its country does.
func international(value string) string {
	number, err := phonenumbers.Parse(value, "")
	if err != nil {
		return value
	}
	return phonenumbers.Format(number, phonenumbers.INTERNATIONAL)
}

// Fours puts a space after every fourth character.
func Fours(value string) string {
	var out strings.Builder
	for i, c := range []rune(value) {
		if i > 0 && i%4 == 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(c)
	}
	return out.String()
}

func samplePhone(n int) string { return fmt.Sprintf("+7900%07d", n) }

func sampleCard(n int) string { return checkdigit.WithLuhn(fmt.Sprintf("220000%09d", n)) }

// sampleIBAN is a Mongolian one.
func sampleIBAN(n int) string { return checkdigit.NewIBAN("MN", fmt.Sprintf("0005%012d", n)) }
