package payout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gateway.example/internal/fault"
	"gateway.example/internal/metadata"
	"gateway.example/internal/money"
	"gateway.example/internal/outbound"
	"gateway.example/internal/sheet"
)

const (
	// MaxFileSize is how many bytes a file may have.
	MaxFileSize = 1 << 20
	// MaxFileRows is how many payouts a file may have.
	MaxFileRows = 2_000
	// headRows is how many rows may precede the row with the names of the
	// columns.
	headRows = 20
	// noted is the prefix of the columns whose values are metadata; the key
	// follows it.
	noted = "metadata."
)

// FileColumns are the columns of a file by their names in the API. The required
// ones are first.
var FileColumns = []string{
	"orderId", "amount", "method", "address", "recipient", "currency", "code", "bankName", "userId", "callbackUri",
}

// needed is how many columns, the first of FileColumns, are required.
const needed = 5

// columnNames are other names by which columns are recognized.
var columnNames = map[string][]string{
	"orderId":   {"order id", "order", "заказ", "номер заказа", "номер"},
	"amount":    {"сумма"},
	"method":    {"метод", "способ"},
	"address":   {"реквизит", "реквизиты", "телефон", "карта", "счёт", "счет", "куда"},
	"recipient": {"получатель", "фио"},
	"currency":  {"валюта"},
	"code":      {"bank code", "код банка", "бик"},
	"bankName":  {"bank", "bank name", "банк"},
	"userId":    {"user id", "user", "пользователь"},
}

// methodNames are other names by which methods are recognized.
var methodNames = map[string]string{"сбп": "sbp", "карта": "c2c", "на карту": "c2c", "счёт": "c2c", "счет": "c2c"}

// line is a row of a file: its number, and either its flaws or the payout that
// it asks for.
type line struct {
	number int
	order  order
	found  fault.Fields
}

// table is what a file has: the row that names the columns, and the rows below
// it.
type table struct {
	head []string
	rows [][]string
	// first is the number of the first row, and book says that the file is
	// a workbook.
	first int
	book  bool
}

// readTable reads a file. It may take seconds, in which no connection is to be
// held.
func readTable(ctx context.Context, content []byte) (table, error) {
	all, err := sheet.Rows(ctx, content, MaxFileRows+headRows+1)
	switch {
	case errors.Is(err, sheet.ErrBusy):
		return table{}, fault.ErrBusy
	case errors.Is(err, sheet.ErrLong):
		return table{}, fault.Fields{"file": {fmt.Sprintf("has more than %d rows", MaxFileRows)}}.Err()
	case errors.Is(err, sheet.ErrBook):
		return table{}, fault.Fields{"file": {sheet.ErrBook.Error()}}.Err()
	case err != nil:
		return table{}, fault.Fields{"file": {"has a line that cannot be read"}}.Err()
	}
	for i, row := range all[:min(len(all), headRows)] {
		head := columnsOf(row)
		if !slices.ContainsFunc(FileColumns[:needed], func(name string) bool { return !slices.Contains(head, name) }) {
			return table{head: head, rows: all[i+1:], first: i + 2, book: sheet.IsBook(content)}, nil
		}
	}
	return table{}, fault.Fields{"file": {
		"has no row that names the columns orderId, amount, method, address and recipient",
	}}.Err()
}

// columnsOf returns the columns that a row names, and "" for a name that is not
// known or is repeated.
func columnsOf(row []string) []string {
	columns := make([]string, len(row))
	for i, cell := range row {
		name := strings.ToLower(strings.TrimSpace(cell))
		for _, column := range FileColumns {
			if (name == strings.ToLower(column) || slices.Contains(columnNames[column], name)) && !slices.Contains(columns, column) {
				columns[i] = column
			}
		}
		if key, ok := strings.CutPrefix(strings.TrimSpace(cell), noted); ok && key != "" && !slices.Contains(columns, noted+key) {
			columns[i] = noted + key
		}
	}
	return columns
}

// lines are the payouts that a file asks for in a currency, with the flaws of
// each row by itself.
func (t table) lines(ctx context.Context, currency string, addresses *outbound.Addresses) (lines []line, err error) {
	for i, row := range t.rows {
		if !slices.ContainsFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			continue
		}
		one := line{number: t.first + i, found: fault.Fields{}}
		r := requestOf(t.head, row, currency, one.found)
		if !t.book && slices.ContainsFunc(row, func(cell string) bool { return strings.ContainsAny(cell, "\r\n") }) {
			one.found.Add("line", "goes over several lines: is a quotation mark missing?")
		}
		one.order, err = validate(fault.WithDecoded(ctx, one.found), r, addresses)
		if f := fault.As(err); f != nil {
			one.found = f.Fields
		}
		lines = append(lines, one)
	}
	switch {
	case len(lines) == 0:
		return nil, fault.Fields{"file": {"has no payout"}}.Err()
	case len(lines) > MaxFileRows:
		return nil, fault.Fields{"file": {fmt.Sprintf("has more than %d rows", MaxFileRows)}}.Err()
	}
	return lines, nil
}

// requestOf is the request for the payout that a row asks for, with the row's
// texts.
func requestOf(head, row []string, currency string, f fault.Fields) Request {
	r := Request{Currency: currency, FeedOnly: true}
	for i, name := range head[:min(len(head), len(row))] {
		value := strings.TrimSpace(row[i])
		if name == "" || value == "" {
			continue
		}
		if !strings.HasPrefix(name, noted) { // those of metadata are checked with it
			f.Flaw(name, fault.NameFlaw(value))
		}
		f.Check(!sheet.LostDigits(value), name, "has lost digits in a spreadsheet: have its column be of text there")
		f.Check(!sheet.IsError(value), name, "is an error that a spreadsheet shows in place of a value")
		switch name {
		case "orderId":
			r.OrderID = value
		case "amount":
			r.Amount = money.Typed(value)
		case "method":
			r.Method = strings.ToLower(value)
			r.Method = cmp.Or(methodNames[r.Method], r.Method)
		case "address":
			r.Address = value
		case "recipient":
			r.Recipient = value
		case "currency":
			r.Currency = strings.ToUpper(value)
		case "code":
			r.Code = &value
		case "bankName":
			r.BankName = &value
		case "userId":
			r.UserID = &value
		case "callbackUri":
			r.CallbackURI, r.FeedOnly = value, false
		default:
			if r.Metadata == nil {
				r.Metadata = metadata.Set{}
			}
			r.Metadata[strings.TrimPrefix(name, noted)] = value
		}
	}
	r.Address = plainAddress(r.Method, r.Address)
	return r
}

// phoneDigits is how many digits a phone number has in Russia.
const phoneDigits = 11

// plainAddress removes from a requisite what people and spreadsheets write
// between the digits. A phone number of 11 digits for SBP gets +7, because a
// spreadsheet that takes it for a number drops the plus.
func plainAddress(method, typed string) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \u00a0\u202f-()", r) {
			return -1
		}
		return r
	}, typed)
	if method == "sbp" && len(plain) == phoneDigits && (plain[0] == '7' || plain[0] == '8') {
		return "+7" + plain[1:]
	}
	return plain
}
