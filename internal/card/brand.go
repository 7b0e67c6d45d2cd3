package card

import "strconv"

// brandRange is a range of card numbers, by their first digits.
type brandRange struct {
	from, to int
	brand    string
}

// brands are the number ranges of the schemes, narrow ranges before wide ones.
var brands = []brandRange{
	{2200, 2204, "mir"},
	{8600, 8600, "uzcard"}, {5614, 5614, "uzcard"},
	{9860, 9860, "humo"},
	{9792, 9792, "troy"},
	{2221, 2720, "mastercard"}, {51, 55, "mastercard"},
	{34, 34, "amex"}, {37, 37, "amex"},
	{3528, 3589, "jcb"},
	{62, 62, "unionpay"},
	{50, 50, "maestro"}, {56, 58, "maestro"}, {63, 63, "maestro"}, {67, 67, "maestro"},
	{4, 4, "visa"},
}

// unknownBrand stands for all other schemes.
const unknownBrand = "card"

// Brand is the card's scheme in lower case, or "card".
func (p PAN) Brand() string {
	digits := p.Digits()
	for _, r := range brands {
		length := len(strconv.Itoa(r.from))
		if len(digits) < length {
			continue
		}
		if prefix, err := strconv.Atoi(digits[:length]); err == nil && prefix >= r.from && prefix <= r.to {
			return r.brand
		}
	}
	return unknownBrand
}
