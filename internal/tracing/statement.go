package tracing

import (
	"slices"
	"strings"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/metric/noop"
)

// Statements traces database statements by name. It may only be called when
// tracing is On. Statements outside any span, such as background work that
// looks for something to do, are not traced.
func Statements() pgx.QueryTracer {
	return otelpgx.NewTracer(
		otelpgx.WithTracerProvider(Provider()),
		otelpgx.WithMeterProvider(noop.NewMeterProvider()),
		otelpgx.WithDisableSQLStatementInAttributes(),
		otelpgx.WithDisableConnectionDetailsInAttributes(),
		otelpgx.WithSpanNameFunc(statementName),
	)
}

// statementName is the name of a generated query, or the first word of a
// statement without one.
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
