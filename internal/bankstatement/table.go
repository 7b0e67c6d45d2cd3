package bankstatement

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/clock"
)

// column is the meaning of a column of a table.
type column int

const (
	day column = iota
	timeOfDay
	amount
	credit
	debit
	about
	outcome
	columns
)

// names are the headings that banks use, the most certain first. A heading
// matches if it is one of them or begins with it.
var names = [columns][]string{
	day: {
		"дата операции", "дата и время", "дата проведения", "дата транзакции", "дата платежа", "дата", "date", "transaction date",
		"booking date", "tarih", "işlem tarihi", "tarix", "əməliyyat tarixi", "sana", "amal sanasi", "күні",
	},
	timeOfDay: {"время", "time", "saat", "vaqt", "уақыты"},
	// What was moved on the account stands before what somebody paid in
	// another currency.
	amount: {
		"сумма платежа", "сумма в валюте сч", "сумма в валюте карты", "сумма операции", "сумма", "amount in account", "amount", "tutar",
		"işlem tutarı", "məbləğ", "summa", "сомасы",
	},
	credit: {
		"приход", "поступлени", "зачислен", "кредит", "сумма по кредиту", "credit", "paid in", "money in", "alacak", "mədaxil", "kirim",
	},
	debit: {
		"расход", "списан", "дебет", "сумма по дебету", "debit", "paid out", "money out", "borç", "məxaric", "chiqim",
	},
	about: {
		"описание", "назначение", "детали", "содержание", "контрагент", "description", "details", "narrative", "payee", "açıklama",
		"təyinat", "tavsif", "maqsad", "сипаттама",
	},
	outcome: {"статус", "состояние", "status", "state", "durum", "holat"},
}

// notMoved matches the status of a movement that the bank has not carried out.
var notMoved = regexp.MustCompile(`(?i)fail|declin|reject|cancel|отказ|отклон|отмен|неуспе|не исполн|не выполн|не провед|iptal|redd`)

// headRows is how many rows may be above the headings.
const headRows = 60

// fromTable reads the rows below the row of headings. A row without a date is
// not a movement but a total or a note of the bank.
func fromTable(rows [][]string, zone *time.Location) ([]Line, error) {
	head, places := findHead(rows)
	if head < 0 {
		return nil, errUnknown
	}
	var lines []Line
	var plus, minus bool
	var bare []int // lines whose amounts have no sign
	for i, row := range rows[head+1:] {
		number := head + i + 2
		cell := func(c column) string {
			if places[c] < 0 || places[c] >= len(row) {
				return ""
			}
			return strings.TrimSpace(row[places[c]])
		}
		when := strings.TrimSpace(cell(day) + " " + cell(timeOfDay))
		at, timed, dated := parseTime(when, zone)
		if !dated && dateLike.MatchString(when) {
			return nil, lineError(number, "date", when)
		}
		if !dated {
			continue
		}
		moved, wrong, ok := movement(cell(amount), cell(credit), cell(debit))
		if !ok {
			return nil, lineError(number, "amount", wrong)
		}
		if moved.IsZero() || notMoved.MatchString(cell(outcome)) {
			continue
		}
		minus = minus || moved.IsNegative()
		if strings.HasPrefix(cell(amount), "+") {
			plus = true
		} else {
			bare = append(bare, len(lines))
		}
		lines = append(lines, Line{number, at, timed, moved, cut(cell(about), maxText)})
	}
	if plus && !minus { // so a bank writes that marks only what came
		for _, i := range bare {
			lines[i].Amount = lines[i].Amount.Neg()
		}
	}
	return lines, nil
}

// dateLike matches what is meant as a date, with a time or without one.
var dateLike = regexp.MustCompile(`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(\D{1,3}\d{1,2}:.*)?$`)

// joined finds the first row of text into which a quotation mark has drawn the
// rows below it, as where a bank writes "A" Ltd without doubling its marks. It
// returns the line of that row, or 0. A cell of several lines is taken for such
// a row if one after the first has a date between separators.
func joined(rows [][]string) int {
	separates := func(r rune) bool { return strings.ContainsRune(";,\t\r\n\"", r) }
	for i, row := range rows {
		for _, cell := range row {
			_, below, _ := strings.Cut(cell, "\n")
			for _, part := range strings.FieldsFunc(below, separates) {
				if dateLike.MatchString(strings.TrimSpace(part)) {
					return i + 1
				}
			}
		}
	}
	return 0
}

// findHead finds the first row that names a column of dates and one of amounts
// or of credits, among the first headRows. head is -1 if there is none. A
// column that is not named has the place -1.
func findHead(rows [][]string) (head int, places [columns]int) {
	for i, row := range rows[:min(len(rows), headRows)] {
		headings := make([]string, len(row))
		for j, cell := range row {
			headings[j] = strings.ToLower(strings.TrimSpace(cell))
		}
		for c := range columns {
			places[c] = findColumn(headings, names[c])
		}
		if places[day] >= 0 && (places[amount] >= 0 || places[credit] >= 0) {
			return i, places
		}
	}
	return -1, places
}

func findColumn(headings, names []string) int {
	for _, name := range names {
		if place := slices.IndexFunc(headings, func(heading string) bool { return strings.HasPrefix(heading, name) }); place >= 0 {
			return place
		}
	}
	return -1
}

// movement is the amount of a row, which is in one signed column, or in one of
// two columns. An amount below zero among those that came was taken back. Among
// those that went it was not: some banks write all of them so.
func movement(signed, in, out string) (moved decimal.Decimal, wrong string, ok bool) {
	if in == "" && out == "" {
		moved, ok = parseAmount(signed)
		return moved, signed, ok || signed == ""
	}
	if in != "" {
		if moved, ok = parseAmount(in); !ok {
			return moved, in, false
		}
	}
	if out != "" {
		went, ok := parseAmount(out)
		if !ok {
			return moved, out, false
		}
		moved = moved.Sub(went.Abs())
	}
	return moved, "", true
}

// parseAmount reads an amount with any separators. The last separator, if one
// or two digits follow it, is the decimal one. Text before or after the amount,
// such as a currency, must have no digits.
func parseAmount(text string) (decimal.Decimal, bool) {
	negative := strings.ContainsAny(text, "-−–") || strings.HasPrefix(text, "(")
	text = strings.TrimFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	whole, cents := text, ""
	if at := strings.LastIndexAny(text, ".,"); at >= 0 && len(text)-at-1 <= 2 {
		whole, cents = text[:at], text[at+1:]
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune(" \u00a0\u202f\u2009'’,.", r) })
	for i, group := range groups {
		if len(groups) > 1 && (i > 0 && len(group) != 3 || len(group) > 3) { // 1500.125 is not a million and a half
			return decimal.Decimal{}, false
		}
	}
	whole = strings.Join(groups, "")
	if whole == "" || len(whole) > 15 { // of millions of digits a number would take minutes
		return decimal.Decimal{}, false
	}
	value, err := decimal.NewFromString(whole + "." + cents + "0")
	if err != nil {
		return decimal.Decimal{}, false
	}
	if negative {
		value = value.Neg()
	}
	return value, true
}

// layouts are the ways to write a day, and a time where there is one. Days,
// months and hours may have one digit.
var layouts = []string{
	"2.1.2006 15:04:05", "2.1.2006 15:04", "2006-1-2 15:04:05", "2006-1-2 15:04", "2006-1-2T15:04:05",
	"2/1/2006 15:04:05", "2/1/2006 15:04", "2.1.06 15:04:05", "2.1.06 15:04", "2-1-2006 15:04:05",
	"2.1.2006", "2006-1-2", "2/1/2006", "2.1.06", "2-1-2006",
}

// parseTime reads a day, and a time if there is one. Midnight is none: so a
// bank writes a day for which it has no time.
func parseTime(text string, zone *time.Location) (at time.Time, timed, ok bool) {
	text = strings.ReplaceAll(text, ", ", " ")
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		hour, minute, second := at.Clock()
		return at.In(zone), hour+minute+second > 0, true
	}
	for _, layout := range layouts {
		if told, err := time.Parse(layout, text); err == nil {
			year, month, day := told.Date()
			since := told.Sub(clock.Midnight(told, 0))
			return clock.On(year, month, day, since, zone), since > 0, true
		}
	}
	return time.Time{}, false, false
}
