package bankmessage

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/testenv"
)

// Each file's examples are read as the file says, by the pattern that they
// stand below, and none of them is taken for a code.
func TestExamples(t *testing.T) {
	t.Parallel()
	read := map[Kind]int{}
	for _, s := range sheets() {
		testenv.Check(t, s.bank != "" && s.name != "" && len(s.senders) > 0, "%s: no bank or sender", s.bank)
		kinds := []Kind{}
		for _, p := range s.patterns {
			kinds = append(kinds, p.kind)
			testenv.Check(t, len(p.examples) > 0, "%s has no example", p.name)
			for _, e := range p.examples {
				got := Read(Forwarded{Kind: sms, Sender: s.senders[0], Text: strings.ReplaceAll(e.text, " ", "\u00a0")})
				shown := strings.Join([]string{fixed(got.Amount), fixed(got.Balance), cmp.Or(got.Account, "-")}, " ")
				testenv.Check(t, got.Pattern == p.name && got.Kind == p.kind && shown == e.reads,
					"%q: %s %s, by %s; want %s by %s", e.text, got.Kind, shown, got.Pattern, e.reads, p.name)
				testenv.Check(t, !HasCode(e.text), "%q is no code", e.text)
				app := s.senders[len(s.senders)-1]
				for _, m := range []Forwarded{{Kind: sms, Sender: "+79001112233"}, {Kind: push, Sender: s.senders[0]}, {Kind: sms, Sender: app}} {
					m.Text = e.text
					testenv.Check(t, !isPackage(app) && m.Sender == app || Read(m).Kind == Unknown, "%q is read as %s of %s", e.text, m.Kind, m.Sender)
				}
				read[p.kind]++
			}
		}
		for _, kind := range []Kind{Incoming, Outgoing, Declined, Balance, Advertisement} {
			testenv.Check(t, slices.Contains(kinds, kind), "%s in %s has no pattern for %s", s.bank, s.currency, kind)
		}
		testenv.Check(t, len(s.codes) > 0, "%s has no example of a code", s.bank)
		for _, text := range s.codes {
			testenv.Check(t, HasCode(text), "%q is a code", text)
			read[Code]++
		}
	}
	t.Logf("%d files, examples by kind: %v", len(sheets()), read)
}

func fixed(d decimal.NullDecimal) string {
	if !d.Valid {
		return "-"
	}
	return d.Decimal.StringFixed(2)
}

// Codes of senders that nobody knows are recognised as well, and amounts beside
// a warning are none.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "codes.txt") {
		testenv.Want(t, HasCode(row[1]), row[0] == "code", "%q is a code", row[1])
	}
	testenv.Want(t, HasCode(""), false, "nothing is a code")
}

// Money that a bank did not let through, or gives back, has not come from a
// payer, however much else of the text is as if it had.
func TestNotCome(t *testing.T) {
	t.Parallel()
	for sender, texts := range map[string][]string{
		"ru.alfabank.mobile.android": {
			"+1 500 ₽ Перевод отменён", "+1 500 ₽ Перевод по СБП отклонён банком", "+1 500 ₽ Поступление ожидается",
			"+1 500 ₽ Возврат. Поступление",
		},
		"kz.kaspi.mobile": {"Перевод: 1 500 ₸. Отменено. Доступно: 12 000 ₸", "Аударым: 1 500 ₸. Қайтарылды. Қолжетімді: 12 000 ₸"},
	} {
		for _, text := range texts {
			testenv.Want(t, Read(Forwarded{Kind: push, Sender: sender, Text: text}).Kind, Unknown, "%q is read as", text)
		}
	}
}

// Amounts are decimal as they are written, and never rounded.
func TestAmounts(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"1500": "1500.00", "1 500": "1500.00", "1.500": "1500.00", "1,500.05": "1500.05", "12.345,6": "12345.60",
		"0,01": "0.01", "999 999 999.99": "999999999.99", "9999999999999": "-",
	} {
		testenv.Want(t, fixed(amountOf(written)), want, "%s is read as", written)
	}
	for _, text := range []string{
		`СЧЁТ1234 14:05 Перевод 1500р от ООО "РОМАШКА" Баланс: 12345.67р`, // nor is it what went out
		"СЧЁТ1234 14:05 Перевод 1500.123р от Иван П. Баланс: 12 345.67р",  // three decimals are no amount of two
		"СЧЁТ1234 14:05 Перевод 10р от Иван П 1500р. Баланс: 12345.67р",   // a name with an amount in it
		"СЧЁТ1234 14:05 Перевод 1500р от Иван П. Баланс: 12345.67р и ещё",
	} {
		testenv.Want(t, Read(Forwarded{Kind: sms, Sender: "900", Text: text}).Kind, Unknown, "%q is read as", text)
	}
}
