package edge

import (
	"context"
	"io"
	"log/slog"

	"gateway.example/internal/tracing"
)

// NewLogger writes JSON with each record's request id. It is for what operators
// need: amounts of detail that name a payer, a card or a secret have no place
// in it.
func NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(identified{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// identified adds the id of the request a record belongs to, and of its trace.
type identified struct{ slog.Handler }

func (h identified) Handle(ctx context.Context, record slog.Record) error {
	if id := KeptRequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	if id := tracing.ID(ctx); id != "" {
		record.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h identified) WithAttrs(attrs []slog.Attr) slog.Handler {
	return identified{h.Handler.WithAttrs(attrs)}
}

func (h identified) WithGroup(name string) slog.Handler { return identified{h.Handler.WithGroup(name)} }
