// Package trust shows operators the ledger's reconciliation and seals, the
// audit log, alarms and the manual.
package trust

import (
	"gateway.example/internal/alarm"
	"gateway.example/internal/audit"
	"gateway.example/internal/auditlog"
	"gateway.example/internal/books"
	"gateway.example/internal/clock"
	"gateway.example/internal/seal"
	"gateway.example/web/portal"
)

type Services struct {
	Books *books.Service
	// AuditLog reads pages, and AuditLogExports writes files.
	AuditLog, AuditLogExports *auditlog.Service
	// Proofs prove what is in the ledger, and publish its pages.
	Proofs *seal.Service
	// Audits has the results of the audits, and Alarms the alarms.
	Audits *audit.Service
	Alarms *alarm.Service
	Clock  clock.Clock
}

type visit struct {
	*portal.Visit
	Services
}

type route = portal.RouteOf[*visit]

var Routes = portal.Feature(func(v *portal.Visit, s Services) *visit { return &visit{v, s} }, manualRoutes, trustRoutes)
