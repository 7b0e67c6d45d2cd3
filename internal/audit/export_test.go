package audit

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
)

// AskEach asks every rule about all and about what is new, and answers what
// could not be asked or is broken.
func AskEach(ctx context.Context, pool db.Pool) []string {
	var wrong []string
	note := func(r rule, broken []Violation, err error) {
		if err != nil || len(broken) > 0 {
			wrong = append(wrong, fmt.Sprint(r.name, ": ", broken, err))
		}
	}
	for _, r := range allRules() {
		broken, _, _, err := r.step(ctx, pool, 0)
		note(r, broken, err)
		if r.of != "" {
			broken, err = r.ask(ctx, pool, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339Nano), 0, 0)
			note(r, broken, err)
		}
		if r.recent != nil {
			_, err := r.recent(ctx, pool, time.Now().Add(-time.Hour))
			note(r, nil, err)
		}
	}
	return wrong
}

// ProveAgain is proveAgain.
var ProveAgain = proveAgain
