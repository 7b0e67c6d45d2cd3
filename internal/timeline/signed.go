package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// Signed is the timeline of a payment as a signed document: a file to give to
// others, who can verify that nothing in it was changed.
func (s *Service) Signed(
	ctx context.Context, who caller.Caller, paymentID string, signer *attest.Signer,
) ([]byte, error) {
	told, err := s.Payment(ctx, who, paymentID)
	if err != nil {
		return nil, err
	}
	p, err := s.payments.Get(ctx, who, paymentID)
	if err != nil {
		return nil, err
	}
	lines := make([]any, 0, len(told))
	for _, line := range told {
		plain, err := plainLine(line)
		if err != nil {
			return nil, err
		}
		lines = append(lines, plain)
	}
	return signer.Sign(map[string]any{
		"subject": db.SubjectPayment, "id": p.ID, "uuid": p.UUID.String(), "status": string(p.Status),
		"seen_by": who.Actor(), "signed_at": s.clock.Now().UTC().Format(time.RFC3339),
	}, lines)
}

// plainLine is a line as JSON, without empty fields. Durations are in
// milliseconds.
func plainLine(line Line) (any, error) {
	line.At = line.At.UTC()
	text, err := json.Marshal(line)
	if err != nil {
		return nil, fmt.Errorf("write a line: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain map[string]any
	if err := decoder.Decode(&plain); err != nil {
		return nil, fmt.Errorf("read a line: %w", err)
	}
	if w := line.Webhook; w != nil {
		hook, _ := plain["Webhook"].(map[string]any)
		hook["Took"], hook["Answer"] = nil, string(w.Answer)
		if line.What == WhatAttempt {
			hook["TookMs"] = w.Took.Milliseconds()
		}
	}
	return said(plain), nil
}

// said is the object with its names in snake case and without empty fields.
func said(object map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range object {
		switch v := value.(type) {
		case nil:
			continue
		case string:
			if v == "" || v == "00000000-0000-0000-0000-000000000000" {
				continue
			}
		case map[string]any:
			value = said(v)
		}
		out[snake(name)] = value
	}
	return out
}

// snake writes a name such as CallbackURI as callback_uri.
func snake(name string) string {
	var out strings.Builder
	letters := []rune(name)
	for i, letter := range letters {
		follows := i > 0 && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if unicode.IsUpper(letter) && follows {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(letter))
	}
	return out.String()
}
