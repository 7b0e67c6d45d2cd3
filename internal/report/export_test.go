package report

import (
	"time"

	"github.com/shopspring/decimal"
)

// SafeText is safeText for tests.
var SafeText = safeText

// Cell is an amount of USDT as it stands in a file.
func Cell(d decimal.Decimal) string { return cell(usdt(&d), time.UTC) }
