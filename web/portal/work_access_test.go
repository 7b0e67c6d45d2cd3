package portal_test

import "maps"

// What waits for operators, and what they decide. An address with an id is of nothing there is.
func init() {
	maps.Copy(access, map[string]string{
		"GET /operator/work":                          "operators",
		"GET /operator/payments":                      "operators",
		"GET /operator/payments.csv":                  "operators",
		"GET /operator/payments/{id}":                 "operators",
		"GET /operator/payments/{id}/receipts/{n}":    "own",
		"GET /operator/payouts":                       "operators",
		"GET /operator/payouts.csv":                   "operators",
		"GET /operator/payouts/{id}":                  "own",
		"GET /operator/deposits":                      "operators",
		"GET /operator/appeals":                       "operators",
		"GET /operator/appeals/{id}/file":             "own",
		"GET /operator/overdue":                       "operators",
		"GET /operator/conflicts":                     "operators",
		"GET /operator/events/dead":                   "operators",
		"GET /operator/events/dead/confirm":           "cases",
		"POST /operator/events/dead":                  "cases",
		"GET /operator/events/replays/{replay}":       "own",
		"POST /operator/events/replays/{replay}/stop": "own",
	})
	for base, steps := range map[string][]string{
		"deposits":  {"confirm", "reject"},
		"appeals":   {"review", "accept", "refuse"},
		"payouts":   {"complete", "fail", "reclaim", "reverse"},
		"conflicts": {"close"},
	} {
		one := "/operator/" + base + "/{id}"
		access["GET "+one] = "own"
		access["GET "+one+"/claim"] = "own"
		access["POST "+one+"/take"] = "own"
		access["POST "+one+"/release"] = "own"
		for _, step := range steps {
			access["GET "+one+"/"+step] = "own"
			access["POST "+one+"/"+step] = "own"
		}
	}
}
