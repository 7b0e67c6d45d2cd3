package portal_test

import "maps"

// Every operator reads the directory, and administrators change it.
func init() {
	maps.Copy(access, map[string]string{
		"GET /operator/merchants":       "operators",
		"GET /operator/merchants/new":   "admin",
		"POST /operator/merchants/new":  "admin",
		"GET /operator/merchants/{id}":  "operators",
		"POST /operator/merchants/{id}": "admin",

		"GET /operator/cashboxes":                        "operators",
		"GET /operator/cashboxes/new":                    "admin",
		"POST /operator/cashboxes/new":                   "admin",
		"GET /operator/cashboxes/{id}":                   "operators",
		"POST /operator/cashboxes/{id}":                  "admin",
		"GET /operator/cashboxes/{id}/methods/{method}":  "operators",
		"POST /operator/cashboxes/{id}/methods/{method}": "admin",
		"GET /operator/cashboxes/{id}/payouts/{method}":  "operators",
		"POST /operator/cashboxes/{id}/payouts/{method}": "admin",

		"GET /operator/traders":                                   "operators",
		"GET /operator/traders/new":                               "admin",
		"POST /operator/traders/new":                              "admin",
		"GET /operator/traders/{id}":                              "operators",
		"POST /operator/traders/{id}":                             "admin",
		"GET /operator/traders/{id}/payouts/{currency}/{method}":  "operators",
		"POST /operator/traders/{id}/payouts/{currency}/{method}": "admin",
		"GET /operator/traders/{id}/processor":                    "operators",
		"POST /operator/traders/{id}/processor":                   "admin",
		"GET /operator/traders/{id}/processor/remove":             "admin",
		"POST /operator/traders/{id}/processor/remove":            "admin",

		"GET /operator/requisites":             "operators",
		"GET /operator/requisites/new":         "admin",
		"POST /operator/requisites/new":        "admin",
		"GET /operator/requisites/{id}":        "operators",
		"POST /operator/requisites/{id}":       "admin",
		"POST /operator/requisites/{id}/value": "operators",

		"GET /operator/users":              "operators",
		"GET /operator/users/new":          "admin",
		"POST /operator/users/new":         "admin",
		"GET /operator/users/{id}":         "operators",
		"POST /operator/users/{id}":        "admin",
		"GET /operator/users/{id}/{step}":  "admin",
		"POST /operator/users/{id}/{step}": "admin",

		"GET /operator/limits":             "operators",
		"GET /operator/limits/{currency}":  "operators",
		"POST /operator/limits/{currency}": "admin",
		"GET /operator/banks":              "operators",
		"GET /operator/banks/{currency}":   "operators",
		"POST /operator/banks/{currency}":  "admin",
	})
}
