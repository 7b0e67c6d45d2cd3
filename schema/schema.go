// Package schema holds the migrations. Code runs before and after each of them: a migration adds, a later one removes.
// There is no way down: it would take a ledger with it. A mistake is put right by the next migration.
package schema

import "embed"

// FS holds the migrations, in goose's format.
//
//go:embed *.sql
var FS embed.FS
