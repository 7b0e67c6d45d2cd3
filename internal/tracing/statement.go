package tracing

import (
	"slices"
	"strings"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric/noop"
)

// Statements traces statements of the database by their names alone. It must be asked for only when
// tracing is On. What runs outside of any span, such as background work that looks for something to do, is
// not traced.
func Statements() pgx.QueryTracer {
	return otelpgx.NewTracer(
		otelpgx.WithTracerProvider(Provider()),
		otelpgx.WithMeterProvider(noop.NewMeterProvider()),
		otelpgx.WithDisableSQLStatementInAttributes(),
		otelpgx.WithDisableConnectionDetailsInAttributes(),
		otelpgx.WithSpanNameFunc(statementName),
	)
}

// statementName is the name that sqlc gives a query, or the first word of a statement that has none.
func statementName(sql string) string {
	if rest, named := strings.CutPrefix(sql, "-- name: "); named {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	word = strings.Trim(strings.ToLower(word), ";\n")
	if slices.Contains([]string{"begin", "commit", "rollback", "set", "select", "savepoint", "release"}, word) {
		return word
	}
	return "statement"
}
