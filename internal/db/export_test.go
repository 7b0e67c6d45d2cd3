package db

import "slices"

// MigrateWithin is Migrate with another patience.
var MigrateWithin = migrateWithin

// PlacedTables are the tables that have a place, in their order.
func PlacedTables() []string {
	var tables []string
	for _, p := range placements {
		tables = append(tables, p.tables...)
	}
	slices.Sort(tables)
	return tables
}
