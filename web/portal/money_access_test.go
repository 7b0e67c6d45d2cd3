package portal_test

import "maps"

// Who may ask for the pages of rates and money.
var moneyAccess = map[string]string{
	"GET /operator/rates":             "operators",
	"GET /operator/rates/set":         "treasury",
	"GET /operator/rates/set/confirm": "treasury",
	"POST /operator/rates/set":        "treasury",
	"GET /operator/rates/feeds/new":   "treasury",
	"POST /operator/rates/feeds/new":  "treasury",
	"GET /operator/rates/feeds/{id}":  "own",
	"POST /operator/rates/feeds/{id}": "own",

	"GET /operator/routing":               "operators",
	"GET /operator/routing/payment":       "operators",
	"GET /operator/routing/payments/{id}": "operators",

	"GET /operator/money":                   "treasury",
	"GET /operator/money/fund":              "treasury",
	"GET /operator/money/fund/confirm":      "treasury",
	"POST /operator/money/fund":             "treasury",
	"GET /operator/money/withdraw":          "treasury",
	"GET /operator/money/withdraw/confirm":  "treasury",
	"POST /operator/money/withdraw":         "treasury",
	"GET /operator/money/insurance":         "treasury",
	"GET /operator/money/insurance/confirm": "treasury",
	"POST /operator/money/insurance":        "treasury",
	"GET /operator/money/correct":           "treasury",
	"GET /operator/money/correct/confirm":   "treasury",
	"POST /operator/money/correct":          "treasury",

	"GET /operator/approvals":               "operators",
	"GET /operator/approvals/{id}":          "own",
	"POST /operator/approvals/{id}/approve": "own",
	"POST /operator/approvals/{id}/refuse":  "own",

	"GET /operator/accounts":               "operators",
	"GET /operator/accounts/statement":     "own",
	"GET /operator/accounts/statement.csv": "own",
	"GET /operator/income":                 "operators",
	"GET /operator/income.csv":             "operators",
}

func init() { maps.Copy(access, moneyAccess) }
