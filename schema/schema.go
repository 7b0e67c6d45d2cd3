// Package schema holds the migrations. Code of the release before goes on running after a
// migration: it adds, and a later one removes. Migrations 22, 23, 35, 40 and 41 are exceptions,
// before which the old program has to be stopped. There is no way down: it would take a ledger with
// it. A mistake is put right by the next migration.
package schema

import "embed"

// FS holds the migrations, in goose's format.
//
//go:embed *.sql
var FS embed.FS
