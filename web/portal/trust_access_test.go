package portal_test

import (
	"maps"
)

// The pages by which operators trust the gateway are for operators of every role.
func init() {
	maps.Copy(access, map[string]string{
		"GET /operator/audit":                     "operators",
		"GET /operator/audit.csv":                 "operators",
		"GET /operator/reconciliation":            "operators",
		"GET /operator/reconciliation/days/{day}": "own",
		"GET /operator/alarms":                    "operators",
		"GET /operator/manual":                    "operators",
	})
	maps.Copy(operatorPages, map[string]string{
		"audit":          "/operator/audit",
		"audit filtered": "/operator/audit?status=sign_in&q=root",
		"audit wrong":    "/operator/audit?from=nonsense",
		"reconciliation": "/operator/reconciliation",
		"alarms":         "/operator/alarms",
		"manual":         "/operator/manual",
	})
	unexamined = append(unexamined, "GET /operator/audit.csv", "GET /operator/reconciliation/days/{day}")
}
