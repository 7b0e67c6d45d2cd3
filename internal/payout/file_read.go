package payout

import (
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
	// headRows is how many rows may stand above the names of the columns.
	headRows = 20
	// noted begins the name of a column whose values are metadata; the key follows.
	noted = "metadata."
)

// FileColumns are the columns of a file as the API calls them, those first that a row needs.
var FileColumns = []string{
	"orderId", "amount", "method", "address", "recipient", "currency", "code", "bankName", "userId", "callbackUri",
}

// needed is how many of the columns a file must have.
const needed = 5

// columnNames are what columns are called besides.
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

// methodNames are what methods are called besides.
var methodNames = map[string]string{"сбп": "sbp", "карта": "c2c", "на карту": "c2c", "счёт": "c2c", "счет": "c2c"}

// line is a row of a file: its place, and what is wrong with it or the payout that it asks for.
type line struct {
	number int
	order  order
	found  fault.Fields
}

// fileRows finds the row that names the columns, and the rows below it that are not empty.
func fileRows(content []byte) (head []string, rows [][]string, first int, err error) {
	all, err := sheet.Rows(content, MaxFileRows+headRows+1)
	switch {
	case errors.Is(err, sheet.ErrLong):
		return nil, nil, 0, fault.Fields{"file": {fmt.Sprintf("has more than %d rows", MaxFileRows)}}.Err()
	case errors.Is(err, sheet.ErrBook):
		return nil, nil, 0, fault.Fields{"file": {sheet.ErrBook.Error()}}.Err()
	case err != nil:
		return nil, nil, 0, fault.Fields{"file": {"has a line that cannot be read"}}.Err()
	}
	for i, row := range all[:min(len(all), headRows)] {
		head = columnsOf(row)
		if !slices.ContainsFunc(FileColumns[:needed], func(name string) bool { return !slices.Contains(head, name) }) {
			return head, all[i+1:], i + 2, nil
		}
	}
	return nil, nil, 0, fault.Fields{"file": {
		"has no row that names the columns orderId, amount, method, address and recipient",
	}}.Err()
}

// columnsOf are the columns that a row names, "" where it names none that is known. Each is the first of its name.
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

// readFile reads the payouts that a file asks for in a currency, and what is wrong with each by itself.
func readFile(ctx context.Context, content []byte, currency string, addresses *outbound.Addresses) ([]line, error) {
	head, rows, first, err := fileRows(content)
	if err != nil {
		return nil, err
	}
	var lines []line
	for i, row := range rows {
		if !slices.ContainsFunc(row, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			continue
		}
		one := line{number: first + i, found: fault.Fields{}}
		r := requestOf(head, row, currency, one.found)
		if !sheet.IsBook(content) && slices.ContainsFunc(row, func(cell string) bool { return strings.ContainsAny(cell, "\r\n") }) {
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

// requestOf is the payout that a row asks for, as it is written.
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
		switch name {
		case "orderId":
			r.OrderID = value
		case "amount":
			r.Amount = money.Typed(value)
		case "method":
			r.Method = strings.ToLower(value)
			if known, ok := methodNames[r.Method]; ok {
				r.Method = known
			}
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

// plainAddress is a requisite without what people and spreadsheets write between digits. A spreadsheet that took a phone
// number for a number has lost its plus.
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
