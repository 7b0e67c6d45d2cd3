package session

import (
	"time"

	"gateway.example/internal/testenv"
)

// Costly are the program's parameters of the hashes of passwords. Only in the whole check are the tests' hundreds of
// hashes made with them: that takes longer than all else.
var Costly = *passwordParams

func init() {
	if !testenv.Whole() {
		passwordParams.Memory, passwordParams.Iterations = 64, 1
	}
}

// At sets the service's clock.
func (s *Service) At(now func() time.Time) { s.now = now }
