package main

import (
	"context"
	"io"
	"log/slog"

	"gateway.example/internal/edge"
	"gateway.example/internal/tracing"
)

// newLogger writes JSON with each record's request id. It is for what operators need: amounts of
// detail that name a payer, a card or a secret have no place in it.
func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(requestIDs{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// requestIDs adds the id of the request a record belongs to, and of its trace.
type requestIDs struct{ slog.Handler }

func (h requestIDs) Handle(ctx context.Context, record slog.Record) error {
	if id := edge.KeptRequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	if id := tracing.ID(ctx); id != "" {
		record.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h requestIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestIDs{h.Handler.WithAttrs(attrs)}
}

func (h requestIDs) WithGroup(name string) slog.Handler { return requestIDs{h.Handler.WithGroup(name)} }
