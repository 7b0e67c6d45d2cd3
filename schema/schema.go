// Package schema holds the migrations. The first sixteen are the baseline, by
// area: together they are the tables as they were when migrations began to be
// kept. No migration is ever changed. Code of the release before goes on
// running after one that only adds; one that does more says so by schema_floor.
// There is no way down: it would take a ledger with it. A mistake is put right
// by the next migration.
package schema

import "embed"

// FS holds the migrations, in goose's format.
//
//go:embed *.sql
var FS embed.FS
