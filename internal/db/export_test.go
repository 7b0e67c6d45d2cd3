package db

// MigrateWithin is Migrate with another patience.
var MigrateWithin = migrateWithin
