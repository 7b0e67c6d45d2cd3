package signature

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"gateway.example/internal/strictjson"
)

// canonicalForms returns the canonical encodings of a JSON body that a
// signature may be made over besides the raw bytes: numbers as written, then,
// where it differs, numbers in shortest form. Both keep the body's field order,
// have no white space and escape only what JSON needs escaped. A body without a
// canonical form (not JSON, nested too deep, invalid UTF-8, lone surrogates)
// yields nil; duplicate names are kept, refusing them is left to the
// validation.
func canonicalForms(body []byte) [][]byte {
	root, err := strictjson.Parse(body)
	if err != nil {
		return nil
	}
	written := canonicalWriter{buf: make([]byte, 0, len(body)), number: asWritten}
	shortest := canonicalWriter{buf: make([]byte, 0, len(body)), number: shortestNumber}
	if !written.value(root) || !shortest.value(root) {
		return nil
	}
	if bytes.Equal(written.buf, shortest.buf) {
		return [][]byte{written.buf}
	}
	return [][]byte{written.buf, shortest.buf}
}

type canonicalWriter struct {
	buf    []byte
	number func(literal string) string
}

// value appends v, and reports false for a string without an encoding.
func (w *canonicalWriter) value(v strictjson.Value) bool {
	switch v.Kind {
	case strictjson.Object:
		return w.object(v.Members)
	case strictjson.Array:
		return w.array(v.Items)
	case strictjson.String:
		w.buf = strictjson.AppendString(w.buf, v.Text)
		return v.Flaw == ""
	case strictjson.Number:
		w.buf = append(w.buf, w.number(v.Text)...)
	default:
		w.buf = append(w.buf, v.Text...)
	}
	return true
}

// object appends an object's members in their order, also those whose name
// comes twice. After false what was appended is of no use.
func (w *canonicalWriter) object(members []strictjson.Member) bool {
	w.buf = append(w.buf, '{')
	for i, m := range members {
		w.separate(i)
		if !w.value(m.Name) {
			return false
		}
		w.buf = append(w.buf, ':')
		if !w.value(m.Value) {
			return false
		}
	}
	w.buf = append(w.buf, '}')
	return true
}

func (w *canonicalWriter) array(items []strictjson.Value) bool {
	w.buf = append(w.buf, '[')
	for i, item := range items {
		w.separate(i)
		if !w.value(item) {
			return false
		}
	}
	w.buf = append(w.buf, ']')
	return true
}

func (w *canonicalWriter) separate(index int) {
	if index > 0 {
		w.buf = append(w.buf, ',')
	}
}

func asWritten(literal string) string { return literal }

// shortestNumber is how a client writes a number after parsing it: integers
// unchanged, others as JavaScript prints a double (100.10 as 100.1, 1e2 as 100,
// 1e30 as 1e+30, -0 as 0). PHP and Python do the same for all usual amounts. A
// number with more digits than a double has no agreed short form and is
// unchanged.
func shortestNumber(literal string) string {
	if !strings.ContainsAny(literal, ".eE") && literal != "-0" {
		return literal
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil { // out of range
		return literal
	}
	if short := formatDouble(f); sameDecimal(literal, short) {
		return short
	}
	return literal
}

// formatDouble is JavaScript's Number.prototype.toString: plain notation from
// 1e-6 up to 1e21, else an exponent without leading zeros.
func formatDouble(f float64) string {
	size := math.Abs(f)
	if size == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	short := strconv.FormatFloat(f, 'e', -1, 64)
	return strings.Replace(short, "e-0", "e-", 1) // Go pads exponents to two digits: 1e-07
}

// sameDecimal reports whether two JSON numbers are equal as decimals, except
// for the sign of zero.
func sameDecimal(a, b string) bool {
	digitsA, exponentA, okA := decimalOf(a)
	digitsB, exponentB, okB := decimalOf(b)
	return okA && okB && digitsA == digitsB && exponentA == exponentB
}

// decimalOf splits a JSON number into its digits with the sign, without leading
// and trailing zeros, and the exponent of the last digit. It reports false for
// an exponent that does not fit an int.
func decimalOf(number string) (digits string, exponent int, ok bool) {
	mantissa, power := number, "0"
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, power = number[:i], number[i+1:]
	}
	unsigned := strings.TrimPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(significant, "0")
	if trimmed == "" {
		return "", 0, true
	}
	exponent, err := strconv.Atoi(power)
	if err != nil {
		return "", 0, false
	}
	exponent += len(significant) - len(trimmed) - len(fraction)
	return mantissa[:len(mantissa)-len(unsigned)] + trimmed, exponent, true
}
