// Package schema holds the migrations. Code runs before and after each of them: a migration adds, a later one removes.
package schema

import "embed"

// FS holds the migrations, in goose's format.
//
//go:embed *.sql
var FS embed.FS
