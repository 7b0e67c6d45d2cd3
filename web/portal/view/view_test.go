package view_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/testenv"
	"gateway.example/web/portal/view"
	"gateway.example/web/words"
)

func TestAmount(t *testing.T) {
	english, _ := words.In("en")
	shell := view.Shell{Words: english}
	for currency, want := range map[string]string{"AZN": "1,500\u00a0AZN", "RUB": "1,500\u00a0₽"} {
		got := shell.Amount(decimal.NewFromInt(1500), currency)
		testenv.Check(t, got == want, "%q, want %q", got, want)
	}
}

// USDT has the signs of the language, as money that people pay has, and keeps
// its digits.
func TestUSDT(t *testing.T) {
	for _, test := range []struct{ language, amount, whole, column, short string }{
		{"en", "1234567.5", "1,234,567.50", "1,234,567.50000000", "1,234,567.50"},
		{"ru", "1234567.5", "1 234 567,50", "1 234 567,50000000", "1 234 567,50"},
		{"en", "-0.123", "−0.123", "−0.12300000", "−0.12"},
		{"ru", "10000000.00000001", "10 000 000,00000001", "10 000 000,00000001", "10 000 000,00"},
	} {
		language, _ := words.In(test.language)
		shell, amount := view.Shell{Words: language}, decimal.RequireFromString(test.amount)
		for got, want := range map[string]string{
			shell.USDT(amount): test.whole + " USDT", shell.Figure(amount): test.column, shell.Short(amount): test.short,
		} {
			testenv.Check(t, strings.ReplaceAll(got, "\u00a0", " ") == want, "%s in %s: %q, want %q", test.amount, test.language, got, want)
		}
	}
}

// A calculation has the numbers of its reader's language, whose commas do not
// part them.
func TestFormula(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "min(1,502.50, 0.225) − 5 / 100",
		"ru": "min(1\u00a0502,50; 0,225) − 5 / 100",
	} {
		language, _ := words.In(tag)
		testenv.Want(t, (view.Shell{Words: language}).Formula("min(1502.50, 0.225) − 5 / 100"), want, "%s", tag)
	}
}

// Only a figure of eight decimals is parted, and reads as one number.
func TestFine(t *testing.T) {
	for text, want := range map[string]string{
		"1,234.56780000": `1,234.56<span class="fine">780000</span>`, "−0,00000001": `−0,00<span class="fine">000001</span>`,
		"1,600 ₽": "1,600 ₽", "12.5": "12.5", "shop.20261127": "shop.20261127", "12345678": "12345678", "": "",
	} {
		var html strings.Builder
		testenv.NoError(t, view.Fine(text).Render(t.Context(), &html))
		testenv.Want(t, html.String(), want+" ", "%q", text)
	}
}
