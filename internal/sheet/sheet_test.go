package sheet

import (
	"context"
	"errors"
	"testing"

	"gateway.example/internal/testenv"
)

// A workbook waits for one that is being read no longer than its caller does.
func TestWorkbookWaits(t *testing.T) {
	reading <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const book = "PK\x03\x04 and no more"
	_, err := Rows(ctx, []byte(book), 1)
	testenv.Check(t, errors.Is(err, ErrBusy), "beside another: %v", err)
	rows, err := Rows(ctx, []byte("a;b"), 1)
	testenv.Check(t, len(rows) == 1 && err == nil, "a text waits: %v, %v", rows, err)
	<-reading
	for range 2 {
		_, err = Rows(t.Context(), []byte(book), 1)
		testenv.Check(t, errors.Is(err, ErrBook), "alone: %v", err)
	}
}
